"""Figure 5 with a logarithmic axis and the published times beside the measured ones."""

from matplotlib.figure import Figure

from . import figure5, layout
from .comparison import Entry


def draw(entries: list[Entry]) -> Figure:
    """Bars as in Figure 5, and hollow diamonds where the paper's times lie."""
    shown = layout.select(entries, figure5.ALGORITHM)
    return figure5.grouped_bars(shown, figure5.TITLE, log=True, with_published=True)
