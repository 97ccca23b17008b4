"""What a variant is, where the variants are found, and a variant with the values that were chosen for its parameters.

A variant is a module of a family's folder that defines ``VARIANT``; the folder and the file give its names. Modules
whose names begin with an underscore are what the variants of a family share.

Families lie in this package, and in the packages that other distributions name: an entry point of the group
``warpath.families`` is a function that returns names of packages. One family may have variants in several of them.

Parameters are whole numbers that a work varies in its experiments, such as vertices per thread.
"""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..device import AnyDevice
from ..errors import UsageError
from ..names import suggestion
from .plan import Plan

GROUP = "warpath.families"


@dataclass(frozen=True)
class Parameter:
    """What a parameter means, its default, and its range: ``low`` to ``high``, both included."""

    meaning: str
    default: int
    low: int
    high: int = 2**31 - 1


def chosen(owner: str, parameters: Mapping[str, Parameter], given: Mapping[str, int]) -> dict[str, int]:
    """A value for each of ``parameters``: the one ``given``, else its default.

    Raises UsageError, naming ``owner``, for a parameter that it does not have and for a value out of range.
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
    """Names and values of a mapping, sorted, none of None; UsageError unless it maps names to whole numbers."""
    if given is None:
        return ()
    sound = isinstance(given, Mapping) and all(
        isinstance(name, str) and isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        for name, value in given.items()
    )
    if not sound:
        raise UsageError(f"parameters map names to whole numbers, as {{'k': 4}} does, not {given!r}")
    return tuple(sorted((name, int(value)) for name, value in given.items()))


def parse(text: str) -> dict[str, int]:
    """``"k=3,vertices_per_thread=2"`` as a mapping. Raises UsageError for anything else."""
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
class Variant:
    """The definition of one implementation of an algorithm.

    ``problem`` is "sssp", "apsp" or "closure", or one that another package defines. ``origin`` is the work that the
    variant comes from. ``plan(device, graph, source, **settings)`` makes a Plan; ``source`` is
    None unless the problem is "sssp". ``same_cost`` says that all iterations cost the same once the plan has settled,
    or are sources (``Plan.by_source``), so that a long run may be estimated from its first iterations. ``on_cpu`` marks
    serial variants, which ignore the device. ``negative_arcs`` says whether negative weights are allowed.

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
    plans are RowsPlans.

    ``algorithm`` and ``name`` are filled in by ``find``.
    """

    problem: str
    summary: str
    plan: Callable[..., Plan]
    origin: str = "warpath"
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
    algorithm: str = ""
    name: str = ""

    def configured(self, given: Mapping[str, int] | None = None) -> "Configured":
        """This variant with the values ``given``, and defaults for its other parameters.

        Raises UsageError for a parameter that the variant does not have and for a value out of range.
        """
        return configured(self, given)


@dataclass(frozen=True)
class Configured:
    """A variant and the values chosen for its parameters; made by ``Variant.configured``, which checks them.

    ``given`` holds the values that were asked for, ``settings`` the value of every parameter.
    """

    variant: Variant
    given: Mapping[str, int] = field(hash=False)
    settings: Mapping[str, int] = field(hash=False)

    def plan(self, device: AnyDevice, graph: Any, source: int | None, **extra: Any) -> Plan:
        """A plan with these settings; ``extra`` are arguments of the variant's plan, which come before settings."""
        return self.variant.plan(device, graph, source, **{**self.settings, **extra})


def configured(variant: Any, given: Mapping[str, int] | None) -> Configured:
    """``variant``, or anything else with names and parameters, with the values ``given``; see Variant.configured."""
    given = dict(given or {})
    return Configured(variant, given, chosen(f"{variant.algorithm} {variant.name}", variant.parameters, given))


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The names of all algorithms, each with the names of its variants, in alphabetical order.

    Imports no variant.
    """
    names: dict[str, set[str]] = {}
    for package in _packages():
        for family in _folder(package).glob("*/__init__.py"):
            files = family.parent.glob("[!_]*.py")
            names.setdefault(family.parent.name, set()).update(file.stem for file in files)
    return {algorithm: tuple(sorted(names[algorithm])) for algorithm in sorted(names) if names[algorithm]}


@cache
def find(algorithm: str, name: str) -> Variant:
    """The variant ``name`` of ``algorithm``. Raises UsageError with the nearest names where there is none."""
    for package in _packages():
        if variant := find_in(package, algorithm, name):
            return variant
    known = families()
    if algorithm not in known:
        raise UsageError(f"unknown algorithm {algorithm!r}; {suggestion(algorithm, known)}")
    raise UsageError(f"{algorithm} has no variant {name!r}; {suggestion(name, known[algorithm])}")


def find_in(package: str, algorithm: str, name: str) -> Variant | None:
    """The variant that the package's module ``algorithm.name`` defines; None where there is no such module."""
    named = algorithm.isidentifier() and name.isidentifier() and not name.startswith("_")
    if not named or not Path(_folder(package), algorithm, f"{name}.py").is_file():
        return None
    variant: Variant = importlib.import_module(f"{package}.{algorithm}.{name}").VARIANT
    further = {"predecessors": PREDECESSORS} if variant.optional_predecessors else {}
    return replace(variant, algorithm=algorithm, name=name, parameters={**variant.parameters, **further})


def default_of(algorithm: str) -> str | None:
    """The variant that the algorithm's package names as ``DEFAULT``; None if there is none."""
    for package in _packages():
        if Path(_folder(package), algorithm, "__init__.py").is_file():
            default = getattr(importlib.import_module(f"{package}.{algorithm}"), "DEFAULT", None)
            if default is not None:
                return str(default)
    return None


def variants(problem: str | None = None) -> list[Variant]:
    """All variants, or those of one problem, in alphabetical order."""
    found = [find(algorithm, name) for algorithm, names in families().items() for name in names]
    return [variant for variant in found if problem in (None, variant.problem)]


def _packages() -> Iterator[str]:
    """The packages that have families, this one first."""
    yield __package__
    yield from _further_packages()


@cache
def _further_packages() -> tuple[str, ...]:
    entries = sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(package for entry in entries for package in entry.load()())


@cache
def _folder(package: str) -> Path:
    """Where a package lies; imports only those above it."""
    spec = importlib.util.find_spec(package)
    assert spec and spec.origin  # whoever names a package has it
    return Path(spec.origin).parent
