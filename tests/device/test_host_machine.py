"""Facts about the machine: memory limits of control groups, processor, cores."""

from pathlib import Path

import pytest

from warpath.system import host_machine


def make_group(folder: Path, version: int, limit: str, used: int, cached: int):
    folder.mkdir(parents=True, exist_ok=True)
    names = {
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        2: ("memory.max", "memory.current", "inactive_file"),
    }[version]
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\nfile 7\n")


def test_limits_of_version_2_and_of_the_groups_around(tmp_path):
    make_group(tmp_path / "slice" / "job", 2, "1000", 400, 100)
    make_group(tmp_path / "slice", 2, "5000", 900, 0)
    make_group(tmp_path, 2, "max", 10_000, 0)
    assert host_machine.control_group_limits("0::/slice/job\n", tmp_path) == [(1000, 300), (5000, 900)]


def test_limits_of_version_1_in_a_container_that_does_not_see_its_own_name(tmp_path):
    make_group(tmp_path / "memory", 1, "2000", 500, 50)
    memberships = "12:cpu,cpuacct:/docker/abc\n11:memory:/docker/abc\n"
    assert host_machine.control_group_limits(memberships, tmp_path) == [(2000, 450)]


def test_no_limits(tmp_path):
    assert host_machine.control_group_limits("", tmp_path) == []
    assert host_machine.control_group_limits("0::/\n", tmp_path) == []


def test_a_small_group_bounds_what_is_free(monkeypatch):
    monkeypatch.setattr(
        host_machine, "control_group_limits", lambda memberships, root: [(2**30, 2**29), (2**20, 2**21)]
    )
    assert host_machine.memory_bytes() == (0, 2**20)


@pytest.mark.parametrize("fact", [host_machine.processor_name, host_machine.core_count])
def test_facts_are_there(fact):
    assert fact()
