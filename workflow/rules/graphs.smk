# Graphs of the catalog. Only published files need a mirror or the network. Small graphs are made where Snakemake runs; jobs make
# large graphs and graphs of unknown size.


localrules:
    fetch,
    convert,
    generate,


rule fetch:
    output:
        "data/raw/{file}",
    log:
        "logs/fetch/{file}.log",
    wildcard_constraints:
        # The user's own files are not outputs, because Snakemake deletes outputs.
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
        dataset=graphs(generated=False, large=False),
    conda:
        "../../envs/environment.yml"
    params:
        facts=facts_of_graph,
        weights=weight_options,
    message:
        "convert {wildcards.dataset}"
    shell:
        "warpath convert {wildcards.dataset:q} --input {input:q} {params.weights:q} --output {output:q} > {log:q} 2>&1"


use rule convert as convert_large with:
    wildcard_constraints:
        dataset=graphs(generated=False, large=True),
    resources:
        runtime=graph_minutes,
        mem_mb=graph_megabytes,


rule generate:
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset=graphs(generated=True, large=False),
    conda:
        "../../envs/environment.yml"
    params:
        facts=facts_of_graph,
        weights=weight_options,
    message:
        "generate {wildcards.dataset}"
    shell:
        "warpath generate {wildcards.dataset:q} {params.weights:q} --output {output:q} > {log:q} 2>&1"


use rule generate as generate_large with:
    wildcard_constraints:
        dataset=graphs(generated=True, large=True),
    resources:
        runtime=graph_minutes,
        mem_mb=graph_megabytes,
