"""The config of the pipeline, checked: how to measure, on which graphs, and where results go."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from warpath.errors import UsageError
from warpath.graphs.weights import check_range
from warpath.system.driver import gpu_count
from warpath.system.names import check_known

from ..data_files import json_schema
from ..datasets.catalog import Dataset
from ..peers import LIBRARIES, LibraryName
from ..record import REPEATS_LIMIT
from .work_file import Datasets, FolderName, Groups, Suite, SuiteName, in_words
from .works import PAPER, SUFFIXES, Choice, Work, check_choice, suites

SECONDS_MAX = 10**9
_RESERVED_SUITES = ("runs", "turns", "parts", "reference")
# Names of rules, which no work, set or target of a work without a folder can have.
_RULES = {
    "all", "works", "fetch", "convert", "convert_large", "generate", "generate_large", "run", "turns", "record",
    "statistics", "gather", "table", "claims", "figure", "text", "runs",
}  # fmt: skip


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The keys of config.yaml. A suite may replace some of them."""

    suite: Annotated[SuiteName, Meta(description="Name of this set of results, and of its folder, except for `paper`.")]
    graphs: Annotated[
        str | None, Meta(description="Suite with the graphs; null for `suite` if it has a file, else paper.")
    ]
    reference: Annotated[FolderName | None, Meta(description="Folder of results/reference to use; null to measure.")]
    rows: Annotated[str | None, Meta(description="Rows to make, separated by commas; null for all.")]
    columns: Annotated[str | None, Meta(description="Variants or runs to make, separated by commas; null for all.")]
    device: Annotated[
        str,
        Meta(pattern=r"^(cuda(:[0-9]+)?|simulated)\Z", description="cuda, cuda:INDEX, or simulated: a simulated GPU."),
    ]
    mirror: Annotated[str | None, Meta(description="Folder to search for published graph files before any download.")]
    gapbs: Annotated[str | None, Meta(description="Folder of the GAP Benchmark Suite's sources, or null.")]
    peers: Annotated[
        dict[LibraryName, str], Meta(description="Peers in C: name -> shared library with the functions of peer.h.")
    ]
    scatter: Annotated[int, Meta(ge=1, le=100_000, description="Jobs that share all pairs of a graph.")]
    source_index: Annotated[int, Meta(ge=0, description="Index of the source vertex of single-source runs, from 0.")]
    sources_seed: Annotated[int, Meta(description="Seed of random sources.")]
    budget_s: Annotated[
        float, Meta(gt=0, le=SECONDS_MAX, description="Seconds for all samples of a run; longer runs are estimated.")
    ]
    cpu_budget_s: Annotated[
        float, Meta(gt=0, le=SECONDS_MAX, description="The same for variants on the CPU, which are much slower.")
    ]
    sources_budget_s: Annotated[
        float,
        Meta(
            gt=0,
            le=SECONDS_MAX,
            description="Seconds for the solves of a run from random sources; then it has fewer of them.",
        ),
    ]
    repeats_min: Annotated[int, Meta(ge=1, description="Minimum number of samples of a run, if the budget allows.")]
    repeats_max: Annotated[int, Meta(ge=1, description="Maximum number of samples of a run.")]
    spread: Annotated[float, Meta(ge=0, description="Relative spread below which sampling stops; 0.02 means 2 %.")]
    weight_seed: Annotated[int, Meta(ge=0, description="Seed of the random weights of graphs without weights.")]
    weight_min: Annotated[int, Meta(ge=0, description="Smallest random weight.")]
    weight_max: Annotated[int, Meta(ge=0, description="Largest random weight.")]
    datasets: Datasets = {}
    groups: Groups = {}

    @classmethod
    def of(cls, config: Mapping[str, Any], works: Mapping[str, Work], catalog: Mapping[str, Dataset]) -> "Settings":
        """The settings in ``config``, with ``graphs`` filled in. Raises UsageError, with the key, for a bad value."""
        settings = cls._read(config)
        if settings.graphs is None:
            settings.graphs = settings.suite if settings.suite in suites(works.values()) else PAPER
        settings._check(works, catalog)
        return settings

    @classmethod
    def places(cls, config: Mapping[str, Any]) -> dict[str, str]:
        """What the user has where: variables for the environment of every step, and of ``of`` and ``load_all``."""
        settings = cls._read(config)
        peers = json.dumps(settings.peers) if settings.peers else None
        found = {"WARPATH_MIRROR": settings.mirror, "WARPATH_GAPBS": settings.gapbs, LIBRARIES: peers}
        return {name: place for name, place in found.items() if place}

    @classmethod
    def _read(cls, config: Mapping[str, Any]) -> "Settings":
        known = [field.name for field in msgspec.structs.fields(cls)]
        if not isinstance(config, Mapping):
            raise UsageError("config: must map keys to values; workflow/schemas/config.schema.json describes every key")
        check_known("config", config, known)
        try:
            return msgspec.convert({**config, **{key: _joined(config, key) for key in ("rows", "columns")}}, cls)
        except msgspec.ValidationError as error:
            message = f"config: {in_words(str(error))}; workflow/schemas/config.schema.json describes every key"
            raise UsageError(message.replace("$.", "")) from None

    @property
    def choice(self) -> Choice:
        """The suite, and the rows and columns to make."""
        return Choice(self.graphs or PAPER, split_names(self.rows or ""), split_names(self.columns or ""))

    @property
    def device_kind(self) -> str:
        """The kind of the device: "cuda" or "simulated"."""
        return self.device.partition(":")[0]

    @property
    def has_device(self) -> bool:
        """Whether this machine has the device."""
        return self.device_kind == "simulated" or gpu_count() > int(self.device.partition(":")[2] or 0)

    @property
    def results(self) -> str:
        """The folder of tables."""
        return str(self._suite.folder("results"))

    @property
    def figures(self) -> str:
        """The folder of figures."""
        return str(self._suite.folder("figures"))

    @property
    def records(self) -> str:
        """The folder of records."""
        return f"results/reference/{self.reference}/runs" if self.reference else f"{self.results}/runs"

    @property
    def turns(self) -> str:
        """The folder of the records of runs that took turns, one folder for each job."""
        return f"{self.results}/turns"

    @property
    def parts(self) -> str:
        """The folder of the parts of all pairs."""
        return f"{self.results}/parts"

    @property
    def _suite(self) -> Suite:
        return Suite(self.datasets, self.groups, self.suite, self.reference)

    def _check(self, works: Mapping[str, Work], catalog: Mapping[str, Dataset]) -> None:
        check_known("config: graphs", [self.choice.suite], suites(works.values()))
        suite = next(iter(works.values())).suites.get(self.choice.suite, Suite())
        if (self.datasets or self.groups) and (self.datasets, self.groups) != (suite.datasets, suite.groups):
            raise UsageError(
                f"config: datasets, groups: differ from those of suite {self.choice.suite}; put them into a file of "
                "workflow/suites, and its name into graphs"
            )
        for work in works.values():
            # A target of a work without a folder is made by its name; a rule that makes a kind of target is renamed.
            targets = set() if work.folder else set(work.fields.targets) - set(SUFFIXES)
            for name in sorted((targets | set(work.sets)) & _RULES):
                raise UsageError(f"{work.path}: the name {name} is that of a rule of the pipeline; choose another one")
        if self.suite in {*works, *(name for work in works.values() for name in work.sets), *_RESERVED_SUITES}:
            raise UsageError(f"config: suite: the name {self.suite} is taken by other results; choose another one")
        if self.repeats_min > self.repeats_max:
            raise UsageError(f"config: repeats_min ({self.repeats_min}) is above repeats_max ({self.repeats_max})")
        if self.repeats_max > REPEATS_LIMIT:
            raise UsageError(f"config: repeats_max must be at most {REPEATS_LIMIT:,}, not {self.repeats_max}")
        try:
            check_range(self.weight_min, self.weight_max)
        except UsageError as error:
            raise UsageError(f"config: weight_min, weight_max: {error}") from error
        if self.reference and not Path(self.records).is_dir():
            raise UsageError(f"config: reference: there is no folder {self.records}")
        check_choice(self.choice, works.values(), "config: ")
        chosen = [run for work in works.values() for run in work.requests(work.fields.runs, self.choice)]
        if not chosen:
            raise UsageError("config: rows, columns: no run is in both these rows and these columns")
        for work in works.values():
            work.check(catalog)
        for dataset in dict.fromkeys(run.dataset for run in chosen):
            vertices = catalog[dataset].vertices
            if vertices is not None and self.source_index >= vertices:
                raise UsageError(
                    f"config: source_index: {dataset} has no vertex {self.source_index}; it has 0..{vertices - 1}"
                )


def schema() -> dict[str, Any]:
    """The JSON schema of config.yaml."""
    return json_schema(Settings)


def _joined(config: Mapping[str, Any], key: str) -> object:
    """The names under ``key`` as one text; Snakemake's command line gives ``nyc,bay``, ``64`` or ``[nyc, bay]``."""
    value = config.get(key)
    if value is None or isinstance(value, dict):
        return value
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def split_names(text: str) -> tuple[str, ...]:
    """The names in ``text``, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
