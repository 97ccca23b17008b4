"""Finding variants. A variant is a module of a family's package that defines ``VARIANT``; its file name is its name.

Adding one is therefore a ``.cu`` file, a module beside it, and its name in the config.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from .. import sources
from ..device import Device
from ..errors import UsageError
from ..graphs.csr import Graph
from .parameters import Parameter, chosen
from .plan import Plan


@dataclass(frozen=True)
class Variant:
    """One implementation of an algorithm.

    ``plan(device, graph, source)`` makes a Plan; ``source`` is None for all pairs. ``same_cost`` says that all
    iterations cost the same once the plan has settled, so that a long run may be estimated from its first ones.
    ``on_cpu`` marks the serial columns, which ignore the device. ``kernel`` is the ``.cu`` file, None on the CPU.
    ``negative_arcs`` says whether negative weights are allowed. ``parameters`` are what ``plan`` takes by
    name beyond that, and ``settings`` the values that were given: ``plan(device, graph, source, **settings)``.
    ``tune(device, graph, sources, all_settings)`` finds values for that graph by trial runs, as the work did before it
    measured. ``counted`` names counters that only a plan made with ``counting=True`` fills.
    """

    problem: str
    paper: str
    summary: str
    plan: Callable[[Device, Graph, int | None], Plan]
    same_cost: bool = True
    on_cpu: bool = False
    kernel: Path | None = None
    negative_arcs: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    settings: Mapping[str, int] = field(default_factory=dict, hash=False)
    counted: tuple[str, ...] = ()
    tune: Callable[[Device, Graph, Sequence[int], Mapping[str, int]], Mapping[str, int]] | None = None
    # Set by the registry from the module's place.
    algorithm: str = ""
    name: str = ""

    def with_settings(self, given: Mapping[str, int]) -> "Variant":
        """The same variant with the values ``given``, beside those that it has been given before.

        Raises UsageError for a parameter that the variant does not have and for a value out of range.
        """
        settings = {**self.settings, **given}
        chosen(f"{self.algorithm} {self.name}", self.parameters, settings)
        return replace(self, settings=settings)

    @property
    def all_settings(self) -> dict[str, int]:
        """The value of every parameter: the one given, else its default."""
        return chosen(f"{self.algorithm} {self.name}", self.parameters, self.settings)

    @property
    def files(self) -> list[Path]:
        """Every source file that the variant's result depends on: kernel, includes, host loop and what it imports."""
        module = f"warpath.algorithms.{self.algorithm}.{self.name}"
        kernel_files = sources.include_closure(self.kernel) if self.kernel else []
        return sorted({*sources.import_closure(module), *kernel_files})


@cache
def families() -> dict[str, tuple[str, ...]]:
    """Names of all algorithms, each with the names of its variants, in alphabetical order; imports none of them."""
    here = Path(__file__).parent
    found = {}
    for family in sorted(path for path in here.iterdir() if (path / "__init__.py").is_file()):
        names = [module.name for module in pkgutil.iter_modules([str(family)])]
        found[family.name] = tuple(sorted(name for name in names if _defines_variant(family / f"{name}.py")))
    return found


def _defines_variant(file: Path) -> bool:
    return any(line.startswith("VARIANT =") for line in file.read_text(encoding="utf-8").splitlines())


@cache
def find(algorithm: str, name: str) -> Variant:
    """The variant ``name`` of ``algorithm``; raises UsageError that lists the known ones."""
    known = families()
    if algorithm not in known:
        raise UsageError(f"unknown algorithm {algorithm!r}; there are {', '.join(known)}")
    if name not in known[algorithm]:
        raise UsageError(f"{algorithm} has no variant {name!r}; it has {', '.join(known[algorithm])}")
    module = importlib.import_module(f"warpath.algorithms.{algorithm}.{name}")
    variant = module.VARIANT
    object.__setattr__(variant, "algorithm", algorithm)
    object.__setattr__(variant, "name", name)
    return variant


def variants(problem: str | None = None) -> list[Variant]:
    """All variants, or those of one problem, in alphabetical order."""
    found = [find(algorithm, name) for algorithm, names in families().items() for name in names]
    return [variant for variant in found if problem in (None, variant.problem)]
