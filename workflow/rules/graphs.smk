# From the catalog to graphs. A published file comes from a mirror or the network; everything else works offline. Small graphs
# are made where Snakemake runs, and large ones, or those whose size the catalog does not tell, are jobs.

LARGE = {name for name, dataset in catalog.items() if is_large(dataset, catalog)}
MADE_FROM_FILES = {name for name, dataset in catalog.items() if not dataset.generated}
GENERATED = {name for name, dataset in catalog.items() if dataset.generated}


localrules:
    fetch,
    convert,
    generate,


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


def graph_minutes(wildcards, attempt):
    return minutes(items=items_read(catalog[wildcards.dataset], catalog)) * 2 ** (attempt - 1)


def graph_megabytes(wildcards, attempt):
    return megabytes(items_read(catalog[wildcards.dataset], catalog)) * 2 ** (attempt - 1)


rule fetch:
    output:
        "data/raw/{file}",
    log:
        "logs/fetch/{file}.log",
    wildcard_constraints:
        # The user's own files are no outputs, because Snakemake deletes outputs.
        file=one_of(dataset.file for dataset in catalog.values() if dataset.published and not dataset.own),
    conda:
        "../../envs/environment.yml"
    params:
        dataset=lambda wildcards: next(name for name, dataset in catalog.items() if dataset.file == wildcards.file),
    message:
        "fetch {wildcards.file}"
    shell:
        "warpath fetch {params.dataset:q} --output {output:q} > {log:q} 2>&1"


rule convert:
    input:
        origin_file,
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(MADE_FROM_FILES - LARGE),
    conda:
        "../../envs/environment.yml"
    params:
        # The entries of the catalog that decide which graph the dataset is.
        identity=lambda wildcards: catalog[wildcards.dataset].identity,
        weights=weight_options,
    message:
        "convert {wildcards.dataset}"
    shell:
        "warpath convert {wildcards.dataset:q} --input {input:q} {params.weights:q} --output {output:q} > {log:q} 2>&1"


use rule convert as convert_large with:
    wildcard_constraints:
        dataset=one_of(MADE_FROM_FILES & LARGE),
    resources:
        runtime=graph_minutes,
        mem_mb=graph_megabytes,


rule generate:
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(GENERATED - LARGE),
    conda:
        "../../envs/environment.yml"
    params:
        identity=lambda wildcards: catalog[wildcards.dataset].identity,
        weights=weight_options,
    message:
        "generate {wildcards.dataset}"
    shell:
        "warpath generate {wildcards.dataset:q} {params.weights:q} --output {output:q} > {log:q} 2>&1"


use rule generate as generate_large with:
    wildcard_constraints:
        dataset=one_of(GENERATED & LARGE),
    resources:
        runtime=graph_minutes,
        mem_mb=graph_megabytes,
