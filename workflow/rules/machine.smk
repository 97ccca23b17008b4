# Without the GPU that steps measure on, Snakemake ends before the first step, and a dry run warns.

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent


def check_gpu(record):
    """A filter of Snakemake's log, which passes all. The event RUN_INFO comes when all steps are known, before the first."""
    if getattr(record, "event", None) != LogEvent.RUN_INFO or workflow.touch or settings.has_device:
        return True
    # On a cluster, the jobs have a GPU. A dry run knows the cluster by its number of jobs.
    if not workflow.local_exec or (workflow.dryrun and workflow.resource_settings.nodes is not None):
        return True
    wildcards = [job.wildcards for job in workflow.dag.needrun_jobs() if job.rule.name in ("run", "reduce")]
    count = sum(planned(of.dataset, of.run).needs_gpu for of in wildcards)
    if count:
        logger.removeFilter(check_gpu)  # a dry run repeats the event at its end
        log = logger.warning if workflow.dryrun else logger.error
        log(
            f"{count} of the steps need a GPU, device {settings.device}, which this machine lacks; to try small graphs on a "
            "simulated GPU, add --configfile workflow/suites/demo.yaml --config device=host"
        )
        if not workflow.dryrun:
            sys.exit(1)
    return True


logger.addFilter(check_gpu)
