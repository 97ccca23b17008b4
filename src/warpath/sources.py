"""Which files a piece of warpath is made of.

A kernel is its ``.cu`` file and what that includes; a module is its ``.py`` file and the modules of warpath it imports.
The pipeline declares these files as inputs, so that an edit re-runs exactly what it can change, and every record holds
their hashes.
"""

import ast
import hashlib
import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .errors import DeviceError

PACKAGE_ROOT = Path(__file__).resolve().parent
_KERNEL = re.compile(r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(')
_BESIDE = re.compile(r'(?:\.with_name\(|\.parent / )"([^"]+)"')
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def include_closure(kernel_file: Path) -> list[Path]:
    """``kernel_file`` and every file it includes with quotes, each once, in the order of their first inclusion.

    An include is looked up beside the including file, then under the package root. Raises DeviceError where it is
    in neither place.
    """
    found: dict[Path, None] = {}

    def visit(path: Path) -> None:
        if path in found:
            return
        found[path] = None
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            visit(_resolve_include(path, name))

    visit(kernel_file.resolve())
    return list(found)


def _resolve_include(including: Path, name: str) -> Path:
    for folder in (including.parent, PACKAGE_ROOT):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither beside it nor under {PACKAGE_ROOT}')


def expanded_source(kernel_file: Path) -> str:
    """The text of ``kernel_file`` with every quoted include put in its place, each file once.

    ``#line`` directives keep compiler messages pointing at the files as they lie on disk. One self-contained text
    makes every compiler cache, ours and CuPy's, exact.
    """
    seen: set[Path] = set()

    def expand(path: Path) -> str:
        seen.add(path)
        lines = [f'#line 1 "{path}"']
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None:
                if line.strip() != "#pragma once":
                    lines.append(line)
                else:
                    lines.append("")
                continue
            included = _resolve_include(path, match.group(1))
            if included not in seen:
                lines.append(expand(included))
            lines.append(f'#line {number + 1} "{path}"')
        return "\n".join(lines)

    return expand(kernel_file.resolve()) + "\n"


def kernel_files() -> list[Path]:
    """Every ``.cu`` file of warpath, sorted."""
    return sorted(PACKAGE_ROOT.rglob("*.cu"))


def kernel_names(kernel_file: Path) -> list[str]:
    """The ``__global__`` functions of a ``.cu`` file, in its order."""
    return _KERNEL.findall(kernel_file.read_text(encoding="utf-8"))


def import_closure(*modules: str) -> list[Path]:
    """The files of ``modules`` (dotted names inside warpath) and of all warpath modules they import, sorted.

    A file or folder that a module finds beside itself (``with_name("x.cu")``, ``.parent / "x"``) is among them, a
    kernel with what it includes. Imports inside functions count too. A package's ``__init__`` counts where something is
    imported from the package itself, not merely from a module in it: ``__init__`` files of warpath hold names, not
    behaviour.
    """
    found: dict[Path, None] = {}

    def visit(module: str) -> None:
        path = _module_file(module)
        if path is None or path in found:
            return
        found[path] = None
        found.update(dict.fromkeys(_beside(path)))
        for imported in _imports(module, path):
            visit(imported)

    for module in modules:
        if _module_file(module) is None:
            raise ModuleNotFoundError(f"no module {module} in warpath")
        visit(module)
    return sorted(found)


@cache
def _beside(module_file: Path) -> list[Path]:
    found: list[Path] = []
    for name in _BESIDE.findall(module_file.read_text(encoding="utf-8")):
        path = module_file.parent / name
        if path.is_dir():
            found += (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        elif path.suffix == ".cu":
            found += include_closure(path)
        elif path.is_file():
            found.append(path)
    return found


@cache
def _module_file(module: str) -> Path | None:
    """The file of a dotted module name inside warpath, or None if it is no module (a name inside one, say)."""
    head, *rest = module.split(".")
    if head != "warpath":
        return None
    base = PACKAGE_ROOT.joinpath(*rest)
    if base.is_dir() and (base / "__init__.py").is_file():
        return base / "__init__.py"
    path = base.with_suffix(".py")
    return path if rest and path.is_file() else None


@cache
def _imports(module: str, path: Path) -> list[str]:
    """The modules of warpath that a module imports; parsed once a process, because Snakemake asks for every cell."""
    imported: list[str] = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            submodules = [name for name in inside if _module_file(name)]
            imported += submodules
            if len(submodules) < len(inside):
                imported.append(origin)
    return imported


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """sha256 of each file, by its path relative to the package root."""
    return {
        path.relative_to(PACKAGE_ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }
