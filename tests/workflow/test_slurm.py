"""The profiles, and what the one for Slurm submits: to a stand-in for Slurm, which runs every job at once, here."""

import json
import re
import shlex
import stat
import sys

import pytest
import yaml
from checkout import REPOSITORY, Checkout

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# One program under all of Slurm's names. A job is a file named by its number that holds its state.
STAND_IN = """\
#!{python}
import itertools, json, pathlib, subprocess, sys

program, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
jobs = pathlib.Path("{jobs}")
if program == "sbatch" and (jobs.parent / "refused").exists():
    sys.exit("allocation failure: not today")
elif program == "sbatch":
    for number in map(str, itertools.count(1)):  # jobs may be submitted at the same time
        try:
            (jobs / number).open("x").close()
            break
        except FileExistsError:
            pass
    (command,) = [argument.removeprefix("--wrap=") for argument in arguments if argument.startswith("--wrap=")]
    log = pathlib.Path(arguments[arguments.index("--output") + 1].replace("%j", number))
    with open("{calls}", "a") as calls, open(log, "w") as output:
        calls.write(json.dumps(arguments) + "\\n")
        calls.flush()
        status = subprocess.run(command, shell=True, stdout=output, stderr=subprocess.STDOUT).returncode
    (jobs / number).write_text("FAILED" if status else "COMPLETED")
    print(number)
elif program == "srun":
    command = next(place for place, argument in enumerate(arguments) if not argument.startswith("-"))
    sys.exit(subprocess.run(arguments[command:]).returncode)
elif program in ("sacct", "squeue"):
    for job in jobs.iterdir():
        print(f"{{job.name}}|{{job.read_text()}}")
elif program == "sacctmgr":
    print("physics")
elif program == "scontrol":
    print("MinJobAge = 300 sec\\nMaxArraySize = 1001")
"""


@pytest.fixture
def cluster(fresh: Checkout, tmp_path, monkeypatch) -> Checkout:
    programs = tmp_path / "programs"
    for folder in (programs, tmp_path / "jobs"):
        folder.mkdir()
    text = STAND_IN.format(python=sys.executable, jobs=tmp_path / "jobs", calls=tmp_path / "calls")
    for name in ("sbatch", "srun", "sacct", "squeue", "scontrol", "sinfo", "sacctmgr", "scancel"):
        (programs / name).write_text(text)
        (programs / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{programs}:{sys.exec_prefix}/bin:/usr/bin:/bin")
    profile = fresh.root / "profiles/slurm/config.yaml"
    profile.write_text(profile.read_text().replace("my_account", "physics"))
    return fresh


QUICK = ("--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5")
# As docs/cluster.md has it.
TOGETHER = ("--groups", "run=runs", "--group-components", "runs=6", "--resources", "gpu=1", "mem_mb=65536", "nodes=1")
TOGETHER += ("--set-resource-scopes", "gpu=local", "mem_mb=local", "nodes=local")


def test_each_run_is_a_job_with_its_gpus_and_the_profile_s_settings(cluster, tmp_path):
    """Only runs are jobs; graphs, figures and claims are made where Snakemake was started."""
    one = "results/demo/runs/demo-nyc/bellman_ford.naive.json"
    # Snakemake hands wildcards to a job between commas, so a run's name has none.
    two = "results/demo/runs/katz-64/blocked_all_pairs.several_devices.devices=2+page_side=16.json"
    cluster.edit("small.yaml", "rows: [nyc]\ncolumns: [naive]\n")
    cluster.snakemake(one, two, "figures/demo/figure5.png", "results/demo/claims.csv", *QUICK, profile="slurm")

    assert json.loads((cluster.root / one).read_text())["outcome"]["kind"] == "timed"
    assert json.loads((cluster.root / two).read_text())["parameters"]["devices"] == 2
    given = submitted(tmp_path)
    assert len(given) == 2
    for options in given:
        for option in ("-p gpu", "-A physics", "-t 11", "--mem 4097", "--nodes=1", "--cpus-per-task=4"):
            assert f" {option} " in options
    assert {re.search(r" --gpus=(\d+) ", options)[1] for options in given} == {"1", "2"}


def submitted(tmp_path) -> list[str]:
    """What sbatch was given for each job."""
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    return [f" {shlex.join(part for part in call if not part.startswith('--wrap'))} " for call in calls]


def test_a_second_job_asks_for_more_and_the_other_runs_go_on(cluster, tmp_path):
    cluster.edit("src/warpath_study/published/bodra/bellman_ford/naive.cu", "this does not compile\n")
    records = [f"results/demo/runs/demo-nyc/bellman_ford.{variant}.json" for variant in ("naive", "cpu")]
    output = cluster.snakemake(*records, *QUICK, profile="slurm", status=1)
    given = submitted(tmp_path)
    assert sorted(" -t 11 " in options for options in given) == [False, True, True]
    assert sorted(" -t 22 " in options for options in given) == [False, False, True]
    assert sorted(" --mem 8194 " in options for options in given) == [False, False, True]
    assert output.count("FAILED: run bellman_ford.naive") == 2 and "naive.cu:" in output
    assert [(cluster.root / record).exists() for record in records] == [False, True], output


def test_several_runs_in_one_job_by_options_of_snakemake(cluster, tmp_path):
    """Each takes a GPU; the job asks for one, and the lock of the machine makes them take turns."""
    runs = ("cpu", "naive")
    records = [f"results/demo/runs/demo-nyc/bellman_ford.{variant}.json" for variant in runs]
    cluster.snakemake(*records, *QUICK, *TOGETHER, profile="slurm")
    assert all((cluster.root / record).exists() for record in records)
    (options,) = submitted(tmp_path)
    assert " --gpus=1 " in options


def test_what_slurm_says_of_a_job_that_it_refuses_is_told(cluster, tmp_path):
    (tmp_path / "refused").touch()
    record = "results/demo/runs/demo-nyc/bellman_ford.naive.json"
    # The machine that submits needs no GPU.
    output = cluster.snakemake(record, *QUICK, "--retries", "0", "--config", "device=cuda", profile="slurm", status=1)
    assert "FAILED: run bellman_ford.naive on demo-nyc" in output
    assert "allocation failure: not today" in output


def measuring_rules() -> set[str]:
    """The names of all rules that ask for a GPU."""
    names = set()
    for file in (REPOSITORY / "workflow/rules").glob("*.smk"):
        code = re.sub(r"^ *#.*", "", file.read_text(), flags=re.MULTILINE)
        _, *rules = re.split(r"^ *(?:rule|checkpoint)\b", code, flags=re.MULTILINE)
        names |= {rule.partition(":")[0].strip() for rule in rules if re.search(r"\bgpu\b", rule)}
    return names


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_a_profile_sets_the_cores_of_every_rule_that_measures(profile):
    settings = yaml.safe_load((REPOSITORY / "profiles" / profile / "config.yaml").read_text())
    assert "run" in measuring_rules()
    assert set(settings["set-threads"]) == measuring_rules()
