"""Figure 5: blocks on the GPU against the CPU, with and without blocks for the cache, over the number of vertices."""

from matplotlib.figure import Figure

from ..comparison import Entry
from ..figure_vertices import over_vertices
from .runs import ALL_PAIRS

TITLE = "All pairs: blocks against the CPU"


def draw(entries: list[Entry]) -> Figure:
    """A line for each variant, on logarithmic axes; crosses are times that the paper prints."""
    return over_vertices(entries, ALL_PAIRS, TITLE)
