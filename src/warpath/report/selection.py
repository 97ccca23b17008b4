"""What a figure shows of a comparison, and the words below it that say what must be known to read it."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import UsageError
from .comparison import Entry
from .labels import date_range, listed, spelled
from .published import seconds_of

_MARKS = {"estimated": "~", "out_of_memory": "×", "not_run": "–"}


@dataclass(frozen=True)
class Shown:
    """The variants of a figure on its datasets, each in the order of the table.

    ``entries`` holds every pair of dataset and variant. ``not_run`` are datasets of the table that nothing ran on.
    ``factor`` turns seconds into ``unit``. ``with_published`` says whether the paper's times are shown too.
    """

    datasets: list[str]
    variants: list[str]
    entries: dict[tuple[str, str], Entry]
    not_run: list[str]
    factor: float
    unit: str
    with_published: bool

    def value(self, dataset: str, variant: str) -> float | None:
        """The measured time in ``unit``."""
        seconds = self.entries[dataset, variant].seconds
        return None if seconds is None else seconds * self.factor

    def published(self, dataset: str, variant: str) -> float | None:
        """The paper's time in ``unit``, where it is to be shown, is a number, and is of a graph of the same size."""
        entry = self.entries[dataset, variant]
        seconds = seconds_of(entry.published_seconds)
        return seconds * self.factor if self.with_published and entry.comparable and seconds is not None else None

    def mark(self, dataset: str, variant: str) -> str:
        """The sign of a cell that is not simply measured, else ""; the caption explains it."""
        return _MARKS.get(self.entries[dataset, variant].status, "")

    def values(self) -> list[float]:
        """All measured times in ``unit``."""
        return _numbers(self.value(*pair) for pair in self.entries)

    def published_values(self) -> list[float]:
        """All published times in ``unit`` that are shown."""
        return _numbers(self.published(*pair) for pair in self.entries)

    @property
    def simulated(self) -> bool:
        """Whether the times are those of the host device."""
        return any(entry.device_kind == "host" for entry in self.entries.values())


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def select(entries: list[Entry], algorithm: str, with_published: bool = False, serial: bool = False) -> Shown:
    """The cells of a comparison that the paper's figures show: GPU variants, on the graphs on which one of them ran.

    ``serial`` adds the variants that run on the CPU. Raises UsageError where the comparison is of another algorithm or
    holds no such time.
    """
    others = {entry.algorithm for entry in entries} - {algorithm}
    if others:
        raise UsageError(f"the comparison is of {', '.join(sorted(others))}, but the figure shows {algorithm}")
    run = [entry for entry in entries if entry.status != "not_run" and (serial or entry.device_kind != "cpu")]
    if not any(entry.seconds for entry in run):
        raise UsageError(f"the comparison holds no time of {algorithm} on a GPU or its simulation; nothing to draw")
    datasets = list(dict.fromkeys(entry.dataset for entry in run))
    columns = {entry.variant for entry in run}
    variants = list(dict.fromkeys(entry.variant for entry in entries if entry.variant in columns))
    longest_s = max(entry.seconds or 0 for entry in run)
    factor, unit = (1.0, "s") if longest_s >= 1 else (1e3, "ms") if longest_s >= 1e-3 else (1e6, "µs")
    return Shown(
        datasets=datasets,
        variants=variants,
        entries={
            (entry.dataset, entry.variant): entry
            for entry in entries
            if entry.dataset in datasets and entry.variant in columns
        },
        not_run=list(dict.fromkeys(entry.dataset for entry in entries if entry.dataset not in datasets)),
        factor=factor,
        unit=unit,
        with_published=with_published,
    )


def caption(shown: Shown) -> str:
    """Device and date first, then marks and gaps, then whose the published times are."""
    cells = list(shown.entries.values())
    devices = listed(list(dict.fromkeys(cell.device for cell in cells if cell.device)))
    sentences = [f"{devices}, {date_range([cell.date for cell in cells])}."]
    if shown.simulated:
        sentences.insert(0, "Host simulation, not GPU times.")
    if any(cell.status == "estimated" for cell in cells):
        sentences.append(f"{_MARKS['estimated']} estimated from the first iterations.")
    for status, words in (("out_of_memory", "out of memory"), ("not_run", "not run")):
        empty = [f"{spelled(cell.variant)} on {cell.dataset}" for cell in cells if cell.status == status]
        if empty:
            sentences.append(f"{_MARKS[status]} {words}: {listed(empty)}.")
    if shown.not_run:
        sentences.append(f"Not run: {listed(shown.not_run)}.")
    if shown.with_published and not any(cell.published_seconds for cell in cells):
        sentences.append("The paper gives no times of these graphs.")
    elif shown.with_published and not shown.published_values():
        sentences.append("Published times are left out, as these graphs are not of the paper's sizes.")
    elif shown.with_published and any(cell.dataset != cell.row for cell in cells):
        sentences.append("Published times are those of the paper's graphs of the same sizes.")
    return " ".join(sentences)
