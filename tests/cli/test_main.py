"""The command line's roof: quick help, one sentence for every error, the right exit status."""

import io
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiny_graphs import named

import warpath
from warpath import cli
from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.system import driver
from warpath_study import cli as study_cli

COMMANDS = [*cli.COMMANDS, *study_cli.COMMANDS]


def module_of(command):
    package = cli if command in cli.COMMANDS else study_cli
    return import_module(f"{package.__name__}.{command.replace('-', '_')}")


def failing_with(error):
    def dispatch(_arguments):
        raise error

    return dispatch


def test_an_error_is_a_sentence_and_a_status(monkeypatch, capsys):
    for error, status, says in (
        (FormatError("x.gr, line 3: no"), 1, "x.gr, line 3: no"),
        (UsageError("unknown"), 2, "unknown"),
        (MemoryError("8 GiB"), 1, "8 GiB"),
        (RecursionError("deep"), 1, "--debug"),
        (OSError(28, "No space left on device", "x.pdf"), 1, "x.pdf: No space left on device"),
        (OSError(18, "Invalid link", "a", None, "b"), 1, "a and b: Invalid link"),
        (ZeroDivisionError(), 1, "ZeroDivisionError"),
        (ValueError("two\nlines"), 1, "ValueError (two lines)"),
        (ValueError("x" * 5000), 1, f"ValueError ({'x' * 197}...)"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ):
        with named(repr(error)[:60]):
            monkeypatch.setattr("warpath.__main__.dispatch", failing_with(error))
            assert main([]) == status
            said = capsys.readouterr().err
            assert said.startswith("warpath: ") and said.count("\n") == 1 and says in said


@pytest.mark.parametrize("arguments", [["--debug", "datasets"], ["datasets", "--debug"], None])
def test_debug_before_or_after_the_command_shows_the_traceback(monkeypatch, capsys, arguments):
    for error in (ZeroDivisionError(), FormatError("x.gr, line 3: no"), OSError(5, "bad", "disk")):
        monkeypatch.setattr("warpath_study.cli.datasets.main", failing_with(error))
        monkeypatch.setenv("WARPATH_DEBUG", "1" if arguments is None else "0")
        assert main(arguments or ["datasets"]) == 1
        said = capsys.readouterr().err
        assert said.startswith("Traceback (most recent call last):\n") and type(error).__name__ in said
        assert said.splitlines()[-1].startswith("warpath: error: ")
        monkeypatch.setenv("WARPATH_DEBUG", "0")
        assert main(["datasets"]) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_a_message_is_one_line_and_no_longer_than_somebody_reads():
    for name in ("x" * 70_000, "\n" * 1500):
        error = UsageError(f"unknown name {name}; there are a, b")
        assert str(error).startswith("unknown name ") and str(error).endswith("; there are a, b")
        assert len(str(error)) == 2000
        assert name in error.args[0]
    assert str(FormatError("the key 'a\nb\u2028\x1b[31m' é")) == "the key 'a\\nb\\u2028\\x1b[31m' é"


def test_what_follows_two_dashes_is_no_option(monkeypatch):
    called = []
    monkeypatch.setattr("warpath.__main__.dispatch", called.append)
    assert main(["solve", "--debug", "--", "--debug"]) == 0
    assert called == [["solve", "--", "--debug"]]


def test_what_a_user_waits_for_imports_neither_numba_nor_scipy_nor_cupy(tmp_path):
    file = tmp_path / "small.gr"
    leaves = range(2, 2001)  # so many that the graph is not solved on the CPU
    file.write_text("p sp 2000 1999\n" + "".join(f"a 1 {leaf} 5\n" for leaf in leaves))
    program = f"""
import sys
import warpath
from warpath.cli import dispatch
try:
    dispatch(['--help'])
except SystemExit:
    print(sorted({{'numpy', 'yaml', 'requests'}} & set(sys.modules)))
dispatch(['list', 'variants'])
print(sorted({{'numpy', 'numba', 'scipy', 'cupy'}} & set(sys.modules)))
dispatch(['solve', {str(file)!r}, '--device', 'simulated'])
for weight in 1, 0.5:
    tiny = warpath.from_arcs(9, range(8), range(1, 9), [weight] * 8)
    for device in 'cpu', 'simulated':
        warpath.sssp(tiny, 0, device=device)
        warpath.sssp(tiny, 0, device=device, predecessors=False)
    warpath.apsp(tiny, device='cpu')
print('')
print(sorted({{'numba', 'scipy', 'cupy'}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n") and done.stdout.count("\n[]\n") == 3, done.stderr
    for command, summary in {**cli.COMMANDS, **study_cli.COMMANDS}.items():
        assert f"  {command}" in done.stdout and summary.split()[0] in done.stdout


def test_the_driver_starts_for_the_gpu_that_a_command_names(monkeypatch):
    started = []
    monkeypatch.setattr(
        driver.threading, "Thread", lambda target, args: SimpleNamespace(start=lambda: started.extend(args))
    )
    for options, index in (
        ("", 0),
        ("--device simulated --device=cuda:3", 3),
        ("--device simulated", None),
        ("--device cuda:x", None),
        ("--device", None),
    ):
        with named(options):
            started.clear()
            driver.start_driver(["solve", "graph.gr", *options.split()])
            assert started == ([] if index is None else [index])


def examples(command):
    """The command lines of the examples in a command's help, without what is said beside them."""
    text = module_of(command).HELP.partition("\nexamples:\n")[2].partition("\n\n")[0]
    lines = [re.split(r"   +", line.strip())[0] for line in text.splitlines()]
    return [line[line.index("warpath ") :].split()[1:] for line in lines]


def test_every_command_explains_itself_with_examples_that_parse(monkeypatch, capsys):
    for command in COMMANDS:
        with named(command):
            with pytest.raises(SystemExit) as left:
                main([command, "--help"])
            assert left.value.code == 0
            text = capsys.readouterr().out
            assert text.startswith(f"usage: warpath {command}")
            assert f"  warpath {command}" in text.partition("\nexamples:\n")[2]
            called = []
            monkeypatch.setattr(module_of(command), "main", called.append)
            lines = [arguments for arguments in examples(command) if arguments[0] == command]
            for arguments in lines:
                assert main(arguments) == 0, arguments
            assert len(called) == len(lines) > 0


WITHOUT_THE_STUDY_S_PACKAGES = """
import sys
class Missing:
    def find_spec(self, name, *_):
        if name in {"yaml", "requests", "urllib3", "matplotlib", "jinja2", "zarr", "snakemake"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from warpath.__main__ import main
for arguments in sys.argv[1:]:
    try:
        print("status", main(arguments.split()))
    except SystemExit as left:
        print("status", left.code)
"""


def test_the_help_of_the_study_needs_none_of_its_packages():
    asked = [f"{command} --help" for command in study_cli.COMMANDS]
    command = [sys.executable, "-c", WITHOUT_THE_STUDY_S_PACKAGES, *asked, "completion bash", "fetch nyc", "list works"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert re.findall("(?m)^status (.*)", done.stdout) == ["0"] * (len(asked) + 1) + ["2", "2"], done.stderr
    assert all(f"usage: warpath {command} " in done.stdout for command in study_cli.COMMANDS)
    assert done.stderr.count("which is not installed; in the clone, run pip install '.[study]'\n") == 2


def test_the_help_lists_the_commands_of_the_study_apart(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    ours, theirs = capsys.readouterr().out.split("\ncommands:\n")[1].split("\ncommands of the study:\n")
    assert "pip install '.[study]'" in theirs
    for part, commands in (ours, cli.COMMANDS), (theirs, study_cli.COMMANDS):
        assert re.findall(r"(?m)^  ([a-z-]+)  ", part) == list(commands)


def test_arguments_that_do_not_parse_and_unknown_names_are_one_sentence(monkeypatch, capsys):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    for arguments, says in (
        ("", "'warpath --help'"),
        ("recrods", "did you mean records?"),
        ("--verbose", "COMMAND"),
        ("fetch", "'warpath fetch --help'"),
        ("fetch nyc bay", "'bay'"),
        ("run g.npz x.y --sorce 3", "did you mean --source?"),
        ("run g.npz x.y --budget-s long", "--budget-s"),
        ("records --format sumary", "did you mean summary?"),
        ("compare \0 runs", "'\\x00'"),
        ("run g.npz bellman_ford.strid", "did you mean stride?"),
        ("run g.npz bellman_ford.fast", "stride_flag"),
        ("fetch nyk", "did you mean nyc"),
        ("claims bodar", "did you mean bodra?"),
        ("report katz_kider figure9", "did you mean figure8?"),
    ):
        with named(arguments):
            assert main(arguments.split(" ") if arguments else []) == 2
            said = capsys.readouterr()
            assert said.out == "" and said.err.count("\n") == 1
            assert said.err.startswith("warpath: error: ") and says in said.err


def test_a_source_tree_that_was_never_installed_has_a_version(tmp_path):
    """-S leaves out the installed packages; beside a link to the sources lies nothing that an installation has left."""
    (tmp_path / "warpath").symlink_to(Path(warpath.__file__).parent)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from warpath.__main__ import main; main()"
    command = [sys.executable, "-S", "-c", program, tmp_path, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == (f"{warpath.__version__}\n", "")


def test_a_name_that_the_terminal_cannot_show_is_shown_by_its_number(tmp_path, monkeypatch):
    (tmp_path / "towns.csv").write_text("source,target,weight\nÅrhus,Łódź,3\n", encoding="utf-8")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["solve", str(tmp_path / "towns.csv"), "--device", "cpu"]) == 0
    assert b"\\xc5rhus" in written.getvalue()


def test_a_reader_who_leaves_is_no_error():
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "warpath", "datasets"]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


# The Tab key.


# What bash does when somebody types the words and presses Tab.
PRESS_TAB = """
source ./script
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p warpath | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" warpath "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"
"""


def test_bash_completes(tmp_path, capsys):
    (tmp_path / "roads.gr.gz").touch()
    assert main(["completion", "bash"]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    for typed, completed in (
        ("sol", ["solve"]),
        ("rec", ["records"]),
        ("solve --fo", ["--format"]),
        ("solve --format sna", ["snap"]),
        ("solve roa", ["roads.gr.gz"]),
        ("solve roads.gr.gz --output roa", ["roads.gr.gz"]),
        ("completion z", ["zsh"]),
        ("solve --nothing", []),
    ):
        with named(typed):
            command = ["bash", "-c", PRESS_TAB, "bash", "warpath", *typed.split()]
            pressed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
            assert sorted(pressed.stdout.split()) == completed, pressed.stderr


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh_reads_its_script(tmp_path, capsys):
    assert main(["completion", "zsh"]) == 0
    (tmp_path / "_warpath").write_text(capsys.readouterr().out)
    subprocess.run(["zsh", "-f", "-n", tmp_path / "_warpath"], check=True)
