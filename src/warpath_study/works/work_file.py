"""The format of ``work.yaml`` and of suites: types and readers."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta, Struct

from warpath.errors import FormatError

from ..data_files import json_schema, load_yaml
from ..peers import LibraryName

# Patterns end in \Z, because $ also matches before a line feed at the end.
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"

NAME = "[a-z][a-z0-9_]*"
Name = Annotated[str, Meta(pattern=rf"^{NAME}\Z")]
"""Name of a group of runs, a set of targets or a work."""

SuiteName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z")]
"""Name of a suite, which is also a folder."""

FolderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z")]
"""Name of one folder."""

ResultsFolder = Annotated[str, Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?\Z")]
"""Name of one folder in results/ and figures/, or "" for these themselves."""

Stem = Annotated[str, Meta(pattern=r"^([a-z0-9][A-Za-z0-9_-]*/)*([A-Za-z0-9_-]|\{row\})+\Z")]
"""Name of a target's files without the suffix, possibly in folders; ``{row}`` stands for the label of a row."""

RowLabel = Annotated[str, Meta(pattern=rf"^(?!\s)[^,{_CONTROL}]+(?<!\s)\Z")]
"""Label of a row. It has no comma, because commas separate labels on the command line."""

ROW_IN_FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""Pattern of the label of a row that becomes part of a file name."""

_PATTERNS_IN_WORDS = {
    FolderName: "of letters, digits, '.', _ and -, with a letter or digit first",
    ResultsFolder: "of letters, digits, '.', _ and -, with a letter or digit first, or empty",
    Stem: "of letters, digits, _, - and {row}, with optional folders before it",
    RowLabel: "without commas, control characters, line breaks, or blanks at its ends",
}

_Kind = TypeVar("_Kind")


class RowFields(Struct, forbid_unknown_fields=True):
    """A row with its own columns."""

    dataset: Annotated[str, Meta(description="Dataset of data/catalog.yaml.")]
    columns: Annotated[list[str], Meta(description="Runs to measure on this row, instead of the group's columns.")]


Rows = dict[RowLabel, str | RowFields]
_ROWS = "Row -> its dataset of data/catalog.yaml, with or without its own columns."
_COLUMNS = (
    "Runs to measure on each row: algorithm.variant, or algorithm.variant.name=value+... with parameters. peer_sssp.* "
    "stands for the peers in C of config.yaml."
)
_SOURCES = "Number of random sources; a time is the mean over them, or over fewer if the budget ends."
_WITH_ARCS = "Whether random sources are drawn among the vertices with arcs."
_BY_TURNS = "Whether all runs of a row are measured in one job, where they take turns; they need random sources."


class GroupFields(Struct, forbid_unknown_fields=True):
    """A group of runs: every column on every row."""

    rows: Annotated[Rows, Meta(description=_ROWS)]
    columns: Annotated[list[str], Meta(description=_COLUMNS)] = []
    sources: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description=_SOURCES)] = None
    with_arcs: Annotated[bool, Meta(description=_WITH_ARCS)] = False
    by_turns: Annotated[bool, Meta(description=_BY_TURNS)] = False

    def __post_init__(self) -> None:
        if self.by_turns and not self.sources:
            raise ValueError("by_turns needs sources")


class GroupOfSuite(Struct, forbid_unknown_fields=True):
    """Replacements of a suite for the rows, columns and sources of a group."""

    rows: Annotated[Rows | list[RowLabel] | None, Meta(description=f"Some of the group's rows, or others: {_ROWS}")] = (
        None
    )
    columns: Annotated[list[str] | None, Meta(description=_COLUMNS)] = None
    sources: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description=_SOURCES)] = None


Datasets = Annotated[
    dict[str, str | None],
    Meta(description="Dataset of a work -> its replacement in all rows of all works; null leaves these rows out."),
]
Groups = Annotated[
    dict[str, GroupOfSuite], Meta(description="`work.group` -> replacements for its rows, columns or sources.")
]


PAPER = "paper"
"""The suite of the works' own graphs. Its results are directly in ``results/``."""


class Suite(Struct):
    """A file of ``workflow/suites``: its graphs, and where results go. Its other keys replace keys of config.yaml."""

    datasets: Datasets = {}
    groups: Groups = {}
    suite: SuiteName = PAPER
    reference: FolderName | None = None
    peers: dict[LibraryName, str] = {}

    def of(self, name: str, group: GroupFields) -> GroupFields:
        """The group of runs ``name``, such as ``bodra.table1``, in this suite."""
        replacement = self.groups.get(name, GroupOfSuite())
        rows: Rows = {}
        if isinstance(replacement.rows, dict):
            rows = replacement.rows
        else:
            for row, entry in group.rows.items():
                original = entry.dataset if isinstance(entry, RowFields) else entry
                dataset = self.datasets.get(original, original)
                if dataset is not None and (replacement.rows is None or row in replacement.rows):
                    rows[row] = RowFields(dataset, entry.columns) if isinstance(entry, RowFields) else dataset
        columns = group.columns if replacement.columns is None else replacement.columns
        sources = group.sources if replacement.sources is None else replacement.sources
        return GroupFields(rows, columns, sources, group.with_arcs, group.by_turns)

    def folder(self, kind: str) -> Path:
        """The folder of the ``kind`` "results" or "figures"."""
        reference = ["reference", self.reference] if self.reference else []
        return Path(kind, *reference, "" if self.suite == PAPER else self.suite)


class TargetFields(Struct, forbid_unknown_fields=True):
    """A table, claims, a figure or a text. ``{row}`` in its name makes one for each row."""

    kind: Annotated[Literal["table", "claims", "figure", "text", "runs"], Meta(description="What to make.")]
    runs: Annotated[list[Name], Meta(min_length=1, description="Groups of runs to show.")]
    title: Annotated[str, Meta(description="Heading; {row} and {dataset} stand for those of the target.")] = ""
    caption: Annotated[str, Meta(description="Description of its contents for readers of the report.")] = ""
    view: Annotated[
        str, Meta(description="Function of the work's views.py or figures.py, or of warpath_study.report.views.")
    ] = ""
    options: Annotated[dict[str, Any], Meta(description="Options of the view.")] = {}
    set: Annotated[Name | None, Meta(description="Name by which Snakemake makes it; by default the work's name.")] = (
        None
    )
    file: Annotated[Stem | None, Meta(description="Name of its files without the suffix; by default its name.")] = None
    graphs: Annotated[bool, Meta(description="Whether the view also reads the graphs of the runs.")] = False
    one_device: Annotated[bool, Meta(description="Whether all runs must be on the same device.")] = False


_WAITS = "Runs, algorithm.variant, whose host waits after each launch."
_RESULTS_FOLDER = 'Folder in results/ and figures/, "" for these themselves; by default the work\'s name.'


class WorkFields(Struct, forbid_unknown_fields=True):
    """A published work, or a comparison of warpath's own."""

    title: Annotated[str, Meta(description="Short name for headings.")]
    citation: Annotated[str, Meta(description="The reference to cite.")]
    runs: Annotated[dict[Name, GroupFields], Meta(description="Groups of runs.")]
    targets: Annotated[dict[Stem, TargetFields], Meta(description="Tables, claims and figures to make from the runs.")]
    about: Annotated[str, Meta(description="One sentence for the list of works.")] = ""
    hardware: Annotated[str, Meta(description="The machine of the published times.")] = ""
    waits: Annotated[list[str], Meta(description=_WAITS)] = []
    folder: Annotated[ResultsFolder | None, Meta(description=_RESULTS_FOLDER)] = None
    not_by_default: Annotated[list[Name], Meta(description="Sets of targets that `snakemake works` leaves out.")] = []


def in_words(sentence: str) -> str:
    """A message of msgspec on one line, with words in place of patterns."""
    for kind, words in _PATTERNS_IN_WORDS.items():
        sentence = sentence.replace(f"matching regex {get_args(kind)[1].pattern!r}", words)
    return sentence.replace("\n", "\\n")


def read_fields(file: Path) -> WorkFields:
    """Read a ``work.yaml``. Raises UsageError if it cannot be read, FormatError, with file and key, if malformed."""
    return _read(file, WorkFields, "work")


def read_suites(folder: Path) -> dict[str, Suite]:
    """The suites in a folder, by file name. Raises as ``read_fields`` does."""
    return {file.stem: _read(file, Suite, "config") for file in sorted(folder.glob("*.yaml"))}


def _read(file: Path, kind: type[_Kind], schema: str) -> _Kind:
    contents = load_yaml(file)
    try:
        return msgspec.convert(contents, kind)
    except msgspec.ValidationError as error:
        raise FormatError(
            f"{file}: {in_words(str(error))}; workflow/schemas/{schema}.schema.json describes every key"
        ) from None


def schema() -> dict[str, Any]:
    """The JSON schema of ``work.yaml``."""
    return json_schema(WorkFields)
