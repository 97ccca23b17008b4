"""What host code reaches: the functions, classes and constants that it uses by name, what these use, and so on.

Names are followed by the text of the modules of a package, without running it. A class counts as a whole, with its
bases. Other functions of a module do not count, and neither does the module's name.
"""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from .normal_form import python_form, uses

Name = tuple[str, str]
"""A module and a name in it; the name "" stands for all of them."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def name_of(function: Callable[..., Any]) -> Name:
    """The module of a function or class, and the name there of what defines it."""
    if isinstance(function, partial):
        return name_of(function.func)
    name = function.__qualname__.partition(".")[0]
    return function.__module__, name if name in _definitions(function.__module__) else ""


@cache
def reached(*roots: Name) -> frozenset[tuple[str, str]]:
    """What ``roots`` reach in their packages: the name and the hash of each definition."""
    packages = {_package(module) for module, _ in roots}
    found: set[Name] = set()
    waiting = set(roots)
    while waiting:
        found |= waiting
        used = {other for name in waiting for other in _used(*name)}
        waiting = {name for name in used - found if _package(name[0]) in packages}
    return frozenset(
        (name, hash_of(_definitions(module)[name])) for module, name in found if name in _definitions(module)
    )


def definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """The statements of a module by the names that they define."""
    by_name: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for name in dict.fromkeys(_bound(statement)):
            by_name.setdefault(name, []).append(statement)
    return by_name


def hash_of(definition: Sequence[ast.stmt]) -> str:
    """The hash of the normal forms of statements."""
    return hashlib.sha256("\n".join(map(python_form, definition)).encode()).hexdigest()


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines or changes."""
    if isinstance(statement, _DEFINITIONS):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            target: Any = node
            while isinstance(target, (ast.Attribute, ast.Subscript)):
                target = target.value
            if isinstance(target, ast.Name):
                yield target.id


@cache
def _used(module: str, name: str) -> frozenset[Name]:
    """What a definition uses; for a name that the module has from elsewhere, where it is from."""
    known, imported = _definitions(module), _imported(module)
    if not name:
        return frozenset((module, each) for each in known)
    used = {use for statement in known[name] for use in uses(statement)} if name in known else {(name, None)}
    found = {(module, each) for each, _ in used if each in known}
    for each, attribute in used:
        found |= {_origin(*origin, attribute) for origin in imported.get(each, ())}
    if name not in known and _file_of(f"{module}.{name}"):
        found.add((f"{module}.{name}", ""))
    return frozenset(found)


def _origin(module: str, name: str, attribute: str | None) -> Name:
    """What an imported name stands for, or its ``attribute`` if it is a module."""
    inner = f"{module}.{name}" if name else module
    return (inner, attribute or "") if _file_of(inner) else (module, name)


def _package(module: str) -> str:
    """The package in which names are followed: in the library, each of its folders by itself."""
    return ".".join(module.split(".")[: 2 if module.startswith("warpath.") else 1])


@cache
def _tree(module: str) -> ast.Module:
    file = _file_of(module)
    return ast.parse(file.read_bytes() if file else "")


@cache
def _definitions(module: str) -> dict[str, list[ast.stmt]]:
    return definitions(_tree(module))


@cache
def _imported(module: str) -> dict[str, list[Name]]:
    """Where the names that a module imports, also inside functions, come from."""
    file = _file_of(module)
    package = module if file and file.name == "__init__.py" else module.rpartition(".")[0]
    imported: dict[str, list[Name]] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                imported.setdefault(alias.asname or name, []).append((name, ""))
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                imported.setdefault(alias.asname or alias.name, []).append((origin, alias.name))
    return imported


@cache
def _file_of(module: str) -> Path | None:
    """The file of a module in a package that is imported; None if there is none."""
    top, *names = module.split(".")
    origin = getattr(sys.modules.get(top), "__file__", None)
    if not origin or not names:
        return Path(origin) if origin else None
    base = Path(origin).parent.joinpath(*names)
    return next((file for file in (base / "__init__.py", base.with_suffix(".py")) if file.is_file()), None)
