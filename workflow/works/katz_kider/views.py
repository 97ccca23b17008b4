"""Tables of memory and time, and of larger graphs; and the claims."""

from dataclasses import replace
from functools import partial

from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import significant, three_digits, with_machine_parameters
from warpath_study.report.notes import details, notes
from warpath_study.report.published import NO_TABLE
from warpath_study.report.runs import Run, digits_of, group_by, mark_of_all
from warpath_study.report.table import (
    Table,
    comparison,
    csv_number,
    published_table,
    readable_cell,
    readable_count,
    readable_published,
)
from warpath_study.works.claims import claim

CELL_BYTES = 8  # an intermediate vertex and a length
DISTANCE_BYTES = 4
RENAME = {"single_gpu": "blocked", "dual_gpu": "paged", "cpu_tuned_authors": "cpu_tuned"}
COLUMNS = ("blocked", "paged", "register_blocked", "several_devices", "out_of_core", "cpu_tuned")


def table1(data: Data) -> Table:
    """Measured and published seconds by number of vertices, with the memory of the matrices."""
    table = published_table(data, published="table1.csv", rename=RENAME, columns=COLUMNS)
    han = data.read_published("table1.csv")
    readable = []
    for line, texts in zip(table.lines, table.readable, strict=True):
        nodes = line["nodes"] or "0"
        han_seconds = han.cell(nodes, "cpu_tuned_han")
        readable.append(
            {
                "Nodes": texts["Number of Nodes"],
                "Memory": matrices_size(int(nodes)),
                **dict(list(texts.items())[3:]),
                "Han et al.": readable_published(han_seconds, "s") if han_seconds else "–",
            }
        )
    note = (
        "Memory is the size of both matrices. Han et al.: the published times of their auto-tuned CPU code. "
        "Paged is the paper's code for several GPUs, and the published times beside it are of two. "
        "Register Blocked, Several Devices and Out of Core are ours."
    )
    return replace(table, readable=readable, notes=[*table.notes, note], text_columns=[], side_columns={"Memory": ""})


def larger(data: Data) -> Table:
    """A line for each run, graph by graph, compared with the first run on the same graph that finds the same."""
    found = [run for run in cells(data) if run.status != "not_run"]
    lines, readable = [], []
    for of_row in group_by(found, "row").values():
        first_of: dict[int, Run] = {}
        for run in of_row:
            first = first_of.setdefault(_cell_bytes(run.asked), run)
            names = ("row", "dataset", "algorithm", "variant", "asked", "nodes", "edges", "seconds", "status")
            names += ("device_kind", "device", "date", "record", "samples", "min_s", "max_s")
            facts = {name: run.fact(name) for name in names}
            lines.append({name: fact if isinstance(fact, str) else csv_number(fact) for name, fact in facts.items()})
            readable.append(
                {
                    "Nodes": readable_count(run.nodes),
                    "Memory": matrices_size(run.nodes or 0, _cell_bytes(run.asked)),
                    "Run": with_machine_parameters(run.label, run.asked),
                    "Time": readable_cell(run),
                    "Speedup over the first": "–" if run is first else _speedup_text(first, run),
                }
            )
    all_notes = [
        *notes(data, found, NO_TABLE),
        "Memory is the size of both matrices, or of the distances alone in a run without predecessors. "
        "Speedup over the first: the time of the first run on the graph over the time of this run, both with "
        "predecessors or both without.",
    ]
    title = data.target.fields.title
    return Table(title, lines, comparison(found), readable, all_notes, text_columns=["Run"], details=details(found))


def matrices_size(nodes: int, cell_bytes: int = CELL_BYTES) -> str:
    """The memory of the matrices for a graph of ``nodes`` vertices, in decimal units as published."""
    size_bytes = cell_bytes * nodes**2
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= factor:
            return f"{three_digits(size_bytes / factor)} {unit}"
    return f"{size_bytes} B"


def _cell_bytes(parameters: str) -> int:
    """Bytes of a cell in all matrices of a run."""
    return DISTANCE_BYTES if "predecessors=0" in parameters.split(",") else CELL_BYTES


def _speedup_text(first: Run, run: Run) -> str:
    """``2.61x``, with the mark of an estimate; ``–`` without both times or on different devices."""
    comparable = first.device == run.device or "cpu" in (first.device_kind, run.device_kind)
    if not (first.seconds and run.seconds and comparable):
        return "–"
    mark = mark_of_all((first.estimated, run.estimated))
    return f"{mark}{significant(first.seconds / run.seconds, digits_of(mark))}x"


of_largest = partial(claim, runs="sizes", setting="blocked, the largest graph", printed="table1.csv", rename=RENAME)
of_caida = partial(claim, runs="caida", setting="blocked, links from customer to provider")
BEST_OF_TWO = "faster of blocked and register_blocked"


def _speedup(sentence, over, *best, best_setting=BEST_OF_TWO, **fields):
    """The claim of a speedup over ``over`` on the largest graph: of blocked, and of the fastest of ``best``."""
    fastest = lambda t: (t.seconds(over) / t.best("blocked", *best)).largest()  # noqa: E731
    of_largest(sentence, best=fastest, best_setting=best_setting, **fields)(
        lambda t: (t.seconds(over) / t.seconds("blocked")).largest()
    )


_speedup("speedup over standard CPU", "cpu", "register_blocked", about=["figure5", "table1"])
_speedup("speedup over blocked CPU", "cpu_blocked", "register_blocked", about=["figure5", "table1"])
_speedup(
    "speedup over standard GPU (Harish and Narayanan)", "standard", "register_blocked", about=["figure6", "table1"]
)
# Figure 8 also compares several GPUs.
_speedup(
    "speedup over auto-tuned CPU (Han et al.)",
    "cpu_tuned",
    "register_blocked",
    "several_devices",
    best_setting="fastest of blocked, register_blocked and several GPUs",
    about=["figure8", "table1"],
)
_speedup(
    "transitive closure speedup over standard GPU",
    "naive",
    "bitset",
    best_setting="faster of blocked and bitset",
    runs="closure",
    about=["figure7"],
)


@of_caida("CAIDA first 1000 AS nodes standard GPU", setting="links from customer to provider")
def _(t):
    return 1000 * t.seconds("standard").at("caida")


@of_caida(
    "CAIDA first 1000 AS nodes shared memory GPU",
    best=lambda t: 1000 * t.best("blocked", "register_blocked").at("caida"),
    best_setting=BEST_OF_TWO,
)
def _(t):
    return 1000 * t.seconds("blocked").at("caida")


@of_caida(
    "CAIDA first 1000 AS nodes speedup",
    best=lambda t: (t.seconds("standard") / t.best("blocked", "register_blocked")).at("caida"),
    best_setting=BEST_OF_TWO,
)
def _(t):
    return (t.seconds("standard") / t.seconds("blocked")).at("caida")


@of_largest("blocked CPU over standard CPU", setting="blocks for the cache, the largest graph", about=["figure5"])
def _(t):
    return (t.seconds("cpu") / t.seconds("cpu_blocked")).largest()


@of_largest("growth of the standard CPU as n^3", setting="exponent over all sizes", about=["figure5"])
def _(t):
    return t.seconds("cpu").slope()


@of_largest("growth of the blocked CPU as n^3", setting="exponent over all sizes", about=["figure5"])
def _(t):
    return t.seconds("cpu_blocked").slope()


def _dense_over_sparse(t, column):
    return t.seconds(column).at("4096 dense") / t.seconds(column).at("4096")


# The paper claims no number; a difference of up to a tenth counts as the same time.
@claim(
    "nodes, not edges, affect the time: 64 times the edges take as long",
    runs="edges",
    setting="blocked, 4,096 vertices",
    best=lambda t: _dense_over_sparse(t, "register_blocked"),
    best_setting="register_blocked",
)
def _(t):
    return _dense_over_sparse(t, "blocked")


# The paper gives no times of other blocks; the best block is at least as fast as the other.
@claim(
    "blocks of 18 x 18 are the best for all pairs: time with 32 x 32 over time with 18 x 18",
    runs="blocks",
    setting="blocked, 9,216 vertices",
)
def _(t):
    return t.seconds("blocked_all_pairs.blocked").at("9216") / t.seconds("blocked.block_side=18").at("9216")
