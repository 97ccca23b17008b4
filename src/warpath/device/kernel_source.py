"""The ``.cu`` files as text: the kernels they hold, and one self-contained source for a compiler."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..package import INCLUDE, ROOT, included_file

_KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:CLUSTER\s+)?(\w+)\s*\('
)


def expanded_source(kernel_file: Path) -> str:
    """The text of ``kernel_file`` with every quoted include put in its place, each file once.

    ``#line`` directives keep compiler messages pointing at the files, those of the packages by their paths below
    ``ROOT``. One self-contained text makes every compiler cache, ours and CuPy's, exact, and checkouts share both.
    """
    return _expanded(kernel_file, lambda path, number: [f'#line {number} "{_below_root(path)}"'])


@cache
def _below_root(path: Path) -> str:
    return str(path).removeprefix(f"{ROOT}/")


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
            match = INCLUDE.match(line)
            if match is None:
                lines.append("" if line.strip() == "#pragma once" else line)
                continue
            included = included_file(path, match.group(1))
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
