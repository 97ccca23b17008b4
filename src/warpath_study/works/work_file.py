"""The format of ``work.yaml``: the types below. ``read_fields`` reads it; ``schema()`` is its JSON schema."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from warpath.errors import FormatError, UsageError
from warpath.names import check_printable

from ..data_files import json_schema, load_yaml
from .field_types import Name, ResultsFolder, RowLabel, Stem, SuiteName, in_words


class RowFields(Struct, forbid_unknown_fields=True):
    """A row with its own columns."""

    dataset: Annotated[str, Meta(description="Dataset of data/catalog.yaml.")]
    columns: Annotated[list[str], Meta(description="Runs to measure on this row, instead of the group's columns.")]


Rows = dict[RowLabel, str | RowFields | None]
_ROWS = "Row -> its dataset of data/catalog.yaml, with or without its own columns; null to leave the row out."
_COLUMNS = "Runs to measure on each row: algorithm.variant, or algorithm.variant.name=value,... with parameters."

_SOURCES = "Number of random sources to solve from; a time is the mean over them."


class SuiteFields(Struct, forbid_unknown_fields=True):
    """What one suite replaces in a group."""

    rows: Annotated[Rows, Meta(description=_ROWS)] | None = None
    columns: Annotated[list[str], Meta(description=_COLUMNS)] | None = None
    sources: Annotated[int, Meta(ge=1, description=_SOURCES)] | None = None


class GroupFields(Struct, forbid_unknown_fields=True):
    """Runs that belong together: every column on every row."""

    rows: Annotated[Rows, Meta(description=_ROWS)]
    columns: Annotated[list[str], Meta(description=_COLUMNS)] = []
    sources: Annotated[int, Meta(ge=1, description=_SOURCES)] | None = None
    suites: Annotated[
        dict[SuiteName, SuiteFields], Meta(description="What a suite has instead of these rows and columns.")
    ] = {}


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
    apart: Annotated[list[Name], Meta(description="Sets of targets that `snakemake works` leaves out.")] = []


def read_fields(file: Path) -> WorkFields:
    """Read a ``work.yaml``. Raises UsageError if it cannot be read, and FormatError, naming file and key, if it is
    malformed.
    """
    contents = load_yaml(file)
    try:
        check_printable(str(file), contents)
        return msgspec.convert(contents, WorkFields)
    except UsageError as error:
        raise FormatError(str(error)) from None
    except msgspec.ValidationError as error:
        raise FormatError(
            f"{file}: {in_words(str(error))}; workflow/schemas/work.schema.json describes every key"
        ) from None


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    return json_schema(WorkFields)
