# M. Safari and A. Ebnenasir, "Locality-Based Relaxation", 2017: `snakemake safari_ebnenasir` makes all of it.

from warpath.pipeline.safari_ebnenasir import REVISED, SafariEbnenasir

try:
    safari = SafariEbnenasir(pipeline)
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")


# The same roads with other weights.
rule safari_revise:
    input:
        graph="data/graphs/{dataset}.npz",
        sources=pipeline.command_sources("convert"),
    output:
        f"data/graphs/{{dataset}}{REVISED}.npz",
    log:
        f"logs/graphs/{{dataset}}{REVISED}.log",
    wildcard_constraints:
        dataset="|".join(pipeline.catalog),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        weights=safari.weight_options(),
    message:
        "replace the weights of {wildcards.dataset}"
    shell:
        "warpath convert --from {input.graph} --format npz --replace-weights {params.weights} --output {output}"
        " 2>&1 | tee {log}"


# One record: a timed and certified solve from each of many random sources.
rule safari_run:
    input:
        graph="data/graphs/{dataset}.npz",
        sources=safari.run_sources,
    output:
        f"{safari.results}/runs/{{dataset}}/label_correcting.{{variant}}{{settings}}.json",
    log:
        f"logs/{safari.results}/runs/{{dataset}}/label_correcting.{{variant}}{{settings}}.log",
    wildcard_constraints:
        settings=r"(\.[a-z0-9_=,]+)?",
    conda:
        "../../envs/environment.yml"
    resources:
        gpu=1,
    params:
        device=config["device"],
        parameters=pipeline.parameters_option,
        sources=safari.config["sources"],
        seed=safari.config["sources_seed"],
    message:
        "run label_correcting {wildcards.variant}{wildcards.settings} on {wildcards.dataset}"
    shell:
        "warpath run --graph {input.graph} --dataset {wildcards.dataset}"
        " --algorithm label_correcting --variant {wildcards.variant} {params.parameters} --device {params.device}"
        " --random-sources {params.sources} --sources-seed {params.seed} --output {output} 2>&1 | tee {log}"


# Their means, a line each: of the graphs as they are, and of the revised ones over k and vertices per thread.
for part in ("runs", "sweep"):

    rule:
        name:
            f"safari_{part}"
        input:
            records=safari.records(part),
            sources=pipeline.command_sources("safari"),
        output:
            f"{safari.results}/{part}.csv",
        log:
            f"logs/{safari.results}/{part}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            runs=safari.runs_options(part),
        message:
            f"write {part} of Safari and Ebnenasir"
        shell:
            "warpath safari runs {params.runs} --output {output} 2>&1 | tee {log}"


rule safari_table1:
    input:
        graphs=safari.graphs(),
        published=f"{safari.published}/table1.csv",
        sources=pipeline.command_sources("safari"),
    output:
        csv=f"{safari.results}/table1.csv",
        comparison=report(
            f"{safari.results}/table1_comparison.csv",
            category="Safari and Ebnenasir",
            labels={"what": "Table 1, beside the published"},
            caption="../report/safari_ebnenasir/table1.rst",
        ),
        markdown=f"{safari.results}/table1.md",
    log:
        f"logs/{safari.results}/table1.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        rows=safari.graph_rows(),
    message:
        "write table1 of Safari and Ebnenasir"
    shell:
        "( warpath safari table1 --rows {params.rows} --format csv --output {output.csv}"
        " && warpath safari table1 --rows {params.rows} --format comparison --output {output.comparison}"
        " && warpath safari table1 --rows {params.rows} --format markdown --output {output.markdown} )"
        " 2>&1 | tee {log}"


rule safari_table2:
    input:
        runs=f"{safari.results}/runs.csv",
        sources=pipeline.command_sources("safari"),
    output:
        csv=report(
            f"{safari.results}/table2.csv",
            category="Safari and Ebnenasir",
            labels={"what": "Table 2, measured"},
            caption="../report/safari_ebnenasir/table2.rst",
        ),
        markdown=f"{safari.results}/table2.md",
    log:
        f"logs/{safari.results}/table2.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write table2 of Safari and Ebnenasir"
    shell:
        "( warpath safari table2 --runs {input.runs} --format csv --output {output.csv}"
        " && warpath safari table2 --runs {input.runs} --format markdown --output {output.markdown} )"
        " 2>&1 | tee {log}"


rule safari_claims:
    input:
        runs=f"{safari.results}/runs.csv",
        sweep=f"{safari.results}/sweep.csv",
        published=f"{safari.published}/claims.csv",
        sources=pipeline.command_sources("safari"),
    output:
        csv=report(
            f"{safari.results}/claims.csv",
            category="Safari and Ebnenasir",
            labels={"what": "claims, checked"},
            caption="../report/safari_ebnenasir/claims.rst",
        ),
        markdown=f"{safari.results}/claims.md",
    log:
        f"logs/{safari.results}/claims.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write claims of Safari and Ebnenasir"
    shell:
        "( warpath safari claims --runs {input.runs} --sweep {input.sweep} --format csv --output {output.csv}"
        " && warpath safari claims --runs {input.runs} --sweep {input.sweep} --format markdown"
        " --output {output.markdown} ) 2>&1 | tee {log}"


rule safari_figure3_comparison:
    input:
        runs=f"{safari.results}/runs.csv",
        published=[f"{safari.published}/table1.csv", f"{safari.published}/claims.csv"],
        sources=pipeline.command_sources("safari"),
    output:
        f"{safari.results}/figure3_comparison.csv",
    log:
        f"logs/{safari.results}/figure3_comparison.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write figure3 comparison of Safari and Ebnenasir"
    shell:
        "warpath safari figure3 --runs {input.runs} --output {output} 2>&1 | tee {log}"


for figure, data in (("figure3", "figure3_comparison.csv"), ("figure4", "sweep.csv")):

    rule:
        name:
            f"safari_{figure}"
        input:
            data=f"{safari.results}/{data}",
            sources=pipeline.figure_sources(f"safari_ebnenasir.{figure}"),
        output:
            svg=report(
                f"{safari.figures}/{figure}.svg",
                category="Safari and Ebnenasir",
                labels={"what": figure.replace("figure", "Figure ")},
                caption=f"../report/safari_ebnenasir/{figure}.rst",
            ),
            png=f"{safari.figures}/{figure}.png",
            pdf=f"{safari.figures}/{figure}.pdf",
        log:
            f"logs/{safari.figures}/{figure}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=f"safari_ebnenasir.{figure}",
        message:
            f"draw {figure} of Safari and Ebnenasir"
        shell:
            "( for file in {output}; do warpath plot {params.figure} --table {input.data} --output $file; done )"
            " 2>&1 | tee {log}"


rule safari_ebnenasir:
    input:
        rules.safari_table1.output,
        rules.safari_table2.output,
        rules.safari_claims.output,
        rules.safari_figure3.output,
        rules.safari_figure4.output,
    localrule: True
