"""What runs: the variant that the caller names, or the one that suits the graph where none is named."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..device import Device
from ..errors import UsageError
from ..graphs.csr import Graph
from .auto import choose_apsp, choose_sssp
from .plan import Plan
from .registry import Configured, Variant, default_of, families, find

# A family for each problem: of a closure it is the default, of the others the one that messages name.
_ALGORITHMS = {"sssp": "label_correcting", "apsp": "floyd_warshall", "closure": "transitive_closure"}
_SAYS = {"sssp": "paths from one source", "apsp": "all pairs", "closure": "the transitive closure"}


@dataclass(frozen=True)
class Choice:
    """A variant with its settings, and why it runs: "as named", or what of the graph decided.

    ``otherwise`` runs in its place where preparing shows that the graph does not suit it.
    """

    configured: Configured
    reason: str
    otherwise: "Choice | None" = None

    @property
    def variant(self) -> Variant:
        return self.configured.variant

    @property
    def name(self) -> str:
        """The family and the variant, "partition.borders"."""
        return f"{self.variant.algorithm}.{self.variant.name}"

    @property
    def by_rows(self) -> bool:
        """Whether it solves from any sources, rather than all pairs at once."""
        return self.variant.problem == "sssp" or self.variant.many_sources

    def plan(self, device: Device, graph: Graph, source: int | None, predecessors: bool) -> Plan:
        """A plan that leaves predecessors out, where the variant can, unless they are asked for."""
        asked = {"predecessors": predecessors} if self.variant.optional_predecessors else {}
        return self.configured.plan(device, graph, source, **asked)


def chosen(
    problem: Literal["sssp", "apsp"],
    device: Device,
    graph: Graph,
    sources: int,
    prepared: bool,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Choice:
    """What solves ``graph`` on ``device`` from so many sources; ``prepared`` where many calls are to come.

    Raises UsageError for unknown names, for parameters that do not suit, and where the named variant solves another
    problem.
    """
    if algorithm is None:
        if variant is not None or parameters:
            what = "a variant" if variant is not None else "parameters"
            raise UsageError(f"{what} without an algorithm: name the algorithm, too")
        if problem == "sssp":
            suiting = choose_sssp(device, graph, sources, prepared)
        else:
            suiting = choose_apsp(device, graph)
        choice = None
        for suits in reversed(suiting):
            definition = find(suits.algorithm, suits.variant)
            if definition.negative_arcs or graph.weight_min >= 0:
                choice = Choice(definition.configured(), suits.reason, choice)
        assert choice  # the last rule always holds
        return choice
    definition = chosen_variant(problem, algorithm, variant)
    return Choice(definition.configured(parameters), "as named" if variant else "its default variant")


def default_algorithm(problem: str) -> str:
    """An algorithm for ``problem``: "sssp", "apsp" or "closure"."""
    return _ALGORITHMS[problem]


def default_variant(algorithm: str) -> str:
    """The variant of ``algorithm`` that runs where none is named; the first one of a family that has no default."""
    return default_of(algorithm) or families().get(algorithm, ("",))[0]


def chosen_variant(problem: str, algorithm: str, variant: str | None = None) -> Variant:
    """The variant of ``algorithm`` for ``problem``: ``variant``, or its default.

    One that solves from many sources at once solves all pairs, too, whichever of the two it is listed for. Raises
    UsageError for unknown names, and where the named one solves another problem.
    """
    definition = find(algorithm, variant or default_variant(algorithm))
    if definition.problem == problem or (definition.many_sources and problem in ("sssp", "apsp")):
        return definition
    others = sorted({other.problem for other in (find(algorithm, name) for name in families()[algorithm])})
    if problem in others:
        fitting = [name for name in families()[algorithm] if find(algorithm, name).problem == problem]
        advice = f"{algorithm} {fitting[0]} does"
    else:
        advice = f"{default_algorithm(problem)} does"
    named = f"{algorithm} {variant}" if variant else algorithm
    raise UsageError(
        f"{named} solves {_SAYS.get(definition.problem, definition.problem)}, not {_SAYS[problem]}; {advice}"
    )


def refuse_names(algorithm: Any, variant: Any) -> None:
    """Raise UsageError where one is neither a string nor None."""
    for what, name in (("algorithm", algorithm), ("variant", variant)):
        if name is not None and not isinstance(name, str):
            raise UsageError(f"the {what} is named by a string, as `warpath list variants` has it, not by {name!r}")
