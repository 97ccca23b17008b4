"""A table for reading: units, ``~`` for estimated, ``–`` for not run, and below it what one must know about it."""

from .labels import date_range, heading, listed, readable_seconds, spelled
from .tables import Cell, Row, Table


def table_markdown(table: Table) -> str:
    """The table and its notes in Markdown."""
    lines = [
        f"# {heading(table.name)}: Results of {spelled(table.algorithm)}",
        "",
        _line(["Dataset", "Number of Nodes", "Number of Edges", *map(spelled, table.variants)]),
        _line(["---", *["---:"] * (2 + len(table.variants))]),
        *(_line([row.dataset, _count(row.nodes), _count(row.edges), *map(_printed, row.cells)]) for row in table.rows),
        "",
    ]
    notes = [*_warnings(table), *_devices(table), *_how_measured(table), *_empty_cells(table), *_graphs(table)]
    return "\n".join([*lines, *(f"- {note}" for note in notes)]) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _count(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def _printed(cell: Cell) -> str:
    if cell.status == "not_run":
        return "–"
    if cell.status == "out_of_memory":
        return "out of memory"
    return ("~" if cell.status == "estimated" else "") + readable_seconds(cell.seconds)


def _warnings(table: Table) -> list[str]:
    """What would mislead if it were overlooked comes first."""
    notes = []
    if any(cell.device_kind == "host" for _, cell in table.cells()):
        notes.append(
            "**Host simulation, not GPU times**: without a GPU the kernels ran on the CPU, which says nothing about "
            "how fast they are on a GPU."
        )
    devices = {
        (cell.device_kind, cell.device_name) for _, cell in table.cells() if cell.device_kind in ("cuda", "host")
    }
    if len(devices) > 1:
        names = listed([name for _, name in sorted(devices)])
        notes.append(f"**Warning**: the columns were measured on different devices ({names}) and are not comparable.")
    return notes


def _devices(table: Table) -> list[str]:
    """A line for each device: its name, what ran on it, and when."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for _, cell in table.cells():
        if cell.record:
            found.setdefault((cell.device_kind, cell.device_name), []).append(cell)
    words = {"cpu": "CPU, one thread", "host": "Device, simulated on the CPU", "cuda": "Device"}
    notes = []
    for (kind, name), cells in sorted(found.items(), key=lambda item: item[0][0] == "cpu"):
        variants = listed(
            [spelled(variant) for variant in table.variants if variant in {cell.variant for cell in cells}]
        )
        notes.append(f"{words[kind]}: {name} ({variants}), {date_range([cell.date for cell in cells])}.")
    return notes


def _how_measured(table: Table) -> list[str]:
    notes = ["A time is the median of all runs, from the allocation on the device until the answer is copied back"]
    sources = {cell.record["source"] for _, cell in table.cells() if cell.record} - {None}
    notes[0] += "; the graph is there before." if sources else ", the copies of all matrices included."
    if sources:
        notes[0] += f" Source vertex: {listed([str(source) for source in sorted(sources)])}."
    estimated = [(row, cell) for row, cell in table.cells() if cell.status == "estimated"]
    if estimated:
        parts = listed([_estimate(row, cell) for row, cell in estimated])
        notes.append(f"~ Estimated from the first iterations, as the whole run would outlast its time budget: {parts}.")
    partly = any(cell.record["certificate"]["scope"] == "subgraph" for _, cell in estimated)
    notes.append(
        f"Every answer was certified to be exact{', an estimated one on a part of the graph' if partly else ''}."
    )
    return notes


def _estimate(row: Row, cell: Cell) -> str:
    """Of what an estimate was made; early iterations may cost more than late ones, so it matters which were timed."""
    estimate = cell.record["estimate"]
    extent = f"{estimate['iterations_timed']:,} of {estimate['iterations_total']:,} iterations"
    settled = "" if estimate["settled"] else ", before the distances were final"
    return f"{row.dataset} {spelled(cell.variant)} ({extent}{settled})"


def _empty_cells(table: Table) -> list[str]:
    """Why a cell has no time."""
    notes = []
    for row, cell in table.cells():
        if cell.status == "out_of_memory":
            reason = cell.record["reason"].rstrip(".")
            notes.append(f"{row.dataset} {spelled(cell.variant)}, out of memory: {reason}.")
    if any(cell.status == "not_run" for _, cell in table.cells()):
        notes.append("– Not run.")
    return notes


def _graphs(table: Table) -> list[str]:
    """In what the graphs differ from the paper's."""
    notes = []
    replaced = [row for row in table.rows if row.dataset != row.name]
    if replaced:
        pairs = listed([f"{row.dataset} for {row.name}" for row in replaced])
        notes.append(f"These are not the paper's graphs; others stand in their rows: {pairs}.")
    for row in table.rows:
        original = table.published.rows.get(row.name)
        measured = any(cell.record for cell in row.cells)
        if measured and original and row.dataset == row.name and not row.comparable:
            edges = "" if original.edges is None else f" and {original.edges:,} edges"
            notes.append(
                f"{row.name} differs from the paper's graph, which has {original.nodes:,} nodes{edges}; no ratio is "
                "given for it."
            )
    weights = {row.dataset: _random_weights(row) for row in table.rows}
    for text in dict.fromkeys(filter(None, weights.values())):
        names = listed([dataset for dataset, found in weights.items() if found == text])
        notes.append(f"{text}: {names}.")
    return notes


def _random_weights(row: Row) -> str:
    """What is random about the weights of a row's graph; "" where they were given with the graph."""
    record = next((cell.record for cell in row.cells if cell.record), None)
    weights = record["graph"]["about"].get("weights", {}) if record else {}
    if weights.get("kind") != "random":
        return ""
    return f"Random weights in [{weights.get('min')}, {weights.get('max')}], seed {weights.get('seed')}"
