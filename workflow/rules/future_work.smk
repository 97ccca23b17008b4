# What the main paper names as future work, beside its own variants: `snakemake future_work` makes all of it.

from warpath.pipeline.future_work import FutureWork

try:
    future = FutureWork(config, "workflow/schemas/config.schema.yaml")
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")


for table in future.further:

    rule:
        name:
            f"future_{table}"
        input:
            records=future.pipeline.records(table),
            published=future.pipeline.published_table(table),
            sources=pipeline.command_sources("table"),
        output:
            csv=f"{future.results}/{table}.csv",
            comparison=report(
                f"{future.results}/{table}_comparison.csv",
                category="Future work",
                labels={"what": table},
                caption="../report/future_work/table.rst",
            ),
            markdown=f"{future.results}/{table}.md",
        log:
            f"logs/{future.results}/{table}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            table=future.pipeline.table_options(table),
        message:
            f"write {table} with future work"
        shell:
            "( warpath table {params.table} --format csv --output {output.csv}"
            " && warpath table {params.table} --format comparison --output {output.comparison}"
            " && warpath table {params.table} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


for figure, table in future.drawn.items():

    rule:
        name:
            f"future_{figure}"
        input:
            comparison=f"{future.results}/{table}_comparison.csv",
            sources=pipeline.figure_sources(figure),
        output:
            svg=report(
                f"{future.figures}/{figure}.svg",
                category="Future work",
                labels={"what": figure},
                caption="../report/future_work/figure.rst",
            ),
            png=f"{future.figures}/{figure}.png",
            pdf=f"{future.figures}/{figure}.pdf",
        log:
            f"logs/{future.figures}/{figure}.log",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=figure,
        message:
            f"draw {figure} with future work"
        shell:
            "( for file in {output}; do warpath plot {params.figure} --table {input.comparison} --output $file; done )"
            " 2>&1 | tee {log}"


rule future_work:
    input:
        [getattr(rules, f"future_{name}").output for name in [*future.further, *future.drawn]],
    localrule: True
