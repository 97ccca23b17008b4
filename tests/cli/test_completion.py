"""The Tab key completes commands, options and names of files."""

import shutil
import subprocess

import pytest

from warpath.__main__ import main

# What bash does when somebody types the words and presses Tab.
PRESS_TAB = """
source ./script
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p warpath | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" warpath "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("completion")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        (["sol"], ["solve"]),
        (["rec"], ["record-parts", "records"]),
        (["solve", "--fo"], ["--format"]),
        (["solve", "--format", "sna"], ["snap"]),
        (["solve", "roa"], ["roads.gr.gz"]),
        (["solve", "roads.gr.gz", "--output", "roa"], ["roads.gr.gz"]),
        (["completion", "z"], ["zsh"]),
        (["solve", "--nothing"], []),
    ],
)
def test_bash(typed, completed, folder, capsys):
    (folder / "roads.gr.gz").touch()
    if not (folder / "script").exists():
        assert main(["completion", "bash"]) == 0
        (folder / "script").write_text(capsys.readouterr().out)
    command = ["bash", "-c", PRESS_TAB, "bash", "warpath", *typed]
    pressed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert sorted(pressed.stdout.split()) == completed, pressed.stderr


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh_reads_its_script(folder, capsys):
    assert main(["completion", "zsh"]) == 0
    (folder / "_warpath").write_text(capsys.readouterr().out)
    subprocess.run(["zsh", "-f", "-n", folder / "_warpath"], check=True)
