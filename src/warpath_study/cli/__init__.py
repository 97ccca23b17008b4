"""The commands of the study; ``warpath.cli`` finds them."""

from collections.abc import Collection, Iterable, Sequence

COMMANDS = {
    "datasets": "list the graphs of the catalog and whether they are here",
    "fetch": "download the published file of a dataset, or take it from a mirror",
    "convert": "turn a graph file of any known format into a .npz graph, or into another format",
    "generate": "make a graph: a dataset of the catalog, or one of your own sizes",
    "run": "measure one run, a variant on a graph, and keep its record",
    "record-parts": "make the record of all pairs from the parts that 'warpath reduce' made",
    "records": "list records, and say which were made by other code than today's",
    "compare": "say which runs are faster or slower in one set of records than in another",
    "report": "make a work's tables, claims and figures from records",
    "claims": "show what the works claim, and what was measured",
    "list": "list works, targets, variants and datasets",
    "grid": "find a path over the product of two matrices of your own",
}


def print_columns(
    rows: Iterable[Sequence[str]], heading: Sequence[str] | None = None, right: Collection[str] = (), indent: str = ""
) -> None:
    """Print ``rows``, below ``heading`` if there is one; the columns whose heading is in ``right`` end at the right."""
    lines = [*([heading] if heading else []), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    names = heading or [""] * len(widths)
    for line in lines:
        cells = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(names, line, widths, strict=True)
        ]
        print((indent + "  ".join(cells)).rstrip())
