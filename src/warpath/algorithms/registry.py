"""What a variant is, where the variants are found, and a variant with the values that were chosen for its parameters.

A variant is a module of a family's folder that defines ``VARIANT``; the folder and the file give its names. Modules
whose names begin with an underscore are what the variants of a family share.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ..device import AnyDevice
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.matrix_pair import Matrices
from ..names import suggestion
from .parameters import Parameter, chosen
from .plan import Plan

Problem = Literal["sssp", "apsp", "closure", "grid"]


@dataclass(frozen=True)
class Variant:
    """The definition of one implementation of an algorithm.

    ``origin`` is the work that the variant comes from, "warpath" for our own. ``plan(device, graph, source,
    **settings)`` makes a Plan; ``source`` is None unless the problem is "sssp". ``same_cost`` says that all iterations
    cost the same once the plan has settled, so that a long run may be estimated from its first iterations. ``on_cpu``
    marks serial variants, which ignore the device. ``kernel`` is the ``.cu`` file, None on the CPU. ``negative_arcs``
    says whether negative weights are allowed.

    ``parameters`` are what a work varies in its experiments; their values are arguments of ``plan``.
    ``tune(device, graph, sources, settings)`` finds values for one graph by trial runs, as the work did before it
    measured. ``counted`` names the counters that are filled only by a plan made with ``counting=True``.

    ``smallest`` holds arguments of ``plan`` that make blocks and tiles about as small as the kernels allow, so that
    tests on small graphs have many of them. They are no parameters: their defaults are what the work published.

    ``algorithm`` and ``name`` are filled in by ``find``.
    """

    problem: Problem
    origin: str
    summary: str
    plan: Callable[..., Plan]
    same_cost: bool = True
    on_cpu: bool = False
    kernel: Path | None = None
    negative_arcs: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    smallest: Mapping[str, Any] = field(default_factory=dict, hash=False)
    counted: tuple[str, ...] = ()
    tune: Callable[..., Mapping[str, int]] | None = None
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
        """A plan with these settings; ``extra`` are further arguments of the variant's plan."""
        return self.variant.plan(device, graph, source, **self.settings, **extra)


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The names of all algorithms, each with the names of its variants, in alphabetical order; imports no variant."""
    found = {}
    for family in sorted(path.parent for path in Path(__file__).parent.glob("*/__init__.py")):
        found[family.name] = tuple(sorted(file.stem for file in family.glob("*.py") if not file.stem.startswith("_")))
    return found


@cache
def find(algorithm: str, name: str) -> Variant:
    """The variant ``name`` of ``algorithm``. Raises UsageError with the nearest names where there is none."""
    known = families()
    if algorithm not in known:
        raise UsageError(f"unknown algorithm {algorithm!r}; {suggestion(algorithm, known)}")
    if name not in known[algorithm]:
        raise UsageError(f"{algorithm} has no variant {name!r}; {suggestion(name, known[algorithm])}")
    module = importlib.import_module(f"warpath.algorithms.{algorithm}.{name}")
    return replace(module.VARIANT, algorithm=algorithm, name=name)


def variants(problem: str | None = None) -> list[Variant]:
    """All variants, or those of one problem, in alphabetical order."""
    found = [find(algorithm, name) for algorithm, names in families().items() for name in names]
    return [variant for variant in found if problem in (None, variant.problem)]
