# Timed and certified runs. Profiles and a file lock prevent two timed runs at a time. Reference records are inputs, which no rule
# measures.

if settings.reference is None:

    rule run:
        input:
            "data/graphs/{dataset}.npz",
        output:
            f"{settings.records}/{{dataset}}/{{run}}.json",
        log:
            f"logs/{settings.records}/{{dataset}}/{{run}}.log",
        wildcard_constraints:
            dataset="[a-z0-9_-]+",
            run="(?!all_pairs[.])[a-z_]+[.][a-z0-9_]+([.][a-z0-9_=+]+)?",
        conda:
            "../../envs/environment.yml"
        resources:
            gpu=of_run("gpus"),
            runtime=of_run_and_attempt("minutes"),
            mem_mb=of_run_and_attempt("megabytes"),
        params:
            facts=facts_of_run,
            device=settings.device,
            options=of_run("options"),
        message:
            "run {wildcards.run} on {wildcards.dataset}"
        shell:
            "warpath run {input:q} {wildcards.run:q} --dataset {wildcards.dataset:q} --device {params.device:q}"
            " {params.options:q} --output {output:q} > {log:q} 2>&1"
