"""Waits for launches: the part of a time that no GPU shortens.

Some works launch a kernel, wait for it, and so on. Each launch with its wait takes some microseconds even for an empty
kernel, which a record has as ``launch_and_wait_s``. The number of launches times these microseconds is a floor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from warpath.system.durations import readable_seconds

from ..works.works import Work
from .cells import Cell
from .labels import prose_list, unique
from .runs import Run, group_by

MOST = 0.5
"""Waits of at least this share of a time are worth telling."""


@dataclass(frozen=True)
class Waits:
    """The waits of a run: the number of launches, and the least time of a launch that its machine had."""

    cell: Run
    launches: int
    launch_s: float

    @property
    def floor_s(self) -> float:
        """The floor; at most the time itself, during which launches may have been faster than when they were timed."""
        return min(self.launches * self.launch_s, self.cell.seconds or 0.0)

    @property
    def share(self) -> float:
        """The floor over the time; 0 without a time."""
        return self.floor_s / self.cell.seconds if self.cell.seconds else 0.0


def launches_of(cell: Run) -> int:
    """The launches of a whole solve; of an estimate, from those of the part that was timed."""
    launches = cell.more.get("launches", 0)
    return round(launches * (cell.iterations_total or 1) / (cell.iterations_timed or 1))


def mostly_waiting(work: Work, cells: Iterable[Run], runs: Sequence[Run]) -> list[Waits]:
    """The waits of those ``cells`` that wait for most of their time; ``runs`` tell how long a launch takes at least."""
    by_machine = group_by((run for run in runs if "launch_and_wait_s" in run.more), "device", "machine")
    least_s = {place: min(run.more["launch_and_wait_s"] for run in of) for place, of in by_machine.items()}
    found = [
        Waits(cell, launches_of(cell), least_s[cell.device, cell.machine])
        for cell in cells
        if f"{cell.algorithm}.{cell.variant}" in work.fields.waits and (cell.device, cell.machine) in least_s
    ]
    return [waits for waits in found if waits.share >= MOST]


def shares(found: Iterable[Waits], name: str) -> str:
    """The shares of runs by the field ``name`` of their cells: "54 to 81 % of Naive and 89 % of Stride"."""
    texts = []
    for key, of_key in group_by(found, f"cell.{name}").items():
        ends = unique(f"{100 * pick(waits.share for waits in of_key):.0f}" for pick in (min, max))
        texts.append(f"{' to '.join(ends)} % of {key}")
    return prose_list(texts)


def launch_notes(work: Work, cells: Iterable[Run], runs: Sequence[Run]) -> list[str]:
    """How much of the times is waiting for launches, and which ratios below 1 this explains."""
    found = mostly_waiting(work, cells, runs)
    if not found:
        return []
    least = unique(readable_seconds(pick(waits.launch_s for waits in found)) for pick in (min, max))
    text = (
        f"The host waits after each launch, at least {' to '.join(least)} here even if the kernel does nothing. Where "
        f"this is half of the time or more, it is {shares(found, 'label')}."
    )
    slower = [waits for waits in found if isinstance(waits.cell, Cell) and (waits.cell.ratio or 1) < 1]
    if slower:
        parts = [
            f"{label} on {prose_list(map(_slower_text, of_label))}"
            for label, of_label in group_by(slower, "cell.label").items()
        ]
        text += f" With such waits, a faster GPU does not beat the published times of {'; '.join(parts)}."
    return [text]


def _slower_text(waits: Waits) -> str:
    cell = waits.cell
    return (
        f"{cell.dataset} ({waits.launches:,} waits, at least {readable_seconds(waits.floor_s, unit='s')} of "
        f"{readable_seconds(cell.seconds or 0.0, unit='s')})"
    )
