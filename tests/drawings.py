"""What every drawing must satisfy, whatever it shows."""

import itertools

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def assert_texts_are_readable(figure: Figure) -> None:
    """No two texts of a figure with one pair of axes overlap, and all lie inside."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    axes = figure.axes[0]
    low, high = axes.get_ylim()  # ticks outside are not drawn
    texts = [*figure.texts, *figure.legends[0].get_texts(), axes.yaxis.label, axes.xaxis.label, *axes.get_xticklabels()]
    texts += [text for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text()]
    width, height = figure.bbox.width, figure.bbox.height
    for name, box in boxes:
        assert min(box.x0, box.y0) >= 0 and box.x1 <= width and box.y1 <= height, f"{name!r} is cut off"
    for (name, box), (other_name, other) in itertools.combinations(boxes, 2):
        assert not box.overlaps(other), f"{name!r} overlaps {other_name!r}"
