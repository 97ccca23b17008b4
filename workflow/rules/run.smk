# Timed and certified runs, one by one or by turns. Profiles and a file lock prevent two timed runs at a time. Reference records
# are inputs, which no rule measures.

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

    # The records of a group of runs on a graph, which take turns in one job.
    rule turns:
        input:
            "data/graphs/{dataset}.npz",
        output:
            directory(f"{settings.turns}/{{dataset}}/{{group}}"),
        log:
            f"logs/{settings.turns}/{{dataset}}/{{group}}.log",
        wildcard_constraints:
            dataset="[a-z0-9_-]+",
            group=one_of({group for group, _ in TURNS}),
        conda:
            "../../envs/environment.yml"
        resources:
            gpu=of_run("gpus"),
            runtime=of_run_and_attempt("minutes"),
            mem_mb=of_run_and_attempt("megabytes"),
        params:
            facts=facts_of_run,
            runs=of_run("names"),
            device=settings.device,
            options=of_run("options"),
        message:
            "run {wildcards.group} on {wildcards.dataset} by turns"
        shell:
            "warpath run {input:q} {params.runs:q} --dataset {wildcards.dataset:q} --device {params.device:q}"
            " {params.options:q} --output {output:q} > {log:q} 2>&1"

    rule record:
        input:
            lambda wildcards: FOLDER_OF[wildcards.record],
        output:
            f"{settings.records}/{{record}}",
        log:
            f"logs/{settings.records}/{{record}}.log",
        wildcard_constraints:
            record=one_of(FOLDER_OF),
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            name=lambda wildcards: Path(wildcards.record).name,
        message:
            "record {wildcards.record}"
        shell:
            "cp {input:q}/{params.name:q} {output:q} > {log:q} 2>&1"

    ruleorder: record > run
