"""The load of the host: what the system says before and after, and what other processes took in between."""

import pytest

from warpath_study.measure import host_load as module
from warpath_study.measure.host_load import HostLoad, host_load, load_between


def test_other_processes_took_what_is_not_ours():
    before, after = HostLoad(0.5, 1, 100.0, 10.0, 1000.0), HostLoad(2.5, 7, 130.0, 25.0, 1010.0)
    load = load_between(before, after)
    assert load["before"] == {"load_1_min": 0.5, "runnable": 1} and load["after"] == {"load_1_min": 2.5, "runnable": 7}
    assert load["cores_of_others"] == pytest.approx(1.5)
    # The two clocks differ in their ticks.
    assert load_between(before, HostLoad(0, 1, 100.0, 10.01, 1000.1))["cores_of_others"] == 0


def test_the_files_of_the_system(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PROC", tmp_path)
    monkeypatch.setattr(module.os, "sysconf", lambda name: 100)
    assert host_load() is None and load_between(None, None) is None
    (tmp_path / "loadavg").write_text("2.63 1.98 1.32 2/101 18230\n")
    (tmp_path / "stat").write_text("cpu  100 20 3000 4 5 600 7000 80000 9 9\ncpu0 1 2 3\n")
    load = host_load()
    assert (load.load_1_min, load.runnable, load.busy_s) == (2.63, 2, 907.2)  # not idle, nor waiting for a disk
    (tmp_path / "stat").write_text("nothing\n")
    assert host_load() is None
