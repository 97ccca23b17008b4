"""All pairs in parts, as a run: ``all_pairs.reductions`` names what is asked, and its record what came of it.

It is no variant that solves a graph in one call: ``warpath reduce`` makes its parts, in as many processes as there are,
and ``warpath gather`` its record.
"""

from typing import Any, NoReturn

from ..errors import UsageError
from .parameters import Parameter

ALGORITHM, NAME = "all_pairs", "reductions"
SUMMARY = "all pairs solved, certified and reduced row by row, in parts"
PARAMETERS = {
    "first": Parameter("how many vertices are sources, the first; 0 for all", default=0, low=0),
    "nearest": Parameter("nearest vertices that are kept of each source", default=0, low=0, high=1024),
    "store": Parameter("1 to keep all rows in a store, 0 for their reductions alone", default=0, low=0, high=1),
}


def refuse_plan(*_given: Any, **_settings: Any) -> NoReturn:
    """Raise UsageError: there is no plan."""
    raise UsageError(f"{ALGORITHM}.{NAME} is made in parts: by 'warpath reduce', and then 'warpath gather --record'")
