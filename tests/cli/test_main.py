"""The command line's roof: quick help, one sentence for every error, the right exit status."""

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

import warpath
from warpath import cli
from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.system import driver
from warpath_study import cli as study_cli
from warpath_study.provenance.environment import software_and_machine

COMMANDS = [*cli.COMMANDS, *study_cli.COMMANDS]


def module_of(command):
    package = cli if command in cli.COMMANDS else study_cli
    return import_module(f"{package.__name__}.{command.replace('-', '_')}")


def run(*arguments, **options):
    command = [sys.executable, "-m", "warpath", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


FAULT = ", which is a fault in warpath; run again with --debug and report what it prints\n"


def failing_with(error):
    def dispatch(_arguments):
        raise error

    return dispatch


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (FormatError("x.gr, line 3: no"), 1, "warpath: error: x.gr, line 3: no\n"),
        (UsageError("unknown"), 2, "warpath: error: unknown\n"),
        (MemoryError(), 1, "warpath: error: the problem does not fit into this machine's memory (no detail given)\n"),
        (MemoryError("8 GiB"), 1, "warpath: error: the problem does not fit into this machine's memory (8 GiB)\n"),
        (
            RecursionError("deep"),
            1,
            "warpath: error: the input is nested too deeply; run again with --debug to see where\n",
        ),
        (OSError(28, "No space left on device", "x.pdf"), 1, "warpath: error: x.pdf: No space left on device\n"),
        (OSError(18, "Invalid link", "a", None, "b"), 1, "warpath: error: a and b: Invalid link\n"),
        (OSError(28, "No space left"), 1, "warpath: error: No space left; run again with --debug to see where\n"),
        (ZeroDivisionError(), 1, f"warpath: error: ZeroDivisionError{FAULT}"),
        (KeyError("a\nb"), 1, f"warpath: error: KeyError ('a\\nb'){FAULT}"),
        (ValueError("two\nlines"), 1, f"warpath: error: ValueError (two lines){FAULT}"),
        (ValueError("x" * 5000), 1, f"warpath: error: ValueError ({'x' * 197}...){FAULT}"),
        (KeyboardInterrupt(), 130, "warpath: interrupted\n"),
    ],
)
def test_an_error_is_a_sentence_and_a_status(monkeypatch, capsys, error, status, message):
    monkeypatch.setattr("warpath.__main__.dispatch", failing_with(error))
    assert main([]) == status
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("error", [ZeroDivisionError(), FormatError("x.gr, line 3: no"), OSError(5, "bad", "disk")])
@pytest.mark.parametrize("arguments", [["--debug", "datasets"], ["datasets", "--debug"], None])
def test_debug_before_or_after_the_command_shows_the_traceback(monkeypatch, capsys, error, arguments):
    monkeypatch.setattr("warpath_study.cli.datasets.main", failing_with(error))
    if arguments is None:
        monkeypatch.setenv("WARPATH_DEBUG", "1")
    assert main(arguments or ["datasets"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Traceback (most recent call last):\n") and type(error).__name__ in said
    assert said.splitlines()[-1].startswith("warpath: error: ")
    monkeypatch.setenv("WARPATH_DEBUG", "0")
    assert main(["datasets"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["x" * 70_000, "\n" * 1500])
def test_of_a_message_that_repeats_a_long_name_beginning_and_end_are_shown(name):
    error = UsageError(f"unknown name {name}; there are a, b")
    assert str(error).startswith("unknown name ") and str(error).endswith("; there are a, b")
    assert len(str(error)) == 2000
    assert name in error.args[0]


def test_a_message_that_repeats_a_line_feed_is_one_line():
    assert str(FormatError("the key 'a\nb\u2028\x1b[31m' é")) == "the key 'a\\nb\\u2028\\x1b[31m' é"


def test_what_follows_two_dashes_is_no_option(monkeypatch):
    called = []
    monkeypatch.setattr("warpath.__main__.dispatch", called.append)
    assert main(["solve", "--debug", "--", "--debug"]) == 0
    assert called == [["solve", "--", "--debug"]]


@pytest.mark.parametrize(
    "call",
    [
        "import warpath",
        "from warpath.cli import dispatch; dispatch(['list', 'variants'])",
        "from warpath.cli import dispatch; dispatch(['solve', '{file}', '--device', 'simulated'])",
    ],
)
def test_what_a_user_waits_for_imports_neither_numba_nor_scipy_nor_cupy(tmp_path, call):
    file = tmp_path / "small.gr"
    file.write_text("p sp 40 39\n" + "".join(f"a {tail} {tail + 1} 5\n" for tail in range(1, 40)))
    slow = "{'numba', 'scipy', 'cupy'}" if "solve" in call else "{'numpy', 'numba', 'scipy', 'cupy'}"
    program = f"import sys; {call.format(file=file)}\nprint(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n"), done.stderr


@pytest.mark.parametrize(
    ("options", "index"),
    [
        ([], 0),
        (["--device", "auto"], 0),
        (["--device", "simulated", "--device=cuda:3"], 3),
        (["--device", "simulated"], None),
        (["--device=simulated"], None),
        (["--device", "cuda:x"], None),
        (["--device"], None),
    ],
)
def test_the_driver_starts_for_the_gpu_that_a_command_names(monkeypatch, options, index):
    started = []
    monkeypatch.setattr(
        driver.threading, "Thread", lambda target, args: SimpleNamespace(start=lambda: started.extend(args))
    )
    driver.start_driver(["solve", "graph.gr", *options])
    assert started == ([] if index is None else [index])


def test_help_lists_every_command_and_imports_nothing_heavy():
    program = (
        "import sys; from warpath.cli import dispatch\n"
        "try: dispatch(['--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'numba', 'yaml', 'requests', 'cupy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    for command, summary in {**cli.COMMANDS, **study_cli.COMMANDS}.items():
        assert f"    {command}" in done.stdout
        assert summary.split()[0] in done.stdout
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: warpath {command}")
    assert f"  warpath {command}" in text.partition("\nexamples:\n")[2]


def test_every_command_is_a_module_and_every_module_a_command():
    for package in (cli, study_cli):
        modules = {path.stem for path in Path(package.__file__).parent.glob("*.py") if not path.stem.startswith("_")}
        assert modules == {name.replace("-", "_") for name in package.COMMANDS}


def examples(command):
    """The command lines of the examples in a command's help, without what is said beside them."""
    text = module_of(command).HELP.partition("\nexamples:\n")[2].partition("\n\n")[0]
    lines = [re.split(r"   +", line.strip())[0] for line in text.splitlines()]
    return [line[line.index("warpath ") :].split()[1:] for line in lines]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_every_command_parse(command, monkeypatch):
    called = []
    monkeypatch.setattr(module_of(command), "main", called.append)
    lines = [arguments for arguments in examples(command) if arguments[0] == command]
    for arguments in lines:
        assert main(arguments) == 0, arguments
    assert len(called) == len(lines) > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "the following arguments are required: COMMAND; see 'warpath --help'"),
        (["quux"], "unknown command 'quux'; there are solve, "),
        (["recrods"], "unknown command 'recrods'; did you mean records?"),
        (["--verbose"], "the following arguments are required: COMMAND"),
        (["convert"], "convert: "),
        (["convert", "x", "--from", "y"], "convert: "),
        (["fetch"], "fetch: the following arguments are required: NAME; see 'warpath fetch --help'"),
        (["fetch", "nyc", "bay"], "fetch: unexpected argument 'bay'; see 'warpath fetch --help'"),
        (["run", "g.npz"], "run: the following arguments are required: RUN"),
        (["run", "g.npz", "x.y", "--sorce", "3"], "run: unknown option --sorce; did you mean --source?"),
        (["run", "g.npz", "x.y", "--budget-s", "long"], "run: argument --budget-s: invalid float value: 'long'"),
        (["solve"], "solve: the following arguments are required: GRAPH"),
        (["report"], "report: the following arguments are required: WORK"),
        (["records", "--format", "sumary"], "records: unknown format 'sumary'; did you mean summary?"),
        (["compare", "\0", "runs"], "the argument '\\x00' contains a NUL character"),
        (["list", "--all"], "list: unknown option --all; there are none"),
    ],
)
def test_arguments_that_do_not_parse_are_one_sentence(arguments, says, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert said.err.startswith(f"warpath: error: {says}")


def test_a_source_tree_that_was_never_installed_has_a_version(tmp_path):
    """-S leaves out the installed packages; beside a link to the sources lies nothing that an installation has left."""
    (tmp_path / "warpath").symlink_to(Path(warpath.__file__).parent)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from warpath.__main__ import main; main()"
    command = [sys.executable, "-S", "-c", program, tmp_path, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == (f"{warpath.__version__}\n", "")


def test_a_record_of_a_source_tree_that_was_never_installed_has_its_version(monkeypatch):
    def find_nothing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", find_nothing)
    assert software_and_machine()["warpath"] == warpath.__version__


def test_version(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out.count(".") == 2


def test_a_name_that_the_terminal_cannot_show_is_shown_by_its_number(tmp_path):
    (tmp_path / "towns.csv").write_text("source,target,weight\nÅrhus,Łódź,3\n", encoding="utf-8")
    done = run("solve", str(tmp_path / "towns.csv"), "--device", "cpu", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xc5rhus" in done.stdout


def test_a_reader_who_leaves_is_no_error():
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "warpath", "datasets"]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_unknown_dataset_through_the_program():
    done = run("fetch", "newyork")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("warpath: error: unknown dataset 'newyork'")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "g.npz", "bellman_ford.strid"], "bellman_ford has no variant 'strid'; did you mean stride?"),
        (
            ["run", "g.npz", "bellman_ford.fast"],
            "no variant 'fast'; there are cpu, ell, naive, queue, stride, stride_flag",
        ),
        (["run", "g.npz", "floyd.tiled"], "unknown algorithm 'floyd'; did you mean floyd_warshall?"),
        (["doctor", "--device", "gpu"], "unknown device 'gpu'; there are auto, cuda, cuda:INDEX, cpu, simulated"),
        (["fetch", "nyk"], "unknown dataset 'nyk'; did you mean nyc"),
        (["claims", "bodar"], "work: unknown name 'bodar'; did you mean bodra?"),
        (["report", "katz_kieder"], "work: unknown name 'katz_kieder'; did you mean katz_kider?"),
        (["report", "katz_kider", "figure9"], "katz_kider: target: unknown name 'figure9'; did you mean figure8?"),
        (["list", "target"], "list: unknown name 'target'; did you mean targets?"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_those_there_are(arguments, says, monkeypatch, capsys):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
