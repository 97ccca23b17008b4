"""The caption below a figure: the device, the meaning of its signs, and what is missing."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..record import WITHOUT_TIME
from .cells import present
from .labels import date_range, listed
from .runs import REAL_ROADS
from .shown import MARKS, Shown


@dataclass(frozen=True)
class Signs:
    """The words of the caption for the signs of estimated and of published points."""

    estimated: str
    published: str


BARS = Signs("~", "Diamonds")
LINES = Signs("Hollow marks and dashed lines", "Crosses")


def caption(shown: Shown, signs: Signs) -> str:
    """Device and date, then the signs of the figure, then what is missing from it."""
    cells = list(shown.cells.values())
    devices = listed(_each(cell["device"] for cell in cells if present(cell["device"])))
    dates = date_range([cell["date"] for cell in cells if present(cell["date"])])
    sentences = ["Host simulation, not GPU times."] if shown.simulated else []
    sentences.append(f"Measured on {devices}, {dates}.")
    if shown.published_values():
        where = f" ({shown.hardware})" if shown.hardware else ""
        sentences.append(f"{signs.published}: published, for graphs of the same size{where}.")
    if any(point.error for point in shown.points.values()):
        sentences.append(f"Error bars: fastest to slowest of {_samples(shown)}.")
    if shown.has_estimates:
        sentences.append(f"{signs.estimated}: estimated from the first iterations.")
    return " ".join([*sentences, *_standins(shown), *_real_roads(shown), *_missing(shown)])


def _each(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _samples(shown: Shown) -> str:
    """The number of samples behind the error bars: "3 to 5 samples", "100 random sources"."""
    cells = [shown.cells[place] for place, point in shown.points.items() if point.error]
    counts = sorted({int(cell["samples"]) for cell in cells})
    extent = " to ".join(str(count) for count in (counts[0], counts[-1])[: len(counts)])
    return f"{extent} {'random sources' if all(present(cell['sources']) for cell in cells) else 'samples'}"


def _standins(shown: Shown) -> list[str]:
    if not shown.standins:
        return []
    which = "Every graph" if len(shown.standins) == len(shown.rows) > 1 else listed(shown.standins)
    are = "are stand-ins" if len(shown.standins) > 1 and which != "Every graph" else "is a stand-in"
    return [f"{which} {are} for the work's own{'' if which == 'Every graph' else ' graphs'}."]


def _real_roads(shown: Shown) -> list[str]:
    """Which graphs are real roads with drawn weights."""
    roads = {row: cell["weights"] for (row, _), cell in shown.cells.items() if present(cell["weights"])}
    return [
        f"{weights}: {listed([row for row in shown.rows if roads.get(row) == weights])}."
        for weights in _each(text for text in roads.values() if text.startswith(REAL_ROADS))
    ]


def _missing(shown: Shown) -> list[str]:
    sentences = []
    for status, words in (*WITHOUT_TIME.items(), ("not_run", "not run")):
        empty = [f"{label} on {row}" for (row, label), point in shown.points.items() if point.status == status]
        if empty:
            sentences.append(f"{MARKS[status]}: {words} ({listed(empty)}).")
    if shown.not_run:
        sentences.append(f"Not run: {listed(shown.not_run)}.")
    if shown.with_published and not any(cell["published_seconds"] for cell in shown.cells.values()):
        sentences.append("The work prints no times for these graphs.")
    elif shown.with_published and not shown.published_values():
        sentences.append("Published times are left out: these graphs are not of the work's sizes.")
    return sentences
