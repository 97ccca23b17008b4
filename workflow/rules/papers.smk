# From records to the papers' tables and figures, a rule for each: `snakemake table1 figure5`. They read records and
# published tables only and measure nothing.

for table in pipeline.tables:

    rule:
        name:
            table
        input:
            records=pipeline.records(table),
            published=pipeline.published_table(table),
            sources=pipeline.command_sources("table"),
        output:
            csv=report(
                f"{pipeline.results}/{table}.csv",
                category="Tables",
                labels={"table": table, "contents": "seconds, as published"},
                caption="../report/table.rst",
            ),
            comparison=report(
                f"{pipeline.results}/{table}_comparison.csv",
                category="Tables",
                labels={"table": table, "contents": "comparison with the published"},
                caption="../report/comparison.rst",
            ),
            markdown=f"{pipeline.results}/{table}.md",
        log:
            f"logs/{pipeline.results}/{table}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            table=pipeline.table_options(table),
        message:
            f"write {table}"
        shell:
            "( warpath table {params.table} --format csv --output {output.csv}"
            " && warpath table {params.table} --format comparison --output {output.comparison}"
            " && warpath table {params.table} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


for figure in config["figures"]:

    rule:
        name:
            figure
        input:
            comparison=pipeline.comparison(figure),
            sources=pipeline.figure_sources(figure),
        output:
            svg=report(
                f"{pipeline.figures}/{figure}.svg",
                category="Figures",
                labels={"figure": figure},
                caption="../report/figure.rst",
            ),
            png=f"{pipeline.figures}/{figure}.png",
            pdf=f"{pipeline.figures}/{figure}.pdf",
        log:
            f"logs/{pipeline.figures}/{figure}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=figure,
        message:
            f"draw {figure}"
        shell:
            "( for file in {output}; do warpath plot {params.figure} --table {input.comparison} --output $file; done ) 2>&1 | tee {log}"
