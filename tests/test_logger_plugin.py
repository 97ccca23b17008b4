"""What Snakemake prints with the profiles' logger: the lines of a toy workflow, and texts that a toy does not bring."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from snakemake_logger_plugin_warpath.failures import sentence_of_exception
from snakemake_logger_plugin_warpath.reasons import because
from snakemake_logger_plugin_warpath.steps import count, in_words

SOURCE = Path(__file__).resolve().parents[1] / "src"

SNAKEFILE = """
rule all:
    input: "table1.csv", "table1.md", "figure1.svg"

rule run:
    output: "{variant}.json"
    log: "logs/{variant}.log"
    params: budget_s=config.get("budget_s", 2), code=[f"{config.get('kernel', 'naive.cu')} 0123456789ab"]
    message: "run bellman_ford.{wildcards.variant} on demo-nyc"
    shell:
        "( echo compiling; echo 'bellman_ford.{wildcards.variant} on demo-nyc: 5.87 s, certified';"
        " echo --budget-s {params.budget_s} > {output} ) > {log} 2>&1"

rule table:
    input: "naive.json", "stride.json", "published.csv"
    output: "table1.csv", "table1.md"
    log: "logs/table1.log"
    message: "write table1"
    shell: "( touch {output}; echo table1.md ) > {log} 2>&1"

rule figure:
    input: "naive.json"
    output: "figure1.svg"
    log: "logs/figure1.log"
    message: "draw figure1"
    shell:
        "( echo 'warpath: error: an older one'; echo 'warpath: error: naive.json: no record';"
        " echo 'rule figure failed'; exit 2 ) > {log} 2>&1"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "published.csv").write_text("5.6\n")
    return tmp_path


def printed(folder: Path, *arguments: str, status: int = 0) -> list[str]:
    """Run Snakemake, one step at a time, and return its lines; every step's duration is written 0.0 s."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--logger", "warpath", "--cores", "1", "--keep-going", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert done.returncode == status, done.stdout
    return re.sub(r"\b\d+\.\d s\b", "0.0 s", done.stdout).splitlines()


def numberless(lines: list[str]) -> set[str]:
    """The lines without their counters, in any order: Snakemake chooses among the steps that it can run."""
    return {re.sub(r"^\[ ?\d+/", "[./", line) for line in lines}


def test_a_failed_step_is_one_sentence_and_the_others_go_on(toy):
    lines = printed(toy, status=1)
    assert lines[0] == "5 steps to do: 2 runs, 1 table, 1 figure and 1 other"
    assert numberless(lines[1:-1]) == {
        "[./5] run bellman_ford.naive on demo-nyc: 5.87 s, certified   [0.0 s]",
        "[./5] run bellman_ford.stride on demo-nyc: 5.87 s, certified   [0.0 s]",
        "[./5] write table1   [0.0 s]",
        "[./5] FAILED: draw figure1 (log: logs/figure1.log)   [0.0 s]",
        "        naive.json: no record",
    }
    assert [line[:6] for line in lines if line.startswith("[")] == ["[1/5] ", "[2/5] ", "[3/5] ", "[4/5] "]
    assert lines[-1] == (
        "3 of 5 steps done, 1 failed (draw figure1), 1 not run because of it; "
        "once the cause is mended, the same command goes on from here"
    )


def test_what_was_made_what_would_be_made_again_and_nothing_to_do(toy):
    assert printed(toy, "table1.md")[-2:] == ["3 steps done in 0.0 s; made:", "  table1.{csv,md}"]
    assert printed(toy, "table1.md") == ["nothing to do: everything is up to date"]

    (toy / "published.csv").write_text("5.7\n")
    assert printed(toy, "table1.md", "-n") == [
        "1 step to do: 1 table",
        "  write table1, because published.csv changed",
        "a dry run: nothing was made",
    ]
    why = "because naive.cu and stride.cu changed; parameter budget_s changed: 2 -> 5"
    assert set(printed(toy, "table1.md", "-n", "--config", "budget_s=5", "kernel=stride.cu")) == {
        "3 steps to do: 2 runs and 1 table",
        f"  run bellman_ford.naive on demo-nyc, {why}",
        f"  run bellman_ford.stride on demo-nyc, {why}",
        "  write table1, because naive.json and 1 more are made again",
        "a dry run: nothing was made",
    }


def test_a_missing_input_is_named_in_one_line(toy):
    (toy / "published.csv").unlink()
    assert printed(toy, status=1) == [
        "snakemake: error: rule table needs published.csv: it is not there, and no rule makes it (Snakefile, line 14)"
    ]


def test_exceptions_are_one_sentence_without_a_traceback():
    missing = (
        "MissingRuleException:\nNo rule to produce table9 (if you use input functions make sure that they don't …)."
    )
    assert sentence_of_exception(missing, "MissingRuleException") == "no rule makes table9"
    locked = (
        "LockException:\nError: Directory cannot be locked. Please make sure that no other Snakemake process is trying "
        "to create the same files in the following directory:\n/work\nIf you are sure that no other … --unlock."
    )
    assert sentence_of_exception(locked, "LockException") == (
        "another Snakemake is at work in /work; if none is, an interrupted one left its lock: snakemake --unlock"
    )
    place = 'ile "/x/Snakefile", line 3'
    wrong = f"NameError in f{place}:\nname 'y' is not defined\n  F{place}, in <module>"
    assert sentence_of_exception(wrong, "NameError") == "NameError: name 'y' is not defined (/x/Snakefile, line 3)"
    homeless = (
        'Traceback (most recent call last):\n\n  File "/snakemake/cli.py", line 2217, in args_to_api\n'
        "    dag_api = workflow_api.dag(\n              ^^^^^\n\n  [Previous line repeated 1 more time]\n\n"
        "FileNotFoundError: [Errno 2] No such file or directory: '/home'\n"
    )
    assert sentence_of_exception(homeless, "FileNotFoundError") == (
        "FileNotFoundError: [Errno 2] No such file or directory: '/home' (--verbose shows all of it)"
    )


def test_a_reason_is_two_causes_at_most():
    files = ", ".join(f"src/{number}.cu" for number in range(10, 70))
    reason = f"Updated input files: {files}; Code has changed since last execution; Set of input files has changed …"
    assert because(reason, None) == (
        "because src/10.cu, src/11.cu and 58 more changed; the command of its rule changed; and 1 more"
    )
    assert because(f"Missing output files: table1.csv; {reason}", None) == ""
    options = "Params have changed since last execution: … before: ['--source', 3] now: ['--source', 5] "
    assert because(options, None) == "because parameter source changed: 3 -> 5"


def test_a_read_only_folder_is_named_with_what_to_do():
    text = """Traceback (most recent call last):

  File "/site-packages/snakemake/io/__init__.py", line 1273, in remove
    os.remove(file)

OSError: [Errno 30] Read-only file system: 'data/graphs/demo-nyc.npz'
"""
    sentence = sentence_of_exception(text, "OSError")
    assert "data/graphs/demo-nyc.npz" in sentence and "writable" in sentence
    assert "Errno" not in sentence and "\n" not in sentence


def test_counts_and_durations_in_words():
    assert count({"run": 44, "convert": 8, "generate": 1, "all": 1}) == "54 steps: 44 runs, 9 graphs and 1 other"
    assert count({"all": 1}) == "1 step"
    assert [in_words(seconds) for seconds in (1.23, 133.0, 11_100.0)] == ["1.2 s", "2 min 13 s", "3 h 5 min"]


def test_the_library_knows_nothing_of_snakemake_and_the_plugin_nothing_of_the_library():
    assert not {"snakemake", "snakemake_logger_plugin_warpath"} & imported(SOURCE / "warpath")
    assert "warpath" not in imported(SOURCE / "snakemake_logger_plugin_warpath")


def imported(package: Path) -> set[str]:
    """The top-level packages that the modules of ``package`` import by name."""
    names = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module)
    return {name.split(".")[0] for name in names}
