"""What defines a variant, its parameters, and its line in a list of variants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..system.names import suggestion

if TYPE_CHECKING:  # lists of variants are printed without these, which take long to import
    from ..device.resident import Resident
    from ..graphs.csr import Graph
    from .costs import Cost, Facts
    from .solver import ClosureSolver, RowSolver


@dataclass(frozen=True)
class Parameter:
    """A whole number that a work varies in its experiments, such as vertices per thread.

    ``low`` and ``high`` are the smallest and the largest allowed value.
    """

    meaning: str
    default: int
    low: int
    high: int = 2**31 - 1


def complete(owner: str, parameters: Mapping[str, Parameter], given: Mapping[str, int]) -> dict[str, int]:
    """The value of each parameter: the given one, or the default.

    Raises UsageError, with the name of the ``owner``, if a given parameter is unknown or its value is out of range.
    """
    for name, value in given.items():
        if name not in parameters:
            known = suggestion(name, parameters) if parameters else "it has none"
            raise UsageError(f"{owner} has no parameter {name!r}; {known}")
        low, high = parameters[name].low, parameters[name].high
        if not low <= value <= high:
            raise UsageError(f"{name} of {owner} must be a whole number from {low} to {high}, not {value}")
    return {name: given.get(name, parameter.default) for name, parameter in parameters.items()}


def pairs(given: Any) -> tuple[tuple[str, int], ...]:
    """Names and values of a mapping, sorted; raises UsageError unless it is None or maps names to whole numbers."""
    if given is None:
        return ()
    valid = isinstance(given, Mapping) and all(
        isinstance(name, str) and isinstance(value, Integral) and not isinstance(value, bool)
        for name, value in given.items()
    )
    if not valid:
        raise UsageError(f"parameters={given!r} is not a mapping of names to whole numbers, such as {{'k': 4}}")
    return tuple(sorted((name, int(value)) for name, value in given.items()))


def parse(text: str) -> dict[str, int]:
    """Parse ``"k=3,vertices_per_thread=2"`` into a mapping. Raises UsageError if the format is different."""
    values: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or not name.isidentifier() or name in values:
            raise UsageError(f"parameters {text!r}: expected NAME=WHOLE_NUMBER, each once, joined by commas")
        values[name] = number
    return values


PREDECESSORS = Parameter("1 to find predecessors as well, 0 for distances alone", default=1, low=0, high=1)


@dataclass(frozen=True)
class Entry:
    """A line of a list of variants.

    ``name`` is ``algorithm.variant``; ``problem`` is "sssp", "apsp" or "closure", or one of another distribution.
    ``module`` defines ``VARIANT``; ``summary`` is a line for ``warpath list variants``. The library chooses among those
    with a ``cost``.
    """

    name: str
    problem: str
    module: str
    summary: str
    cost: "Cost | None" = None

    @property
    def algorithm(self) -> str:
        return self.name.partition(".")[0]

    @property
    def variant(self) -> str:
        return self.name.partition(".")[2]


@dataclass(frozen=True)
class Variant:
    """The definition of one implementation of an algorithm.

    Attributes
    ----------
    solver : callable
        ``solver(resident, **settings)`` returns a RowSolver, or a ClosureSolver if the problem is "closure".
    origin : str
        The work that published the variant; "warpath" for a solver.
    same_cost : bool
        A long run may be estimated from its first iterations, as the study does with plans.
    on_cpu : bool
        The variant runs on the CPU, whatever the device, and its rows are arrays of NumPy.
    host_rows : bool
        Rows are in host memory: no device has room for all of them.
    kernels : tuple of Path
        The ``.cu`` files that ``solver`` and ``tune`` open, the variant's own file first. Their text identifies the
        code of a run, as do ``compiled``, ``revision``, and the defaults of the arguments in ``smallest``.
    only_for_trees : tuple of Path and str
        Those ``kernels``, and arguments in ``smallest``, that no solver uses for a graph without ``trees_needed``.
    compiled : tuple of callable
        The Numba functions that a solve calls.
    revision : int
        Raise it if an edit of the host loop changes what is timed.
    negative_arcs : bool
        Negative weights are allowed.
    floats : bool
        Weights may be floats.
    negative_floats : bool
        Weights may be negative floats, if ``negative_arcs`` and ``floats`` are true.
    parameters : mapping of str to Parameter
        The numbers that a work varies in its experiments. Their values are arguments of ``solver``.
    smallest : mapping of str to Any
        Arguments of ``solver`` that make blocks and tiles as small as possible, for tests on small graphs.
    counted : tuple of str
        The counters that only a solver with ``counting=True`` fills.
    tune : callable or None
        ``tune(device, graph, sources, settings)`` returns values of parameters for a graph, from trial runs.
    optional_predecessors : bool
        ``solver`` takes ``predecessors=False`` and then omits them. ``find`` adds the parameter ``predecessors``, so
        that ``near_far.whole_grid.predecessors=0`` is the name of a run.
    many_sources : bool
        The solver takes any sources, many of them in one call, for the problems "sssp" and "apsp".
    tables : bool
        Solvers implement ``solve_table``, which is faster than whole rows if targets are few, and ``solve_pairs``; for
        whole weights.
    columns : bool
        Solvers implement ``solve_columns``, for whole weights.
    fits : callable or None
        ``fits(resident, facts)`` is false for a graph that the solver refuses, or for which its cost does not hold.
    algorithm, name, problem, summary : str
        As in the variant's line of a list; ``find`` sets them.
    """

    solver: "Callable[..., Any]"
    origin: str = "warpath"
    same_cost: bool = True
    on_cpu: bool = False
    host_rows: bool = False
    kernels: tuple[Path, ...] = ()
    only_for_trees: tuple[Path | str, ...] = ()
    compiled: tuple[Callable[..., Any], ...] = ()
    revision: int = 1
    negative_arcs: bool = True
    floats: bool = False
    negative_floats: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    smallest: Mapping[str, Any] = field(default_factory=dict, hash=False)
    counted: tuple[str, ...] = ()
    tune: Callable[..., Mapping[str, int]] | None = None
    optional_predecessors: bool = False
    many_sources: bool = False
    tables: bool = False
    columns: bool = False
    fits: "Callable[[Resident, Facts], bool] | None" = None
    algorithm: str = ""
    name: str = ""
    problem: str = ""
    summary: str = ""

    @property
    def maker(self) -> "Callable[..., Any]":
        """What makes a solver. Its text and its arguments identify the code, and so does what it reaches."""
        return self.solver

    def takes(self, graph: "Graph") -> bool:
        """Whether weights of the type and signs of ``graph`` are allowed."""
        if graph.has_floats and not self.floats:
            return False
        return graph.weight_min >= 0 or (self.negative_arcs and (self.negative_floats or not graph.has_floats))

    def has_tables(self, graph: "Graph") -> bool:
        """Whether solvers of ``graph`` implement what ``tables`` names."""
        return self.tables and not graph.has_floats

    def has_columns(self, graph: "Graph") -> bool:
        """Whether solvers of ``graph`` implement what ``columns`` names."""
        return self.columns and not graph.has_floats

    def configured(self, given: Mapping[str, int] | None = None) -> "Configured":
        """This variant with the ``given`` values, and the defaults of its other parameters.

        Raises UsageError if a parameter is unknown or its value is out of range.
        """
        return configured(self, given)


@dataclass(frozen=True)
class Configured:
    """A variant with values of its parameters. ``Variant.configured`` checks the values and returns an instance.

    ``given`` has the values from the caller, ``settings`` the value of each parameter.
    """

    variant: Variant
    given: Mapping[str, int] = field(hash=False)
    settings: Mapping[str, int] = field(hash=False)

    def solver(self, resident: "Resident", **extra: Any) -> "RowSolver | ClosureSolver":
        """A solver with these settings. ``extra`` are arguments of ``variant.solver`` that override them."""
        return self.variant.solver(resident, **{**self.settings, **extra})


def configured(variant: Any, given: Mapping[str, int] | None) -> Configured:
    """As Variant.configured, for anything with ``algorithm``, ``name`` and ``parameters``."""
    given = dict(given or {})
    return Configured(variant, given, complete(f"{variant.algorithm} {variant.name}", variant.parameters, given))
