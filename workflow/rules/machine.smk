# Where this machine or the profile lacks what the steps need, Snakemake ends before the first step, and a dry run warns.

import shutil

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

PLACEHOLDER = "my_account"  # of profiles/slurm
IMAGE = Path("build/warpath.sif")


def lacking():
    """A sentence for each thing that is missing."""
    jobs = workflow.dag.needrun_jobs()
    # A dry run knows a cluster, whose jobs have a GPU, by its number of jobs.
    submits = workflow.resource_settings.nodes is not None if workflow.dryrun else not workflow.local_exec
    if not submits and not settings.has_device:
        measured = [job.wildcards for job in jobs if job.rule.name in ("run", "turns", "statistics")]
        if count := sum(planned_job(of).needs_gpu for of in measured):
            yield (
                f"{count} of the steps need a GPU, device {settings.device}, which this machine lacks; to try small graphs "
                "on a simulated GPU, add --configfile workflow/suites/demo.yaml --config device=simulated"
            )
    requested = {(name, value) for job in jobs for name, value in job.resources.items() if submits}
    if any(name.startswith("slurm_") for name, _ in requested) and not shutil.which("sbatch"):
        yield "sbatch is not on the path, so this machine cannot submit jobs to Slurm; start Snakemake on a login node"
    if ("slurm_account", PLACEHOLDER) in requested:
        yield f"slurm_account is still {PLACEHOLDER}; put yours into profiles/slurm/config.yaml, or remove the line"
    if (
        any(method.name == "APPTAINER" for method in workflow.deployment_settings.deployment_method)
        and not IMAGE.exists()
    ):
        yield f"{IMAGE}, the image of the steps, is missing; docs/cluster.md has the command that builds it"


class MachineCheck:
    """A filter of Snakemake's log, which passes all. The event RUN_INFO comes when all steps are known, before the first.

    A dry run repeats it at its end, where a warning is seen.
    """

    def __init__(self):
        self.missing = None

    def filter(self, record):
        if getattr(record, "event", None) != LogEvent.RUN_INFO or workflow.touch:
            return True
        first = self.missing is None
        if first:
            self.missing = list(lacking())
        for sentence in self.missing if workflow.dryrun != first else []:
            (logger.warning if workflow.dryrun else logger.error)(sentence)
        if self.missing and not workflow.dryrun:
            sys.exit(1)
        return True


logger.addFilter(MachineCheck())
