"""The ``.cu`` files as text: the kernels they hold, and one self-contained source for a compiler."""

import re
from collections.abc import Callable
from pathlib import Path

from ..errors import DeviceError

ROOT = Path(__file__).resolve().parents[2]
"""The folder of warpath and of the packages beside it: the study's kernels include the library's."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"')
_KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:CLUSTER\s+)?(\w+)\s*\('
)


def expanded_source(kernel_file: Path) -> str:
    """The text of ``kernel_file`` with every quoted include put in its place, each file once.

    ``#line`` directives keep compiler messages pointing at the files, those of the packages by their paths below
    ``ROOT``. One self-contained text makes every compiler cache, ours and CuPy's, exact, and checkouts share both.
    """
    return _expanded(kernel_file, lambda path, number: [f'#line {number} "{_below_root(path)}"'])


def _below_root(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def kernel_text(kernel_file: Path) -> str:
    """The same without ``#line`` directives, so that it does not depend on where the files lie."""
    return _expanded(kernel_file, lambda path, number: [])


def _expanded(kernel_file: Path, marked: Callable[[Path, int], list[str]]) -> str:
    """The expanded text; ``marked`` gives the lines that stand before a line of a file."""
    seen: set[Path] = set()

    def expand(path: Path) -> str:
        seen.add(path)
        lines = marked(path, 1)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None:
                lines.append("" if line.strip() == "#pragma once" else line)
                continue
            included = _included_file(path, match.group(1))
            if included not in seen:
                lines.append(expand(included))
            lines += marked(path, number + 1)
        return "\n".join(lines)

    return expand(kernel_file.resolve()) + "\n"


def kernel_files() -> list[Path]:
    """Every ``.cu`` file of warpath and of the packages beside it, sorted."""
    return sorted(file for package in ROOT.glob("warpath*/__init__.py") for file in package.parent.rglob("*.cu"))


def kernel_names(kernel_file: Path) -> list[str]:
    """The ``__global__`` functions of a ``.cu`` file, in its order."""
    return _KERNEL.findall(kernel_file.read_text(encoding="utf-8"))


def _included_file(including: Path, name: str) -> Path:
    """The file that ``#include "name"`` means: beside the including file, or else under ``ROOT``.

    Raises DeviceError if it is in neither place.
    """
    for folder in (including.parent, ROOT):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither beside it nor under {ROOT}')
