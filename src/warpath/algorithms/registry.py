"""What a variant is, where the variants are found, and a variant with the values that were chosen for its parameters.

A variant is a module of a family's folder that defines ``VARIANT``; the folder and the file give its names. Modules
whose names begin with an underscore are what the variants of a family share.

Three families have no folder: ``peer_sssp`` and ``peer_apsp``, whose variants are the solvers of ``warpath.peers``, and
``all_pairs``. They are there to be recorded beside ours, and not among what the library offers.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from ..device import AnyDevice
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.matrix_pair import Matrices
from ..names import suggestion
from ..peers.by_name import find_peer, peer_names
from ..peers.contract import Peer
from . import all_pairs_in_parts
from .parameters import Parameter, chosen
from .plan import Plan

Problem = Literal["sssp", "apsp", "closure", "grid", "reductions"]
PEERS: Mapping[str, Problem] = {"peer_sssp": "sssp", "peer_apsp": "apsp"}
"""The families of peers, and what they solve."""
PREDECESSORS = Parameter("1 to find predecessors as well, 0 for distances alone", default=1, low=0, high=1)


@dataclass(frozen=True)
class Variant:
    """The definition of one implementation of an algorithm.

    ``origin`` is the work that the variant comes from, "warpath" for our own. ``plan(device, graph, source,
    **settings)`` makes a Plan; ``source`` is None unless the problem is "sssp". ``same_cost`` says that all iterations
    cost the same once the plan has settled, or are sources (``Plan.by_source``), so that a long run may be estimated
    from its first iterations. ``on_cpu`` marks serial variants, which ignore the device. ``negative_arcs`` says whether
    negative weights are allowed.

    ``kernels`` are the ``.cu`` files that ``plan`` and ``tune`` open, the variant's own first; ``compiled`` are the
    functions of Numba's that a solve calls. Their texts identify the code of a run. So do the defaults of what
    ``smallest`` names, and ``revision``: raise it when an edit of the host loop changes what is timed.

    ``parameters`` are what a work varies in its experiments; their values are arguments of ``plan``.
    ``tune(device, graph, sources, settings)`` finds values for one graph by trial runs, as the work did before it
    measured. ``counted`` names the counters that are filled only by a plan made with ``counting=True``.

    ``smallest`` holds arguments of ``plan`` that make blocks and tiles about as small as the kernels allow, so that
    tests on small graphs have many of them. They are no parameters: their defaults are what the work published.

    ``optional_predecessors`` says that ``plan`` takes ``predecessors=False`` and then leaves them out. ``find`` makes a
    parameter of it, so that ``near_far.whole_grid.predecessors=0`` is the name of a run. ``many_sources`` says that its
    plans are RowsPlans. ``peer`` is the solver that is not ours, None for ours.

    ``algorithm`` and ``name`` are filled in by ``find``.
    """

    problem: Problem
    origin: str
    summary: str
    plan: Callable[..., Plan]
    same_cost: bool = True
    on_cpu: bool = False
    kernels: tuple[Path, ...] = ()
    compiled: tuple[Callable[..., Any], ...] = ()
    revision: int = 1
    negative_arcs: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    smallest: Mapping[str, Any] = field(default_factory=dict, hash=False)
    counted: tuple[str, ...] = ()
    tune: Callable[..., Mapping[str, int]] | None = None
    optional_predecessors: bool = False
    many_sources: bool = False
    peer: Peer | None = None
    algorithm: str = ""
    name: str = ""

    def configured(self, given: Mapping[str, int] | None = None) -> "Configured":
        """This variant with the values ``given``, and defaults for its other parameters.

        Raises UsageError for a parameter that the variant does not have and for a value out of range.
        """
        given = dict(given or {})
        return Configured(self, given, chosen(f"{self.algorithm} {self.name}", self.parameters, given))


@dataclass(frozen=True)
class Configured:
    """A variant and the values chosen for its parameters; made by ``Variant.configured``, which checks them.

    ``given`` holds the values that were asked for, ``settings`` the value of every parameter.
    """

    variant: Variant
    given: Mapping[str, int] = field(hash=False)
    settings: Mapping[str, int] = field(hash=False)

    def plan(self, device: AnyDevice, graph: Graph | Matrices, source: int | None, **extra: Any) -> Plan:
        """A plan with these settings; ``extra`` are arguments of the variant's plan, which come before settings."""
        return self.variant.plan(device, graph, source, **{**self.settings, **extra})


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The names of all algorithms of ours, each with the names of its variants, in alphabetical order.

    Imports no variant.
    """
    found = {}
    for family in sorted(path.parent for path in Path(__file__).parent.glob("*/__init__.py")):
        found[family.name] = tuple(sorted(file.stem for file in family.glob("*.py") if not file.stem.startswith("_")))
    return found


@cache
def find(algorithm: str, name: str) -> Variant:
    """The variant ``name`` of ``algorithm``. Raises UsageError with the nearest names where there is none."""
    if algorithm in PEERS:
        return _of_peer(algorithm, name)
    if algorithm == all_pairs_in_parts.ALGORITHM:
        return _in_parts(name)
    known = families()
    if algorithm not in known:
        everything = [*known, *PEERS, all_pairs_in_parts.ALGORITHM]
        raise UsageError(f"unknown algorithm {algorithm!r}; {suggestion(algorithm, everything)}")
    if name not in known[algorithm]:
        raise UsageError(f"{algorithm} has no variant {name!r}; {suggestion(name, known[algorithm])}")
    module = importlib.import_module(f"warpath.algorithms.{algorithm}.{name}")
    variant: Variant = module.VARIANT
    further = {"predecessors": PREDECESSORS} if variant.optional_predecessors else {}
    return replace(variant, algorithm=algorithm, name=name, parameters={**variant.parameters, **further})


def variants(problem: str | None = None) -> list[Variant]:
    """All variants of ours, or those of one problem, in alphabetical order."""
    found = [find(algorithm, name) for algorithm, names in families().items() for name in names]
    return [variant for variant in found if problem in (None, variant.problem)]


def _in_parts(name: str) -> Variant:
    if name != all_pairs_in_parts.NAME:
        raise UsageError(f"all_pairs has no variant {name!r}; there is {all_pairs_in_parts.NAME}")
    return Variant(
        problem="reductions",
        origin="warpath",
        summary=all_pairs_in_parts.SUMMARY,
        plan=all_pairs_in_parts.refuse_plan,
        negative_arcs=False,
        parameters=all_pairs_in_parts.PARAMETERS,
        algorithm=all_pairs_in_parts.ALGORITHM,
        name=name,
    )


def _of_peer(algorithm: str, name: str) -> Variant:
    peer, problem = find_peer(name), PEERS[algorithm]
    if problem == "apsp" and peer.all_pairs == "no":
        able = [other for other in peer_names() if find_peer(other).all_pairs != "no"]
        raise UsageError(f"{peer.title} has no call for all pairs; {', '.join(able)} have")
    from .peer_plan import PeerPlan

    return Variant(
        problem=problem,
        origin="peer",
        summary=f"{peer.title}, {peer.summary}",
        plan=partial(PeerPlan, peer=peer),
        on_cpu=peer.on_cpu,
        kernels=peer.sources,
        revision=peer.revision,
        negative_arcs=False,
        peer=peer,
        algorithm=algorithm,
        name=name,
    )
