# One timed and certified run of one variant on one graph. Profiles keep timed runs apart, and a file lock does anyway.


rule run:
    input:
        graph="data/graphs/{dataset}.npz",
        sources=pipeline.run_sources,
    output:
        f"{pipeline.results}/runs/{{dataset}}/{{algorithm}}.{{variant}}.json",
    log:
        f"logs/{pipeline.results}/runs/{{dataset}}/{{algorithm}}.{{variant}}.log",
    conda:
        "../../envs/environment.yml"
    # The serial columns get the GPU's machine too: all times of a table are of one kind of machine.
    resources:
        gpu=1,
    params:
        device=config["device"],
        source=pipeline.source_option,
        budget_s=pipeline.budget_s,
        repeats_min=config["repeats_min"],
        repeats_max=config["repeats_max"],
        spread=config["spread"],
    message:
        "run {wildcards.algorithm} {wildcards.variant} on {wildcards.dataset}"
    shell:
        "warpath run --graph {input.graph} --dataset {wildcards.dataset}"
        " --algorithm {wildcards.algorithm} --variant {wildcards.variant}"
        " --device {params.device} {params.source} --budget-s {params.budget_s}"
        " --repeats-min {params.repeats_min} --repeats-max {params.repeats_max} --spread {params.spread}"
        " --output {output} 2>&1 | tee {log}"
