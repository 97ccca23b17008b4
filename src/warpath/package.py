"""The files of the package behind a module: its own, its imports, the kernels that it opens and their includes."""

import ast
import importlib.util
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

from .errors import DeviceError

PACKAGE_ROOT = Path(__file__).resolve().parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def import_closure(
    *modules: str, within: str = "warpath", without: Collection[str] = (), root: Path = PACKAGE_ROOT
) -> list[Path]:
    """The files of ``modules`` (dotted names inside warpath) and of all modules of ``within`` that they import, sorted.

    Modules named in ``without`` are left out. Files and folders that a module opens beside itself are included
    (``with_name("x.cu")``, ``with_suffix(".cu")``, ``.parent / "x"``), kernels together with their includes. Imports
    inside functions count too. A package's ``__init__`` is included only if a name is imported from the package itself,
    because ``__init__`` files of warpath hold names, not behaviour. ``root`` is the folder of the package. Raises
    ModuleNotFoundError if one of ``modules`` is missing.
    """
    found: dict[Path, None] = {}
    visited: set[str] = set(without)

    def visit(module: str) -> None:
        if module in visited or not f"{module}.".startswith(f"{within}."):
            return
        visited.add(module)
        path = module_file(module, root)
        assert path is not None  # whoever names a module has looked
        found[path] = None
        found.update(dict.fromkeys(_opened_beside(path, root)))
        for imported in _imported(module, path, root):
            visit(imported)

    for module in modules:
        if module_file(module, root) is None:
            raise ModuleNotFoundError(f"no module {module} in warpath")
        visit(module)
    return sorted(found)


@cache
def module_file(module: str, root: Path = PACKAGE_ROOT) -> Path | None:
    """The file of a dotted module name inside warpath; None if there is no such module."""
    head, *rest = module.split(".")
    if head != "warpath":
        return None
    base = root.joinpath(*rest)
    if base.is_dir() and (base / "__init__.py").is_file():
        return base / "__init__.py"
    path = base.with_suffix(".py")
    return path if rest and path.is_file() else None


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file, parsed once per process. Do not modify it."""
    return ast.parse(path.read_bytes(), str(path))


def include_closure(kernel_file: Path, root: Path = PACKAGE_ROOT) -> list[Path]:
    """``kernel_file`` and every file that it includes with quotes, each once, in order of first inclusion.

    Raises DeviceError if an include is missing.
    """
    found: dict[Path, None] = {}

    def visit(path: Path) -> None:
        if path in found:
            return
        found[path] = None
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            visit(included_file(path, name, root))

    visit(kernel_file.resolve())
    return list(found)


def included_file(including: Path, name: str, root: Path = PACKAGE_ROOT) -> Path:
    """The file that ``#include "name"`` means: beside the including file, or else under the package.

    Raises DeviceError if it is in neither place.
    """
    for folder in (including.parent, root):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither beside it nor under {root}')


@cache
def _nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(syntax_tree(path)))


@cache
def _imported(module: str, path: Path, root: Path) -> list[str]:
    """The modules of warpath that a module imports."""
    imported: list[str] = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            submodules = [name for name in inside if module_file(name, root)]
            imported += submodules
            if len(submodules) < len(inside):
                imported.append(origin)
    return [name for name in imported if module_file(name, root)]


@cache
def _opened_beside(path: Path, root: Path) -> list[Path]:
    """The files that a module opens beside itself."""
    found: list[Path] = []
    for node in _nodes(path):
        match node:
            case ast.Call(func=ast.Attribute(attr="with_name"), args=[ast.Constant(value=str(name))]):
                beside = path.with_name(name)
            case ast.Call(func=ast.Attribute(attr="with_suffix"), args=[ast.Constant(value=str(suffix))]):
                beside = path.with_suffix(suffix)
            case ast.BinOp(left=ast.Attribute(attr="parent"), op=ast.Div(), right=ast.Constant(value=str(name))):
                beside = path.parent / name
            case _:
                continue
        if beside.is_dir():
            found += (file for file in sorted(beside.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)
        elif beside.is_file():
            found += include_closure(beside, root) if beside.suffix == ".cu" else [beside]
    return found
