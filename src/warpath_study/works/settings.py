"""The checked config of the pipeline: how to measure, on which graphs, and where results go."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from warpath.errors import UsageError
from warpath.graphs.weights import check_range
from warpath.names import check_known, check_printable, split_names

from ..data_files import json_schema
from ..datasets.catalog import Dataset
from .work_file import Datasets, FolderName, Groups, Suite, SuiteName, in_words
from .works import PAPER, SUFFIXES, Choice, Work, suites

_RESERVED = ("runs", "parts", "reference")
# What Snakemake makes by a rule's name, so that no work or set of targets can be called so.
_RULES = (
    "all", "works", "fetch", "convert", "generate", "run", "reduce", "gather",
    "table", "claims", "figure", "text", "runs",
)  # fmt: skip


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The keys of config.yaml, and of the suites that replace some of them."""

    suite: Annotated[
        SuiteName,
        Meta(
            description="Name of this set of results: `paper` writes to results/ and figures/, any other suite to a "
            "folder of its name in them.",
        ),
    ]
    graphs: Annotated[
        str | None,
        Meta(description="Suite whose file gives the graphs of the rows; null for the suite above, else paper."),
    ]
    reference: Annotated[
        FolderName | None,
        Meta(description="Folder of results/reference to draw from, without measuring; null to measure."),
    ]
    rows: Annotated[str | None, Meta(description="Rows to make, separated by commas; null for all.")]
    columns: Annotated[str | None, Meta(description="Variants or runs to make, separated by commas; null for all.")]
    device: Annotated[
        str,
        Meta(
            pattern=r"^(auto|cuda(:[0-9]+)?|host)\Z",
            description="Where kernels run: cuda, cuda:1 (the second GPU), host (the CPU, for correctness only), or "
            "auto.",
        ),
    ]
    mirror: Annotated[
        str | None, Meta(description="Folder that is searched for published graph files before any download.")
    ]
    gapbs: Annotated[
        str | None,
        Meta(description="Folder of the GAP Benchmark Suite's sources, for the work `peers`; null without it."),
    ]
    scatter: Annotated[
        int,
        Meta(ge=1, le=100_000, description="Jobs that share all pairs of a graph, in the work `all_pairs`."),
    ]
    source_index: Annotated[
        int,
        Meta(
            ge=0,
            description="Source vertex of single-source runs: 0 is the first vertex of each graph, whatever its label.",
        ),
    ]
    sources_seed: Annotated[int, Meta(description="Seed of random sources, for works that measure from several.")]
    budget_s: Annotated[
        float,
        Meta(
            gt=0,
            description="Seconds that the samples of one run may take. A run that would outlast them is estimated from "
            "its first iterations and marked.",
        ),
    ]
    cpu_budget_s: Annotated[float, Meta(gt=0, description="The same for variants on the CPU, which are much slower.")]
    repeats_min: Annotated[int, Meta(ge=1, description="Least number of samples of a run, if the budget allows.")]
    repeats_max: Annotated[int, Meta(ge=1, description="Greatest number of samples of a run.")]
    spread: Annotated[
        float, Meta(ge=0, description="Sampling stops once the relative spread is below this; 0.02 means 2 %.")
    ]
    weight_seed: Annotated[int, Meta(ge=0, description="Seed of the random weights of graphs without weights.")]
    weight_min: Annotated[int, Meta(ge=0, description="Smallest random weight.")]
    weight_max: Annotated[int, Meta(ge=0, description="Largest random weight.")]
    datasets: Datasets = {}
    groups: Groups = {}

    @classmethod
    def of(cls, config: Mapping[str, Any], works: Mapping[str, Work], catalog: Mapping[str, Dataset]) -> "Settings":
        """The settings in ``config``, with ``graphs`` filled in.

        Raises UsageError, naming the key, if a key is unknown, missing or malformed, or names something that does not
        exist.
        """
        known = [field.name for field in msgspec.structs.fields(cls)]
        if not isinstance(config, Mapping):
            raise UsageError("config: has to be keys with values; workflow/schemas/config.schema.json describes them")
        check_printable("config", config)
        check_known("config", config, known)
        try:
            settings = msgspec.convert(
                {**config, "rows": _joined(config, "rows"), "columns": _joined(config, "columns")}, cls
            )
        except msgspec.ValidationError as error:
            sentence = f"config: {in_words(str(error))}; workflow/schemas/config.schema.json describes every key"
            raise UsageError(sentence.replace("$.", "")) from None
        if settings.graphs is None:
            settings.graphs = settings.suite if settings.suite in suites(works.values()) else PAPER
        settings._check(works, catalog)
        return settings

    @property
    def choice(self) -> Choice:
        """The suite, and the rows and columns to make."""
        return Choice(self.graphs or PAPER, split_names(self.rows or ""), split_names(self.columns or ""))

    @property
    def results(self) -> str:
        """The folder of tables."""
        return "/".join(["results", *self._folders])

    @property
    def figures(self) -> str:
        """The folder of figures."""
        return "/".join(["figures", *self._folders])

    @property
    def records(self) -> str:
        """The folder of records."""
        return f"results/reference/{self.reference}/runs" if self.reference else f"{self.results}/runs"

    @property
    def _folders(self) -> list[str]:
        reference = ["reference", self.reference] if self.reference else []
        return reference + [self.suite] * (self.suite != PAPER)

    def _check(self, works: Mapping[str, Work], catalog: Mapping[str, Dataset]) -> None:
        taken = {folder for work in works.values() for folder in (work.name, *work.sets)} | set(_RESERVED)
        check_known("config: graphs", [self.choice.suite], suites(works.values()))
        found = next(iter(works.values())).suites.get(self.choice.suite, Suite())
        if (self.datasets or self.groups) and (self.datasets, self.groups) != (found.datasets, found.groups):
            place = f"config: datasets, groups: other ones than those of the suite {self.choice.suite}"
            raise UsageError(f"{place}; put them into a file of workflow/suites, and its name into graphs")
        for work in works.values():
            for name in {*work.sets} & {*_RULES}:
                raise UsageError(
                    f"{work.path}: a rule of the pipeline is called {name}; give the work or set another name"
                )
            # A target of a work without a folder is made by its own name. The rules of its kind stand back.
            for name in ({*work.fields.targets} & {*_RULES}) - {*SUFFIXES} if not work.folder else ():
                raise UsageError(f"{work.path}: a rule of the pipeline is called {name}; give the target another name")
        if self.suite in taken:
            raise UsageError(f"config: suite: the name {self.suite} is taken by other results; choose another one")
        if self.repeats_min > self.repeats_max:
            raise UsageError(
                f"config: repeats_min ({self.repeats_min}) must not be above repeats_max ({self.repeats_max})"
            )
        try:
            check_range(self.weight_min, self.weight_max)
        except UsageError as error:
            raise UsageError(f"config: weight_min, weight_max: {error}") from error
        if self.reference and not Path(self.records).is_dir():
            raise UsageError(f"config: reference: there is no folder {self.records}")
        every = [run for work in works.values() for run in work.asked(work.fields.runs, Choice(self.choice.suite))]
        check_known("config: rows", self.choice.rows, dict.fromkeys(run.row for run in every))
        names = dict.fromkeys(name for run in every for name in (run.variant, run.column))
        check_known("config: columns", self.choice.columns, names)
        if not any(work.asked(work.fields.runs, self.choice) for work in works.values()):
            raise UsageError("config: rows, columns: none of these variants is measured in any of these rows")
        for work in works.values():
            work.check(catalog)


def schema() -> dict[str, Any]:
    """The keys of config.yaml as JSON schema."""
    return json_schema(Settings)


def _joined(config: Mapping[str, Any], key: str) -> object:
    """Names in any form that the command line yields: text ``nyc,bay``, a number ``64``, a list ``[nyc, bay]``."""
    value = config.get(key)
    if value is None or isinstance(value, dict):
        return value
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
