# Functions of the rules about planned graphs, runs and targets.

import re
from functools import cache

from snakemake_logger_plugin_warpath import facts

from warpath_study.works.planned import (
    PlannedTarget,
    PlannedTurns,
    by_option,
    items_read,
    megabytes,
    minutes,
    planned_run,
)
from warpath_study.works.works import SUFFIXES

# A job makes graphs with at least this many vertices and arcs, which take about five seconds on one core.
LARGE = 2_000_000
TARGETS = {
    (planned.kind, planned.stem): planned
    for work in works.values()
    for planned in (PlannedTarget(work, target, settings) for target in work.targets(settings.choice))
}
REPORT = sorted(str(file) for suffix in ("py", "html") for file in Path("src/warpath_study/report").glob(f"*.{suffix}"))


def one_of(names):
    """A pattern that matches each of ``names``."""
    return "|".join(map(re.escape, sorted(names))) or "none"


def graphs(generated, large):
    """A pattern for the names of generated or converted datasets, large or small."""
    return one_of(
        name
        for name, dataset in catalog.items()
        if dataset.generated == generated and (items_read(dataset, catalog) >= LARGE) == large
    )


def origin_file(wildcards):
    """The file to convert: the published file of a dataset, or its original graph."""
    dataset = catalog[wildcards.dataset]
    return f"data/graphs/{dataset.origin}.npz" if dataset.derived else f"data/raw/{dataset.file}"


def weight_options(wildcards):
    """Options for random weights; none for a graph with other weights, so that a new seed does not make it again."""
    dataset = catalog[wildcards.dataset]
    if dataset.weighted or dataset.weights:
        return []
    # For `warpath generate`, --seed is the seed of the arcs.
    seed = "--weights-seed" if dataset.generated else "--seed"
    return [seed, settings.weight_seed, "--weight-min", settings.weight_min, "--weight-max", settings.weight_max]


@cache
def planned(dataset, run):
    return planned_run(catalog[dataset], run, settings)


# The runs that take turns in one job, by group and dataset; and the folder that has the record of each.
TURNS = {key: runs for work in works.values() for key, runs in work.turns(settings.choice).items()}
FOLDER_OF = {
    f"{dataset}/{run}.json": f"{settings.turns}/{dataset}/{group}"
    for (group, dataset), runs in TURNS.items()
    for run in runs
}


@cache
def planned_turns(group, dataset):
    return PlannedTurns([planned(dataset, run) for run in TURNS[group, dataset]])


def planned_job(wildcards):
    """The run of a job, or its runs that take turns."""
    if "group" in wildcards.keys():
        return planned_turns(wildcards.group, wildcards.dataset)
    return planned(wildcards.dataset, wildcards.run)


def of_run(attribute):
    """For `params`: an attribute of the run, or of the runs, of a job."""
    return lambda wildcards: getattr(planned_job(wildcards), attribute)


def of_target(kind, attribute):
    """For `input` and `params`: an attribute of the target of a job."""
    return lambda wildcards: getattr(TARGETS[kind, wildcards.stem], attribute)


def facts_of_run(wildcards):
    """For `params`: what the record of a job depends on."""
    return facts(planned_job(wildcards).facts)


def facts_of_graph(wildcards):
    """For `params`: the fields of the catalog that change the graph, and the options for random weights."""
    return facts({**catalog[wildcards.dataset].identity, **by_option(weight_options(wildcards))})


# For `resources`. Each further attempt requests twice as much.


def of_run_and_attempt(attribute):
    return lambda wildcards, attempt: of_run(attribute)(wildcards) * 2 ** (attempt - 1)


def graph_minutes(wildcards, attempt):
    return minutes(items=items_read(catalog[wildcards.dataset], catalog)) * 2 ** (attempt - 1)


def graph_megabytes(wildcards, attempt):
    return megabytes(items_read(catalog[wildcards.dataset], catalog)) * 2 ** (attempt - 1)


def facts_of_target(kind):
    """For `params`: how a target is written, and which of its records are missing if it exists.

    A run that fails or is interrupted leaves no record, and a user may delete one. Snakemake ignores missing inputs of a
    finished target, so without these facts the old target would count as up to date.
    """

    def of_stem(wildcards):
        target = TARGETS[kind, wildcards.stem]
        runs = target.runs if settings.reference is None and Path(target.files[0]).exists() else []
        missing = {
            f"the record of {run.run} on {run.dataset}": "missing"
            for run in runs
            if not Path(settings.records, run.file).exists()
        }
        return facts({**missing, "arguments": target.arguments, "caption": target.caption})

    return of_stem


def outputs(kind):
    """The files of a target. Its page is part of Snakemake's report, under the title of its work."""
    folder = settings.figures if kind == "figure" else settings.results
    files = [f"{folder}/{{stem}}{suffix}" for suffix in SUFFIXES[kind]]
    if ".html" not in SUFFIXES[kind]:
        return files
    page = report(
        files.pop(),
        category=lambda wildcards: TARGETS[kind, wildcards.stem].work.fields.title,
        labels=lambda wildcards: {"what": TARGETS[kind, wildcards.stem].target.label, "kind": kind},
        caption="../report/target.rst",
    )
    return [*files, page]


def files_of(of):
    """The files of all targets and runs with the settings ``of``."""
    targets = [PlannedTarget(work, target, of) for work in works.values() for target in work.targets(of.choice)]
    files = {file for target in targets for file in target.files}
    return files | {f"{of.records}/{run.file}" for target in targets for run in target.runs}


def about_unknown_target(name):
    """What to say of an unknown target: the suite that has it, what leaves it out, or a similar name."""
    every = Settings.of({**config, "rows": None, "columns": None}, works, catalog)
    if name in files_of(every) - files_of(settings):
        return f"{name} is left out by rows or columns"
    for path in sorted(Path("workflow/suites").glob("*.yaml")):
        suite = Settings.of({**load_yaml(Path("config.yaml")), **load_yaml(path)}, works, catalog)
        if suite.results != settings.results and name in files_of(suite):
            return f"{name} belongs to the suite {path.stem}; add --configfile {path}"
    known = [*NAMED, *(file for target in TARGETS.values() for file in target.files)]
    return f"unknown target {name!r}; {suggestion(name, known)}"
