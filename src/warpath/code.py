"""The identity of the code that decides a run: its files, and one hash of their contents.

The files are the kernels with their includes, the host loop, the sampling, and the adapter of the device that is used.
Their texts are hashed in the form that ``warpath.normal_text`` gives them. Nothing else counts: commands, messages,
reports, certificates, file writing and the other device do not. The record has a separate hash of the graph.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .algorithms.auto import solvers_of_sources
from .algorithms.registry import Variant, find
from .measure.record import Code
from .normal_text import c_form, python_form
from .package import PACKAGE_ROOT, import_closure, include_closure, module_file, syntax_tree

_SAMPLING = "warpath.measure.procedure"
_ADAPTERS = {"cuda": "warpath.device.cuda", "host": "warpath.device.host", "cpu": "warpath.measure.serial"}
_DISTANCES = "warpath.distances"
_REDUCING = ("warpath.reductions.row_reducer", "warpath.algorithms.auto")

# Modules that those files import and that decide nothing: they find, describe, guard, try or record.
_INDECISIVE = {
    "warpath.algorithms.parameters",
    "warpath.algorithms.registry",
    "warpath.device.contract",
    "warpath.device.cuda_clusters",
    "warpath.device.host_machine",
    "warpath.device.object_cache",
    "warpath.measure.environment",
    "warpath.measure.lock",
    "warpath.measure.record",
    "warpath.measure.record_faults",
    "warpath.measure.time_faults",
    "warpath.measure.run",
    "warpath.peers.by_name",
}


def identity(variant: Variant, device_kind: str, root: Path = PACKAGE_ROOT) -> Code | None:
    """The code of a run of ``variant`` on a device of kind "cuda" or "host"; a serial variant uses neither.

    None for a variant from outside warpath, since its code is not known. ``root`` is the folder of the package.
    """
    if variant.problem == "reductions":
        return identity_of_reductions(device_kind, root)
    kernel = variant.kernel and variant.kernel.resolve()
    known = variant.name and all(module_file(module, root) for module in variant.modules)
    if not known or (kernel and not kernel.is_relative_to(PACKAGE_ROOT)):
        return None
    return _code(
        variant.modules,
        kernel and root / kernel.relative_to(PACKAGE_ROOT),
        "cpu" if variant.on_cpu else device_kind,
        root,
    )


def identity_of_reductions(device_kind: str, root: Path = PACKAGE_ROOT) -> Code:
    """The code of all that may solve rows on a device of kind "cuda" or "host", and of reducing them."""
    files: dict[str, str] = {}
    for variant in (find(*names) for names in solvers_of_sources()):
        code = identity(variant, device_kind, root)
        files |= code.files if code else {}
    files |= _code(_REDUCING, root / "reductions" / "rows.cu", device_kind, root).files
    return _whole(files)


def differing(one: Code, other: Code) -> list[str]:
    """The files that differ between ``one`` and ``other``, or that only one of them has, sorted."""
    return sorted({path for path, _ in one.files.items() ^ other.files.items()})


@cache
def _code(modules: tuple[str, ...], kernel: Path | None, device_kind: str, root: Path) -> Code:
    parts = (*modules, _SAMPLING, _ADAPTERS[device_kind], _DISTANCES)
    files = {path for part in parts for path in _part(part, root)}
    files.update(include_closure(kernel, root) if kernel else ())
    if device_kind == "cpu":  # the host loop may import a module that opens kernels for others
        files = {path for path in files if path.suffix not in (".cu", ".cuh")}
    return _whole({path.relative_to(root).as_posix(): _hash_of_file(path) for path in files})


def _whole(hashes: Mapping[str, str]) -> Code:
    ordered = dict(sorted(hashes.items()))
    return Code(_hash("".join(f"{path} {hash_}\n" for path, hash_ in ordered.items())), ordered)


@cache
def _part(module: str, root: Path) -> list[Path]:
    """The files of ``module`` and of what it imports from its own room, such as warpath.algorithms."""
    room = ".".join(module.split(".")[:2])
    other_adapters = set(_ADAPTERS.values()) - {module}
    return import_closure(module, within=room, without=_INDECISIVE | other_adapters, root=root)


@cache
def _hash_of_file(path: Path) -> str:
    return _hash(python_form(syntax_tree(path)) if path.suffix == ".py" else c_form(path.read_text(encoding="utf-8")))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
