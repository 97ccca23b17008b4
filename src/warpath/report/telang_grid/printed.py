"""The result as the work's program prints it."""

from typing import Any


def printed(record: dict[str, Any]) -> str:
    """Four lines; "index" is row and column, and values have six decimals."""
    minimum, second = record["minimum"], record["second_minimum"]
    return (
        f"The input size is {record['size']}\n"
        f"The minimum Value is {minimum['value']:f} at index {minimum['row']}, {minimum['column']}\n"
        f"The 2nd minimum Value is {second['value']:f} at index {second['row']}, {second['column']}\n"
        f"The weight of the path {_ends(record)} is {record['path']['weight']:f}.\n"
    )


def _ends(record: dict[str, Any]) -> str:
    path = record["path"]
    of_minima = [[record[which]["row"], record[which]["column"]] for which in ("minimum", "second_minimum")]
    if [path["source"], path["destination"]] == of_minima:
        return "to get to the second min value from the first min value"
    return f"from {path['source'][0]}, {path['source'][1]} to {path['destination'][0]}, {path['destination'][1]}"
