"""Figure 6 with a logarithmic axis and the published times beside the measured ones."""

from matplotlib.figure import Figure

from . import figure6, layout
from .comparison import Entry


def draw(entries: list[Entry]) -> Figure:
    """Lines as in Figure 6, and dashed lines with hollow marks of the paper's times."""
    shown = layout.select(entries, figure6.ALGORITHM)
    return figure6.lines(shown, figure6.TITLE, log=True, with_published=True)
