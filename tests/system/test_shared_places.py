"""What a cluster does to folders, users and networks, made on one machine with namespaces and users of their own."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

import pytest
from checkout import REPOSITORY
from full_disk import with_little_room

import warpath
from warpath.certificates.compiled import certify_row
from warpath.device.simulated.compile import find_compiler
from warpath.errors import WarpathError
from warpath.system import numba_cache
from warpath_study.datasets.generate import random_digraph
from warpath_study.measure import lock
from warpath_study.measure.lock import machine_held

SOURCE = Path(warpath.__file__).parents[1]
TEXT = 'extern "C" __attribute__((visibility("default"))) int value() { return 7; }\n'
LOAD = """
import sys
from warpath.device.simulated.compile import load
print(load(sys.argv[1], "the text").value())
"""


@cache
def why_no_namespace(*options: str) -> str | None:
    try:
        done = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True, timeout=20)
    except OSError as error:
        return f"unshare: {error.strerror}"
    return done.stderr.strip() if done.returncode else None


def started(command: list, environment: dict[str, str], errors: int = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        cwd="/",
    )


def in_a_namespace(kind: str, script: str, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """Start a shell script as root in a namespace of its own: ``kind`` is --mount or --net. "$@" are ``arguments``."""
    options = ("--map-root-user", kind)
    reason = why_no_namespace(*options)
    if reason is not None:
        pytest.skip(f"a namespace of its own cannot be made here: {reason}")
    return started(["unshare", *options, "bash", "-euc", script, "bash", *map(str, arguments)], environment)


def finished(process: subprocess.Popen[str], status: int = 0) -> tuple[str, str]:
    """What it prints on both channels."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == status, errors
    return output, errors


# The measuring lock.

HOLDER = """
import sys
from pathlib import Path
from warpath_study.measure import lock
lock.KERNEL_FILE = Path(sys.argv[1])
with lock.machine_held():
    print("held", flush=True)
    sys.stdin.readline()
"""
# No test may wait for a measurement of this machine, so this is not the file that measurements lock.
KERNEL_FILE = "/sys/devices/system/cpu/possible"


def test_jobs_that_have_a_tmp_of_their_own_measure_one_after_the_other():
    # The code and its environment stay where they are, though that may be in /tmp.
    back = 'mkdir -p "$1"; mount -c --bind /proc/self/fd/9 "$1"'
    own_tmp = f'exec 9<"$1"; mount -t tmpfs none /tmp; {back}; shift; exec "$@" 2>&1'
    command = (REPOSITORY, sys.executable, "-c", HOLDER, KERNEL_FILE)
    first, second = (in_a_namespace("--mount", own_tmp, *command) for _ in range(2))
    said = {job: job.stdout.readline() for job in (first, second)}
    assert sorted(text.split()[0] for text in said.values()) == ["held", "waiting"]
    for job in sorted(said, key=said.get):
        job.communicate("\n", timeout=20)
        assert job.returncode == 0


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


def test_temporary_files_that_forbid_execution_do_not_matter_where_there_is_a_cache(folders):
    assert loading('mount -t tmpfs -o noexec none "$2"', *folders, **places(*folders)) == ("7\n", "")
    assert [file.suffix for file in folders[0].iterdir()] == [".so"]


@pytest.mark.slow
def test_where_nothing_can_be_compiled_one_sentence_says_what_to_set(folders):
    program = [sys.executable, "-m", "warpath", "doctor", "--device", "simulated"]
    no_execution = 'mount -t tmpfs -o noexec,mode=700 none "$1"; mount -t tmpfs -o noexec none "$2"'
    fills_up = 'mount -t tmpfs -o size=8k,nr_inodes=100 none "$2"'
    for script, says in ((no_execution, "set WARPATH_CACHE or TMPDIR"), (fills_up, f"{folders[1]}: No space left")):
        process = in_a_namespace("--mount", f'{script}; shift 2; exec "$@"', *folders, *program, **places(*folders))
        assert says in finished(process, status=1)[0]


def test_a_temporary_folder_that_is_full_or_missing_is_passed_over(folders, tmp_path):
    """Python takes the next folder that can be written; a compiler that is not told takes the full one."""
    assert loading("true", *folders, **places(folders[0], tmp_path / "missing")) == ("7\n", "")
    full = 'mount -t tmpfs -o size=4k none "$2"; cat /dev/zero > "$2/full" 2> "$1/said" || true; rm "$1/"*'
    assert loading(full, *folders, **places(*folders)) == ("7\n", "")


def test_a_job_without_any_variable_finds_the_compiler_and_its_linker(folders):
    """As with sbatch --export=NONE, and where nothing activates the environment: Python is called by its path."""
    command = [sys.executable, "-c", LOAD, TEXT]
    bare = {"PYTHONPATH": str(SOURCE), "WARPATH_CACHE": str(folders[0])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=bare)
    assert (done.stdout, done.stderr) == ("7\n", "")


# Nodes that share a cache.


def test_a_node_with_another_processor_compiles_for_itself(folders, tmp_path):
    """Code for one processor (-march=native) ends another with an illegal instruction."""
    other = tmp_path / "cpuinfo"
    other.write_text("processor : 0\nvendor_id : GenuineIntel\nflags : fpu sse sse2\n\nprocessor : 1\n")
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


def test_a_user_without_a_home_and_without_a_name_is_told_the_places_too(tmp_path):
    """A number that the node's user database does not know: Python then finds no home."""
    unset = ("HOME", "WARPATH_CACHE", "XDG_CACHE_HOME", "CUPY_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    no_home = "import os; os.path.expanduser = str; from warpath.cli.doctor import print_folders; print_folders()"
    command = [sys.executable, "-c", no_home]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"simulated kernels +{tempfile.gettempdir()}/warpath-", done.stdout)
    assert "NOT USABLE: this user has no home; set CUPY_CACHE_DIR to another folder" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_installation_that_may_only_be_read_needs_no_home(tmp_path):
    """Numba would end with an error: it has no folder for what it compiles."""
    script = 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; shift; exec "$@"'
    program = [sys.executable, "-m", "warpath", "list", "variants"]
    nowhere = {"HOME": "/proc/none", "XDG_CACHE_HOME": "", "WARPATH_CACHE": ""}
    assert "floyd_warshall" in finished(in_a_namespace("--mount", script, SOURCE, *program, **nowhere))[0]


def test_numba_s_files_are_named_by_the_processor(monkeypatch):
    function = certify_row.py_func
    names = set()
    for processor in ("one", "two"):
        monkeypatch.setattr(numba_cache, "_processor", lambda name=processor: name)
        names.add(numba_cache.CacheLocator.from_function(function, function.__code__.co_filename).get_disambiguator())
    assert len(names) == 2
    assert numba_cache.CacheLocator.from_function(shutil.which, shutil.__file__) is None


@pytest.mark.slow
def test_no_room_for_what_numba_compiles_is_one_sentence(tmp_path):
    """All places are full, and none has what was compiled before."""
    for package in ("warpath", "warpath_study"):
        shutil.copytree(SOURCE / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    graph, record = tmp_path / "graph.npz", tmp_path / "record.json"
    warpath.write(random_digraph(9, 20, seed=1), graph)
    command = ["-m", "warpath", "run", graph, "bellman_ford.cpu", "--source-index", "0", "--output", record]
    done = with_little_room(command, 1000, PYTHONPATH=str(tmp_path), **places(tmp_path, tmp_path))
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("warpath: error: ")
    assert not record.exists()


@pytest.mark.slow
def test_a_run_needs_no_network(tmp_path):
    warpath.write(random_digraph(30, 90, seed=1), tmp_path / "graph.npz")
    program = [sys.executable, "-m", "warpath", "run", str(tmp_path / "graph.npz"), "bellman_ford.naive"]
    program += ["--device", "simulated", "--budget-s", "0.1", "--output", str(tmp_path / "run.json")]
    finished(in_a_namespace("--net", '[[ -z $(ip -o link show up 2> /dev/null) ]]; exec "$@"', *program))
    assert (tmp_path / "run.json").is_file()


only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")
CLOSED = [str(folder) for folder in (SOURCE, *SOURCE.parents) if not folder.stat().st_mode & stat.S_IXOTH]
sources_open = pytest.mark.skipif(bool(CLOSED), reason=f"other users may not enter {', '.join(CLOSED)}")
ONE, TWO, GROUP = 64101, 64102, 64100
# Later imports may fail: Python may lie where another user cannot read.
BECOME = """
import os
import encodings.ascii, encodings.utf_8
os.setgroups([])
os.setgid(GROUP)
os.setuid(USER)
os.umask(UMASK)
"""


def as_user(number: int, umask: str, program: str, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """Start a Python program, which becomes a user of the group GROUP after its imports; both channels are one."""
    values = {"USER": str(number), "GROUP": str(GROUP), "UMASK": f"0o{umask}"}
    become = re.sub("|".join(values), lambda found: values[found[0]], BECOME)
    imports = re.match(r"(?:\n*(?:import|from) .*\n)+", program)[0]
    command = [sys.executable, "-c", f"{imports}{become}{program.removeprefix(imports)}", *map(str, arguments)]
    return started(command, environment, subprocess.STDOUT)


@pytest.fixture
def shared():
    """A folder below /tmp that every user may enter: those of pytest are for their owner."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@only_root
@pytest.mark.parametrize("umask", ["077", "002"])
def test_two_users_of_a_node_measure_one_after_the_other(umask):
    users = [as_user(user, umask, HOLDER, KERNEL_FILE) for user in (ONE, TWO)]
    said = {user: user.stdout.readline() for user in users}
    first, second = sorted(said, key=said.get)
    assert said[first] == "held\n"
    assert said[second].startswith("waiting")
    for user in (first, second):
        user.communicate("\n", timeout=20)
        assert user.returncode == 0


@only_root
@sources_open
def test_a_folder_behind_another_user_s_is_told(shared):
    (shared / "closed").mkdir(mode=0o700)
    program = (
        "import numba, warpath_study.measure.lock\nfrom warpath.cli.doctor import print_folders\nprint_folders()\n"
    )
    said = as_user(ONE, "022", program, WARPATH_CACHE=str(shared / "closed/cache")).communicate(timeout=60)[0]
    assert f"{shared}/closed/cache: 0 files" in said and "NOT USABLE: Permission denied" in said


@only_root
@sources_open
@pytest.mark.parametrize("umask", ["077", "002"])
def test_a_cache_is_its_user_s_own_whatever_the_umask_and_another_user_s_is_not_used(shared, umask):
    project = shared / "project"
    project.mkdir()
    os.chown(project, ONE, GROUP)
    project.chmod(0o2775)  # what a project's folder is: its group may write, and owns what is made in it
    said = {}
    for user in (ONE, TWO):
        process = as_user(user, umask, LOAD, TEXT, WARPATH_CACHE=str(project / "cache"))
        said[user] = process.communicate(timeout=60)[0]
    assert said[ONE] == "7\n"
    assert (project / "cache").stat().st_mode & 0o777 == 0o700
    assert said[TWO].endswith("\n7\n") and said[TWO].count("\n") == 2
    assert "WARPATH_CACHE" in said[TWO]


# The lock alone: exclusive across processes, gone with its holder, announced when waited for.


@pytest.fixture
def file(tmp_path):
    (tmp_path / "lock").touch()
    return tmp_path / "lock"


def start_holder(file: Path) -> subprocess.Popen:
    return started([sys.executable, "-c", HOLDER, file], {})


@pytest.fixture
def holder(file):
    process = start_holder(file)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_free_lock_is_taken_silently_and_again(file, capsys):
    for error in (KeyError, RuntimeError):  # an error inside lets go
        with pytest.raises(error), machine_held(file):
            raise error
    assert capsys.readouterr().err == ""


def test_a_killed_holder_lets_go(file, holder):
    waited = []

    def wait():
        with machine_held(file):
            waited.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.2)
    assert not waited
    os.kill(holder.pid, signal.SIGKILL)
    thread.join(timeout=10)
    assert waited


def test_the_kernel_s_file_is_locked_and_else_one_that_is_made(tmp_path, monkeypatch):
    kernel, made = tmp_path / "kernel", tmp_path / "made"
    monkeypatch.setattr(lock, "KERNEL_FILE", kernel)
    monkeypatch.setattr(lock, "FILE", made)
    for file in (made, kernel):
        with machine_held():
            second = start_holder(file)
            assert second.stderr.readline().startswith("waiting")
        assert second.stdout.readline() == "held\n"
        assert second.communicate("\n", timeout=10)[1] == "" and second.returncode == 0
        kernel.touch()


def test_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(WarpathError), machine_held(tmp_path / "missing" / "lock"):
        pass
