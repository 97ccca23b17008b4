"""What Snakemake prints with the profiles' logger: the lines of a toy workflow."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"

SNAKEFILE = """
from snakemake_logger_plugin_warpath import facts

rule all:
    input: "table1.csv", "table1.md", "figure1.svg"

rule run:
    output: "{variant}.json"
    log: "logs/{variant}.log"
    params:
        budget_s=config.get("budget_s", 2),
        facts=facts({"budget": config.get("budget_s"), "src/naive.cu": config.get("kernel"), "src/relax.cuh": "a"}),
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
        " exit 2 ) > {log} 2>&1"

rule killed:
    output: "killed_{signal}"
    log: "logs/killed_{signal}.log"
    shell: "( echo measuring; kill -{wildcards.signal} $$ ) > {log} 2>&1"

rule silent:
    output: "silent"
    shell: "exit 3"
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


@pytest.mark.slow
def test_a_failed_step_is_one_sentence_and_the_others_go_on(toy):
    lines = printed(toy, status=1)
    assert lines[0] == "5 steps to do: run 2, all 1, figure 1, table 1"
    assert numberless(lines[1:-1]) == {
        "[./5] run bellman_ford.naive on demo-nyc: 5.87 s, certified   [0.0 s]",
        "[./5] run bellman_ford.stride on demo-nyc: 5.87 s, certified   [0.0 s]",
        "[./5] write table1   [0.0 s]",
        "[./5] FAILED: draw figure1 (log: logs/figure1.log)   [0.0 s]",
        "        naive.json: no record",
    }
    assert [line[:6] for line in lines if line.startswith("[")] == ["[1/5] ", "[2/5] ", "[3/5] ", "[4/5] "]
    assert lines[-1] == "3 of 5 steps done, 1 failed (draw figure1); the same command goes on from here"
    for name in ("KILL", "TERM"):
        lines = printed(toy, f"killed_{name}", status=1)
        place = next(place for place, line in enumerate(lines) if "FAILED" in line)
        assert f"SIG{name}" in lines[place + 1] and ("memory" in lines[place + 1]) == (name == "KILL")
        assert lines[place + 2].strip() == "measuring" and "Command" not in "".join(lines)
    # A step without a log says how its command ended.
    assert "exit status 3" in "".join(printed(toy, "silent", status=1))


@pytest.mark.slow
def test_the_reason_names_the_facts_that_changed(toy):
    """In a dry run, and in each line of a run, where Snakemake has removed the old files."""
    runs = "naive.json", "stride.json"
    assert " (" not in "".join(printed(toy, *runs, "table1.md"))  # files that were missing need no reason
    for options, config, named in (
        (["-n"], ["kernel=other"], {"src/naive.cu"}),
        (["-n"], ["kernel=other", "budget_s=5"], {"src/naive.cu", "budget"}),
        ([], ["kernel=other"], {"src/naive.cu"}),
        ([], ["kernel=other", "budget_s=5"], {"budget"}),
    ):
        said = [line for line in printed(toy, *runs, *options, "--config", *config) if " run bell" in line]
        assert len(said) == 2
        for line in said:
            assert {name for name in ("budget", "src/naive.cu", "src/relax.cuh") if f" {name}" in line} == named


@pytest.mark.slow
def test_a_missing_input_is_named_and_nothing_is_said_to_be_done(toy):
    (toy / "published.csv").unlink()
    text = "\n".join(printed(toy, status=1))
    assert text.startswith("snakemake: error: ") and "published.csv" in text
    assert "Traceback" not in text and "nothing to do" not in text


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
