"""The numbers that pages copy from what benchmarks printed.

A table with the comment ``benchmark: NAME`` has a row for each entry of ``QUOTED[NAME]``: its first cell is the entry's
key, and the groups of the pattern are the numbers in the cells after it, in the file or files of the reference.
"""

import re
from functools import cache

from markdown_page import ROOT, MarkdownTable

from warpath_study.data_files import load_yaml
from warpath_study.measure.heading import Heading, headings

PAGES = ("README.md", "docs/all_pairs.md", "docs/certificates.md", "docs/kernel_notes.md", "docs/performance.md")
NUMBER = r"\d[\d,]*(?:\.\d+)?"
CLAIMS = load_yaml(ROOT / "data/claims.yaml")
# Files in results/reference.
_FIRST_CALLS = "nvidia-h200/first_calls.txt"
_CHOICE = "nvidia-h200/choice.txt"
_ONE_SOURCE = "nvidia-h200/one_source.txt"
_MANY_SOURCES = "nvidia-h200/many_sources.txt"
_PAIRS = "nvidia-h200/pairs.txt"
_UPDATES = "nvidia-h200/updates.txt"
_ALL_PAIRS = "nvidia-h200/all_pairs.txt"
_LARGER = "nvidia-h200/katz_kider/larger.md"
_DENSE_ALL_PAIRS = "nvidia-h200/dense_all_pairs.txt"
_CERTIFICATES = "nvidia-h200/certificates.txt"
_DRAWN = "nvidia-h200/drawn.txt"
_SMALL_MEMORY = "nvidia-h200/small_memory.txt"
_DOWNLOADS = "nvidia-h200/downloads.txt"
_NEW_YORK = r"264,346 vertices.*\n.*"
_DENSE = r"n = 36,682  {} .* ([\d.]+) T"
_COST = r"{} sources by [\w.]+, {} nearest: ([\d.]+) s, [^\n]*; ([\d.]+) micro"
_CALLS = r"(?s){}: ([\d,]+) vertices" + 4 * r".*?(?:first call|later calls|prepared(?:, first)?) +([\d.]+) \("
_FLOAT_CALLS = _CALLS.replace(" vertices", r" vertices, [\d,]+ arcs, {}\n")
_ANSWERS = r"([\d.]+) ms, update [\d.]+, first answer [\d.]+, second ([\d.]+) \([\w.]+\), third ([\d.]+)"
_UPDATED = rf"(?s){{}} vertices, [^\n]*{{}}, no loops.*?\n{{}}, all weights from the host: {_ANSWERS}"
_DISTANCES = r"distances: ([\d.]+) ms"
_OF_PROCESSES = r" in 16 processes: ([\d.]+) ms"
_PANDANA = "pandana", r" [\d.]+: ([\d.]+) ms"
_INT32 = r"\(1 to 36,946\), 3,746 parallel arcs"
_OF_NEW_YORK = r"(?s)DIMACS.*?" + _COST
_OF_GNUTELLA = r"(?s)SNAP edge list.*?" + _COST
_RATIO = re.compile(r"(?m)^(\S.*), int32 +(warpath\S*(?: \w+)?) +(.+?) +([\d.]+) \(([\d.]+ to [\d.]+)\)  (.+)$")


@cache
def _printed(name: str) -> str:
    return (ROOT / "results/reference" / name).read_text(encoding="utf-8")


QUOTED: dict[str, dict[str, tuple[str, str]]] = {
    **{
        name: {
            row: (claim["reference"], pattern)
            for claim in CLAIMS
            if claim.get("table") == f"benchmark: {name}"
            for row, pattern in claim["numbers"].items()
        }
        for name in ("New York", "one call", "large graphs")
    },
    "choice": {
        name: (_CHOICE, rf"{name}: (\d+) cases, ([\d.]+) % within 1.3, largest ([\d.]+)")
        for name in ("fitted", "kept aside")
    },
    "first calls": {
        name: (_FIRST_CALLS, _CALLS.format(graph))
        for name, graph in (
            ("New York", "USA-road-d.NY.gr.gz"),
            ("grid, weights 1 to 1,000", "grid:1000000:1 to 1,000"),
            ("geometric, mean degree 10, lengths", "geometric:500000:lengths"),
            ("random, mean degree 4, weights 1 to 1,000,000", "random, degree 4:1048576:1 to 1,000,000"),
            ("R-MAT, mean degree 16, weights 1 to 100", "R-MAT:4194304:1 to 100"),
            ("generated roads", "road:3598623"),
            ("generated roads, larger", "road:23947347"),
        )
    },
    "calls with float weights": {
        f"{name}, {dtype}": (_FIRST_CALLS, _FLOAT_CALLS.format(graph, dtype))
        for name, graph in (
            ("New York", "USA-road-d.NY.gr.gz"),
            ("grid", "grid:1000000:1 to 1,000"),
            ("geometric", "geometric:500000:lengths"),
            ("random", "random, degree 4:1048576:1 to 1,000,000"),
            ("generated roads", "road:3598623"),
        )
        for dtype in ("float32", "float64")
    },
    "new weights": {
        f"{name}{also}": (_UPDATES, _UPDATED.format(vertices, weights, prepared))
        for name, vertices, weights in (
            ("New York, int32", "264,346", _INT32),
            ("New York, float32", "264,346", r"float32\), 3,746 parallel arcs"),
            ("New York, float64", "264,346", r"float64\), 3,746 parallel arcs"),
            ("generated roads, int32", "3,598,623", ""),
        )
        for also, prepared in (("", "not prepared"), (", prepared", "prepared"))
    },
    "several sources": {
        f"{question}: {other}": (file, rf"(?s){graph}.*?{ours}.*?{other}{theirs}")
        for question, file, graph, ours, other, theirs in (
            ("gnutella04, all pairs", _MANY_SOURCES, "10,876 vertices", _DISTANCES, "gapbs", _OF_PROCESSES),
            ("gnutella04, all pairs", _MANY_SOURCES, "10,876 vertices", _DISTANCES, "SciPy", _OF_PROCESSES),
            ("New York, 1,000 sources", _MANY_SOURCES, "    1,000 sources", _DISTANCES, "gapbs", _OF_PROCESSES),
            ("New York, 1,000 sources", _MANY_SOURCES, "    1,000 sources", _DISTANCES, "SciPy", _OF_PROCESSES),
            ("New York, a million pairs, certified", _PAIRS, "vertices", r"\ncertified: ([\d.]+) ms", *_PANDANA),
            ("New York, a million pairs", _PAIRS, "vertices", r"pairs on the host: ([\d.]+) ms", *_PANDANA),
        )
    },
    "drawn graphs": {graph: (_DRAWN, f"({graph})") for graph, *_ in _RATIO.findall(_printed(_DRAWN))},
    "small memory": {
        question: (
            _SMALL_MEMORY,
            re.escape(question) + r": (?:OutOfMemoryError after )?([\d.]+) s(?:, again ([\d.]+))?",
        )
        for question in re.findall(r"(?m)^(\S.*?): .*?[\d.]+ s[,:]", _printed(_SMALL_MEMORY))
    },
    "certificates": {
        call: (_CERTIFICATES, rf"(?m)^{re.escape(call)} +([\d.]+) ms$")
        for call in re.findall(r"(?m)^(\S.*\S) {2,}[\d.]+ ms$", _printed(_CERTIFICATES))
    },
    "solvers": {
        "New York, source 0": (_ONE_SOURCE, _NEW_YORK + r"source 0 ([\d.]+) ms"),
        "New York, mean of 100 random sources": (_ONE_SOURCE, _NEW_YORK + r"100 random sources ([\d.]+) ms"),
        "Bay, mean of 100 random sources": (_ONE_SOURCE, r"321,270 vertices.*\n.*100 random sources ([\d.]+) ms"),
        "Bay, source 0": (_ONE_SOURCE, r"321,270 vertices.*\n.*source 0 ([\d.]+) ms"),
        "generated roads, 3,598,623 vertices, source 0": (_ONE_SOURCE, r"3,598,623 vertices.*\n.*source 0 ([\d.]+) ms"),
        "New York, 10,000 sources, each": (_MANY_SOURCES, r"10,000 sources, distances: .*; ([\d.]+) ms a source"),
        "gnutella04, all pairs": (_MANY_SOURCES, r"10,876 sources, distances: ([\d.]+) ms"),
        "gnutella25, all pairs": (_MANY_SOURCES, r"22,687 sources, distances: ([\d.]+) ms"),
        "gnutella30, all pairs": (_MANY_SOURCES, r"36,682 sources, distances: ([\d.]+) ms"),
        "36,682 vertices, dense, 32 bits": (_DENSE_ALL_PAIRS, _DENSE.format("lookahead  ")),
        "36,682 vertices, dense, 16 bits": (_DENSE_ALL_PAIRS, _DENSE.format("narrow  ")),
        "36,682 vertices, dense, 32 bits, with predecessors": (_DENSE_ALL_PAIRS, _DENSE.format("lookahead, pred.*")),
        "36,682 vertices, dense, float32": (_DENSE_ALL_PAIRS, _DENSE.format("lookahead float32  ")),
        "New York, a million pairs given on the host": (_PAIRS, r"pairs on the host: ([\d.]+) ms"),
        "copying 36,682² distances to the host": (_DOWNLOADS, r"n = 36,682  in pieces +([\d.]+) ms"),
        "the same, in one copy": (_DOWNLOADS, r"n = 36,682  as one +([\d.]+) ms"),
    },
    "several GPUs": {
        f"{vertices} vertices, {devices} GPU{'s' * (devices > 1)}": (
            _LARGER,
            rf"{vertices} \| [^|]* \| Shared Rows, {devices} GPU[^|]*\| +([\d.]+) s",
        )
        for vertices in ("65,536", "131,072")
        for devices in (1, 2, 4)
    },
    "statistics of all pairs": {
        "New York, 1,000 sources": (_ALL_PAIRS, _OF_NEW_YORK.format("1,000", 0)),
        "New York, 10,000 sources": (_ALL_PAIRS, _OF_NEW_YORK.format("10,000", 0)),
        "New York, 100,000 sources": (_ALL_PAIRS, _OF_NEW_YORK.format("100,000", 0)),
        "New York, all 264,346 sources": (_ALL_PAIRS, _OF_NEW_YORK.format("264,346", 0)),
        "the same, with the 8 nearest of each": (_ALL_PAIRS, _OF_NEW_YORK.format("264,346", 8)),
        "gnutella30, all 36,682 sources": (_ALL_PAIRS, _OF_GNUTELLA.format("36,682", 0)),
    },
    "the command statistics": {
        "New York with `--nearest 8`, one process": (_ALL_PAIRS, r"(?s)command: .*?\ncommand: ([\d.]+) s"),
        "the same in four parts at once, each with a GPU, without `gather`": (
            _ALL_PAIRS,
            r"(?m)^four commands: ([\d.]+) s",
        ),
    },
}


def origins_of(table: MarkdownTable) -> list[tuple[str, Heading | None]]:
    """The files with the numbers of ``table``, each with the headings above them; files of records have none."""
    entries = QUOTED[table.comment.removeprefix("benchmark: ")]
    found = {}
    for file, pattern in (entries[row[0]] for row in table.rows):
        match, known = re.search(pattern, _printed(file)), headings(_printed(file))
        count = len(headings(_printed(file)[: match.start(match.lastindex)]))
        found[file, count] = (file, known[count - 1] if known else None)
    return list(found.values())


def rows_of(table: MarkdownTable) -> list[list[str]]:
    """The rows that ``table`` has to have: its own words and units with the numbers of the files."""
    name = table.comment.removeprefix("benchmark: ")
    if name == "drawn graphs":
        return sorted((list(ratio) for ratio in _RATIO.findall(_printed(_DRAWN))), key=lambda row: float(row[3]))
    entries = QUOTED[name]
    return [_row(row, *entries[row[0]]) if row[0] in entries else [row[0], "no such entry"] for row in table.rows]


def _row(row: list[str], file: str, pattern: str) -> list[str]:
    numbers = iter(re.search(pattern, _printed(file)).groups())
    rest = [re.sub(NUMBER, next(numbers), cell, count=1) if re.match(NUMBER, cell) else cell for cell in row[1:]]
    assert next(numbers, None) is None, f"{row[0]}: a number is missing"
    return [row[0], *rest]
