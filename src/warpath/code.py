"""What identifies code that ran: its kernels, their launch shape, and revisions.

Kernels count by their text, with what they include and without comments; functions that Numba compiles count likewise.
Host code counts by numbers that its authors raise when an edit changes what is timed: one of the variant, one of the
device's adapter. Paths and names of modules do not count, so that code can move.

``Code.host_loop`` tells more: an edit of the variant's own module changes it. It is no part of the identity.
"""

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .device import cuda, host
from .device.kernel_source import expanded_source
from .facts import Code
from .normal_text import c_form, python_form
from .package import import_closure
from .reductions import reductions
from .solvers.auto import solvers_of_sources
from .solvers.registry import Variant, find

ADAPTERS: Mapping[str, Any] = {"cuda": cuda, "host": host}
"""The adapters of devices by kind; each has a ``REVISION``."""


def identity(variant: Variant, revisions: Mapping[str, int], modules: Iterable[Path] | None = None) -> Code:
    """The code of ``variant``; ``revisions`` are those of what runs it, by name.

    ``modules`` are the files of the host loop, by default those of the variant's folders that its plan imports.
    """
    compiled: dict[str, str] = {}
    for function in variant.compiled:
        _add_compiled(function, compiled)
    return Code(
        kernels={file.name: _hash_of_kernel(file) for file in variant.kernels} | compiled,
        launch=_launch(variant),
        revisions={"variant": variant.revision, **revisions},
        host_loop=_hash(*map(_hash_of_module, modules if modules is not None else _modules(variant))),
    )


def identity_of_reductions(device_kind: str) -> Code:
    """The code of all that may solve rows on a device of kind "cuda" or "host", and of reducing them."""
    adapter = {device_kind: ADAPTERS[device_kind].REVISION}
    solvers = {".".join(names): find(*names) for names in solvers_of_sources()}
    codes = {name: identity(solver, adapter) for name, solver in solvers.items()}
    return Code(
        kernels={"rows.cu": _hash_of_kernel(reductions.KERNELS)}
        | {kernel: hash_ for code in codes.values() for kernel, hash_ in code.kernels.items()},
        launch={name: code.launch for name, code in codes.items()},
        revisions={
            "variant": reductions.REVISION,
            **adapter,
            **{name: solver.revision for name, solver in solvers.items()},
        },
        host_loop=_hash(_hash_of_module(Path(reductions.__file__)), *(code.host_loop for code in codes.values())),
    )


def parts_of_code(code: Code) -> list[str]:
    """The names of what an edit can change, each with a short hash: kernels, launch, revisions and host loop."""
    others = {"launch": _hash(str(code.launch)), "revisions": _hash(str(code.revisions)), "host_loop": code.host_loop}
    return [f"{name} {hash_[:12]}" for name, hash_ in {**dict(sorted(code.kernels.items())), **others}.items()]


def differing(one: Code, other: Code) -> list[str]:
    """What differs in the identity: names of kernels, "launch", "revision of variant" and so on, sorted."""
    kernels = {name for name, hash_ in one.kernels.items() if hash_ not in other.kernels.values()}
    kernels |= {name for name, hash_ in other.kernels.items() if hash_ not in one.kernels.values()}
    launch = {"launch"} if one.launch != other.launch else set()
    revised = {f"revision of {name}" for name, _ in one.revisions.items() ^ other.revisions.items()}
    return sorted(kernels | launch | revised)


def _launch(variant: Variant) -> dict[str, Any]:
    """The sizes of blocks and tiles: the plan's defaults of what ``smallest`` names, but for the run's parameters."""
    plan = inspect.signature(variant.plan).parameters
    return {name: _plain(plan[name].default) for name in variant.smallest if name not in variant.parameters}


def _plain(value: Any) -> Any:
    """JSON values in place of tuples and dataclasses."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _add_compiled(function: Callable[..., Any], into: dict[str, str]) -> None:
    """Add the hashes of ``function`` and of what it calls in Numba's code, with the numbers that they name."""
    plain = getattr(function, "py_func", function)
    if plain.__name__ in into:
        return
    named = {name: plain.__globals__[name] for name in sorted(plain.__code__.co_names) if name in plain.__globals__}
    numbers = [f"{name} {int(value)}" for name, value in named.items() if isinstance(value, (int, np.integer))]
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):  # a lock around it changes nothing that is timed
            part.decorator_list = [by for by in part.decorator_list if "numba" in ast.dump(by)]
    into[plain.__name__] = _hash(python_form(tree), *numbers)
    for value in named.values():
        if hasattr(value, "py_func"):
            _add_compiled(value, into)


def _modules(variant: Variant) -> list[Path]:
    """The files of the host loop: the modules of the plan and the tuning, and what they import from their family."""
    modules = {function.__module__ for function in (variant.plan, variant.tune) if function}
    family = {module.split(".")[-2] for module in modules if "." in module}
    return import_closure(*modules, within=family) if family else [Path(str(sys.modules[m].__file__)) for m in modules]


@cache
def _hash_of_module(file: Path) -> str:
    return _hash(python_form(ast.parse(file.read_bytes())))


@cache
def _hash_of_kernel(file: Path) -> str:
    return _hash(c_form(expanded_source(file, False) if file.suffix == ".cu" else file.read_text(encoding="utf-8")))


def _hash(*texts: str) -> str:
    """One hash of ``texts``, whatever their order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()
