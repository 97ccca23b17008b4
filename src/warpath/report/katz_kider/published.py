"""What the work prints: Table 1, and the claims of its text and figures."""

import os
from dataclasses import dataclass

from ..published import read_lines

# Which variant does what a column of Table 1 was measured on.
COLUMNS = {"single_gpu": "blocked", "dual_gpu": "several_devices", "cpu_tuned_authors": "cpu_tuned"}
_TABLE1 = ["nodes", *COLUMNS, "cpu_tuned_han"]
_CLAIMS = ["claim", "low", "high", "unit", "where"]


@dataclass(frozen=True)
class Claim:
    """A number that the paper states, or the range in which it lies, and where."""

    claim: str
    low: float
    high: float
    unit: str
    where: str


def read_table1(path: str | os.PathLike) -> dict[int, dict[str, str]]:
    """Seconds as printed by number of vertices and column, empty where there are none."""

    def row(cells: list[str]) -> tuple[int, dict[str, str]]:
        for cell in cells[1:]:
            float(cell or 0)
        return int(cells[0]), dict(zip(_TABLE1[1:], cells[1:], strict=True))

    return dict(read_lines(path, _TABLE1, row))


def read_claims(path: str | os.PathLike) -> list[Claim]:
    """The claims in the file's order."""
    return read_lines(path, _CLAIMS, lambda cells: Claim(cells[0], float(cells[1]), float(cells[2]), *cells[3:]))
