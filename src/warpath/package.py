"""The files behind a module, and those that a kernel includes.

Packages beside ``warpath`` whose names begin with it count, too: the study's kernels include the library's.
"""

import ast
import importlib.util
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

from .errors import DeviceError

PACKAGE_ROOT = Path(__file__).resolve().parent
ROOT = PACKAGE_ROOT.parent
"""The folder of warpath and of the packages beside it."""
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def import_closure(*modules: str, within: Collection[str] = (), without: Collection[str] = ()) -> list[Path]:
    """The files of ``modules`` (dotted names) and of all modules that they import, sorted.

    If ``within`` names packages, only modules below a package of such a name count. Modules named in ``without`` are
    left out. Imports inside functions count too. A package's ``__init__`` is included only if a name is imported from
    the package itself, because ``__init__`` files hold names, not behaviour. Raises ModuleNotFoundError if one of
    ``modules`` is missing.
    """
    found: dict[Path, None] = {}
    visited: set[str] = set(without)

    def visit(module: str) -> None:
        if module in visited or (within and not set(within) & set(module.split(".")[:-1])):
            return
        visited.add(module)
        path = module_file(module)
        assert path is not None  # whoever names a module has looked
        found[path] = None
        for imported in _imported(module, path):
            visit(imported)

    for module in modules:
        if module_file(module) is None:
            raise ModuleNotFoundError(f"no module {module} beside warpath")
        visit(module)
    return sorted(found)


@cache
def module_file(module: str) -> Path | None:
    """The file of a dotted module name; None if it is not of warpath or of a package beside it."""
    base = ROOT.joinpath(*module.split("."))
    if not module.startswith("warpath"):
        return None
    if base.is_dir() and (base / "__init__.py").is_file():
        return base / "__init__.py"
    path = base.with_suffix(".py")
    return path if path.is_file() else None


def include_closure(kernel_file: Path) -> list[Path]:
    """``kernel_file`` and every file that it includes with quotes, each once, in order of first inclusion.

    Raises DeviceError if an include is missing.
    """
    found: dict[Path, None] = {}

    def visit(path: Path) -> None:
        if path in found:
            return
        found[path] = None
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            visit(included_file(path, name))

    visit(kernel_file.resolve())
    return list(found)


def included_file(including: Path, name: str) -> Path:
    """The file that ``#include "name"`` means: beside the including file, or else under ``ROOT``.

    Raises DeviceError if it is in neither place.
    """
    for folder in (including.parent, ROOT):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither beside it nor under {ROOT}')


@cache
def _imported(module: str, path: Path) -> list[str]:
    """The modules that a module imports, of warpath and of packages beside it."""
    imported: list[str] = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            submodules = [name for name in inside if module_file(name)]
            imported += submodules
            if len(submodules) < len(inside):
                imported.append(origin)
    return [name for name in imported if module_file(name)]
