"""Do the tests notice a fault? Changes one thing at a time in a copy of the package, and runs the tests of its area.

    python tools/mutants.py --seed 7 --count 100 [--areas certificates readers] [--workers 2]

A mutant is one changed operator, bound, constant, guard, type or barrier, of a kernel or a Python module. It is killed
if a test fails, or if the tests take several times as long as without it. Prints each survivor as a difference, and how
many were killed of each area. A survivor is equivalent, or lacks a test. Texts, types, times and launch shapes are left
as they are, and so is agreement.cuh, whose blocks have to run side by side.
"""

import argparse
import ast
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import Queue
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = Path("src")
HARD = "tests/solvers/test_hard_graphs.py"


def tests(*names: str) -> list[str]:
    """The files of tests with these names, in whatever folder."""
    return [str(next((ROOT / "tests").rglob(f"test_{name}.py")).relative_to(ROOT)) for name in names]


SOLVERS = tests("hard_graphs", "variants")
STATISTICS = [*tests("hard_graphs", "statistics"), "-k", "statistics or sum_of_a_row"]
JUDGES = tests("hard_graphs", "closure_and_labels_judges", "device_judge", "certificate")
JUDGES += ["-k", "not solvers and not statistics and not library"]
ARRAYS = tests("csr", "labels", "hostile_npz")
TEXTS = tests("weights", "adopted", "text_formats", "formats", "hostile_text")
SHARED = "kernels that several share"

# Area, files below the packages, and what runs for them: arguments of pytest. The first pattern that fits counts.
AREAS: list[tuple[str, str, list[str]]] = [
    *(
        ("kernels of one source", f"**/{files}.cu*", [*tests(*own), *SOLVERS, "-k", algorithm])
        for files, algorithm, own in (
            ("bellman_ford/*", "bellman_ford", ()),
            ("many_sources/batch*", "label_correcting", ("label_correcting",)),
            ("one_source/*", "label_correcting", ("label_correcting", "cluster")),
            ("label_correcting/*", "label_correcting", ("label_correcting",)),
            ("near_far/queue", "near_far", ("near_far",)),
            ("near_far/[!q]*", "near_far", ("near_far",)),
            ("borders/[!a]*", "partition", ("partition",)),
        )
    ),
    *(
        ("kernels of all pairs", f"**/{folder}/*.cu*", [*SOLVERS, "-k", algorithm])
        for folder, algorithm in (
            ("dijkstra", "dijkstra"),
            ("sweep", "contraction_hierarchy"),
            ("core", "sparse_all_pairs"),
            ("solvers/all_pairs", "floyd_warshall"),
            ("floyd_warshall", "floyd_warshall"),
            ("blocked_all_pairs", "blocked_all_pairs"),
        )
    ),
    *(
        ("kernels of all pairs", f"**/{folder}/*.cu*", [*tests("hard_graphs", "variants"), "-k", "closure"])
        for folder in ("solvers/closure", "transitive_closure")
    ),
    ("kernels of all pairs", "**/matrix_path/*.cu", tests("grid")),
    (SHARED, "warpath/solvers/**/*.cu*", [HARD, "-k", "small_blocks or library"]),
    (SHARED, "warpath_study/published/*/*.cu*", [HARD, "-k", "small_blocks"]),
    (SHARED, "warpath/statistics/*.cu", STATISTICS),
    ("certificates", "warpath/certificates/*.cu*", JUDGES),
    ("certificates", "warpath/certificates/near.py", tests("within")),
    ("certificates", "warpath/certificates/*.py", JUDGES),
    ("certificates", "warpath_study/subgraph.py", tests("convert")),
    *(("library", f"warpath/library/{name}.py", tests(name)) for name in ("along", "nearest", "within")),
    ("library", "warpath/solvers/cpu/near.py", tests("within")),
    ("library", "warpath/graphs/lightest.py", tests("along")),
    ("library", "warpath/library/*.py", tests("library", "pairs_and_tables", "updates", "csgraph", "memory")),
    ("library", "warpath/statistics/*.py", STATISTICS),
    ("library", "warpath/csgraph/*.py", tests("csgraph", "networkx_backend")),
    ("library", "warpath/networkx_backend/*.py", tests("networkx_backend")),
    *(("readers", f"warpath/graphs/{name}.py", ARRAYS) for name in ("csr*", "labels", "npz_file")),
    ("readers", "warpath/graphs/weights.py", TEXTS),
    *(
        ("readers", f"warpath/graphs/files/{name}.py", TEXTS)
        for name in ("edge_*", "dimacs", "matrix_market", "*_lines", "graph_file")
    ),
]

# What becomes what: whole words, with a space on each side or a parenthesis behind them.
BOTH_WAYS = [("<", "<="), (">", ">="), ("==", "!="), ("+", "-"), ("&&", "||"), ("<<", ">>"), ("and", "or")]
BOTH_WAYS += [("min", "max"), ("atomicMin", "atomicMax")]
ONE_WAY = {"*": "+", "%": "/", "is": "is not", "in": "not in"}
SWAP = {old: new for pair in BOTH_WAYS for old, new in (pair, pair[::-1])} | ONE_WAY
C_REMOVED = [
    r"__(?:syncthreads|syncwarp|threadfence|threadfence_block)\(\);",
    r"cluster_barrier\(\);",
    r"\b(?:continue|break);",
    r"\(long long\)(?!\s*(?:blockIdx|gridDim))",
]
C_TOKEN = "|".join(
    [
        r"(?<= )(?:<=?|>=?|[=!]=|[-+*%]|&&|\|\||<<|>>)(?= )",
        r"\b(?:atomicM(?:in|ax)|min|max)(?=\()",
        r"\bunsigned long long(?= \w+ =)",
    ]
)
C_NUMBER = r"(?<![\w.\"])\d+(?=u?\b(?!\.))"
# What decides how fast an answer comes, or how it is told, and not which.
UNSEEN = re.compile(
    r"perf_counter|_s\b|seconds|self\.(?:solve|certify|reduce|whole) |reason|summary|progress|log\.|#|template"
    r"|__launch_bounds__|counters\[|_MIN\b|_MAX\b|_FROM\b|_from\b|at_once|AT_ONCE|CHUNK|delta|pull_|thin_steps|pinned"
    r"|cache|^\s*(?:from|import|@|assert|class|def) |static_assert"
)


@dataclass(frozen=True)
class Mutant:
    """In ``file``, below the package, the characters from ``start`` to ``end`` become ``new``."""

    area: str
    file: Path
    tests: tuple[str, ...]
    start: int
    end: int
    new: str

    def difference(self, text: str) -> str:
        line = text.count("\n", 0, self.start)
        before, after = text.splitlines(), (text[: self.start] + self.new + text[self.end :]).splitlines()
        return f"{self.file}:{line + 1}\n  -{before[line]}\n  +{after[line]}"


def changes(file: Path, text: str) -> Iterator[tuple[int, int, str]]:
    """What can be changed in a file: start, end and the new text."""
    found = _of_python(text) if file.suffix == ".py" else _of_kernel(text)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines = text.splitlines()
    for start, end, new in found:
        line = sum(begin <= start for begin in starts) - 1
        if (
            not UNSEEN.search(lines[line])
            and text[start:end] != new
            and _is_program(file, text[:start] + new + text[end:])
        ):
            yield start, end, new


def _is_program(file: Path, text: str) -> bool:
    """What is no Python says nothing about tests."""
    try:
        return file.suffix != ".py" or bool(ast.parse(text))
    except SyntaxError:
        return False


def _of_kernel(text: str) -> Iterator[tuple[int, int, str]]:
    code = re.sub(r"//[^\n]*|(?m:^#.*$)", lambda match: " " * len(match[0]), text)
    for match in re.finditer(C_TOKEN, code):
        yield *match.span(), SWAP.get(match[0], "unsigned int")
    for match in re.finditer("|".join(C_REMOVED), code):
        yield *match.span(), ";" if match[0].endswith(";") else ""
    for match in re.finditer(C_NUMBER, code):
        yield *match.span(), str(int(match[0]) + 1)
    for match in re.finditer(r"\bif (?:constexpr )?\(", code):
        start = end = match.end()
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        for value in ("true", "false"):
            yield start, end - 1, value


def _of_python(text: str) -> Iterator[tuple[int, int, str]]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    tree = ast.parse(text)
    fixed = set()  # lines of texts, types and refusals
    guards = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert) or _is_text(node):
            fixed |= set(range(node.lineno, node.end_lineno + 1))
        if isinstance(node, ast.FunctionDef):
            fixed |= set(range(node.lineno, node.body[0].lineno))
        if isinstance(node, ast.AnnAssign | ast.ClassDef):
            fixed.add(node.lineno)
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            guards.append(node.test)
    for test in guards:
        if test.lineno == test.end_lineno and test.lineno not in fixed:
            line = text[starts[test.lineno - 1] :].encode()
            start = starts[test.lineno - 1] + len(line[: test.col_offset].decode())
            for value in ("True", "False"):
                yield start, start + len(ast.get_source_segment(text, test) or ""), value
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.start[0] not in fixed]
    for token, after in pairwise(tokens):
        start = starts[token.start[0] - 1] + token.start[1]
        end = start + len(token.string)
        spaced = text[start - 1] == text[end : end + 1] == " "
        if token.type == tokenize.NUMBER and token.string.isdecimal():
            yield start, end, str(int(token.string) + 1)
        elif token.string in ("is", "not", "in") or (token.string in SWAP and (spaced or after.string == "(")):
            yield start, end, SWAP.get(token.string, "")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def chosen(seed: int, count: int, areas: list[str]) -> list[Mutant]:
    """As many mutants of each area, any two of a file unlike."""
    pools: dict[str, list[Mutant]] = {}
    seen = set()
    for area, pattern, tests in AREAS:
        files = sorted((ROOT / PACKAGES).glob(pattern))
        if not files:
            raise SystemExit(f"{area}: no file is called {pattern} any more; mend AREAS")
        for file in files:
            if file not in seen and (not areas or area in areas):
                seen.add(file)
                name = file.relative_to(ROOT / PACKAGES)
                found = sorted(set(changes(file, file.read_text())))
                pools.setdefault(area, []).extend(Mutant(area, name, tuple(tests), *change) for change in found)
    lot = random.Random(seed)
    for pool in pools.values():
        lot.shuffle(pool)
    return [pool.pop() for turn in range(count) if (pool := list(pools.values())[turn % len(pools)])]


class Copy:
    """A copy of the package and its tests in a folder of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for name in ("src", "tests", "benchmarks"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        (folder / "data").mkdir()
        for file in ("pyproject.toml", "data/catalog.yaml"):
            shutil.copy(ROOT / file, folder / file)
        compiled = folder.parent / "compiled"  # kernels, by their text
        self.environment = os.environ | {"PYTHONPATH": str(folder / "src"), "WARPATH_CACHE": str(compiled)}
        self.environment["WARPATH_TEST_ORDERS"] = "all"  # what a drawn order finds, another run might not

    def passes(self, tests: tuple[str, ...], limit_s: float) -> bool:
        command = ["timeout", "-k", "5", str(limit_s), sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", *tests]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return done.returncode == 0

    def kills(self, mutant: Mutant, limit_s: float) -> bool:
        file = self.folder / PACKAGES / mutant.file
        text, times = file.read_text(), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
        file.write_text(text[: mutant.start] + mutant.new + text[mutant.end :])
        self.forget("njit" in text)
        try:
            return not self.passes(mutant.tests, limit_s)
        finally:
            file.write_text(text)
            os.utime(file, ns=times)
            self.forget("njit" in text)

    def forget(self, compiled: bool) -> None:
        """Numba keeps what it compiled by the time of one file; what other files of it have, it does not look at."""
        for file in (self.folder / "src").rglob("*.nb[ci]") if compiled else ():
            file.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--count", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--areas", nargs="+", default=[], choices=sorted({area for area, _, _ in AREAS}))
    parser.add_argument("--workers", type=int, default=1, help="default: %(default)s")
    options = parser.parse_args()
    mutants = chosen(options.seed, options.count, options.areas)
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.workers) as pool:
        copies: Queue[Copy] = Queue()
        for worker in range(options.workers):
            copies.put(Copy(Path(folder, str(worker))))

        def with_copy(work):
            copy = copies.get()
            try:
                return work(copy)
            finally:
                copies.put(copy)

        def limit_of(tests):
            began = perf_counter()
            if not with_copy(lambda copy: copy.passes(tests, 0)):
                raise SystemExit(f"without a change these fail: {' '.join(tests)}")
            return 20 + 2 * (perf_counter() - began)

        needed = list(dict.fromkeys(mutant.tests for mutant in mutants))
        limits = dict(zip(needed, pool.map(limit_of, needed), strict=True))
        killed = pool.map(lambda mutant: with_copy(lambda copy: copy.kills(mutant, limits[mutant.tests])), mutants)
        for mutant, dead in zip(mutants, killed, strict=True):
            if not dead:
                survivors.append(mutant)
                print(mutant.difference((ROOT / PACKAGES / mutant.file).read_text()), flush=True)
    for area in dict.fromkeys(mutant.area for mutant in mutants):
        of_area = [mutant for mutant in mutants if mutant.area == area]
        lost = sum(mutant.area == area for mutant in survivors)
        print(f"{area}: {len(of_area) - lost} of {len(of_area)} killed")
    print(f"all: {len(mutants) - len(survivors)} of {len(mutants)} killed")


if __name__ == "__main__":
    main()
