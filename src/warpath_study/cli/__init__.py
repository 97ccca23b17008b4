"""The commands of the study; ``warpath.cli`` loads them."""

from collections.abc import Collection, Iterable, Sequence

COMMANDS = {
    "datasets": "list the graphs of the catalog, with their files",
    "fetch": "get the published file of a dataset, from its publisher or a mirror folder",
    "convert": "convert a graph file to a .npz graph or to another format",
    "generate": "make a graph: a dataset of the catalog, or one of your own size",
    "run": "measure a variant on a graph, and write the record",
    "statistics": "compute statistics of all pairs, or of a part of them, and store the rows",
    "gather": "combine the parts that 'warpath statistics' wrote",
    "records": "list records, and whether their code has changed since",
    "compare": "compare the times of two sets of records",
    "report": "make a work's tables, claims and figures from records",
    "claims": "show what the works claim, and what was measured",
    "list": "list works, targets, variants, peers and datasets",
}


def print_columns(
    rows: Iterable[Sequence[str]], heading: Sequence[str] | None = None, right: Collection[str] = (), indent: str = ""
) -> None:
    """Print ``rows`` in columns, below ``heading`` if given. Columns with a heading in ``right`` are right-aligned."""
    lines = [*([heading] if heading else []), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    names = heading or [""] * len(widths)
    for line in lines:
        cells = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(names, line, widths, strict=True)
        ]
        print((indent + "  ".join(cells)).rstrip())


def print_markdown(rows: Iterable[Sequence[str]], heading: Sequence[str], right: Collection[str] = ()) -> None:
    """Print a Markdown table; columns with a heading in ``right`` are right-aligned."""
    rule = ["---:" if name in right else "---" for name in heading]
    for line in (heading, *rows):
        print(f"| {' | '.join(line)} |")
        if line is heading:
            print(f"|{'|'.join(rule)}|")
