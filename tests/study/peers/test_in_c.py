"""Peers in C: the example of docs/extending.md, compiled, and what is said of libraries that cannot be used.

Every library has a name of its own, because adapters are kept by name.
"""

import json
import re
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy_reference import reference
from tiny_graphs import TINY, grid_of, named

from warpath.__main__ import main
from warpath.device.cpu import CpuDevice
from warpath.device.simulated.compile import find_compiler
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath_study.measure.plans import plan_of
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import code_of, find
from warpath_study.peers import LIBRARIES, find_peer, in_c, peer_names
from warpath_study.peers.contract import MissingPeerError
from warpath_study.record import RandomSources, read_record
from warpath_study.works.works import Choice, load

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = re.search(r"`toy\.c`:\n\n```c\n(.*?)^```$", (ROOT / "docs/extending.md").read_text(), re.M | re.S)[1]
HEADER = Path(in_c.__file__).with_name("peer.h")
CPU = CpuDevice()


@pytest.fixture
def named_library(a_lock_of_our_own, tmp_path, monkeypatch):
    """A function that names a library to warpath: a file, or the example with edits, compiled."""
    files = {}

    def name_it(name: str, *edits: tuple[str, str], file: Path | None = None) -> str:
        text = EXAMPLE
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        files[name] = str(file or tmp_path / f"{name}.so")
        if file is None:
            command = [*find_compiler(), "-x", "c", "-O1", "-shared", "-fPIC", "-I", str(HEADER.parent)]
            subprocess.run([*command, "-o", files[name], "-"], input=text, text=True, check=True)
        monkeypatch.setenv(LIBRARIES, json.dumps(files))
        return name

    return name_it


def measured(name, of, sources=2):
    return measure_run(of, find("peer_sssp", name).configured(), CPU, None, RandomSources(sources), "tiny")


def test_a_library_is_a_peer_with_tuned_settings_and_a_version(named_library, tmp_path, capsys):
    name = named_library("example")
    grid_of(300, 20).save(tmp_path / "grid.npz")
    run = [str(tmp_path / "grid.npz"), f"peer_sssp.{name}.sources_with_arcs=3", "--output", str(tmp_path / "a.json")]
    assert main(["run", *run]) == 0
    record = read_record(tmp_path / "a.json")
    assert (record.status, record.certificate.sources, len(record.samples)) == ("ok", 3, 3)
    by = record.solved_by
    assert re.fullmatch(r"1\.0 -O3, [0-9a-f]{12}", by.version) and (by.name, by.threads) == (name, 1)
    assert by.settings.keys() == {"delta"} and by.settings["delta"] in [16**power for power in range(7)]
    assert 0 < record.preparation_s < by.first_answer_s
    assert record.code == code_of(find("peer_sssp", name), "cuda")
    capsys.readouterr()
    main(["list", "peers"])
    assert re.search(rf"^{name} +1\.0 -O3, .*/{name}\.so$", capsys.readouterr().out, re.M)


@pytest.mark.parametrize("on_gpu", [0, 1])
def test_a_library_says_whether_it_runs_on_a_gpu(on_gpu, named_library, tmp_path):
    name = named_library(f"there_{on_gpu}", ("PEER_UNREACHABLE, 0}", f"PEER_UNREACHABLE, {on_gpu}}}"))
    grid_of(5, 2).save(tmp_path / "grid.npz")
    file = tmp_path / "a.json"
    command = ["run", str(tmp_path / "grid.npz"), f"peer_sssp.{name}.sources=3", "--device", "simulated"]
    assert main([*command, "--output", str(file)]) == 0
    assert read_record(file).device["kind"] == ("simulated" if on_gpu else "cpu")


def test_distances_are_those_of_scipy(named_library):
    name = named_library("exact")
    for title in ("one vertex", "unreachable part", "loops", "parallel arcs, lightest last", "largest distance"):
        with named(title):
            plan = plan_of(find("peer_sssp", name), CPU, TINY[title], 0)
            np.testing.assert_array_equal(plan.solve().distances, reference(TINY[title], 0))


def test_wrong_distances_are_found(named_library):
    name = named_library("wrong", ("f->distances[source] = 0", "f->distances[source] = 1"))
    record = measured(name, grid_of(40, 3))
    assert (record.status, record.seconds, record.certificate) == ("wrong", None, None)
    assert "distance" in record.reason


def test_a_library_without_a_setting_is_measured_with_none(named_library):
    record = measured(
        named_library("bare", ('"delta"', "0"), ("int threads) {", "int threads) { delta = 7;")), grid_of(40, 3)
    )
    assert (record.status, record.solved_by.settings) == ("ok", {})


@pytest.mark.parametrize("setting", ["graph", "device", "value"])
def test_a_setting_has_any_name(setting, named_library):
    record = measured(named_library(f"of_{setting}", ('"delta"', f'"{setting}"')), grid_of(40, 3))
    assert record.status == "ok" and record.solved_by.settings.keys() == {setting}


def test_what_cannot_be_loaded_is_one_sentence(named_library, tmp_path):
    (tmp_path / "text.so").write_text("no library" * 99)
    for name, said in {
        named_library("absent", file=tmp_path / "absent.so"): "No such file",
        named_library("text", file=tmp_path / "text.so"): "ELF",
        named_library("no_peer", ("peer_about =", "other_about =")): "undefined symbol: peer_about",
        named_library("no_solve", ("void peer_solve", "void other_solve")): "undefined symbol: peer_solve",
        named_library("named", ('"delta"', '"threads"')): "the name threads",
        named_library(
            "later", ("PEER_ABI", "PEER_ABI + 1")
        ): f"version {in_c.ABI + 1} of peer.h, and warpath version {in_c.ABI}",
    }.items():
        with named(name):
            record = measured(name, grid_of(5, 1))
            assert (record.status, record.seconds, record.solved_by) == ("missing", None, None)
            assert name in record.reason and said in record.reason and "\n" not in record.reason


def test_a_graph_that_a_library_does_not_take_is_one_sentence(named_library):
    small = named_library("small", ("0, PEER_UNREACHABLE, 0}", "0, 100, 0}"))
    assert measured(small, grid_of(5, 20)).status == "ok"
    for name, of, said in (
        (small, grid_of(5, 200), "distances up to 100"),
        (named_library("none", ("malloc(sizeof(Form))", "0; return 0")), grid_of(5, 1), "cannot prepare"),
    ):
        record = measured(name, of)
        assert record.status == "missing" and said in record.reason


def test_floats_are_refused(named_library):
    name, of = named_library("whole"), grid_of(5, 1)
    with pytest.raises(MissingPeerError, match="whole weights"):
        find_peer(name).prepare(Graph(of.indptr, of.indices, of.weights.astype(np.float64)), CPU)


FIRST = "f->distances[source] = 0;"


def test_values_with_which_a_library_hangs_or_crashes_are_not_chosen(named_library, monkeypatch):
    monkeypatch.setattr(in_c, "TRIAL_LIMIT_S", 0.5)
    hangs = "for (volatile int again = delta > 4096; again;);"
    crashes = "if (delta < 4096) abort();"
    record = measured(named_library("fragile", (FIRST, f"{FIRST} {hangs} {crashes}")), grid_of(40, 3))
    assert (record.status, record.solved_by.settings) == ("ok", {"delta": 4096})
    record = measured(named_library("hopeless", (FIRST, f"{FIRST} abort();")), grid_of(40, 3))
    assert record.status == "missing" and "crashes" in record.reason


def test_a_trial_ends_soon_after_it_is_much_slower_than_others(named_library):
    began = time.perf_counter()
    hangs = "for (volatile int again = delta > 4096; again;);"
    record = measured(named_library("sometimes_slow", (FIRST, f"{FIRST} {hangs}")), grid_of(40, 3))
    assert record.status == "ok" and record.solved_by.settings["delta"] <= 4096
    assert time.perf_counter() - began < in_c.TRIAL_LIMIT_S / 2


@pytest.mark.parametrize(
    ("milliseconds", "trial_s", "sources"), [(0, in_c.TRIAL_S, [8]), (30, 0.1, [2, 3]), (80, 0.2, [2])]
)
def test_slow_solves_are_tried_from_fewer_sources_and_long_ones_once(
    named_library, monkeypatch, tmp_path, milliseconds, trial_s, sources
):
    monkeypatch.setattr(in_c, "TRIAL_S", trial_s)
    log = tmp_path / "sources"
    note = f'FILE *log = fopen("{log}", "a"); fprintf(log, "%d ", source); fclose(log); usleep({1000 * milliseconds});'
    includes = "#include <stdio.h>\n#include <unistd.h>\n#include <stdlib.h>"
    name = named_library(f"sleeps_{milliseconds}", ("#include <stdlib.h>", includes), (FIRST, f"{FIRST} {note}"))
    find_peer(name).tune(find_peer(name).prepare(grid_of(40, 3), CPU))
    solved = log.read_text().split()
    assert len(set(solved)) in sources
    assert any(one == next_one for one, next_one in pairwise(solved)) == (milliseconds < 50)


# Times by value: two minima, the least at an end, and ever less in one direction.
TWO_MINIMA = (62, 61, 62, 64, 66, 67, 89, 106, 189, 138, 199, 161, 143, 128, 155)
THE_LEAST = (17.6, 17.7, 21, 21.1, 38.6, 54.4, 69.7, 80, 95, 110, 130, 150, 170, 190, 210)
A_WALL = tuple(2.0**power for power in range(15, 0, -1))


@pytest.mark.parametrize(
    ("times", "best", "tried"), [(TWO_MINIMA, 1, (15, 15, 15)), (THE_LEAST, 0, (9, 10, 10)), (A_WALL, 14, (7, 8, 8))]
)
def test_the_fastest_value_and_threads_are_found_whatever_lies_between(named_library, monkeypatch, times, best, tried):
    asked = []

    def seconds(_trials, value, threads):
        asked.append((value, threads))
        return times[value] / (10 if threads == least_threads else 1)

    monkeypatch.setattr(in_c, "every_core", lambda: 6)
    monkeypatch.setattr(in_c.Trials, "seconds", seconds)
    name = named_library(
        f"parallel_{best}",
        ('"delta", 0', '"delta", 1'),
        ("1 << 4 * i", "i"),
        ("i < 7", "i < 15"),
        ("return 7", "return 15"),
    )
    for least_threads, values in zip((6, 4, 1), tried, strict=True):
        asked.clear()
        tuned = find_peer(name).tune(find_peer(name).prepare(grid_of(5, 1), CPU))
        assert tuned == {"delta": best, "threads": least_threads}
        assert {threads for _, threads in asked} == {1, 2, 4, 6}
        assert len({value for value, _ in asked}) == values


@pytest.mark.parametrize("best", range(15))
def test_if_trials_take_long_fewer_values_find_the_fastest(named_library, monkeypatch, best):
    asked = set()

    def seconds(_trials, value, threads):
        asked.add(value)
        return 1 + abs(value.bit_length() - (best + 1))

    monkeypatch.setattr(in_c, "SEARCH_S", 0)
    monkeypatch.setattr(in_c.Trials, "seconds", seconds)
    delta = ('"delta", 0', '"delta", 0'), ("1 << 4 * i", "1 << i"), ("i < 7", "i < 15"), ("return 7", "return 15")
    peer = find_peer(named_library("fifteen", *delta))
    assert peer.tune(peer.prepare(grid_of(5, 1), CPU))["delta"] == 1 << best
    assert len(asked) <= 7


def test_a_slow_stretch_during_the_trials_does_not_decide(named_library, monkeypatch):
    asked = []

    def seconds(_trials, value, threads):
        asked.append(value)
        first = asked.count(value) == 1
        return {256: 13 if first else 10, 4096: 12}.get(value, 30)

    monkeypatch.setattr(in_c.Trials, "seconds", seconds)
    peer = find_peer(named_library("in_a_slow_stretch"))
    assert peer.tune(peer.prepare(grid_of(5, 1), CPU))["delta"] == 256


def test_names_are_checked(monkeypatch):
    for text, said in (
        ('{"scipy": "/a.so"}', "another peer scipy"),
        ('{"A": "/a.so"}', "names to files"),
        ("[", "names to files"),
    ):
        monkeypatch.setenv(LIBRARIES, text)
        with pytest.raises(UsageError, match=said):
            peer_names()


def test_libraries_are_columns_wherever_gapbs_is_one(monkeypatch):
    groups = ["one_source", "any_source"]

    def rows_of(column):
        runs = load(ROOT / "workflow/works/peers").requests(groups, Choice())
        return [(run.row, run.parameters) for run in runs if run.column == column]

    assert rows_of("peer_sssp.one") == []
    monkeypatch.setenv(LIBRARIES, '{"one": "/one.so", "two": "/two.so"}')
    assert rows_of("peer_sssp.one") == rows_of("peer_sssp.two") == rows_of("peer_sssp.gapbs") != []
