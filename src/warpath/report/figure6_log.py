"""Figure 6 with a logarithmic axis and the published times beside the measured ones."""

from matplotlib.figure import Figure

from . import figure6
from .comparison import Entry
from .selection import select


def draw(entries: list[Entry]) -> Figure:
    """Lines as in Figure 6, and dashed lines with hollow marks of the paper's times."""
    shown = select(entries, figure6.ALGORITHM, with_published=True)
    return figure6.lines(shown, figure6.TITLE, log=True)
