"""Planned runs and targets: what Snakemake's rules need to know of them.

A job requests minutes and megabytes of main memory from a cluster. Both are generous, because a job that exceeds them
is lost. Each further attempt requests twice as much.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

from warpath.solvers.checks.preconditions import PATHS
from warpath.solvers.variant import Configured

from ..datasets.catalog import Dataset
from ..measure.runs import answer_size, find, peer_of, sources_of
from ..parts.run import IN_PARTS
from ..problems import PROBLEMS, Problem
from ..record import SOURCES, SOURCES_WITH_ARCS, parse_run, without_sources
from .settings import Settings
from .works import RunRequest, Target, Work

# For graphs whose size the catalog does not give.
_DEFAULT_ITEMS = 250_000_000
_DEFAULT_VERTICES = 10**6
# Reading the graph, preparing it, compiling kernels, certifying the answer.
_MINUTES = 10
# The last sample may begin shortly before the budget ends.
_BUDGETS = 2
# Distances that a part of all pairs writes to a store; an H200 wrote 13 billion.
_DISTANCES_PER_MINUTE = 4_000_000_000
# Vertices and arcs that one core generates or converts; one did 25 million.
_ITEMS_PER_MINUTE = 2_000_000
# Python with its packages, the CUDA libraries, the compiler.
_MEGABYTES = 4096
# A graph's arrays in several forms, and those of a partition.
_BYTES_PER_ITEM = 256
# The answer, and the part of it that is certified at a time.
_ANSWERS = 1.25


def minutes(budget_s: float = 0, distances: int = 0, items: int = 0) -> int:
    """Minutes for samples of ``budget_s`` seconds, for ``distances`` of all pairs, or to make a graph of ``items``."""
    samples, pairs = ceil(_BUDGETS * budget_s / 60), ceil(distances / _DISTANCES_PER_MINUTE)
    return _MINUTES + samples + pairs + items // _ITEMS_PER_MINUTE


def megabytes(items: int, answer_bytes: float = 0) -> int:
    """Megabytes for a graph of ``items`` (vertices, or cells, and arcs) and for an answer."""
    return _MEGABYTES + ceil((_BYTES_PER_ITEM * items + _ANSWERS * answer_bytes) / 2**20)


def items_of(dataset: Dataset) -> int:
    """The number of vertices and arcs; a large number if the catalog does not give it."""
    if dataset.vertices is None or dataset.arcs is None:
        return _DEFAULT_ITEMS
    return dataset.vertices + dataset.arcs


def items_read(dataset: Dataset, catalog: Mapping[str, Dataset]) -> int:
    """The number of vertices and arcs that are read or generated to make the graph."""
    return items_read(catalog[dataset.origin], catalog) if dataset.origin else items_of(dataset)


def by_option(options: Sequence[object]) -> dict[str, object]:
    """The values of ``options``, each of which is followed by its value."""
    return dict(zip(map(str, options[::2]), options[1::2], strict=True))


@dataclass(frozen=True)
class PlannedRun:
    """A run on a dataset. ``parameters`` are those in its name."""

    dataset: Dataset
    name: str
    settings: Settings
    configured: Configured
    parameters: Mapping[str, int]

    @property
    def _problem(self) -> Problem:
        return PROBLEMS[self.configured.variant.problem]

    @cached_property
    def code(self) -> dict[str, str]:
        """What the code consists of, with a hash of each part, and the version of a peer."""
        peer = peer_of(self.configured.variant)
        version = {peer.name: peer.missing() or peer.version()} if peer else {}
        return {**sources_of(self.configured.variant, self.settings.device_kind).parts, **version}

    @property
    def facts(self) -> dict[str, object]:
        """What the record depends on besides the graph, by names for the user."""
        return {"device": self.settings.device, **self.code, **by_option(self.options)}

    @property
    def needs_gpu(self) -> bool:
        """Whether the run needs a GPU, or a simulated one."""
        return not self.configured.variant.on_cpu

    @property
    def gpus(self) -> int:
        """The number of GPUs; 1 on the CPU, too, so that all runs of a table use the same kind of machine."""
        return self.configured.settings.get("devices", 1)

    @property
    def _budget_s(self) -> float:
        return self.settings.cpu_budget_s if self.configured.variant.on_cpu else self.settings.budget_s

    @property
    def sources_budget_s(self) -> float:
        """Seconds for all solves from random sources."""
        return min(self._budget_s, self.settings.sources_budget_s)

    @property
    def minutes(self) -> int:
        return minutes(self._budget_s)

    @property
    def megabytes(self) -> int:
        vertices = self.dataset.vertices or 0
        pairs = self._problem.answer_rows(vertices) * vertices
        return megabytes(items_of(self.dataset), answer_size(self.configured).bytes_per_pair * pairs)

    @property
    def options(self) -> list[object]:
        """Options of ``warpath run``: sources, budget, repeats and spread."""
        settings = self.settings
        if not {SOURCES, SOURCES_WITH_ARCS}.isdisjoint(self.parameters):
            return ["--sources-seed", settings.sources_seed, "--budget-s", self.sources_budget_s]
        return [
            *(["--source-index", settings.source_index] if self._problem.takes_source else []),
            *("--budget-s", self._budget_s, "--repeats-min", settings.repeats_min),
            *("--repeats-max", settings.repeats_max, "--spread", settings.spread),
        ]


@dataclass(frozen=True)
class PlannedParts(PlannedRun):
    """All pairs in parts; ``minutes``, ``megabytes`` and ``options`` are those of one part."""

    @property
    def minutes(self) -> int:
        vertices = self.dataset.vertices or _DEFAULT_VERTICES
        sources = self.configured.settings["first"] or vertices
        return minutes(distances=ceil(sources / self.settings.scatter) * vertices)

    @property
    def megabytes(self) -> int:
        return megabytes(items_of(self.dataset), PATHS.bytes_per_pair * (self.dataset.vertices or 0))

    @property
    def options(self) -> list[object]:
        """Options of ``warpath statistics``.

        The store is not an output, because it must survive a failed job. Other code or another graph has another store.
        """
        values, settings = self.configured.settings, self.settings
        first = ["--first", values["first"]] if values["first"] else []
        weights = settings.weight_seed, settings.weight_min, settings.weight_max
        identity = hashlib.sha256(repr((self.code, self.dataset, weights)).encode()).hexdigest()[:8]
        store = f"{settings.parts}/{self.dataset.name}/{self.name}/rows-{identity}.zarr"
        return [*first, "--nearest", values["nearest"], *(["--store", store] if values["store"] else [])]


@dataclass(frozen=True)
class PlannedTurns:
    """Runs from the same random sources that take turns in one job."""

    runs: Sequence[PlannedRun]

    @property
    def names(self) -> list[str]:
        return [run.name for run in self.runs]

    @property
    def facts(self) -> dict[str, object]:
        """What the records depend on besides the graph, by runs."""
        return {run.name: run.facts for run in self.runs}

    @property
    def needs_gpu(self) -> bool:
        return any(run.needs_gpu for run in self.runs)

    @property
    def gpus(self) -> int:
        return max(run.gpus for run in self.runs)

    @property
    def minutes(self) -> int:
        return sum(run.minutes for run in self.runs)

    @property
    def megabytes(self) -> int:
        return _MEGABYTES + sum(run.megabytes - _MEGABYTES for run in self.runs)

    @property
    def options(self) -> list[object]:
        """Options of ``warpath run``; all runs have the least budget."""
        budget_s = min(run.sources_budget_s for run in self.runs)
        return ["--sources-seed", self.runs[0].settings.sources_seed, "--budget-s", budget_s]


def planned_run(dataset: Dataset, name: str, settings: Settings) -> PlannedRun:
    """The run ``name`` on ``dataset``. Raises UsageError if there is no such run."""
    algorithm, variant, parameters = parse_run(name)
    configured = find(algorithm, variant).configured(without_sources(parameters))
    kind = PlannedParts if algorithm == IN_PARTS.algorithm else PlannedRun
    return kind(dataset, name, settings, configured, parameters)


@dataclass(frozen=True)
class PlannedTarget:
    """A target of a work, in the folders of the settings."""

    work: Work
    target: Target
    settings: Settings

    @property
    def kind(self) -> str:
        return self.target.fields.kind

    @property
    def stem(self) -> str:
        return self.work.folder + self.target.stem

    @property
    def caption(self) -> str | None:
        """The caption in Snakemake's report."""
        return self.target.fields.caption

    @property
    def files(self) -> list[str]:
        folder = self.settings.figures if self.kind == "figure" else self.settings.results
        return [f"{folder}/{self.stem}{suffix}" for suffix in self.target.suffixes]

    @cached_property
    def runs(self) -> list[RunRequest]:
        return self.work.requests(self.work.needs(self.target), self.settings.choice)

    @property
    def inputs(self) -> list[str]:
        """Records, the files of the work, and graphs if the target reads them; for a reference, existing records."""
        records = [f"{self.settings.records}/{run.file}" for run in self.runs]
        if self.settings.reference:
            records = [record for record in records if Path(record).is_file()]
        graphs = [f"data/graphs/{run.dataset}.npz" for run in self.runs] if self.target.fields.graphs else []
        files = [*self.work.path.glob("*.*"), *self.work.path.glob("published/*")]
        return [*dict.fromkeys(records + graphs), *sorted(str(file) for file in files if file.suffix != ".md")]

    @property
    def arguments(self) -> list[str]:
        """The arguments of ``warpath report``."""
        settings, choice = self.settings, self.settings.choice
        names = {"rows": choice.rows, "columns": choice.columns}
        # With "=", a name that begins with "-" is not taken for an option.
        filters = [f"--{option}={','.join(values)}" for option, values in names.items() if values]
        folders = ["--records", settings.records, "--results", settings.results, "--figures", settings.figures]
        return [self.work.name, self.target.name, "--suite", choice.suite, *filters, *folders]
