"""The tables, claims and figures of published works on GPU shortest paths, measured on this machine.

snakemake --cores 1 results/table1.csv
snakemake --cores 1 figures/figure5.png
snakemake --cores 1 --configfile workflow/suites/demo.yaml
"""

import os
import sys
from pathlib import Path
from shlex import quote

import snakemake_logger_plugin_warpath
from snakemake.utils import min_version

from warpath.errors import WarpathError
from warpath.system.names import suggestion
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.works.settings import Settings
from warpath_study.works.works import load_all

min_version("9.9")


configfile: "config.yaml"


report: "workflow/report/front.rst"


# Made from envs/warpath.def, for --sdm apptainer.
container: "build/warpath.sif"


try:
    load_yaml(Path("config.yaml"))  # refuses a key that is there twice
    catalog = load_catalog("data/catalog.yaml")
    os.environ.update(Settings.places(config))
    works = load_all()
    settings = Settings.of(config, works, catalog)
except WarpathError as error:
    sys.exit(f"snakemake: error: {error}")

# Every step is one command of warpath, but for copies of records. It runs in the Python of Snakemake, or in that of the
# environment or container that Snakemake has activated for the step (--sdm conda, --sdm apptainer), with this checkout. The
# prefix replaces Snakemake's own, so it repeats its `set`. Braces are doubled because Snakemake formats the prefix.
OWN = quote(f'{os.environ.get("CONDA_PREFIX", "")}:{os.environ.get("SINGULARITY_CONTAINER", "")}')
PREFIX = (
    f'set -euo pipefail; warpath() {{ if [ "${{CONDA_PREFIX:-}}:${{SINGULARITY_CONTAINER:-}}" = {OWN} ];'
    f' then {quote(sys.executable)} -m warpath "$@";'
    f' else PYTHONPATH={quote(str(Path(workflow.basedir, "src")))} python -m warpath "$@"; fi; }}; '
)
shell.prefix(PREFIX.replace("{", "{{").replace("}", "}}"))


include: "workflow/rules/common.smk"
include: "workflow/rules/machine.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/all_pairs.smk"
include: "workflow/rules/targets.smk"


# The main work. Empty if the rows and columns of the config belong to other works.
rule all:
    default_target: True
    input:
        NAMED.get("bodra", []),
    localrule: True


# All works, without the sets of targets that a work lists under `not_by_default`.
rule works:
    input:
        [NAMED[name] for work in works.values() for name in work.default_sets if name in NAMED],
    localrule: True
