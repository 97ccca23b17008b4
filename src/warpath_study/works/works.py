"""Works: each is a folder with a ``work.yaml`` that says which runs the work needs and what to make of them.

``load`` reads a folder. ``Work.asked`` lists the runs of a group in one suite; ``Work.targets`` lists the tables,
claims and figures. ``warpath_study.works.work_file`` defines the format of ``work.yaml``. The folder's ``views.py`` has
the work's claims and its own views.
"""

import importlib.util
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType

from warpath.errors import UsageError
from warpath.names import check_known
from warpath.solvers import families

from ..data_files import root_with
from ..record import SOURCES, parameters_of, parse_run, run_name
from .claims import Claim
from .work_file import (
    NAME,
    ROW_IN_FILE_NAME,
    GroupFields,
    RowFields,
    Suite,
    TargetFields,
    WorkFields,
    read_fields,
    read_suites,
)

FOLDER = Path("workflow", "works")
PAPER = "paper"
"""The suite of the works' own graphs. Its results lie directly in ``results/``."""
SUFFIXES = {
    "table": (".csv", "_comparison.csv", ".md", ".html"),
    "claims": (".csv", ".md", ".html"),
    "figure": (".svg", ".png", ".pdf", ".html"),
    "text": (".txt",),
    "runs": (".csv",),
}
"""The endings of a target's files, by its kind."""


@dataclass(frozen=True)
class RunRequest:
    """A run that a work asks for, and its row."""

    row: str
    dataset: str
    algorithm: str
    variant: str
    asked: Mapping[str, int] = field(hash=False)

    @property
    def run(self) -> str:
        return run_name(self.algorithm, self.variant, self.asked)

    @property
    def column(self) -> str:
        """The run's name without the number of random sources."""
        return run_name(self.algorithm, self.variant, parameters_of(self.asked))

    @property
    def file(self) -> str:
        """The path of its record inside the folder of records."""
        return f"{self.dataset}/{self.run}.json"


@dataclass(frozen=True)
class Target:
    """A table, claims, a figure or a text of a work. ``row`` is the one row that it shows, "" for all rows."""

    name: str
    row: str
    stem: str
    fields: TargetFields = field(repr=False)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its files."""
        return SUFFIXES[self.fields.kind]

    @property
    def label(self) -> str:
        """Its name in a list of targets: "Table 1", "Figure 5 log"."""
        words = re.sub(r"(?<=[a-z])(?=[0-9])", " ", self.name).replace("_", " ")
        return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class Choice:
    """A suite, and the rows and columns to take from it; empty ``rows`` or ``columns`` mean all."""

    suite: str = PAPER
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A work's folder. ``fields`` are the contents of its work.yaml, ``suites`` the suites by name."""

    name: str
    path: Path
    fields: WorkFields = field(repr=False)
    suites: Mapping[str, Suite] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> str:
        """Its folder inside results/ and figures/, with a slash at the end; "" for results/ and figures/ themselves."""
        folder = self.name if self.fields.folder is None else self.fields.folder
        return f"{folder}/" if folder else ""

    def published_file(self, name: str) -> Path:
        """The path of a file in the work's folder ``published``."""
        return self.path / "published" / name

    def group(self, name: str, suite: str) -> GroupFields:
        """The group of runs in ``suite``."""
        return self.suites.get(suite, Suite()).of(f"{self.name}.{name}", self.fields.runs[name])

    def asked(self, groups: Iterable[str], choice: Choice) -> list[RunRequest]:
        """The runs of ``groups``, row by row, each once."""
        found: dict[RunRequest, None] = {}
        for name in groups:
            group = self.group(name, choice.suite)
            for row, entry in group.rows.items():
                if choice.rows and row not in choice.rows:
                    continue
                own = entry if isinstance(entry, RowFields) else RowFields(entry, group.columns)
                for column in own.columns:
                    algorithm, variant, given = parse_run(column)
                    if choice.columns and not {column, variant} & set(choice.columns):
                        continue
                    given = {**given, SOURCES: group.sources} if group.sources else given
                    found[RunRequest(row, own.dataset, algorithm, variant, given)] = None
        return list(found)

    @property
    def sets(self) -> list[str]:
        """The names by which Snakemake makes the targets: the work's name, and those of its other sets."""
        return list(dict.fromkeys([self.name, *(fields.set or self.name for fields in self.fields.targets.values())]))

    @property
    def usual_sets(self) -> list[str]:
        """The sets that ``snakemake works`` makes."""
        return [name for name in self.sets if name not in self.fields.not_by_default]

    def set_of(self, target: Target) -> str:
        """The set that a target belongs to."""
        return target.fields.set or self.name

    def targets(self, choice: Choice) -> list[Target]:
        """All targets that have a run in ``choice``; first, for each set, a table of all its runs."""
        found, tables = [], {}
        for name in self.sets:
            of_set = [fields for fields in self.fields.targets.values() if (fields.set or self.name) == name]
            groups = list(dict.fromkeys(group for fields in of_set for group in fields.runs))
            table = TargetFields(kind="runs", runs=groups, set=name, title="All runs, one line each")
            tables["runs" if name == self.name else f"{name}_runs"] = table
        for name, fields in {**tables, **self.fields.targets}.items():
            asked = self.asked(fields.runs, choice)
            rows = dict.fromkeys(run.row for run in asked) if "{row}" in name else [""] if asked else []
            found += [
                Target(name.replace("{row}", row), row, (fields.file or name).replace("{row}", row), fields)
                for row in rows
            ]
        return found

    def target(self, name: str, choice: Choice) -> Target:
        """The target ``name``; raises UsageError if there is none."""
        known = {target.name: target for target in self.targets(choice)}
        check_known(f"{self.name}: target", [name], known)
        return known[name]

    def needs(self, target: Target) -> list[str]:
        """The groups of runs that a target shows, itself or in its claims."""
        about = [group for claim in self.claims_about(target) for group in (claim.runs, claim.best_runs) if group]
        return list(dict.fromkeys([*target.fields.runs, *about]))

    @cached_property
    def views(self) -> ModuleType | None:
        """The module in the work's ``views.py``, None without one. Raises UsageError if it cannot be loaded."""
        file, name = self.path / "views.py", f"warpath_work_{self.name}"
        if not file.is_file():
            return None
        spec = importlib.util.spec_from_file_location(name, file.resolve())
        assert spec is not None and spec.loader is not None  # there is a loader for .py
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[name]
            raise UsageError(f"{file}: cannot be loaded ({type(error).__name__}: {error})") from error
        return module

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims of ``views.py``. Raises UsageError, naming the claim, for an unknown group of runs."""
        claims: list[Claim] = getattr(self.views, "CLAIMS", [])
        for claim in claims:
            groups = [group for group in (claim.runs, claim.best_runs) if group]
            check_known(f"{self.place_of(claim)}: runs", groups, self.fields.runs)
        return claims

    def place_of(self, claim: Claim) -> str:
        """Where a claim is measured, for a message."""
        return f"{self.path / 'views.py'}: claim {claim.claim!r}"

    def claims_about(self, target: Target) -> list[Claim]:
        """The claims about a target; a target of kind claims has all of them."""
        every = target.fields.kind == "claims"
        return [claim for claim in self.claims if every or target.name in claim.about]

    def check(self, datasets: Iterable[str]) -> None:
        """Raise UsageError, naming the place, if the work asks for an unknown dataset, run or group."""
        known = list(datasets)
        for suite in suites([self]):
            for name in self.fields.runs:
                place = f"{self.path / 'work.yaml'}: runs.{name}"
                if suite != PAPER:
                    place = f"{_suites_of(self.path) / suite}.yaml: {self.name}.{name}"
                for run in self.asked([name], Choice(suite)):
                    check_known(place, [run.dataset], known)
                    given = parameters_of(run.asked)
                    if not given and run.variant in families().get(run.algorithm, ()):
                        continue  # nothing to check in its module, whose import takes a while
                    from ..measure.runs import find  # imports Numba

                    try:
                        find(run.algorithm, run.variant).configured(given)
                    except UsageError as error:
                        raise UsageError(f"{place}: {error}") from error
        for name, target in self.fields.targets.items():
            if "{row}" in name:
                self._check_rows_in_file_names(f"{self.path / 'work.yaml'}: targets.{name}", target)

    def _check_rows_in_file_names(self, place: str, target: TargetFields) -> None:
        """Raise UsageError if a row of a target with ``{row}`` in its name cannot be a part of a file name."""
        if target.file and "{row}" not in target.file:
            raise UsageError(f"{place}: all rows would write to the file {target.file!r}; put {{row}} into it")
        for row in [row for suite in suites([self]) for group in target.runs for row in self.group(group, suite).rows]:
            if not re.fullmatch(ROW_IN_FILE_NAME, row):
                raise UsageError(
                    f"{place}: the row {row!r} cannot be in the name of a file; give it a label of letters, "
                    "digits, '.', _ and -, with a letter or digit first"
                )


def suites(works: Iterable[Work]) -> list[str]:
    """All suites, ``paper`` first."""
    return list(dict.fromkeys([PAPER, *(suite for work in works for suite in work.suites)]))


def _suites_of(path: Path) -> Path:
    """The folder of suites beside the folder of works that the work in ``path`` belongs to."""
    return path.parent.parent / "suites"


def load(path: Path, suites: Mapping[str, Suite] | None = None) -> Work:
    """The work in the folder ``path``. Raises UsageError or FormatError that names the file and the key."""
    if not re.fullmatch(NAME, path.name):
        raise UsageError(f"{path}: a work's folder has a name of small letters, digits and _, with a letter first")
    work = Work(path.name, path, read_fields(path / "work.yaml"), suites or read_suites(_suites_of(path)))
    for name, target in work.fields.targets.items():
        check_known(f"{path / 'work.yaml'}: targets.{name}.runs", target.runs, work.fields.runs)
    return work


def load_all(folder: Path | None = None) -> dict[str, Work]:
    """Every work in ``folder`` by name; raises UsageError if there is none, or if two would write one file.

    By default, that is ``workflow/works`` here, or else the one that comes with warpath.
    """
    if folder is None:
        folder = (root_with(str(FOLDER / "*" / "work.yaml")) or Path()) / FOLDER
    suites = read_suites(folder.parent / "suites")
    found = {path.parent.name: load(path.parent, suites) for path in sorted(folder.glob("*/work.yaml"))}
    if not found:
        raise UsageError(f"there are no works in {folder}")
    groups = [f"{work.name}.{group}" for work in found.values() for group in work.fields.runs]
    for name, suite in suites.items():
        check_known(f"{folder.parent / 'suites' / name}.yaml: groups", suite.groups, groups)
    _check_owners(found.values())
    return found


def _check_owners(works: Collection[Work]) -> None:
    """Raise UsageError if two works have a set of one name, or two targets a file."""
    sets: dict[str, Work] = {}
    for work in works:
        for name in work.sets:
            other = sets.setdefault(name, work)
            if other is not work:
                raise UsageError(f"{work.path / 'work.yaml'}: the work {other.name} has a set {name}, too; rename one")
    for suite in suites(works):
        files: dict[tuple[bool, str], tuple[Work, Target]] = {}
        for work, target in [(each, target) for each in works for target in each.targets(Choice(suite))]:
            for suffix in target.suffixes:
                file = f"{work.folder}{target.stem}{suffix}"
                of_work, already = files.setdefault((target.fields.kind == "figure", file), (work, target))
                if already is not target:
                    raise UsageError(
                        f"{work.path / 'work.yaml'}: targets.{target.name} writes {file}, as {already.name} of "
                        f"{of_work.name} does; give one of them another file"
                    )
