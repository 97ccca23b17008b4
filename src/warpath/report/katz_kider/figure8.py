"""Figure 8: one GPU, several, one that is made too small, and a tuned CPU, over the number of vertices."""

from matplotlib.figure import Figure

from ..comparison import Entry
from ..figure_vertices import over_vertices
from .runs import ALL_PAIRS

TITLE = "All pairs: one GPU, several, and a tuned CPU"


def draw(entries: list[Entry]) -> Figure:
    """A line for each variant, on logarithmic axes; crosses are times that the paper prints."""
    return over_vertices(entries, ALL_PAIRS, TITLE)
