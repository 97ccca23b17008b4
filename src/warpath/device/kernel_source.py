"""The text of ``.cu`` files: their kernels with the parameters' names, and a self-contained source for a compiler."""

import re
from functools import cache
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
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_LAST_WORD = re.compile(r"(\w+)\s*$")


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


@cache
def parameter_names(source: str) -> dict[str, list[str]]:
    """The names of the parameters of each kernel in an expanded ``source``, in order.

    Macros without arguments that stand for parameters are replaced by their text.
    """
    code = _COMMENT.sub(" ", source)
    macros = dict(_MACRO.findall(code))

    def expanded(text: str) -> str:
        words = (expanded(macros[word]) if word in macros else word for word in re.findall(r"\w+|[^\w\\]", text))
        return "".join(words)

    found = {}
    for match in KERNEL.finditer(code):
        parameters = expanded(code[match.end() : code.index(")", match.end())])
        found[match[1]] = [last[1] for parameter in parameters.split(",") if (last := _LAST_WORD.search(parameter))]
    return found


def _included_file(including: Path, name: str) -> Path:
    """The included file, in the folder of the including file or in ``ROOT``. Raises DeviceError if it is in neither."""
    for folder in (including.parent, ROOT):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    raise DeviceError(f'{including}: #include "{name}" is neither in its folder nor in {ROOT}')
