"""Works: folders with a ``work.yaml`` that lists runs and targets.

``load`` reads a folder. ``Work.requests`` lists the runs of a group in a suite, ``Work.targets`` the tables, claims and
figures. ``warpath_study.works.work_file`` defines the format of ``work.yaml``. The folder's ``views.py`` defines the
claims and the views of the work.
"""

import importlib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType

from warpath.errors import UsageError
from warpath.solvers import families
from warpath.system.names import check_known

from ..data_files import root_with
from ..peers import PEERS, libraries
from ..record import SOURCES, SOURCES_WITH_ARCS, parse_run, run_name, without_sources
from .claims import Claim
from .work_file import (
    NAME,
    PAPER,
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
LIBRARY_COLUMNS = "peer_sssp.*"
SUFFIXES = {
    "table": (".csv", "_comparison.csv", ".md", ".html"),
    "claims": (".csv", ".md", ".html"),
    "figure": (".svg", ".png", ".pdf", ".html"),
    "text": (".txt",),
    "runs": (".csv",),
}
"""Kind of a target -> the suffixes of its files."""


@dataclass(frozen=True)
class RunRequest:
    """A run that a work needs, and its row. ``parameters`` include the number of random sources."""

    row: str
    dataset: str
    algorithm: str
    variant: str
    parameters: Mapping[str, int] = field(hash=False)

    @property
    def run(self) -> str:
        return run_name(self.algorithm, self.variant, self.parameters)

    @property
    def column(self) -> str:
        """The run's name without the number of random sources."""
        return run_name(self.algorithm, self.variant, without_sources(self.parameters))

    @property
    def file(self) -> str:
        """The path of its record in the folder of records."""
        return f"{self.dataset}/{self.run}.json"


@dataclass(frozen=True)
class Target:
    """A table, claims, a figure or a text of a work. ``row`` is its only row, "" for all rows."""

    name: str
    row: str
    stem: str
    fields: TargetFields = field(repr=False)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of its files."""
        return SUFFIXES[self.fields.kind]

    def files(self, work: "Work", results: Path, figures: Path) -> dict[str, Path]:
        """Its files by suffix, in the folders of results and figures."""
        base = (figures if self.fields.kind == "figure" else results) / work.folder / self.stem
        return {suffix: base.with_name(base.name + suffix) for suffix in self.suffixes}

    @property
    def heading(self) -> str:
        """Its title, after its number if it is a published figure; the title of a published table has the number."""
        title = self.fields.title.replace("{row}", self.row) or self.label
        number = re.fullmatch(r"figure(\d+)(?:_(\w+))?", self.stem.rpartition("/")[2])
        return f"Figure {', '.join(filter(None, number.groups()))}. {title}" if number else title

    @property
    def label(self) -> str:
        """Its name in a list of targets: "Table 1", "Figure 5 log"."""
        words = re.sub(r"(?<=[a-z])(?=[0-9])", " ", self.name).replace("_", " ")
        return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class Choice:
    """A suite, and some of its rows and columns; empty ``rows`` or ``columns`` mean all."""

    suite: str = PAPER
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A work. ``fields`` are the contents of its work.yaml, ``suites`` the suites by name."""

    name: str
    path: Path
    fields: WorkFields = field(repr=False)
    suites: Mapping[str, Suite] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> str:
        """Its folder in results/ and figures/, with a slash at the end; "" for results/ and figures/ themselves."""
        folder = self.name if self.fields.folder is None else self.fields.folder
        return f"{folder}/" if folder else ""

    def published_file(self, name: str) -> Path:
        """The path of a file in the work's folder ``published``."""
        return self.path / "published" / name

    def group(self, name: str, suite: str) -> GroupFields:
        """The group of runs in ``suite``."""
        return self.suites.get(suite, Suite()).of(f"{self.name}.{name}", self.fields.runs[name])

    def requests(self, groups: Iterable[str], choice: Choice) -> list[RunRequest]:
        """The runs of ``groups``, row by row, each once."""
        requests: dict[RunRequest, None] = {}
        for name in groups:
            group = self.group(name, choice.suite)
            for row, entry in group.rows.items():
                if choice.rows and row not in choice.rows:
                    continue
                fields = entry if isinstance(entry, RowFields) else RowFields(entry, group.columns)
                for column in _with_libraries(fields.columns):
                    algorithm, variant, parameters = parse_run(column)
                    if choice.columns and not {column, variant} & set(choice.columns):
                        continue
                    if group.sources:
                        name = SOURCES_WITH_ARCS if group.with_arcs else SOURCES
                        parameters = {**parameters, name: group.sources}
                    requests[RunRequest(row, fields.dataset, algorithm, variant, parameters)] = None
        return list(requests)

    def turns(self, choice: Choice) -> dict[tuple[str, str], list[str]]:
        """The runs that take turns in one job, each once, by the name of their group and their dataset."""
        turns: dict[tuple[str, str], dict[str, None]] = {}
        for name in self.fields.runs:
            if self.group(name, choice.suite).by_turns:
                for run in self.requests([name], choice):
                    turns.setdefault((f"{self.name}.{name}", run.dataset), {})[run.run] = None
        return {key: list(runs) for key, runs in turns.items()}

    @property
    def sets(self) -> list[str]:
        """The names by which Snakemake makes the targets: the work's name and its other sets."""
        return list(dict.fromkeys([self.name, *(fields.set or self.name for fields in self.fields.targets.values())]))

    @property
    def default_sets(self) -> list[str]:
        """The sets that ``snakemake works`` makes."""
        return [name for name in self.sets if name not in self.fields.not_by_default]

    def set_of(self, target: Target) -> str:
        """The set of a target."""
        return target.fields.set or self.name

    def targets(self, choice: Choice) -> list[Target]:
        """All targets that have a run in ``choice``; first, for each set, a table of all its runs."""
        targets, tables = [], {}
        for name in self.sets:
            members = [fields for fields in self.fields.targets.values() if (fields.set or self.name) == name]
            groups = list(dict.fromkeys(group for fields in members for group in fields.runs))
            table = TargetFields(kind="runs", runs=groups, set=name, title=f"All runs of {name}, one line each")
            tables["runs" if name == self.name else f"{name}_runs"] = table
        for name, fields in {**tables, **self.fields.targets}.items():
            runs = self.requests(fields.runs, choice)
            rows = dict.fromkeys(run.row for run in runs) if "{row}" in name else [""] if runs else []
            targets += [
                Target(name.replace("{row}", row), row, (fields.file or name).replace("{row}", row), fields)
                for row in rows
            ]
        return targets

    def target(self, name: str, choice: Choice) -> Target:
        """The target ``name``; raises UsageError if there is none."""
        known = {target.name: target for target in self.targets(choice)}
        check_known(f"{self.name}: target", [name], known)
        return known[name]

    def needs(self, target: Target) -> list[str]:
        """The groups of runs that a target or one of its claims shows."""
        of_claims = [group for claim in self.claims_about(target) for group in claim.groups]
        return list(dict.fromkeys([*target.fields.runs, *of_claims]))

    @cached_property
    def views(self) -> ModuleType | None:
        """The work's ``views.py`` as a module, None without one. Raises UsageError if it cannot be loaded."""
        return self._module("views")

    @cached_property
    def figures(self) -> ModuleType | None:
        """The work's ``figures.py``, as ``views``: apart, because only figures need matplotlib."""
        return self._module("figures")

    def _module(self, stem: str) -> ModuleType | None:
        """A module of the folder, which is a package, so that its modules can import each other."""
        file, package = self.path / f"{stem}.py", f"warpath_work_{self.name}"
        if not file.is_file():
            return None
        folder = [str(self.path.resolve())]
        if stem == "views" or getattr(sys.modules.get(package), "__path__", None) != folder:  # files may have changed
            for name in [name for name in sys.modules if name.partition(".")[0] == package]:
                del sys.modules[name]
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = folder
        try:
            return importlib.import_module(f"{package}.{stem}")
        except Exception as error:
            raise UsageError(f"{file}: cannot be loaded ({type(error).__name__}: {error})") from error

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims of ``views.py``. Raises UsageError, naming the claim, for an unknown group of runs."""
        claims: list[Claim] = getattr(self.views, "CLAIMS", [])
        for claim in claims:
            check_known(f"{self.place_of(claim)}: runs", claim.groups, self.fields.runs)
        return claims

    def place_of(self, claim: Claim) -> str:
        """The place of a claim in ``views.py``, for messages."""
        return f"{self.path / 'views.py'}: claim {claim.claim!r}"

    def claims_about(self, target: Target) -> list[Claim]:
        """The claims that a target shows; a target of kind claims shows all of them."""
        return [claim for claim in self.claims if target.fields.kind == "claims" or target.name in claim.about]

    def check(self, datasets: Iterable[str]) -> None:
        """Raise UsageError, with the place, for an unknown dataset or run and for a row that no file name can hold."""
        known = list(datasets)
        columns = [run.column for run in self.requests(self.fields.runs, Choice(PAPER))]
        check_known(f"{self.path / 'work.yaml'}: waits", self.fields.waits, dict.fromkeys(columns))
        for suite in suites([self]):
            for name in self.fields.runs:
                place = f"{self.path / 'work.yaml'}: runs.{name}"
                if suite != PAPER:
                    place = f"{_suites_folder(self.path) / suite}.yaml: {self.name}.{name}"
                for run in self.requests([name], Choice(suite)):
                    check_known(place, [run.dataset], known)
                    # Which only that suite has.
                    if run.algorithm in PEERS and run.variant in self.suites.get(suite, Suite()).peers:
                        continue
                    parameters = without_sources(run.parameters)
                    if not parameters and run.variant in families().get(run.algorithm, ()):
                        continue  # its module has nothing to check, and its import is slow
                    from ..measure.runs import find  # imports Numba

                    try:
                        find(run.algorithm, run.variant).configured(parameters)
                    except UsageError as error:
                        raise UsageError(f"{place}: {error}") from error
        for name, target in self.fields.targets.items():
            if "{row}" not in name:
                continue
            place = f"{self.path / 'work.yaml'}: targets.{name}"
            for row in [row for suite in suites([self]) for key in target.runs for row in self.group(key, suite).rows]:
                if not re.fullmatch(ROW_IN_FILE_NAME, row):
                    raise UsageError(
                        f"{place}: the row {row!r} cannot be in a file name; give it a label of letters, digits, '.', "
                        "_ and -, with a letter or digit first"
                    )


def _with_libraries(columns: Iterable[str]) -> Iterator[str]:
    """``columns`` with one for each of the user's peers in C in place of LIBRARY_COLUMNS."""
    for column in columns:
        yield from [f"peer_sssp.{name}" for name in libraries()] if column == LIBRARY_COLUMNS else [column]


def suites(works: Iterable[Work]) -> list[str]:
    """All suites, ``paper`` first."""
    return list(dict.fromkeys([PAPER, *(suite for work in works for suite in work.suites)]))


def check_choice(choice: Choice, works: Iterable[Work], place: str) -> None:
    """Raise UsageError for rows or columns of ``choice`` that no work has in its suite."""
    runs = [run for work in works for run in work.requests(work.fields.runs, Choice(choice.suite))]
    check_known(f"{place}rows", choice.rows, dict.fromkeys(run.row for run in runs))
    names = dict.fromkeys(name for run in runs for name in (run.variant, run.column))
    check_known(f"{place}columns", choice.columns, names)


def _suites_folder(path: Path) -> Path:
    """The folder of suites for the work in ``path``."""
    return path.parent.parent / "suites"


def load(path: Path, suites: Mapping[str, Suite] | None = None) -> Work:
    """The work in the folder ``path``. Raises UsageError or FormatError, with file and key, if it is malformed."""
    if not re.fullmatch(NAME, path.name):
        raise UsageError(f"{path}: a work's folder needs a name of small letters, digits and _, with a letter first")
    work = Work(path.name, path, read_fields(path / "work.yaml"), suites or read_suites(_suites_folder(path)))
    for name, target in work.fields.targets.items():
        check_known(f"{path / 'work.yaml'}: targets.{name}.runs", target.runs, work.fields.runs)
    return work


def load_all(folder: Path | None = None) -> dict[str, Work]:
    """Every work in ``folder`` by name. Raises UsageError if there is none, or if two would write the same file.

    The default folder is ``workflow/works`` of the working directory, or else of warpath.
    """
    if folder is None:
        folder = (root_with(str(FOLDER / "*" / "work.yaml")) or Path()) / FOLDER
    suites = read_suites(folder.parent / "suites")
    works = {path.parent.name: load(path.parent, suites) for path in sorted(folder.glob("*/work.yaml"))}
    if not works:
        raise UsageError(f"there are no works in {folder}")
    groups = {f"{work.name}.{name}": group for work in works.values() for name, group in work.fields.runs.items()}
    rows = [row for group in groups.values() for row in group.rows.values()]
    datasets = [row.dataset if isinstance(row, RowFields) else row for row in rows]
    for name, suite in suites.items():
        place = f"{folder.parent / 'suites' / name}.yaml: "
        check_known(f"{place}datasets", suite.datasets, datasets)
        check_known(f"{place}groups", suite.groups, groups)
        for group, replacement in suite.groups.items():
            if isinstance(replacement.rows, list):
                check_known(f"{place}groups: {group}: rows", replacement.rows, groups[group].rows)
    _check_unique(works.values())
    return works


def _check_unique(works: Collection[Work]) -> None:
    """Raise UsageError if two works have a set of the same name, or two targets the same file."""
    sets: dict[str, Work] = {}
    for work in works:
        for name in work.sets:
            other = sets.setdefault(name, work)
            if other is not work:
                raise UsageError(f"{work.path / 'work.yaml'}: the work {other.name} has a set {name}, too; rename one")
    for suite in suites(works):
        owners: dict[tuple[bool, str], tuple[Work, Target]] = {}
        for work, target in [(each, target) for each in works for target in each.targets(Choice(suite))]:
            for suffix in target.suffixes:
                file = f"{work.folder}{target.stem}{suffix}"
                other, first = owners.setdefault((target.fields.kind == "figure", file), (work, target))
                if first is not target:
                    raise UsageError(
                        f"{work.path / 'work.yaml'}: targets.{target.name} and {first.name} of {other.name} write the "
                        f"same file, {file}; rename one"
                    )
