# From the catalog to graphs. A published file comes from a mirror or the network; everything else works offline.


rule fetch:
    output:
        "data/raw/{file}",
    log:
        "logs/fetch/{file}.log",
    wildcard_constraints:
        file=fetched_files(),
    localrule: True
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
        dataset=f"{datasets('published')}|{datasets('derived')}",
    localrule: True
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


rule generate:
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset=datasets("generated"),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        identity=lambda wildcards: catalog[wildcards.dataset].identity,
        weights=weight_options,
    message:
        "generate {wildcards.dataset}"
    shell:
        "warpath generate {wildcards.dataset:q} {params.weights:q} --output {output:q} > {log:q} 2>&1"
