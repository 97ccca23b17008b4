# From the catalog to graphs. A published file comes from a mirror or the network; everything else works offline.


rule fetch:
    output:
        "data/raw/{file}",
    log:
        "logs/fetch/{file}.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        dataset=pipeline.dataset_of_file,
    message:
        "fetch {wildcards.file}"
    shell:
        # The progress bar stays on the terminal.
        "warpath fetch {params.dataset} --output {output} > {log}"


rule convert:
    input:
        raw=pipeline.raw_file,
        sources=pipeline.command_sources("convert"),
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset="|".join(pipeline.published),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        identity=pipeline.identity,
        weights=pipeline.weight_options,
    message:
        "convert {wildcards.dataset}"
    shell:
        "warpath convert {wildcards.dataset} --input {input.raw} {params.weights} --output {output} 2>&1 | tee {log}"


rule generate:
    input:
        sources=pipeline.command_sources("generate"),
    output:
        "data/graphs/{dataset}.npz",
    log:
        "logs/graphs/{dataset}.log",
    wildcard_constraints:
        dataset="|".join(pipeline.generated),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        identity=pipeline.identity,
        weights=pipeline.weight_options,
    message:
        "generate {wildcards.dataset}"
    shell:
        "warpath generate {wildcards.dataset} {params.weights} --output {output} 2>&1 | tee {log}"
