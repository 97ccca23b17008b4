"""Prints rows of text as aligned columns."""

from collections.abc import Collection, Iterable, Sequence


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
