"""What the workflow's rules ask: is the config sound, which files does a step read, which options does its command get.

The Snakefile makes one Pipeline from its config. Those of its methods that take Snakemake's wildcards are the rules'
input and parameter functions. Nothing here runs a step, needs the network or imports Snakemake. Paths are relative to
the repository's root, in which Snakemake works.
"""

import contextlib
import dataclasses
import difflib
import importlib.util
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

import jsonschema
import yaml

from .. import sources
from ..algorithms import Variant, families, find
from ..errors import UsageError
from ..graphs.catalog import load_catalog
from ..graphs.weights import check_range

# An object with the wildcards of one job as attributes: file, dataset, algorithm, variant.
Wildcards = Any


class Pipeline:
    """The steps of one config.

    ``results`` and ``figures`` are the folders to write to; ``published`` and ``generated`` name the datasets that are
    fetched or made. Raises UsageError, naming the key, where the config asks for what there is not.
    """

    def __init__(self, config: Mapping[str, Any], schema_file: str):
        _check_shape(config, schema_file)
        self.config = config
        self.tables: Mapping[str, Mapping[str, Any]] = config["tables"]
        self.catalog = load_catalog("data/catalog.yaml")
        self._check_names()
        self.published = [name for name, dataset in self.catalog.items() if not dataset.generated]
        self.generated = [name for name, dataset in self.catalog.items() if dataset.generated]
        folder = "" if config["suite"] == "paper" else f"/{config['suite']}"
        self.results, self.figures = f"results{folder}", f"figures{folder}"

    def shell_prefix(self, python: str) -> str:
        """What precedes every shell command: ``warpath`` is this Python's, and fetching knows the config's mirror.

        It replaces Snakemake's own prefix, so it repeats what that one says: a command that fails fails its job, also
        where ``tee`` follows. Braces are doubled, because Snakemake formats it.
        """
        mirror = self.config["mirror"]
        export = f"export WARPATH_MIRROR={quote(mirror)}; " if mirror else ""
        prefix = f'set -euo pipefail; {export}warpath() {{ {quote(python)} -m warpath "$@"; }}; '
        return prefix.replace("{", "{{").replace("}", "}}")

    # Datasets.

    def dataset_of_file(self, wildcards: Wildcards) -> str:
        """The name of the dataset whose published file is called ``file``."""
        return next(name for name in self.published if self.catalog[name].file == wildcards.file)

    def raw_file(self, wildcards: Wildcards) -> str:
        """Where the published file of a dataset lies."""
        return f"data/raw/{self.catalog[wildcards.dataset].file}"

    def identity(self, wildcards: Wildcards) -> str:
        """What the catalog says of a dataset, as far as it decides which graph it is.

        A parameter of the steps that make the graph, in place of the catalog as their input: editing one entry makes
        that graph anew and no other, and a new address, licence or citation makes none.
        """
        entry = dataclasses.asdict(self.catalog[wildcards.dataset])
        for prose in ("title", "addresses", "licence", "citation"):
            del entry[prose]
        return str(entry)

    def weight_options(self, wildcards: Wildcards) -> str:
        """Options for the random weights of a graph that has none; a graph with weights never sees the seed."""
        dataset = self.catalog[wildcards.dataset]
        if dataset.weighted:
            return ""
        # To `warpath generate`, --seed is the seed of the arcs.
        seed_option = "--weights-seed" if dataset.generated else "--seed"
        seed, low, high = (self.config[f"weight_{name}"] for name in ("seed", "min", "max"))
        return f"{seed_option} {seed} --weight-min {low} --weight-max {high}"

    # Runs.

    def source_option(self, wildcards: Wildcards) -> str:
        """The source vertex, where the problem has one."""
        return f"--source {self.config['source']}" if _variant(wildcards).problem == "sssp" else ""

    def parameters_option(self, wildcards: Wildcards) -> str:
        """The parameters that a record's file name asks for."""
        return f"--parameters {wildcards.settings.removeprefix('.')}" if wildcards.settings else ""

    def budget_s(self, wildcards: Wildcards) -> float:
        """Seconds for the timed samples of one run."""
        return self.config["cpu_budget_s" if _variant(wildcards).on_cpu else "budget_s"]

    # Tables and figures.

    def records(self, table: str) -> list[str]:
        """The records of all cells of a table, in its order."""
        wanted = self.tables[table]
        return [
            f"{self.results}/runs/{dataset}/{wanted['algorithm']}.{variant}.json"
            for dataset in wanted["rows"].values()
            if dataset is not None
            for variant in wanted["variants"]
        ]

    def published_table(self, table: str) -> str:
        """The file of the published table."""
        return f"data/published/{self.tables[table]['paper']}/{table}.csv"

    def table_options(self, table: str) -> str:
        """The name of a table and the options that say what stands in it."""
        wanted = self.tables[table]
        rows = [f"{row}={dataset}" for row, dataset in wanted["rows"].items() if dataset is not None]
        return (
            f"{table} --published {self.published_table(table)} --records {self.results}/runs"
            f" --algorithm {wanted['algorithm']} --variants {' '.join(wanted['variants'])} --rows {' '.join(rows)}"
        )

    def comparison(self, figure: str) -> str:
        """The file that a figure is drawn from."""
        return f"{self.results}/{self.config['figures'][figure]}_comparison.csv"

    # Source files, declared so that an edit re-runs what it can change and nothing else.

    def command_sources(self, command: str, *modules: str) -> list[str]:
        """The files that ``warpath <command>`` executes, with those of further modules that it chooses by name."""
        return _relative(sources.import_closure(f"warpath.cli.{command}", *modules))

    def run_sources(self, wildcards: Wildcards) -> list[str]:
        """The files that a run of one variant executes: measuring, devices, host loop and kernel."""
        return sorted({*self.command_sources("run"), *_relative(_variant(wildcards).files)})

    def figure_sources(self, figure: str) -> list[str]:
        """The files that draw one figure."""
        return self.command_sources("plot", f"warpath.report.{figure}")

    def _check_names(self) -> None:
        """Every name in the config must be known: algorithms, variants, datasets, tables; and weights a range."""
        with said_of("weight_min, weight_max"):
            check_range(self.config["weight_min"], self.config["weight_max"])
        known = families()
        for table, wanted in self.tables.items():
            key = f"tables.{table}"
            algorithm = wanted["algorithm"]
            check_known(f"{key}.algorithm", [algorithm], known)
            check_known(f"{key}.variants", wanted["variants"], known[algorithm])
            for row, dataset in wanted["rows"].items():
                check_known(f"{key}.rows.{row}", filter(None, [dataset]), self.catalog)
            published = Path(f"data/published/{wanted['paper']}/{table}.csv")
            if not published.is_file():
                raise UsageError(f"config: {key}: there is no published table {published}")
        for figure, table in self.config["figures"].items():
            check_known(f"figures.{figure}", [table], self.tables)
            if importlib.util.find_spec(f"warpath.report.{figure}") is None:
                raise UsageError(f"config: figures: there is no figure {figure!r}; each is a module of warpath.report")


def _variant(wildcards: Wildcards) -> Variant:
    return find(wildcards.algorithm, wildcards.variant)


def _check_shape(config: Mapping[str, Any], schema_file: str) -> None:
    schema = yaml.safe_load(Path(schema_file).read_text(encoding="utf-8"))
    fault = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(config))
    if fault is not None:
        place = "".join(f"{step}: " for step in [".".join(map(str, fault.absolute_path))] if step)
        raise UsageError(f"config: {place}{fault.message}; {schema_file} describes every key")


def check_known(key: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError at the first of ``names`` that is not ``known``, with the one that was probably meant."""
    for name in names:
        if name not in known:
            # A mapping's keys are not always text: YAML reads 64 as a number.
            if not isinstance(name, str) and str(name) in known:
                raise UsageError(f"config: {key}: the name {name} is a number to YAML; put it in quotes, '{name}'")
            near = difflib.get_close_matches(str(name), known, n=1)
            rest = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"config: {key}: unknown name {name!r}; {rest}")


@contextlib.contextmanager
def said_of(key: str) -> Iterator[None]:
    """Put the config's key before what a UsageError says."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"config: {key}: {error}") from error


def _relative(files: Iterable[Path]) -> list[str]:
    """Paths as Snakemake is to show them: relative to the working directory where they lie in it."""
    here = Path.cwd()
    return [str(file.relative_to(here) if file.is_relative_to(here) else file) for file in files]
