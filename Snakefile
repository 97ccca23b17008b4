"""The tables and figures of published works on GPU shortest paths, measured on this machine.

snakemake --cores 1 results/table1.csv
snakemake --cores 1 figures/figure5.png
snakemake --cores 1 --configfile workflow/suites/demo.yaml
"""

import sys

from snakemake.utils import min_version

from warpath.errors import WarpathError
from warpath.pipeline import Pipeline

min_version("9.9")


configfile: "config.yaml"


# The front page of what --report makes.
report: "workflow/report/front.rst"


try:
    pipeline = Pipeline(config, "workflow/schemas/config.schema.yaml")
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")

# Every step is one command of warpath, run by the Python that runs Snakemake: the shell's own may be another one. The
# rules' conda recipe says what is installed there.
shell.prefix(pipeline.shell_prefix(sys.executable))


wildcard_constraints:
    dataset="[a-z0-9_-]+",
    algorithm="[a-z_]+",
    variant="[a-z_]+",


include: "workflow/rules/datasets.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/papers.smk"
include: "workflow/rules/safari_ebnenasir.smk"
include: "workflow/rules/future_work.smk"
include: "workflow/rules/telang_grid.smk"
include: "workflow/rules/floyd_warshall_tutorial.smk"
include: "workflow/rules/katz_kider.smk"


# The whole suite.
rule all:
    default_target: True
    input:
        [getattr(rules, name).output for name in [*pipeline.tables, *config["figures"]]],
    localrule: True


# The same, and all further works.
rule works:
    input:
        rules.all.input,
        rules.safari_ebnenasir.input,
        rules.telang_grid.input,
        rules.floyd_warshall_tutorial.input,
        rules.katz_kider.input,
        rules.future_work.input,
    localrule: True
