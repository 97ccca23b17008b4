# On a cluster: what differs inside a job, and what an interrupted Snakemake leaves to the next one.

import subprocess
import sys
import time

from snakemake.io import IOFile
from snakemake.persistence.file import FilePersistence

# Whether this process is a job's. It runs the runs of its group itself, one after another; as steps of Slurm, each would start
# Snakemake once more, which takes longer than many runs.
IN_JOB = workflow.remote_exec

# A job keeps its records here, too, until Snakemake has noted them. Snakemake removes what a job wrote before it restarts the job,
# or when another run of the job fails.
MEASURED = Path(".snakemake/measured")
_SECONDS_BETWEEN_LOOKS = 5

# Runs take turns, because each requests this one. A run on several GPUs requests more; Snakemake lowers the request to this number,
# and the run still uses all of them.
if IN_JOB:
    workflow.register_resource("gpu", 1)


def graph_in_job(wildcards):
    """The graph of a run in a job. A run that fails shall not keep the others of its job from running.

    Snakemake hands its keep-going to no job. It has no settings yet when it reads the rules, but when it asks for inputs.
    """
    workflow.execution_settings.keep_going = True
    return f"data/graphs/{wildcards.dataset}.npz"


def is_noted(record):
    """Whether Snakemake's notes are about ``record`` as it is now: then it will be measured again if what it depends on changes."""
    metadata = FilePersistence(nolock=True).metadata(IOFile(str(record), None))
    return metadata is not None and record.is_file() and metadata.endtime == record.stat().st_mtime


def forget_noted_records():
    for kept in [*MEASURED.rglob("*.json")]:
        if is_noted(kept.relative_to(MEASURED)):
            kept.unlink()


def is_kept(wildcards):
    return (MEASURED / settings.records / wildcards.dataset / f"{wildcards.run}.json").is_file()


def jobs_left():
    """The jobs that an interrupted Snakemake submitted from this folder and that have not ended."""
    queue = ["squeue", "--me", "--noheader", "--format=%A|%k|%Z"]
    try:
        lines = subprocess.run(queue, capture_output=True, text=True, timeout=60).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []
    jobs = [line.split("|", 2) for line in lines if line.count("|") >= 2]
    return sorted(
        {
            job
            for job, comment, folder in jobs
            if comment.startswith("rule_") and os.path.realpath(folder) == os.getcwd()
        }
    )


def await_jobs_left():
    """Wait for the jobs of an interrupted Snakemake: started again, they would measure everything twice."""
    told = []
    while jobs := jobs_left():
        if jobs != told:
            ids = " ".join(jobs)
            print(
                f"waiting for what an interrupted Snakemake left in the queue, to take its records: Slurm job {ids}"
                f" (to measure again instead: scancel {ids})",
                file=sys.stderr,
                flush=True,
            )
            told = jobs
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def refuse_what_slurm_refuses():
    """End with Slurm's own words if it takes no job with the profile's account and partition. Snakemake drops them for a group."""
    given = workflow.resource_settings.default_resources or {}
    options = {"--account": "slurm_account", "--partition": "slurm_partition"}
    asked = [f"{option}={given[name].raw}" for option, name in options.items() if name in given]
    if not asked or not shutil.which("sbatch"):
        return
    trial = ["sbatch", "--test-only", "--gpus=1", *asked, "--wrap=true"]
    done = subprocess.run(trial, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it gave no reason"]
        sys.exit(f"snakemake: error: Slurm takes no job with {' '.join(asked)}: {said[-1]}; mend the profile")


# Only Snakemake on a cluster has a number of nodes.
if workflow.is_main_process and workflow.resource_settings.nodes is not None and not workflow.output_settings.dryrun:
    refuse_what_slurm_refuses()
    if any(Path(".snakemake/incomplete").rglob("*")):
        await_jobs_left()
    forget_noted_records()
    # Without notes Snakemake would never measure these again. So it runs them once more, and the kept records are taken.
    for kept in MEASURED.rglob("*.json"):
        kept.relative_to(MEASURED).unlink(missing_ok=True)


onsuccess:
    forget_noted_records()


onerror:
    forget_noted_records()
