"""What the records of runs from many sources say, a line for each run: means over the sources."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ...errors import FormatError, UsageError, WarpathError
from ...measure.record import read_record
from ..csv_text import csv_text, read_csv

ALGORITHM = "label_correcting"
BASE = "harish"
MADE_BY = "warpath safari runs"


@dataclass(frozen=True)
class Run:
    """A run. ``row`` is the paper's name of the graph in whose place ``dataset`` stands.

    ``asked`` are the parameters by which the run was asked for, as in its file's name, and ``parameters`` all of them.
    Times are means over the sources of the timed region and, ``solve_s``, of what lies between the copies;
    ``spread_s`` is their standard deviation. Counters are means too, and ``iterations_min`` is the least. ``speedup``
    is over harish on the same graph from the same sources, None where that was not run.
    """

    row: str
    dataset: str
    variant: str
    asked: str
    parameters: str
    nodes: int
    edges: int
    sources: int
    seconds: float
    spread_s: float
    solve_s: float
    speedup: float | None
    iterations: float
    iterations_min: int
    launches: float
    host_reads: float
    atomics: float
    bytes_per_vertex: int
    bytes_per_arc: int
    device_kind: str
    device: str
    date: str
    record: str

    @property
    def label(self) -> str:
        """For a legend: "Locality, k = 4, vertices per thread = 2"."""
        settings = (part.replace("=", " = ").replace("_", " ") for part in self.asked.split(",") if part)
        return ", ".join([self.variant.title(), *settings])


def run_file(folder: str | os.PathLike, dataset: str, variant: str, asked: str) -> Path:
    """Where the record of a run lies: ``<folder>/<dataset>/label_correcting.locality.k=4.json``."""
    middle = f".{asked}" if asked else ""
    return Path(folder, dataset, f"{ALGORITHM}.{variant}{middle}.json")


def gather(folder: str | os.PathLike, rows: Mapping[str, str], settings: Iterable[str]) -> list[Run]:
    """The runs of harish and of locality with each of ``settings`` on the dataset of each row.

    Raises UsageError where one was not run, and WarpathError where the runs of one row are not of the same graph and
    sources. A run that did not fit into memory is left out.
    """
    found = []
    for row, dataset in rows.items():
        wanted = [(BASE, ""), *(("locality", asked) for asked in settings)]
        records = {}
        for variant, asked in wanted:
            file = run_file(folder, dataset, variant, asked)
            if not file.is_file():
                raise UsageError(f"{file}: no such record; measure first, with `warpath run --random-sources COUNT`")
            records[variant, asked] = _checked(file, dataset, variant)
        _refuse_unlike(folder, dataset, records)
        base = records[BASE, ""]["seconds"]
        found += [
            _run(row, dataset, variant, asked, record, base, run_file(folder, dataset, variant, asked))
            for (variant, asked), record in records.items()
            if record["seconds"]
        ]
    if not found:
        raise UsageError(f"{folder}: none of the runs asked for fitted into memory")
    return found


def runs_csv(runs: list[Run]) -> str:
    """A CSV file's text."""
    return csv_text(Run, runs)


def read_runs(path: str | os.PathLike) -> list[Run]:
    """Read what ``runs_csv`` wrote."""
    return read_csv(path, Run, MADE_BY)


def _checked(file: Path, dataset: str, variant: str) -> dict:
    record = read_record(file)
    identity = (record["dataset"], record["algorithm"], record["variant"])
    if identity != (dataset, ALGORITHM, variant) or "random_sources" not in record["measure"]:
        raise FormatError(
            f"{file}: holds {' '.join(identity)} where {dataset} {ALGORITHM} {variant} from random sources belongs; "
            "remove it and measure again"
        )
    if record["status"] == "failed":
        raise WarpathError(f"{file}: the run failed ({record['reason']}); remove its cause and measure again")
    return record


def _refuse_unlike(folder: str | os.PathLike, dataset: str, records: Mapping[tuple[str, str], dict]) -> None:
    first = records[BASE, ""]
    for (variant, asked), record in records.items():
        for fact, here, there in (
            ("graph", record["graph"]["sha256"], first["graph"]["sha256"]),
            ("sources", record["measure"]["random_sources"], first["measure"]["random_sources"]),
        ):
            if here != there:
                file = run_file(folder, dataset, variant, asked)
                other = run_file(folder, dataset, BASE, "")
                raise WarpathError(f"{file}: solved other {fact} than {other}; measure the older one again")


def _run(row: str, dataset: str, variant: str, asked: str, record: dict, base_s: float | None, file: Path) -> Run:
    samples = record["samples"]
    counted = {name: [sample["counters"][name] for sample in samples] for name in samples[0]["counters"]}
    totals = [sample["total_s"] for sample in samples]
    mean = fmean(totals)
    return Run(
        row=row,
        dataset=dataset,
        variant=variant,
        asked=asked,
        parameters=",".join(f"{name}={value}" for name, value in sorted(record["parameters"].items())),
        nodes=record["graph"]["vertices"],
        edges=record["graph"]["arcs"],
        sources=len(samples),
        seconds=record["seconds"],
        spread_s=fmean((total - mean) ** 2 for total in totals) ** 0.5,
        solve_s=fmean(sample["solve_s"] for sample in samples),
        speedup=base_s / record["seconds"] if base_s else None,
        iterations=fmean(counted["iterations"]),
        iterations_min=min(counted["iterations"]),
        launches=fmean(counted["launches"]),
        host_reads=fmean(counted["host_reads"]),
        atomics=fmean(counted["atomics"]),
        bytes_per_vertex=counted["bytes_per_vertex"][0],
        bytes_per_arc=counted["bytes_per_arc"][0],
        device_kind=record["device"]["kind"],
        device=record["device"]["name"],
        date=record["started"][:10],
        record=str(file),
    )
