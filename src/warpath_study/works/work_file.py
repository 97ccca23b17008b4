"""The format of ``work.yaml`` and of a suite: the types below, and what reads them."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta, Struct

from warpath.errors import FormatError, UsageError
from warpath.names import check_printable

from ..data_files import json_schema, load_yaml

# Kinds of text. Each pattern ends in \Z, because $ also matches before a line feed at the end.
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"

NAME = "[a-z][a-z0-9_]*"
Name = Annotated[str, Meta(pattern=rf"^{NAME}\Z")]
"""Name of a group of runs, of a set of targets, of a work."""

SuiteName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z")]
"""Name of a suite, which is also a folder."""

FolderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z")]
"""Name of one folder."""

ResultsFolder = Annotated[str, Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?\Z")]
"""Name of one folder in results/ and figures/, "" for these themselves."""

Stem = Annotated[str, Meta(pattern=r"^([a-z0-9][A-Za-z0-9_-]*/)*([A-Za-z0-9_-]|\{row\})+\Z")]
"""Name of a target's files without the suffix, possibly in folders; ``{row}`` stands for the label of a row."""

RowLabel = Annotated[str, Meta(pattern=rf"^(?!\s)[^,{_CONTROL}]+(?<!\s)\Z")]
"""Label of a row, for readers. Commas separate labels on the command line, so that a label has none."""

ROW_IN_FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""What the label of a row must be if it becomes part of a file name."""

_IN_WORDS = {
    FolderName: "of letters, digits, '.', _ and -, with a letter or digit first",
    ResultsFolder: "of letters, digits, '.', _ and -, with a letter or digit first, or empty",
    Stem: "of letters, digits, _ and -, and perhaps {row} and folders before it",
    RowLabel: "without commas, line breaks, other control characters, and blanks at its ends",
}

_Kind = TypeVar("_Kind")


class RowFields(Struct, forbid_unknown_fields=True):
    """A row with its own columns."""

    dataset: Annotated[str, Meta(description="Dataset of data/catalog.yaml.")]
    columns: Annotated[list[str], Meta(description="Runs to measure on this row, instead of the group's columns.")]


Rows = dict[RowLabel, str | RowFields]
_ROWS = "Row -> its dataset of data/catalog.yaml, with or without its own columns."
_COLUMNS = "Runs to measure on each row: algorithm.variant, or algorithm.variant.name=value,... with parameters."
_SOURCES = "Number of random sources to solve from; a time is the mean over them."


class GroupFields(Struct, forbid_unknown_fields=True):
    """Runs that belong together: every column on every row."""

    rows: Annotated[Rows, Meta(description=_ROWS)]
    columns: Annotated[list[str], Meta(description=_COLUMNS)] = []
    sources: Annotated[int, Meta(ge=1, description=_SOURCES)] | None = None


class GroupOfSuite(Struct, forbid_unknown_fields=True):
    """What a suite has instead of the rows, columns and sources of a group."""

    rows: (
        Annotated[Rows | list[RowLabel], Meta(description=f"Those of its rows to keep, or other rows: {_ROWS}")] | None
    ) = None
    columns: Annotated[list[str], Meta(description=_COLUMNS)] | None = None
    sources: Annotated[int, Meta(ge=1, description=_SOURCES)] | None = None


Datasets = Annotated[
    dict[str, str | None],
    Meta(description="A work's dataset -> the one in its place, in all rows of all works; null leaves such rows out."),
]
Groups = Annotated[
    dict[str, GroupOfSuite], Meta(description="`work.group` -> what the suite has instead of the group's own.")
]


class Suite(Struct):
    """What a file of ``workflow/suites`` says of graphs. Its other keys replace those of config.yaml."""

    datasets: Datasets = {}
    groups: Groups = {}

    def of(self, name: str, group: GroupFields) -> GroupFields:
        """The group of runs ``name``, such as ``bodra.table1``, in this suite."""
        instead = self.groups.get(name, GroupOfSuite())
        rows: Rows = {}
        if isinstance(instead.rows, dict):
            rows = instead.rows
        else:
            for row, entry in group.rows.items():
                own = entry.dataset if isinstance(entry, RowFields) else entry
                dataset = self.datasets.get(own, own)
                if dataset is not None and (instead.rows is None or row in instead.rows):
                    rows[row] = RowFields(dataset, entry.columns) if isinstance(entry, RowFields) else dataset
        columns = group.columns if instead.columns is None else instead.columns
        return GroupFields(rows, columns, group.sources if instead.sources is None else instead.sources)


class TargetFields(Struct, forbid_unknown_fields=True):
    """A table, claims, a figure or a text. ``{row}`` in its name makes one for each row."""

    kind: Annotated[
        Literal["table", "claims", "figure", "text", "runs"],
        Meta(description="What is made. Each set gets a target of kind runs automatically."),
    ]
    runs: Annotated[list[Name], Meta(min_length=1, description="Groups of runs that it shows.")]
    title: Annotated[str, Meta(description="Heading; {row} and {dataset} stand for those of the target.")] = ""
    caption: Annotated[str, Meta(description="What it shows, in sentences for readers of the report.")] = ""
    view: Annotated[
        str, Meta(description="Function that makes it, from the work's views.py or warpath_study.report.views.")
    ] = ""
    options: Annotated[dict[str, Any], Meta(description="Options of the view.")] = {}
    set: Annotated[Name, Meta(description="Name by which Snakemake makes it; by default the work's name.")] | None = (
        None
    )
    file: (
        Annotated[Stem, Meta(description="Name of its files without the suffix; by default the target's name.")] | None
    ) = None
    graphs: Annotated[bool, Meta(description="Whether the view reads the graphs of the runs as well.")] = False
    one_device: Annotated[
        bool, Meta(description="Whether it compares times, so that runs on different devices are refused.")
    ] = False


class WorkFields(Struct, forbid_unknown_fields=True):
    """A published work, or a question of our own."""

    title: Annotated[str, Meta(description="Short name for headings.")]
    citation: Annotated[str, Meta(description="The reference to cite.")]
    runs: Annotated[dict[Name, GroupFields], Meta(description="Groups of runs.")]
    targets: Annotated[dict[Stem, TargetFields], Meta(description="Tables, claims and figures to make from the runs.")]
    about: Annotated[str, Meta(description="One sentence for a list of works.")] = ""
    hardware: Annotated[str, Meta(description="The machine behind the published times.")] = ""
    folder: (
        Annotated[
            ResultsFolder,
            Meta(
                description='Folder under results/ and figures/, "" for these themselves; by default the work\'s name.'
            ),
        ]
        | None
    ) = None
    not_by_default: Annotated[list[Name], Meta(description="Sets of targets that `snakemake works` leaves out.")] = []


def in_words(sentence: str) -> str:
    """A sentence of msgspec on one line, with words in place of a pattern that a value does not match."""
    for kind, words in _IN_WORDS.items():
        meta = get_args(kind)[1]
        sentence = sentence.replace(f"matching regex {meta.pattern!r}", words)
    return sentence.replace("\n", "\\n")


def read_fields(file: Path) -> WorkFields:
    """Read a ``work.yaml``. Raises UsageError if it cannot be read, and FormatError, naming file and key, if it is
    malformed.
    """
    return _read(file, WorkFields, "work")


def read_suites(folder: Path) -> dict[str, Suite]:
    """The suites in a folder, by the names of their files. Raises what ``read_fields`` raises."""
    return {file.stem: _read(file, Suite, "config") for file in sorted(folder.glob("*.yaml"))}


def _read(file: Path, kind: type[_Kind], schema: str) -> _Kind:
    contents = load_yaml(file)
    try:
        check_printable(str(file), contents)
        return msgspec.convert(contents, kind)
    except UsageError as error:
        raise FormatError(str(error)) from None
    except msgspec.ValidationError as error:
        raise FormatError(
            f"{file}: {in_words(str(error))}; workflow/schemas/{schema}.schema.json describes every key"
        ) from None


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    return json_schema(WorkFields)
