"""What a cluster does to folders, users and networks, made on one machine with namespaces and users of their own."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from checkout import REPOSITORY

import warpath
from warpath.device.host_compile import find_compiler
from warpath.graphs.generate.random_digraph import random_digraph

SOURCE = Path(warpath.__file__).parents[1]
TEXT = 'extern "C" __attribute__((visibility("default"))) int value() { return 7; }\n'
LOAD = """
import sys
from warpath.device.host_compile import load
print(load(sys.argv[1], "the text").value())
"""


@cache
def why_no_namespace(*options: str) -> str | None:
    try:
        done = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True, timeout=20)
    except OSError as error:
        return f"unshare: {error.strerror}"
    return done.stderr.strip() if done.returncode else None


def in_a_namespace(kind: str, script: str, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """Start a shell script as root in a namespace of its own: ``kind`` is --mount or --net. "$@" are ``arguments``."""
    options = ("--map-root-user", kind)
    reason = why_no_namespace(*options)
    if reason is not None:
        pytest.skip(f"a namespace of its own cannot be made here: {reason}")
    return subprocess.Popen(
        ["unshare", *options, "bash", "-euc", script, "bash", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
    )


def finished(process: subprocess.Popen[str], status: int = 0) -> tuple[str, str]:
    """What it prints on both channels."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == status, errors
    return output, errors


# The measuring lock.

HOLDER = """
import sys
from pathlib import Path
from warpath.measure import lock
lock.KERNEL_FILE = Path(sys.argv[1])
with lock.machine_held("nyc"):
    print("held", flush=True)
    sys.stdin.readline()
"""
# No test may wait for a measurement of this machine, so this is not the file that measurements lock.
KERNEL_FILE = "/sys/devices/system/cpu/possible"


def test_jobs_that_have_a_tmp_of_their_own_measure_one_after_the_other():
    own_tmp = 'mount -t tmpfs none /tmp; exec "$@"'
    first = in_a_namespace("--mount", own_tmp, sys.executable, "-c", HOLDER, KERNEL_FILE)
    assert first.stdout.readline() == "held\n"
    second = in_a_namespace("--mount", own_tmp, sys.executable, "-c", HOLDER, KERNEL_FILE)
    assert second.stderr.readline() == (
        "waiting to measure alone on this machine: a job with a /tmp of its own is at it\n"
    )
    first.communicate("\n", timeout=20)
    assert second.stdout.readline() == "held\n"
    second.communicate("\n", timeout=20)


# Caches and temporary files.


def loading(script: str, *folders: Path, **environment: str) -> tuple[str, str]:
    """A compiled text is loaded after ``script``, whose "$1", "$2" are ``folders``; what it prints."""
    program = [sys.executable, "-c", LOAD, TEXT]
    shifted = f'{script}; shift {len(folders)}; exec "$@"'
    return finished(in_a_namespace("--mount", shifted, *folders, *program, **environment))


@pytest.fixture
def folders(tmp_path) -> tuple[Path, Path]:
    """A cache and a folder of temporary files."""
    made = tmp_path / "cache", tmp_path / "temporary"
    for folder in made:
        folder.mkdir(mode=0o700)
    return made


def places(cache: Path, temporary: Path) -> dict[str, str]:
    return {"WARPATH_CACHE": str(cache), "TMPDIR": str(temporary)}


def test_a_cache_that_forbids_execution_is_named_and_not_needed(folders):
    found, said = loading('mount -t tmpfs -o noexec,mode=700 none "$1"', *folders, **places(*folders))
    assert found == "7\n"
    assert said.count("\n") == 1 and f"{folders[0]} cannot be used" in said and "WARPATH_CACHE names another" in said


def test_temporary_files_that_forbid_execution_do_not_matter_where_there_is_a_cache(folders):
    assert loading('mount -t tmpfs -o noexec none "$2"', *folders, **places(*folders)) == ("7\n", "")
    assert [file.suffix for file in folders[0].iterdir()] == [".so"]


def test_where_nothing_may_be_executed_one_sentence_says_what_to_set(folders):
    script = 'mount -t tmpfs -o noexec,mode=700 none "$1"; mount -t tmpfs -o noexec none "$2"; shift 2; exec "$@"'
    program = [sys.executable, "-m", "warpath", "doctor", "--device", "host"]
    process = in_a_namespace("--mount", script, *folders, *program, **places(*folders))
    output, _ = finished(process, status=1)
    assert "set WARPATH_CACHE or TMPDIR to a folder where they may" in output


def test_a_read_only_cache_is_named_and_not_needed(folders):
    found, said = loading('mount -t tmpfs -o ro,mode=700 none "$1"', *folders, **places(*folders))
    assert found == "7\n"
    assert said.count("\n") == 1 and "Read-only file system" in said


def test_a_full_cache_is_named_and_not_needed(folders):
    full = 'mount -t tmpfs -o size=4k,mode=700 none "$1"; cat /dev/zero > "$1/full" 2> "$2/said" || true'
    found, said = loading(full, *folders, **places(*folders))
    assert found == "7\n"
    assert said.count("\n") == 1 and "No space left" in said


def test_a_temporary_folder_that_is_full_is_passed_over_by_the_compiler_too(folders):
    """Python takes the next folder that can be written; a compiler that is not told takes the full one."""
    full = 'mount -t tmpfs -o size=4k none "$2"; cat /dev/zero > "$2/full" 2> "$1/said" || true; rm "$1/said"'
    assert loading(full, *folders, **places(*folders)) == ("7\n", "")


def test_a_temporary_folder_that_fills_up_is_one_sentence(folders):
    script = 'mount -t tmpfs -o size=8k,nr_inodes=100 none "$2"; shift 2; exec "$@"'
    program = [sys.executable, "-m", "warpath", "doctor", "--device", "host"]
    output, _ = finished(in_a_namespace("--mount", script, *folders, *program, **places(*folders)), status=1)
    assert f"cannot be compiled in {folders[1]}: No space left on device; free some space, or set TMPDIR" in output


def test_a_missing_temporary_folder_is_passed_over(folders, tmp_path):
    assert loading("true", *folders, **places(folders[0], tmp_path / "missing")) == ("7\n", "")


# Nodes that share a cache.


def test_a_node_with_another_processor_compiles_for_itself(folders, tmp_path):
    """Code for one processor (-march=native) ends another with an illegal instruction."""
    other = tmp_path / "cpuinfo"
    other.write_text("processor : 0\nvendor_id : GenuineIntel\nmodel name : Old\nflags : fpu sse sse2\n\nprocessor : 1\n")
    here, there = "true", f'mount --bind "{other}" /proc/cpuinfo'
    for script, objects in ((here, 1), (there, 2), (here, 2), (there, 2)):
        assert loading(script, *folders, **places(*folders)) == ("7\n", "")
        assert len(list(folders[0].iterdir())) == objects


def test_two_nodes_with_compilers_of_one_name_compile_for_themselves(folders, tmp_path):
    """Each node has its own compiler at the same path."""
    for node in ("one", "two"):
        compiler = tmp_path / node
        compiler.write_text(f'#!/bin/sh\n# {node} of two nodes\nexec {find_compiler()[0]} "$@"\n')
        compiler.chmod(0o755)
    (tmp_path / "compiler").touch(mode=0o755)
    for node, objects in (("one", 1), ("two", 2), ("one", 2)):
        script = f'mount --bind "{tmp_path}/{node}" "{tmp_path}/compiler"'
        given = {**places(*folders), "CXX": str(tmp_path / "compiler")}
        assert loading(script, *folders, **given) == ("7\n", "")
        assert len(list(folders[0].iterdir())) == objects


# Homes, users and networks.


def test_a_user_without_a_home_and_without_a_name_has_a_doctor_too(tmp_path):
    """A number that the node's user database does not know: Python then finds no home."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "WARPATH_CACHE")}
    program = "import os, sys; os.path.expanduser = lambda path: path; from warpath.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "doctor", "--device", "host"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "warpath-" in done.stdout and list(tmp_path.iterdir()) == []


def test_a_run_needs_no_network(tmp_path):
    warpath.write(random_digraph(30, 90, seed=1), tmp_path / "graph.npz")
    program = [sys.executable, "-m", "warpath", "run", str(tmp_path / "graph.npz"), "bellman_ford.naive"]
    program += ["--device", "host", "--budget-s", "0.1", "--output", str(tmp_path / "run.json")]
    finished(in_a_namespace("--net", '[[ -z $(ip -o link show up 2> /dev/null) ]]; exec "$@"', *program))
    assert (tmp_path / "run.json").is_file()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become two users")
def test_two_users_of_a_node_take_turns(tmp_path):
    """The second user's umask is strict, the first one's open."""
    pytest.skip(f"to be written {REPOSITORY}")
