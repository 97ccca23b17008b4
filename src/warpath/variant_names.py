"""The names of all variants, found without importing them: some import Numba, which is slow.

``solvers.registry`` explains where variants are.
"""

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GROUP = "warpath.families"
_SOLVERS = "warpath.solvers"


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The names of all algorithms, each with the names of its variants, in alphabetical order; imports no variant."""
    names: dict[str, set[str]] = {}
    for package in packages():
        for family in folder_of(package).glob("*/__init__.py"):
            files = family.parent.glob("[!_]*.py")
            names.setdefault(family.parent.name, set()).update(file.stem for file in files)
    return {algorithm: tuple(sorted(names[algorithm])) for algorithm in sorted(names) if names[algorithm]}


@dataclass(frozen=True)
class Entry:
    """What a list of variants says about one."""

    algorithm: str
    name: str
    problem: str
    summary: str


def entries() -> list[Entry]:
    """All variants in alphabetical order. Imports almost none, because some import Numba, which is slow."""
    return [_entry(algorithm, name) for algorithm, names in families().items() for name in names]


def _entry(algorithm: str, name: str) -> Entry:
    files = {package: Path(folder_of(package), algorithm, f"{name}.py") for package in packages()}
    package = next(package for package, file in files.items() if file.is_file())
    text = files[package].read_text(encoding="utf-8")
    _, begin, rest = text.partition("\nVARIANT = Variant(")
    if begin:
        (definition, *_) = ast.parse(begin + rest).body
        match definition:
            case ast.Assign(value=ast.Call(keywords=words)):
                texts = {word.arg: str(word.value.value) for word in words if isinstance(word.value, ast.Constant)}
                if {"problem", "summary"} <= texts.keys():
                    return Entry(algorithm, name, texts["problem"], texts["summary"])
    variant = importlib.import_module(f"{package}.{algorithm}.{name}").VARIANT  # a text of it is computed
    return Entry(algorithm, name, variant.problem, variant.summary)


def packages() -> Iterator[str]:
    """The packages with folders of algorithms, that of the solvers first."""
    yield _SOLVERS
    yield from _other_packages()


@cache
def _other_packages() -> tuple[str, ...]:
    from importlib.metadata import entry_points  # takes longer than most of this module's work

    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(package for entry in found for package in entry.load()())


@cache
def folder_of(package: str) -> Path:
    """The folder of a package; imports only the packages above it."""
    spec = importlib.util.find_spec(package)
    assert spec and spec.origin  # a distribution names its own packages
    return Path(spec.origin).parent
