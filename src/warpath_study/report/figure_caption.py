"""The caption below a figure: the device, the meaning of its signs, and what is missing."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..record import WITHOUT_TIME
from .labels import date_range, listed
from .notes import fewer_arcs_note
from .runs import FIRM, ROUGH
from .shown import MARKS, Shown


@dataclass(frozen=True)
class Signs:
    """The words of the caption for the signs of published and of estimated points; "" if each has its own mark."""

    published: str
    estimated: str = ""


BARS = Signs("Diamonds")
LINES = Signs("Crosses", "Hollow marks and dashed lines")
_MADE_OF = {FIRM: "estimated from a part of the run", ROUGH: "estimated before the distances were final"}


def caption(shown: Shown, signs: Signs) -> str:
    """Device and date, then the signs of the figure, then what is missing from it."""
    cells = list(shown.cells.values())
    devices = listed(_each(cell.device for cell in cells if cell.device))
    dates = date_range([cell.date for cell in cells if cell.date])
    sentences = ["Host simulation, not GPU times."] if shown.simulated else []
    sentences.append(f"Measured on {devices}, {dates}.")
    if shown.published_values():
        where = f" ({shown.hardware})" if shown.hardware else ""
        sentences.append(f"{signs.published}: published{where}.")
        sentences += fewer_arcs_note({row: cell.arcs_missing for (row, _), cell in shown.cells.items()})
    if any(point.error for point in shown.points.values()):
        sentences.append(f"Error bars: fastest to slowest of {_samples(shown)}.")
        sentences += _single(shown)
    if shown.has_estimates and signs.estimated:
        sentences.append(f"{signs.estimated}: {_MADE_OF[FIRM]}.")
    elif shown.has_estimates:
        sentences += [f"{mark}: {_MADE_OF[mark]}." for mark in shown.estimate_marks]
    return " ".join([*sentences, *_standins(shown), *_weights(shown), *_missing(shown)])


def _each(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _samples(shown: Shown) -> str:
    """The number of samples behind the error bars: "3 to 5 samples", "100 random sources"."""
    cells = [shown.cells[place] for place, point in shown.points.items() if point.error]
    counts = sorted({cell.samples or 0 for cell in cells})
    extent = " to ".join(str(count) for count in (counts[0], counts[-1])[: len(counts)])
    return f"{extent} {'random sources' if all(cell.sources is not None for cell in cells) else 'samples'}"


def _single(shown: Shown) -> list[str]:
    """Which runs have one sample, so that they, and what is compared with them, have no error bar."""
    of_label: dict[str, list[str]] = {}
    for (row, label), cell in shown.cells.items():
        if row in shown.rows and cell.samples == 1:
            of_label.setdefault(label, []).append(row)
    which = [f"{label} on {listed(rows)}" for label, rows in of_label.items()]
    return [f"One sample: {'; '.join(which)}."] if which else []


def _standins(shown: Shown) -> list[str]:
    """Which graphs are not the work's own: generated in their place, or from other files."""
    sentences = []
    kinds = {"Generated, in place of the work's own": shown.standins, "From other files": shown.from_others}
    for what, rows in kinds.items():
        if rows:
            which = "every graph" if len(rows) == len(shown.rows) > 1 else listed(rows)
            sentences.append(f"{what}: {which}.")
    return sentences


def _weights(shown: Shown) -> list[str]:
    """Which graphs have drawn weights."""
    drawn = {row: cell.weights for (row, _), cell in shown.cells.items() if cell.weights}
    sentences = []
    for weights in _each(drawn.values()):
        rows = [row for row in shown.rows if drawn.get(row) == weights]
        sentences.append(f"{weights}{'' if rows == shown.rows else f': {listed(rows)}'}.")
    return sentences


def _missing(shown: Shown) -> list[str]:
    sentences = []
    for status, words in (*WITHOUT_TIME.items(), ("not_run", "not run")):
        empty = [f"{label} on {row}" for (row, label), point in shown.points.items() if point.status == status]
        if empty:
            sentences.append(f"{MARKS[status]}: {words} ({listed(empty)}).")
    if shown.not_run:
        sentences.append(f"Not run: {listed(shown.not_run)}.")
    if shown.with_published and not shown.published_values():
        sentences.append("The work prints no times of these graphs.")
    return sentences
