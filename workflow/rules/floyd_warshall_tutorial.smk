# The Floyd-Warshall tutorial's times over the number of vertices: `snakemake floyd_warshall_tutorial` makes all of it.

from warpath.pipeline.floyd_warshall_tutorial import FloydWarshallTutorial

try:
    tutorial = FloydWarshallTutorial(pipeline)
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")


rule tutorial_times:
    input:
        records=tutorial.records(),
        published=tutorial.published,
        sources=pipeline.command_sources("table"),
    output:
        csv=f"{tutorial.results}/times.csv",
        comparison=report(
            f"{tutorial.results}/times_comparison.csv",
            category="Floyd-Warshall tutorial",
            labels={"what": "times, beside the published"},
            caption="../report/floyd_warshall_tutorial/times.rst",
        ),
        markdown=f"{tutorial.results}/times.md",
    log:
        f"logs/{tutorial.results}/times.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        table=tutorial.table_options(),
    message:
        "write times of the Floyd-Warshall tutorial"
    shell:
        "( warpath table {params.table} --format csv --output {output.csv}"
        " && warpath table {params.table} --format comparison --output {output.comparison}"
        " && warpath table {params.table} --format markdown --output {output.markdown} ) 2>&1 | tee {log}"


rule tutorial_figure:
    input:
        comparison=f"{tutorial.results}/times_comparison.csv",
        sources=pipeline.figure_sources("figure_vertices"),
    output:
        svg=report(
            f"{tutorial.figures}/vertices.svg",
            category="Floyd-Warshall tutorial",
            labels={"what": "time over vertices"},
            caption="../report/floyd_warshall_tutorial/vertices.rst",
        ),
        png=f"{tutorial.figures}/vertices.png",
        pdf=f"{tutorial.figures}/vertices.pdf",
    log:
        f"logs/{tutorial.figures}/vertices.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "draw the figure of the Floyd-Warshall tutorial"
    shell:
        "( for file in {output}; do warpath plot figure_vertices --table {input.comparison} --output $file; done )"
        " 2>&1 | tee {log}"


rule floyd_warshall_tutorial:
    input:
        rules.tutorial_times.output,
        rules.tutorial_figure.output,
    localrule: True
