# From records to the papers' tables and figures. They read records and published tables only and measure nothing.


rule table:
    input:
        records=pipeline.records,
        published=pipeline.published_table,
        sources=pipeline.command_sources("table"),
    output:
        report(
            f"{pipeline.results}/{{table}}.csv",
            category="Tables",
            labels={"table": "{table}", "form": "as published"},
            caption="../report/table.rst",
        ),
    log:
        f"logs/{pipeline.results}/{{table}}.csv.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        form="csv",
        records=f"{pipeline.results}/runs",
        algorithm=pipeline.algorithm,
        variants=pipeline.variants,
        rows=pipeline.rows,
    message:
        "write {output}"
    shell:
        "warpath table {wildcards.table} --published {input.published} --records {params.records}"
        " --algorithm {params.algorithm} --variants {params.variants} --rows {params.rows}"
        " --format {params.form} --output {output} 2>&1 | tee {log}"


use rule table as table_for_reading with:
    output:
        f"{pipeline.results}/{{table}}.md",
    log:
        f"logs/{pipeline.results}/{{table}}.md.log",
    params:
        form="markdown",


use rule table as table_compared with:
    output:
        report(
            f"{pipeline.results}/{{table}}_comparison.csv",
            category="Tables",
            labels={"table": "{table}", "form": "beside the published one"},
            caption="../report/comparison.rst",
        ),
    log:
        f"logs/{pipeline.results}/{{table}}_comparison.csv.log",
    params:
        form="comparison",


rule figure:
    input:
        comparison=pipeline.comparison,
        sources=pipeline.figure_sources,
    output:
        report(
            f"{pipeline.figures}/{{figure}}.{{suffix}}",
            category="Figures",
            labels={"figure": "{figure}", "format": "{suffix}"},
            caption="../report/figure.rst",
        ),
    log:
        f"logs/{pipeline.figures}/{{figure}}.{{suffix}}.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "draw {output}"
    shell:
        "warpath plot {wildcards.figure} --table {input.comparison} --output {output} 2>&1 | tee {log}"
