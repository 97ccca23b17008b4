"""What the pipeline plans: graphs, runs and targets under its settings, with all that the rules need of them.

A job asks a cluster for minutes and for megabytes of main memory. Both are generous, since a job that asks for too
little is lost, and each further attempt asks for twice as much.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

from warpath.code import parts_of_code
from warpath.device import kind_of
from warpath.solvers.registry import Configured

from ..datasets.catalog import Dataset
from ..measure.runs import IN_PARTS, answer_size, code_of, find, peer_of
from ..problems import PROBLEMS
from ..record import SOURCES, parameters_of, parse_run
from .settings import Settings
from .works import RunRequest, Target, Work

# Of a graph whose size the catalog does not tell.
_ITEMS_OF_UNKNOWN = 250_000_000
_VERTICES_OF_UNKNOWN = 10**6
# Besides samples: reading the graph, preparing it, compiling kernels, certifying the answer.
_MINUTES = 10
# A last sample may begin shortly before the budget ends.
_BUDGETS = 2
# Distances that a part of all pairs keeps in a store in a minute, with room: an H200 did 13 billion.
_DISTANCES_A_MINUTE = 4_000_000_000
# Vertices and arcs that are generated or converted in a minute, with room: a core did 25 million.
_ITEMS_A_MINUTE = 2_000_000
# Python with its packages, the CUDA libraries, the compiler.
_MB = 4096
# A graph's arrays in several forms, and what a partition keeps beside them.
_BYTES_A_VERTEX_OR_ARC = 256
# The answer, and for all pairs what is certified of it at a time.
_ANSWERS = 1.25


def minutes(budget_s: float = 0, distances: int = 0, items: int = 0) -> int:
    """Minutes for samples of ``budget_s``, for a part of all pairs, or for making a graph of so many ``items``."""
    return _MINUTES + ceil(_BUDGETS * budget_s / 60) + ceil(distances / _DISTANCES_A_MINUTE) + items // _ITEMS_A_MINUTE


def megabytes(items: int, answer_bytes: float = 0) -> int:
    """Megabytes for a graph of so many ``items``, which are vertices or cells and arcs, and for an answer."""
    return _MB + ceil((_BYTES_A_VERTEX_OR_ARC * items + _ANSWERS * answer_bytes) / 2**20)


def items_of(dataset: Dataset) -> int:
    """The number of vertices and arcs; a large number if the catalog does not tell it."""
    if dataset.vertices is None or dataset.arcs is None:
        return _ITEMS_OF_UNKNOWN
    return dataset.vertices + dataset.arcs


def items_read(dataset: Dataset, catalog: Mapping[str, Dataset]) -> int:
    """The number of vertices and arcs of what is read or generated to make the graph."""
    return items_read(catalog[dataset.origin], catalog) if dataset.origin else items_of(dataset)


@dataclass(frozen=True)
class PlannedRun:
    """A run on a dataset."""

    dataset: Dataset
    name: str
    settings: Settings

    @cached_property
    def configured(self) -> Configured:
        """The variant, with the value of each parameter."""
        algorithm, variant, asked = parse_run(self.name)
        return find(algorithm, variant).configured(parameters_of(asked))

    @cached_property
    def code(self) -> list[str]:
        """What identifies the code. An edit of a kernel or of the host loop measures the run again."""
        peer = peer_of(self.configured.variant)
        version = [peer.missing() or f"{peer.name} {peer.version()}"] if peer else []
        return [*parts_of_code(code_of(self.configured.variant, kind_of(self.settings.device))), *version]

    @property
    def gpus(self) -> int:
        """How many GPUs it takes; one on the CPU, too, so that a table's runs use the same kind of machine."""
        return self.configured.settings.get("devices", 1)

    @property
    def _budget_s(self) -> float:
        return self.settings.cpu_budget_s if self.configured.variant.on_cpu else self.settings.budget_s

    @property
    def minutes(self) -> int:
        return minutes(self._budget_s)

    @property
    def megabytes(self) -> int:
        vertices = self.dataset.vertices or 0
        pairs = PROBLEMS[self.configured.variant.problem].answer_rows(vertices) * vertices
        return megabytes(items_of(self.dataset), answer_size(self.configured).bytes_per_pair * pairs)

    @property
    def options(self) -> list[object]:
        """Options of ``warpath run``: sources, budget, repeats and spread."""
        settings = self.settings
        if SOURCES in parse_run(self.name)[2]:
            return ["--sources-seed", settings.sources_seed]
        source = PROBLEMS[self.configured.variant.problem].takes_source
        return [
            *(["--source-index", settings.source_index] if source else []),
            *("--budget-s", self._budget_s, "--repeats-min", settings.repeats_min),
            *("--repeats-max", settings.repeats_max, "--spread", settings.spread),
        ]


@dataclass(frozen=True)
class PlannedParts(PlannedRun):
    """All pairs in parts; ``minutes`` and ``options`` are those of one part."""

    @property
    def minutes(self) -> int:
        vertices = self.dataset.vertices or _VERTICES_OF_UNKNOWN
        sources = self.configured.settings["first"] or vertices
        return minutes(distances=ceil(sources / self.settings.scatter) * vertices)

    @property
    def options(self) -> list[object]:
        """Options of ``warpath reduce``. The store is no output: it stays when a job fails, to be resumed."""
        given = self.configured.settings
        first = ["--first", given["first"]] if given["first"] else []
        rows = f"{self.settings.parts}/{self.dataset.name}/{self.name}/rows.zarr"
        return [*first, "--nearest", given["nearest"], *(["--store", rows] if given["store"] else [])]


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
        """Said of it in Snakemake's report."""
        return self.target.fields.caption

    @property
    def files(self) -> list[str]:
        folder = self.settings.figures if self.kind == "figure" else self.settings.results
        return [f"{folder}/{self.stem}{suffix}" for suffix in self.target.suffixes]

    @cached_property
    def runs(self) -> list[RunRequest]:
        return self.work.asked(self.work.needs(self.target), self.settings.choice)

    @property
    def inputs(self) -> list[str]:
        """Records, graphs if the target reads them, and the files of the work; of a reference, the records it has."""
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
        # With "=", a name that begins with "-" is no option.
        chosen = [f"--{option}={','.join(given)}" for option, given in names.items() if given]
        folders = ["--records", settings.records, "--results", settings.results, "--figures", settings.figures]
        return [self.work.name, self.target.name, "--suite", choice.suite, *chosen, *folders]


def planned_run(dataset: Dataset, name: str, settings: Settings) -> PlannedRun:
    """The run ``name`` on ``dataset``. Raises UsageError if there is no such run."""
    in_parts = parse_run(name)[0] == IN_PARTS[0]
    return (PlannedParts if in_parts else PlannedRun)(dataset, name, settings)
