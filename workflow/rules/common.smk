# Functions for the rules: what they need from the catalog, the variants, the works and the config.

import re
from pathlib import Path

from warpath.code import parts_of_code
from warpath.device import kind_of
from warpath.solvers.limits import PATHS
from warpath_study.measure.runs import answer_size, code_of, find, megabytes, minutes, minutes_of_rows, peer_of
from warpath_study.problems import PROBLEMS
from warpath_study.record import SOURCES, parameters_of, parse_run

MB_OF_UNKNOWN = 65536
VERTICES_OF_UNKNOWN = 10**6
DEVICE_KIND = kind_of(settings.device)


def origin_file(wildcards):
    """The file that a dataset is converted from: its published file, or the graph it is derived from."""
    dataset = catalog[wildcards.dataset]
    return f"data/graphs/{dataset.origin}.npz" if dataset.derived else f"data/raw/{dataset.file}"


def weight_options(wildcards):
    """Options for random weights; none for a graph that has others, so that a new seed does not remake it."""
    dataset = catalog[wildcards.dataset]
    if dataset.weighted or dataset.weights:
        return []
    # For `warpath generate`, --seed is the seed of the arcs.
    seed = "--weights-seed" if dataset.generated else "--seed"
    return [seed, settings.weight_seed, "--weight-min", settings.weight_min, "--weight-max", settings.weight_max]


def fetched_files():
    """A pattern of the files that have an address. The user's own files are no outputs, because Snakemake deletes outputs."""
    names = [re.escape(dataset.file) for dataset in catalog.values() if dataset.published and not dataset.own]
    return "|".join(names) or "none"


def datasets(kind):
    """A pattern for the names of all datasets that are ``published``, ``derived`` or ``generated``."""
    names = [name for name, dataset in catalog.items() if getattr(dataset, kind)]
    return "|".join(names) or "none"


def variant_of(wildcards):
    """The variant of a run, and the parameters in its name."""
    algorithm, variant, asked = parse_run(wildcards.run)
    return find(algorithm, variant), asked


def code(wildcards):
    """What identifies the code of a run. An edit of a kernel or of the host loop measures the run again."""
    variant, _ = variant_of(wildcards)
    peer = peer_of(variant)
    version = [peer.missing() or f"{peer.name} {peer.version()}"] if peer else []
    return [*parts_of_code(code_of(variant, DEVICE_KIND)), *version]


def configured(wildcards):
    """The variant of a run with the value of every parameter."""
    variant, asked = variant_of(wildcards)
    return variant.configured(parameters_of(asked))


def gpus(wildcards):
    """The number of GPUs of a run. A run on the CPU requests one too, so that a table's runs use the same kind of machine."""
    return configured(wildcards).settings.get("devices", 1)


def run_minutes(wildcards, attempt):
    """The time limit of a run on a cluster."""
    variant, _ = variant_of(wildcards)
    return minutes(settings.cpu_budget_s if variant.on_cpu else settings.budget_s, attempt)


def run_megabytes(wildcards, attempt):
    """The main memory of a run on a cluster; the most that any dataset's runs need, if the catalog does not say how large its is."""
    run, dataset = configured(wildcards), catalog[wildcards.dataset]
    if dataset.vertices is None or dataset.arcs is None:
        return MB_OF_UNKNOWN * 2 ** (attempt - 1)
    rows = PROBLEMS[run.variant.problem].answer_rows(dataset.vertices)
    return megabytes(answer_size(run), rows, dataset.vertices, dataset.arcs, attempt)


def part_minutes(wildcards, attempt):
    """The time limit of a part of all pairs on a cluster; its share of the sources."""
    vertices = catalog[wildcards.dataset].vertices or VERTICES_OF_UNKNOWN
    sources = configured(wildcards).settings["first"] or vertices
    return minutes_of_rows(-(-sources // int(wildcards.parts)), vertices, attempt)


def part_megabytes(wildcards, attempt):
    """The main memory of a part on a cluster: rows pass through it a few at a time."""
    dataset = catalog[wildcards.dataset]
    if dataset.vertices is None or dataset.arcs is None:
        return MB_OF_UNKNOWN * 2 ** (attempt - 1)
    return megabytes(PATHS, 1, dataset.vertices, dataset.arcs, attempt)


def run_options(wildcards):
    """Options that say how a run is measured: its sources, budget, repeats and spread."""
    variant, asked = variant_of(wildcards)
    if SOURCES in asked:
        return ["--sources-seed", settings.sources_seed]
    source = ["--source-index", settings.source_index] if PROBLEMS[variant.problem].takes_source else []
    budget_s = settings.cpu_budget_s if variant.on_cpu else settings.budget_s
    repeats = ["--repeats-min", settings.repeats_min, "--repeats-max", settings.repeats_max]
    return [*source, "--budget-s", budget_s, *repeats, "--spread", settings.spread]


def part_options(wildcards):
    """Options that say what a part of all pairs keeps. The store is no output: it stays when a job fails, to be resumed."""
    settings_of = configured(wildcards).settings
    first = ["--first", settings_of["first"]] if settings_of["first"] else []
    store = ["--store", f"{PARTS}/{wildcards.dataset}/{wildcards.run}/rows.zarr"] if settings_of["store"] else []
    return [*first, "--nearest", settings_of["nearest"], *store]


def parts(wildcards):
    """The files of all parts of a run."""
    folder = f"{PARTS}/{wildcards.dataset}/{wildcards.run}"
    return [f"{folder}/{number}-of-{settings.scatter}.npz" for number in range(1, settings.scatter + 1)]


def stems(kind):
    """A pattern for the names of all targets of a kind, without suffixes."""
    return "|".join(re.escape(stem) for stem, of_kind in TARGETS if of_kind == kind) or "none"


def inputs(kind):
    """The inputs of a target: its records, the files of its work, the code that makes it, and graphs if it reads them."""

    def files(wildcards):
        work, target = TARGETS[wildcards.stem, kind]
        asked = work.asked(work.needs(target), settings.choice)
        records = [f"{settings.records}/{run.file}" for run in asked]
        if settings.reference:
            records = [record for record in records if Path(record).is_file()]
        graphs = [f"data/graphs/{run.dataset}.npz" for run in asked] if target.fields.graphs else []
        of_work = [
            str(file) for file in (*work.path.glob("*.*"), *work.path.glob("published/*")) if file.suffix != ".md"
        ]
        return [*dict.fromkeys([*records, *graphs]), *sorted(of_work), *REPORT]

    return files


def arguments(kind):
    """The arguments of `warpath report`."""

    def of_target(wildcards):
        work, target = TARGETS[wildcards.stem, kind]
        choice = settings.choice
        names = {"rows": choice.rows, "columns": choice.columns}
        # With "=", a name that begins with "-" is no option.
        chosen = [f"--{option}={','.join(given)}" for option, given in names.items() if given]
        folders = ["--records", settings.records, "--results", settings.results, "--figures", settings.figures]
        return [work.name, target.name, "--suite", choice.suite, *chosen, *folders]

    return of_target


def caption(kind):
    return lambda wildcards: TARGETS[wildcards.stem, kind][1].fields.caption


def page(kind, name):
    """A target's page in the report, under its work's title."""
    return report(
        name,
        category=lambda wildcards: TARGETS[wildcards.stem, kind][0].fields.title,
        labels=lambda wildcards: {"what": TARGETS[wildcards.stem, kind][1].label, "kind": kind},
        caption="../report/target.rst",
    )


def files_of(work, target):
    """All files of a target."""
    folder = settings.figures if target.fields.kind == "figure" else settings.results
    return [f"{folder}/{work.folder}{target.stem}{suffix}" for suffix in target.suffixes]
