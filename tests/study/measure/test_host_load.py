"""The load of the host, as the files of the system tell it."""

from warpath_study.measure import host_load as module
from warpath_study.measure.host_load import host_load


def test_a_busy_core_is_not_idle_nor_waiting_for_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PROC", tmp_path)
    monkeypatch.setattr(module.os, "sysconf", lambda name: 100)
    assert host_load() is None
    (tmp_path / "loadavg").write_text("2.63 1.98 1.32 2/101 18230\n")
    (tmp_path / "stat").write_text("cpu  100 20 3000 4 5 600 7000 80000 9 9\ncpu0 1 2 3\n")
    load = host_load()
    assert (load["load_1_min"], load["runnable"], load["busy_s"]) == (2.63, 2, 907.2)
    assert load["own_s"] > 0 and load["at_s"] < host_load()["at_s"]
    (tmp_path / "stat").write_text("nothing\n")
    assert host_load() is None
