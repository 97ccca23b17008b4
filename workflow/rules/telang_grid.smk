# K. P. Telang, "Single Source Shortest Path using CUDA": `snakemake telang_grid` makes all of it.

TELANG_RESULTS, TELANG_FIGURES = f"{pipeline.results}/telang_grid", f"{pipeline.figures}/telang_grid"
TELANG_PUBLISHED = "data/published/telang_grid/results.csv"


# One product and the path over it, timed and certified.
rule telang_run:
    input:
        sources=pipeline.command_sources("grid"),
    output:
        f"{TELANG_RESULTS}/runs/{{size}}.json",
    log:
        f"logs/{TELANG_RESULTS}/runs/{{size}}.log",
    wildcard_constraints:
        size="[0-9]+",
    conda:
        "../../envs/environment.yml"
    resources:
        gpu=1,
    params:
        device=config["device"],
        seed=config["telang_grid"]["seed"],
        repeats=config["repeats_min"],
    message:
        "find the path over a product of size {wildcards.size}"
    shell:
        "warpath grid --size {wildcards.size} --seed {params.seed} --device {params.device}"
        " --repeats {params.repeats} --output {output} 2>&1 | tee {log}"


rule telang_results:
    input:
        records=expand(f"{TELANG_RESULTS}/runs/{{size}}.json", size=config["telang_grid"]["sizes"]),
        published=TELANG_PUBLISHED,
        sources=pipeline.command_sources("telang"),
    output:
        csv=f"{TELANG_RESULTS}/results.csv",
        comparison=report(
            f"{TELANG_RESULTS}/results_comparison.csv",
            category="Path over a product",
            labels={"what": "results, beside the published"},
            caption="../report/telang_grid/results.rst",
        ),
        markdown=f"{TELANG_RESULTS}/results.md",
        printed=f"{TELANG_RESULTS}/results.txt",
    log:
        f"logs/{TELANG_RESULTS}/results.log",
    localrule: True
    conda:
        "../../envs/environment.yml"
    message:
        "write results of the path over a product"
    shell:
        "( warpath telang {input.records} --format csv --output {output.csv}"
        " && warpath telang {input.records} --published {input.published} --format comparison"
        " --output {output.comparison}"
        " && warpath telang {input.records} --published {input.published} --format markdown"
        " --output {output.markdown}"
        " && warpath telang {input.records} --format printed --output {output.printed} ) 2>&1 | tee {log}"


for picture in ("path", "heat"):

    rule:
        name:
            f"telang_{picture}"
        input:
            record=f"{TELANG_RESULTS}/runs/{{size}}.json",
            sources=pipeline.figure_sources(f"telang_grid.figure_{picture}"),
        output:
            png=report(
                f"{TELANG_FIGURES}/{picture}_{{size}}.png",
                category="Path over a product",
                labels={"what": picture, "size": "{size}"},
                caption=f"../report/telang_grid/{picture}.rst",
            ),
            svg=f"{TELANG_FIGURES}/{picture}_{{size}}.svg",
            pdf=f"{TELANG_FIGURES}/{picture}_{{size}}.pdf",
        log:
            f"logs/{TELANG_FIGURES}/{picture}_{{size}}.log",
        wildcard_constraints:
            size="[0-9]+",
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            figure=f"telang_grid.figure_{picture}",
        message:
            "draw {output.png}"
        shell:
            "( for file in {output}; do warpath plot {params.figure} --table {input.record} --output $file; done )"
            " 2>&1 | tee {log}"


rule telang_grid:
    input:
        rules.telang_results.output,
        expand(
            f"{TELANG_FIGURES}/{{picture}}_{{size}}.{{suffix}}",
            picture=["path", "heat"],
            size=config["telang_grid"]["sizes"],
            suffix=["png", "svg", "pdf"],
        ),
    localrule: True
