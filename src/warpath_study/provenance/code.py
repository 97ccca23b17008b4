"""What the code of a run consists of, and its identity: kernels, their launch shape, and revisions.

Kernels, and functions that Numba compiles, count by their text, with includes and without comments. Host code counts by
revisions of the variant and of the device adapter, which authors increase when an edit changes what is timed. Paths and
names of modules do not count, so code can move.

The pipeline repeats runs by ``Sources.parts``, where the text of the host code that a solve reaches counts, too.
``Code.host_loop`` is a hash of this text, and no part of the identity.
"""

import ast
import hashlib
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import cpu, cuda
from warpath.device.kernel_source import ROOT, expanded_source
from warpath.device.simulated import device as simulated
from warpath.solvers.choice.choose import entries_for
from warpath.solvers.registry import find
from warpath.solvers.variant import Variant
from warpath.statistics import statistics

from .facts import Code
from .normal_form import c_form, python_form
from .reach import Name, name_of, reached

ADAPTERS: Mapping[str, Any] = {"cuda": cuda, "simulated": simulated, "cpu": cpu}
"""The device adapters by kind; each has a ``REVISION``."""


@dataclass(frozen=True)
class Sources:
    """What the code of a run consists of; ``code`` is its identity.

    Attributes
    ----------
    kernels : collection of Path
        The files of kernels, without those that they include.
    host_loop : collection of (str, str)
        The name and a hash of each definition that the host loop reaches.
    revisions : mapping of str to int
    launch : mapping of str to object
        Sizes of blocks and tiles.
    compiled : mapping of str to str
        Hashes of the functions that Numba compiles.
    settings : mapping of str to object
        Other values of the variant's definition.
    solvers : mapping of str to Sources
        Those of the library's solvers that the code calls.
    """

    kernels: Collection[Path]
    host_loop: Collection[tuple[str, str]]
    revisions: Mapping[str, int]
    launch: Mapping[str, Any] = field(default_factory=dict)
    compiled: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    solvers: Mapping[str, "Sources"] = field(default_factory=dict)

    @property
    def code(self) -> Code:
        """The identity."""
        codes = {name: solver.code for name, solver in self.solvers.items()}
        kernels = {file.name: _hash_of_kernel(file) for file in self.kernels} | dict(self.compiled)
        for code in codes.values():
            kernels |= code.kernels
        return Code(
            kernels=kernels,
            launch={**self.launch, **{name: code.launch for name, code in codes.items()}},
            revisions=dict(self.revisions),
            host_loop=_hash(*(hash_ for _, hash_ in self.host_loop), *(code.host_loop for code in codes.values())),
        )

    @property
    def parts(self) -> dict[str, str]:
        """What an edit can change, with a hash of each: kernel files, functions, revisions, settings."""
        hashes: dict[str, list[str]] = {}
        for name, hash_ in sorted(self._texts):
            hashes.setdefault(name, []).append(hash_)
        revisions = {f"revision of {name}": _hash(str(revision)) for name, revision in self.revisions.items()}
        texts = {name: _hash(*each) for name, each in hashes.items()}
        return {**texts, **revisions, "launch": _hash(str(self.code.launch))}

    @property
    def _texts(self) -> set[tuple[str, str]]:
        """The name and the hash of each kernel file, each definition and each compiled function; the settings."""
        files = {file for kernel in self.kernels for file in _with_included(kernel)}
        own = {(file.name, _hash_of_text(file)) for file in files} | {*self.host_loop, *self.compiled.items()}
        own.add(("settings", _hash(str(self.settings))))
        return own.union(*(solver._texts for solver in self.solvers.values()))


def sources(
    variant: Variant, revisions: Mapping[str, int], roots: Collection[Name] | None = None, trees: bool = True
) -> Sources:
    """What the code of a variant consists of.

    Parameters
    ----------
    variant : Variant
    revisions : mapping of str to int
        The revisions of the device adapter and of the sampling.
    roots : collection of Name, optional
        Where the host loop begins. Default: at what makes the variant's solver or plan, and ``tune``.
    trees : bool
        With what the variant uses only for graphs with ``trees_needed``.

    Returns
    -------
    Sources
    """
    compiled: dict[str, str] = {}
    for function in variant.compiled:
        _add_compiled(function, compiled)
    rare = variant.only_for_trees
    begins = [name_of(function) for function in (variant.maker, variant.tune) if function] if roots is None else roots
    return Sources(
        kernels=[file for file in variant.kernels if trees or file not in rare],
        host_loop=reached(*begins),
        revisions={"variant": variant.revision, **revisions},
        launch={name: value for name, value in _launch(variant).items() if trees or name not in rare},
        compiled=compiled,
        settings=_settings(variant),
    )


def sources_of_library(
    problem: str,
    device_kind: str,
    revisions: Mapping[str, int],
    kernels: Collection[Path],
    roots: Collection[Name],
    one_source: bool = False,
    trees: bool = True,
    solvers: Collection[str] | None = None,
) -> Sources:
    """What the library's solvers for "sssp" or "apsp" consist of, and what else it runs.

    Parameters
    ----------
    problem, device_kind : str
    revisions : mapping of str to int
        The revisions of the calling code.
    kernels : collection of Path
        The files of kernels that the calling code launches.
    roots : collection of Name
        Where the calling code begins.
    one_source : bool
        Each call is from one source to all vertices.
    trees : bool
        As for ``sources``.
    solvers : collection of str, optional
        The names of the solvers that ran. Default: those that the library chooses from.
    """
    adapter = {device_kind: ADAPTERS[device_kind].REVISION}
    if solvers is None:
        solvers = [entry.name for entry in entries_for(device_kind, one_source)]
    variants = {name: find(*name.split(".")) for name in solvers}
    return Sources(
        kernels=kernels,
        host_loop=reached(*roots),
        revisions={**revisions, **adapter, **{name: variant.revision for name, variant in variants.items()}},
        solvers={name: sources(variant, adapter, trees=trees) for name, variant in variants.items()},
    )


def sources_of_statistics(device_kind: str) -> Sources:
    """What solves and reduces rows on a device of this kind."""
    revisions, roots = {"variant": statistics.REVISION}, [name_of(statistics.collector_for)]
    return sources_of_library("sssp", device_kind, revisions, [statistics.KERNELS], roots)


def differing(one: Code, other: Code) -> list[str]:
    """The differences of two identities, sorted: names of kernels, "launch", "revision of variant" and so on."""
    kernels = {name for name, hash_ in one.kernels.items() if hash_ not in other.kernels.values()}
    kernels |= {name for name, hash_ in other.kernels.items() if hash_ not in one.kernels.values()}
    launch = {"launch"} if one.launch != other.launch else set()
    revised = {f"revision of {name}" for name, _ in one.revisions.items() ^ other.revisions.items()}
    return sorted(kernels | launch | revised)


def _launch(variant: Variant) -> dict[str, Any]:
    """The sizes of blocks and tiles: defaults for the names in ``smallest`` that are not parameters."""
    made = inspect.signature(variant.maker).parameters
    return {name: _plain(made[name].default) for name in variant.smallest if name not in variant.parameters}


def _settings(variant: Variant) -> dict[str, Any]:
    """Defaults of parameters, numbers and texts that it is bound to, and whether iterations cost the same."""
    bound = getattr(variant.maker, "keywords", {})
    given = {name: value for name, value in bound.items() if isinstance(value, (int, float, str))}
    defaults = {name: parameter.default for name, parameter in variant.parameters.items()}
    return {**given, **defaults, "same_cost": variant.same_cost}


def _plain(value: Any) -> Any:
    """``value`` with JSON values instead of tuples and dataclasses."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _add_compiled(function: Callable[..., Any], into: dict[str, str]) -> None:
    """Add the hashes of a Numba function and of those it calls, with the numbers from their modules."""
    plain = getattr(function, "py_func", function)
    if plain.__name__ in into:
        return
    named = {name: plain.__globals__[name] for name in sorted(plain.__code__.co_names) if name in plain.__globals__}
    numbers = [f"{name} {int(value)}" for name, value in named.items() if isinstance(value, (int, np.integer))]
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):  # a lock does not change what is timed
            part.decorator_list = [by for by in part.decorator_list if "numba" in ast.dump(by)]
    into[plain.__name__] = _hash(python_form(tree), *numbers)
    for value in named.values():
        if hasattr(value, "py_func"):
            _add_compiled(value, into)


@cache
def _hash_of_kernel(file: Path) -> str:
    return _hash(c_form(expanded_source(file, False))) if file.suffix == ".cu" else _hash_of_text(file)


@cache
def _hash_of_text(file: Path) -> str:
    return _hash(c_form(file.read_text(encoding="utf-8")))


@cache
def _with_included(file: Path) -> list[Path]:
    """``file`` and, if it is a ``.cu`` file, all that it includes."""
    begins = re.findall(r'^#line 1 "(.+)"$', expanded_source(file), re.MULTILINE) if file.suffix == ".cu" else [file]
    return [ROOT / name for name in begins]


def _hash(*texts: str) -> str:
    """A hash of ``texts`` in any order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()
