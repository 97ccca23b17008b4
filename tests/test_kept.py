"""``warpath run --kept``: a record that is there already is taken only where it is this very measurement."""

import json

import pytest
from tiny_graphs import grid_of

from warpath.__main__ import main
from warpath_study.records.files import read_record

NAME = "bellman_ford.cpu"
QUICK = ("--budget-s", "5", "--repeats-min", "1", "--repeats-max", "1")


@pytest.fixture
def run(tmp_path, capsys):
    """Run with the file ``kept.json``; return what was said, without the output of the run before."""
    grid_of(9, 4).save(tmp_path / "path.npz")

    def run(name: str = NAME, *options: str) -> str:
        files = ("--kept", str(tmp_path / "kept.json"), "--output", str(tmp_path / "record.json"))
        graph = str(tmp_path / "path.npz")
        assert not main(["run", graph, name, "--dataset", "path", "--device", "host", *(options or QUICK), *files])
        return capsys.readouterr().err

    return run


def test_the_same_measurement_is_taken_as_it_is(run, tmp_path):
    assert "measuring for about 5 s" in run()
    record = (tmp_path / "record.json").read_text()
    assert record == (tmp_path / "kept.json").read_text()
    (tmp_path / "record.json").unlink()
    said = run()
    assert "measuring" not in said and "certified, measured before an interruption" in said
    assert (tmp_path / "record.json").read_text() == record


def another_graph(folder):
    grid_of(9, 5).save(folder / "path.npz")


def older_code(folder):
    kept = json.loads((folder / "kept.json").read_text())
    kept["code"]["host_loop"] = "0" * 64
    (folder / "kept.json").write_text(json.dumps(kept))


def half_written(folder):
    text = (folder / "kept.json").read_text()
    (folder / "kept.json").write_text(text[: len(text) // 2])


@pytest.mark.parametrize("change", [another_graph, older_code, half_written])
def test_a_record_of_anything_else_is_measured_again(run, tmp_path, change):
    run()
    change(tmp_path)
    assert "measuring for about 5 s" in run()
    assert "measured before" in run(), "the new record is kept"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (NAME, ("--budget-s", "6", *QUICK[2:])),
        (NAME, (*QUICK, "--source", "3")),
        (f"{NAME}.sources=2", ()),
        ("bellman_ford.naive", ()),
    ],
)
def test_another_run_or_other_settings_are_measured(run, tmp_path, name, options):
    run()
    options = options or (() if "sources" in name else QUICK)
    assert "measuring" in run(name, *options)
    assert read_record(tmp_path / "kept.json").run == name
    assert "measured before" in run(name, *options)
