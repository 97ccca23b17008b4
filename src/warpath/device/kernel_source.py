"""The text of ``.cu`` files: the names of their kernels, and a self-contained source for a compiler."""

import re
from pathlib import Path

from ..errors import DeviceError

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the package warpath and of warpath_study, whose kernels include the library's."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"')
KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+'
    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:CLUSTER\s+)?(\w+)\s*\("
)
"""The beginning of a ``__global__`` function; the group is its name."""


def expanded_source(kernel_file: Path, line_directives: bool = True) -> str:
    """The text of ``kernel_file`` with its quoted includes expanded, each file once.

    ``#line`` directives name the files in compiler messages, relative to ``ROOT``. The expanded text is a complete key
    for caches of compiled kernels, which several checkouts share.
    """
    seen: set[Path] = set()

    def marked(path: Path, number: int) -> list[str]:
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        return [f'#line {number} "{name}"'] if line_directives else []

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
    """All ``.cu`` files of warpath and warpath_study, sorted."""
    return sorted(file for package in ROOT.glob("warpath*/__init__.py") for file in package.parent.rglob("*.cu"))


def kernel_names(kernel_file: Path) -> list[str]:
    """The ``__global__`` functions of a ``.cu`` file, in order."""
    return KERNEL.findall(kernel_file.read_text(encoding="utf-8"))


def _included_file(including: Path, name: str) -> Path:
    """The included file, in the folder of the including file or in ``ROOT``. Raises DeviceError if it is in neither."""
    for folder in (including.parent, ROOT):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither in its folder nor in {ROOT}')
