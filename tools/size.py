"""Lines of code by folder, against the budget in size.toml: exits with 1 if a folder is larger than its budget.

    python tools/size.py            # compare
    python tools/size.py --write    # write the budget: what is there now

A line counts if it holds code: blank lines, comments and docstrings do not, so leaving them out gains nothing. Whoever
raises the number of a folder says why in the commit.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Path(__file__).with_suffix(".toml")
# The folders that have a budget of their own: so many levels below each of these.
LEVELS = {"src/warpath": 1, "src/warpath_study": 1, "src/snakemake_logger_plugin_warpath": 0, "workflow": 0}
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_python(text: str) -> int:
    """The number of lines with code, without docstrings."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {line for token in tokens if token.type not in _NO_CODE for line in range(token.start[0], token.end[0] + 1)}
    return len(code - docstrings)


def lines_of_c(text: str) -> int:
    """The number of lines with code."""
    bare = _COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)
    return sum(bool(line.strip()) for line in bare.split("\n"))


def lines_of(file: Path) -> int:
    text = file.read_text(encoding="utf-8")
    return lines_of_python(text) if file.suffix == ".py" else lines_of_c(text)


def sizes() -> Counter[str]:
    """Lines by folder; loose files count for the folder that they lie in."""
    found: Counter[str] = Counter()
    for top, levels in LEVELS.items():
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix in (".py", ".cu", ".cuh", ".h", ".cpp"):
                inside = file.relative_to(ROOT / top).parts[:-1][:levels]
                found["/".join((top, *inside))] += lines_of(file)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the budget: what is there now")
    found = sizes()
    if parser.parse_args().write:
        BUDGET.write_text("".join(f'"{folder}" = {lines}\n' for folder, lines in found.items()), encoding="utf-8")
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    larger = [folder for folder, lines in found.items() if lines > budget.get(folder, 0)]
    for folder in larger:
        print(f"{folder}: {found[folder]} lines of code, {budget.get(folder, 0)} in the budget, {BUDGET}")
    print(f"{sum(found.values())} lines of code, {sum(budget.values())} in the budget")
    return bool(larger)


if __name__ == "__main__":
    sys.exit(main())
