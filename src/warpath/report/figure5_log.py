"""Figure 5 with a logarithmic axis and the published times beside the measured ones."""

from matplotlib.figure import Figure

from . import figure5
from .comparison import Entry
from .selection import select


def draw(entries: list[Entry]) -> Figure:
    """Bars as in Figure 5, and hollow diamonds where the paper's times lie."""
    shown = select(entries, figure5.ALGORITHM, with_published=True)
    return figure5.grouped_bars(shown, figure5.TITLE, log=True)
