"""The choice of the solver: the variant that the caller names, or the one of the least cost."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, cast

from ...device import Device
from ...device.resident import Resident
from ...errors import UsageError
from ...system.progress import Progress
from ..costs import Facts, Microseconds, Wanted
from ..registry import CPU_SOLVERS, SOLVERS, default_algorithm, families, find, variant_for
from ..solver import RowSolver
from ..variant import Configured, Entry, Variant
from .facts import facts_of, shape_of
from .fitted import CONSTANTS

ONE, FEW, MANY = 1, 4, 3_000
"""How many such calls are expected on a graph, this one included: the only one, of a solver that is not prepared for
more, and by default of one that is."""

# The solver of closures on a device without kernels.
_CLOSURE_ON_CPU = "components"
# Keys of what was made for a resident graph begin with this for its solvers.
SOLVER = "solver"


@cache
def entries_for(device_kind: str, one_source: bool) -> tuple[Entry, ...]:
    """Those from which the library chooses. With a GPU, the CPU serves a call from one source to all vertices, too."""
    listed = CPU_SOLVERS if device_kind == "cpu" else SOLVERS + CPU_SOLVERS if one_source else SOLVERS
    return tuple(entry for entry in listed if entry.cost)


def ranked(facts: Facts, wanted: Wanted, device_kind: str, calls: int) -> list[tuple[str, Microseconds]]:
    """The names and costs of the solvers that may solve this, the least cost of preparation and ``calls`` first."""
    found = []
    for entry in entries_for(device_kind, wanted.alone):
        cost = entry.cost and entry.cost(facts, wanted, *CONSTANTS.get(entry.name, ({}, {})))
        if cost is not None:
            found.append((entry.name, cost))
    return sorted(found, key=lambda each: each[1].of_calls(calls))


def choices(resident: Resident, wanted: Wanted, calls: int) -> Iterator["Choice"]:
    """Suitable solvers for a graph on a device, the best first; others are for when preparation of one fails."""
    kind = resident.device.kind
    facts = shape_of(resident) if kind == "cpu" else facts_of(resident)
    shape = "" if kind == "cpu" else f" for about {facts.levels:,.0f} levels of {facts.width:,.0f} vertices"
    ranking = ranked(facts, wanted, kind, calls)
    return suitable(resident, facts, (name for name, _ in ranking), f"the least cost{shape}")


def suitable(resident: Resident, facts: Facts, names: Iterable[str], reason: str) -> Iterator["Choice"]:
    """Of the solvers with these ``names``, those that take the graph and fit it."""
    for name in names:
        variant = find(*name.split("."))
        if variant.takes(resident.graph) and (variant.fits is None or variant.fits(resident, facts)):
            yield Choice(variant.configured(), reason)


def drop_solvers(resident: Resident, named: tuple = ()) -> None:
    """Drop the solvers of a graph, or those with a ``Choice.key``."""
    beginning = SOLVER, *named
    for key in [key for key in resident.made if key[: len(beginning)] == beginning]:
        resident.made.pop(key, None)


@dataclass(frozen=True)
class Choice:
    """A variant with its settings, and the reason: "as named", or what its cost follows from."""

    configured: Configured
    reason: str

    @cached_property
    def variant(self) -> Variant:
        return self.configured.variant

    @cached_property
    def name(self) -> str:
        """Algorithm and variant, such as "partition.borders"."""
        return f"{self.variant.algorithm}.{self.variant.name}"

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The name and the settings."""
        return self.name, *sorted(self.configured.settings.items())

    @property
    def by_rows(self) -> bool:
        """Whether the variant solves from given sources, rather than all pairs at once."""
        return self.variant.problem == "sssp" or self.variant.many_sources

    def solver(self, resident: Resident) -> RowSolver:
        """The solver for a graph, made once. It serves calls with and without predecessors."""
        options = {"predecessors": True} if self.variant.optional_predecessors else {}
        key = SOLVER, *self.key
        solver = resident.made.get(key)
        if solver is None:
            with Progress("preparing the graph"):
                solver = resident.made[key] = self.configured.solver(resident, **options)
        return cast(RowSolver, solver)


def named(
    problem: Literal["sssp", "apsp"],
    device: Device,
    algorithm: str | None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Choice | None:
    """What the caller names; None if ``algorithm`` is None.

    Without ``variant``, the first one of ``algorithm`` that solves this runs, the default before others. Raises
    UsageError if a name or parameter is unknown, a value is out of range, or the variant solves another problem or
    needs another device.
    """
    if algorithm is None:
        if variant is not None or parameters:
            what = "a variant" if variant is not None else "parameters"
            raise UsageError(f"{what} without an algorithm: name the algorithm, too")
        return None
    definition = variant_for(problem, algorithm, variant)
    _check_device(device, definition)
    is_default = definition.name == families()[algorithm][0]
    reason = "as named" if variant else "its default variant" if is_default else "its first variant that solves this"
    return Choice(definition.configured(parameters), reason)


def choose_closure(device: Device, variant: str | None) -> Variant:
    """The variant for a closure on ``device``: the named one, or the default. Raises UsageError as ``named`` does."""
    default = _CLOSURE_ON_CPU if device.kind == "cpu" else None
    definition = variant_for("closure", default_algorithm("closure"), variant or default)
    _check_device(device, definition)
    return definition


def _check_device(device: Device, variant: Variant) -> None:
    if device.kind == "cpu" and not variant.on_cpu:
        raise UsageError(
            f"{variant.algorithm} {variant.name} runs on a GPU, which device='simulated' simulates slowly; choose "
            "that, or leave the solver to the library"
        )
