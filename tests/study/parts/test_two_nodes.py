"""Two nodes that share a home and the sources over NFS: kernels of their own, on one server, by nfs/two_nodes.sh."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY

from warpath.system.folders import file_system

TWO_NODES = REPOSITORY / "tests/nfs/two_nodes.sh"

# Both wait for each other before each part.
PROGRAM = f"""
export HOME=/mnt/shared/home PYTHONPATH=/mnt/shared/src
together() {{
    touch /mnt/host/$1.$NODE
    until [[ -e /mnt/host/$1.A && -e /mnt/host/$1.B ]]; do sleep 0.05; done
}}
cd /mnt/shared
together compile
{sys.executable} /mnt/host/load.py 1 2 3
together squashed
WARPATH_CACHE=/mnt/squashed/cache$NODE {sys.executable} /mnt/host/load.py 4
{sys.executable} -c "from warpath.cli.doctor import print_folders; print_folders()" | grep 'simulated kernels'
"""
LOAD = """
import sys
from warpath.device.simulated.compile import load
text = 'extern "C" __attribute__((visibility("default"))) int value() { return %s; }\\n'
print("loaded", *(load(text % value, "the text").value() for value in sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start an NFS server")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="User Mode Linux is for x86-64")
@pytest.mark.skipif(Path(sys.prefix).is_relative_to("/tmp"), reason="Python is in /tmp, and each node has its own")
def test_two_nodes_share_a_home_over_nfs(tmp_path):
    installed = subprocess.run([TWO_NODES, "install"], capture_output=True, text=True, timeout=300)
    if installed.returncode:
        pytest.skip(f"two nodes cannot be had: {(installed.stderr.splitlines() or ['no reason given'])[-1]}")
    if file_system(tmp_path) == "overlay":
        pytest.skip("the NFS server cannot serve files of an overlay")
    shared = tmp_path / "export"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    (shared / "home").mkdir()
    shutil.copytree(REPOSITORY / "src", shared / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in (("program.sh", PROGRAM), ("load.py", LOAD)):
        (tmp_path / name).write_text(text)
    done = subprocess.run([TWO_NODES, "run", tmp_path], capture_output=True, text=True, timeout=200)
    said = {node: read(tmp_path / f"{node}.txt") for node in "AB"}
    assert all(lines[-1:] == ["status 0"] for lines in said.values()), (said, done.stderr)

    assert all(lines[0] == "loaded 1 2 3" for lines in said.values())
    assert len(list((shared / "home/.cache/warpath").glob("*.so"))) == 3
    for lines in said.values():
        assert "loaded 4" in lines
        assert not any("cannot be used" in line for line in lines)
        assert "; nfs4, " in lines[-2] and "shared with other machines" in lines[-2]


def read(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []
