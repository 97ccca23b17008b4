# G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the GPU", 2008: `snakemake katz_kider` makes all
# that the paper has, `snakemake katz_kider_larger` runs on larger graphs.

from warpath.pipeline.katz_kider import PART, KatzKider

try:
    katz = KatzKider(pipeline)
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")


# The links of one relationship between the first autonomous systems.
rule katz_part:
    input:
        graph="data/graphs/{dataset}.npz",
        sources=pipeline.command_sources("katz"),
    output:
        f"data/graphs/{{dataset}}{PART}.npz",
    log:
        f"logs/graphs/{{dataset}}{PART}.log",
    wildcard_constraints:
        dataset="|".join(pipeline.catalog),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        vertices=katz.config["caida_vertices"],
        weight=katz.config["caida_relationship"],
    message:
        "take a part of {wildcards.dataset}"
    shell:
        "warpath katz part --graph {input.graph} --vertices {params.vertices} --weight {params.weight}"
        " --output {output} 2>&1 | tee {log}"


# One record, with the parameters that its name asks for.
rule katz_run:
    input:
        graph="data/graphs/{dataset}.npz",
        sources=pipeline.run_sources,
    output:
        f"{katz.results}/runs/{{dataset}}/{{algorithm}}.{{variant}}{{settings}}.json",
    log:
        f"logs/{katz.results}/runs/{{dataset}}/{{algorithm}}.{{variant}}{{settings}}.log",
    wildcard_constraints:
        settings=r"(\.[a-z0-9_=,]+)?",
    conda:
        "../../envs/environment.yml"
    resources:
        gpu=katz.gpus,
    params:
        device=config["device"],
        parameters=pipeline.parameters_option,
        budget_s=katz.budget_s,
        repeats_min=config["repeats_min"],
        repeats_max=config["repeats_max"],
        spread=config["spread"],
    message:
        "run {wildcards.algorithm} {wildcards.variant}{wildcards.settings} on {wildcards.dataset}"
    shell:
        "warpath run --graph {input.graph} --dataset {wildcards.dataset}"
        " --algorithm {wildcards.algorithm} --variant {wildcards.variant} {params.parameters}"
        " --device {params.device} --budget-s {params.budget_s}"
        " --repeats-min {params.repeats_min} --repeats-max {params.repeats_max} --spread {params.spread}"
        " --output {output} 2>&1 | tee {log}"


# The runs, a line each: of the random digraphs over the number of vertices, and those with autonomous systems as well.
rule katz_runs:
    input:
        records=katz.records("sizes"),
        caida=katz.records("caida"),
        sources=pipeline.command_sources("katz"),
    output:
        sizes=f"{katz.results}/sizes.csv",
        all=f"{katz.results}/runs.csv",
    log:
        f"logs/{katz.results}/runs.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        sizes=katz.runs_options("sizes"),
        all=katz.runs_options("sizes", "caida"),
    message:
        "write runs of Katz and Kider"
    shell:
        "( warpath katz runs {params.sizes} --output {output.sizes}"
        " && warpath katz runs {params.all} --output {output.all} ) 2>&1 | tee {log}"


rule katz_table1:
    input:
        runs=f"{katz.results}/sizes.csv",
        published=f"{katz.published}/table1.csv",
        sources=pipeline.command_sources("katz"),
    output:
        comparison=report(
            f"{katz.results}/table1_comparison.csv",
            category="Katz and Kider",
            labels={"what": "Table 1, beside the published"},
            caption="../report/katz_kider/table1.rst",
        ),
        markdown=f"{katz.results}/table1.md",
    log:
        f"logs/{katz.results}/table1.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write table1 of Katz and Kider"
    shell:
        "( warpath katz table1 --runs {input.runs} --output {output.comparison}"
        " && warpath katz table1 --runs {input.runs} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


rule katz_claims:
    input:
        runs=f"{katz.results}/runs.csv",
        published=f"{katz.published}/claims.csv",
        sources=pipeline.command_sources("katz"),
    output:
        csv=report(
            f"{katz.results}/claims.csv",
            category="Katz and Kider",
            labels={"what": "claims, checked"},
            caption="../report/katz_kider/claims.rst",
        ),
        markdown=f"{katz.results}/claims.md",
    log:
        f"logs/{katz.results}/claims.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write claims of Katz and Kider"
    shell:
        "( warpath katz claims --runs {input.runs} --output {output.csv}"
        " && warpath katz claims --runs {input.runs} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


for figure in ("figure5", "figure6", "figure7", "figure8"):

    rule:
        name:
            f"katz_{figure}_comparison"
        input:
            runs=f"{katz.results}/sizes.csv",
            published=f"{katz.published}/table1.csv",
            sources=pipeline.command_sources("katz"),
        output:
            f"{katz.results}/{figure}_comparison.csv",
        log:
            f"logs/{katz.results}/{figure}_comparison.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=figure,
        message:
            f"write {figure} comparison of Katz and Kider"
        shell:
            "warpath katz {params.figure} --runs {input.runs} --output {output} 2>&1 | tee {log}"

    rule:
        name:
            f"katz_{figure}"
        input:
            comparison=f"{katz.results}/{figure}_comparison.csv",
            sources=pipeline.figure_sources(f"katz_kider.{figure}"),
        output:
            svg=report(
                f"{katz.figures}/{figure}.svg",
                category="Katz and Kider",
                labels={"what": figure.replace("figure", "Figure ")},
                caption=f"../report/katz_kider/{figure}.rst",
            ),
            png=f"{katz.figures}/{figure}.png",
            pdf=f"{katz.figures}/{figure}.pdf",
        log:
            f"logs/{katz.figures}/{figure}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=f"katz_kider.{figure}",
        message:
            f"draw {figure} of Katz and Kider"
        shell:
            "( for file in {output}; do warpath plot {params.figure} --table {input.comparison} --output $file; done )"
            " 2>&1 | tee {log}"


rule katz_kider:
    input:
        rules.katz_table1.output,
        rules.katz_claims.output,
        rules.katz_figure5.output,
        rules.katz_figure6.output,
        rules.katz_figure7.output,
        rules.katz_figure8.output,
    localrule: True


# Graphs larger than the paper's, a line a run; they need much more memory and time than all else, so they stand apart.
rule katz_larger:
    input:
        records=katz.records("larger"),
        sources=pipeline.command_sources("katz"),
    output:
        csv=report(
            f"{katz.results}/larger.csv",
            category="Katz and Kider",
            labels={"what": "larger graphs, a line a run"},
            caption="../report/katz_kider/larger.rst",
        ),
        markdown=report(
            f"{katz.results}/larger.md",
            category="Katz and Kider",
            labels={"what": "larger graphs, for reading"},
            caption="../report/katz_kider/larger.rst",
        ),
    log:
        f"logs/{katz.results}/larger.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        runs=katz.runs_options("larger"),
    message:
        "write larger graphs of Katz and Kider"
    shell:
        "( warpath katz runs {params.runs} --output {output.csv}"
        " && warpath katz larger --runs {output.csv} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


rule katz_kider_larger:
    input:
        rules.katz_larger.output if katz.larger else [],
    localrule: True
