"""Figure 6: blocks on the GPU against a launch a vertex, over the number of vertices."""

from matplotlib.figure import Figure

from ..comparison import Entry
from ..figure_vertices import over_vertices
from .runs import ALL_PAIRS

TITLE = "All pairs: blocks against none"


def draw(entries: list[Entry]) -> Figure:
    """A line for each variant, on logarithmic axes; crosses are times that the paper prints."""
    return over_vertices(entries, ALL_PAIRS, TITLE)
