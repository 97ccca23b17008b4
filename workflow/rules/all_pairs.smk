# All pairs in parts: a job for each range of sources. A part is a file. Rows are written to a store in the folder of the parts,
# which is used again after an interruption.

if settings.reference is None:

    rule statistics:
        input:
            "data/graphs/{dataset}.npz",
        output:
            f"{settings.parts}/{{dataset}}/{{run}}/{{number}}-of-{{parts}}.npz",
        log:
            f"logs/{settings.parts}/{{dataset}}/{{run}}/{{number}}-of-{{parts}}.log",
        wildcard_constraints:
            dataset="[a-z0-9_-]+",
            run="all_pairs[.]reductions([.][a-z0-9_=+]+)?",
            number="[0-9]+",
            parts="[0-9]+",
        conda:
            "../../envs/environment.yml"
        resources:
            gpu=1,
            runtime=of_run_and_attempt("minutes"),
            mem_mb=of_run_and_attempt("megabytes"),
        params:
            facts=facts_of_run,
            device=settings.device,
            options=of_run("options"),
        message:
            "statistics of part {wildcards.number} of {wildcards.parts} of {wildcards.run} on {wildcards.dataset}"
        shell:
            "warpath statistics {input:q} --part {wildcards.number:q}/{wildcards.parts:q} --device {params.device:q}"
            " {params.options:q} --output {output:q} > {log:q} 2>&1"

    rule gather:
        input:
            graph="data/graphs/{dataset}.npz",
            parts=expand(
                f"{settings.parts}/{{{{dataset}}}}/{{{{run}}}}/{{number}}-of-{settings.scatter}.npz",
                number=range(1, settings.scatter + 1),
            ),
        output:
            record=f"{settings.records}/{{dataset}}/{{run}}.json",
            statistics=f"{settings.parts}/{{dataset}}/{{run}}/all.npz",
        log:
            f"logs/{settings.records}/{{dataset}}/{{run}}.log",
        wildcard_constraints:
            dataset="[a-z0-9_-]+",
            run="all_pairs[.]reductions([.][a-z0-9_=+]+)?",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            # As for its parts, so that a part that is missing after a failure is made again.
            facts=facts_of_run,
            device=settings.device,
            options=of_run("options"),
        message:
            "gather {wildcards.run} on {wildcards.dataset}"
        shell:
            "warpath gather {input.graph:q} {input.parts:q} --output {output.statistics:q} --record {output.record:q}"
            " --dataset {wildcards.dataset:q} --run {wildcards.run:q} > {log:q} 2>&1"
