"""Tables, bars and claims of the work `peers`, from runs that the tests make up."""

from pathlib import Path

import pytest
from drawings import (
    CPU,
    ESTIMATED,
    HOST,
    OUT_OF_MEMORY,
    assert_texts_are_readable,
    caption,
    changed,
    data_of,
    drawn,
    run_line,
)

from warpath.durations import readable_seconds
from warpath.errors import UsageError
from warpath_study.report.views import make
from warpath_study.works.works import load

WORK = load(Path(__file__).parents[1] / "workflow/works/peers")
# Seconds on the first row; each further row takes twice as long.
SECONDS = {
    "borders": 2e-4, "whole_grid": 3e-4, "cluster": 2e-4, "locality": 8e-3, "gapbs": 3.4e-3, "scipy": 0.036,
    "networkit": 0.058, "rustworkx": 0.095, "igraph": 0.113, "narrow": 0.002, "tiled_shared": 0.5, "harish": 9e-3,
    "blocked": 0.4,
}  # fmt: skip
NO_TIME = {**OUT_OF_MEMORY, "samples": 0}


def line(run, **instead):
    """A run of any solver; of scipy wrong on bay, of cuGraph missing; ``instead`` maps a variant to its seconds."""
    rows = [*WORK.fields.runs["one_source"].rows, *WORK.fields.runs["large"].rows]
    facts = {"vertices": 264346, "arcs": 733846}
    if run.variant == "cugraph":
        return run_line(run, None, **{**facts, **NO_TIME, "status": "missing", "reason": "cuGraph is not installed"})
    seconds = {**SECONDS, **instead}[run.variant] * 2 ** rows.index(run.row)
    if run.algorithm.startswith("peer_"):
        threads = 16 if run.variant == "gapbs" else 1
        facts |= {**CPU, "peer_version": "1.2.3", "peer_threads": threads, "preparation_s": 0.25}
        facts["peer_settings"] = "delta=20692" if run.variant == "gapbs" else ""
    else:
        facts |= {"solve_s": seconds / 2}
    if (run.row, run.variant) == ("bay", "scipy"):
        return run_line(run, None, **{**facts, **NO_TIME, "status": "wrong", "reason": "vertex 7 has distance 9"})
    if run.algorithm == "peer_apsp" and run.variant == "igraph":
        facts |= ESTIMATED
    return run_line(run, seconds, **facts)


def readable(table):
    return {line["Graph"]: line for line in table.readable}


def test_a_table_has_times_ratios_and_the_fastest_peer():
    table = make(data_of(WORK, "one_source", line))
    nyc, bay = (readable(table)[row] for row in ("nyc", "bay"))
    assert (nyc["warpath"], nyc["warpath, on the device"]) == ("0.2000 ms", "0.1000 ms")
    assert (nyc["gapbs"], nyc["SciPy"]) == ("3.400 ms (17.0x)", "0.03600 s (180x)")
    assert nyc["Fastest peer over warpath"] == "gapbs, 17.0x"
    assert (bay["SciPy"], bay["cuGraph"]) == ("wrong answer", "not available")
    (first, second, *_) = table.lines
    assert (first["scipy"], first["scipy_ratio"], first["cugraph_status"]) == ("0.036", "180", "missing")
    assert (second["scipy"], second["scipy_status"], second["scipy_ratio"]) == ("", "wrong", "")
    about = "\n".join(table.notes)
    assert "warpath: Partition, Borders on nyc, bay and standin-e; Label Correcting, Cluster on gnutella04, " in about
    assert "gnutella30 and caida; Near Far, Whole Grid on dense-4096 and power-law" in about
    assert "bay SciPy, wrong answer: vertex 7 has distance 9." in about
    assert "cuGraph, not available: cuGraph is not installed." in about
    assert "gapbs 1.2.3 (16 threads), SciPy 1.2.3 (1 thread)" in about and "gapbs: delta 20692 on nyc" in about
    assert "random sources: 100 on nyc, bay" in about and "3 on standin-e and power-law" in about
    assert "A peer is faster" not in about


def test_of_ours_each_row_shows_the_first_that_is_available():
    """What the library answers with, not what turns out to be faster; where a GPU has no clusters, the next."""

    def of_gnutella(run):
        if (run.row, run.variant) == ("gnutella30", "cluster"):
            return run_line(run, None, **{**NO_TIME, "status": "missing", "reason": "Tesla T4 runs no clusters"})
        return line(run, whole_grid=1e-4)

    table = make(data_of(WORK, "one_source", of_gnutella))
    assert [readable(table)[row]["warpath"] for row in ("gnutella25", "gnutella30")] == ["1.600 ms", "1.600 ms"]
    claim = make(data_of(WORK, "claims", of_gnutella)).lines[0]
    assert (claim["measured"], claim["measured_high"]) == ("17", "34")
    assert "A peer is faster" not in "\n".join(table.notes)


def test_of_published_variants_each_row_shows_the_faster():
    of_bay = lambda run: line(run, harish=1e-4) if run.row == "bay" else line(run)  # noqa: E731
    table = make(data_of(WORK, "one_source", of_bay))
    nyc, bay = (readable(table)[row]["best published"] for row in ("nyc", "bay"))
    assert (nyc, bay) == ("0.008000 s (40.0x)", "0.0002000 s (0.500x)")
    about = "\n".join(table.notes)
    assert "standin-e and power-law; Label Correcting, Harish on bay." in about


def test_rows_on_which_a_peer_is_faster_are_named():
    table = make(data_of(WORK, "one_source", lambda run: line(run, gapbs=1e-4)))
    about = "\n".join(table.notes)
    assert "**A peer is faster** on nyc (gapbs, 0.500x), bay (gapbs, 0.500x)" in about
    verdicts = make(data_of(WORK, "claims", lambda run: line(run, gapbs=1e-4))).lines
    assert [line["verdict"] for line in verdicts] == ["below", "below", "within"]


def test_claims_take_the_fastest_peer_that_gave_a_time():
    claims = make(data_of(WORK, "claims", line)).lines
    assert {line["verdict"] for line in claims} == {"within"}
    wrong = make(data_of(WORK, "claims", lambda run: line(run, scipy=1e-9) if run.row == "bay" else line(run))).lines
    assert {line["verdict"] for line in wrong} == {"within"}, "a wrong answer is not the fastest one"


def test_a_simulated_time_is_compared_with_nothing():
    def simulated(run):
        return changed(line(run), **({} if run.algorithm.startswith("peer_") else HOST))

    table = make(data_of(WORK, "all_pairs", simulated))
    assert "Host simulation, not GPU times" in "\n".join(table.notes)
    assert all("x" not in cells["NetworKit"] for cells in readable(table).values())
    assert "Host simulation" in caption(drawn(data_of(WORK, "all_pairs_bars", simulated)))


def test_preparation_is_told_apart():
    nyc = readable(make(data_of(WORK, "preparation", line)))["nyc"]
    assert (nyc["igraph"], nyc["warpath"], nyc["cuGraph"]) == ("0.2500 s", "–", "–")


@pytest.mark.parametrize("name", ["one_source_bars", "all_pairs_bars"])
def test_bars_can_be_read_and_are_as_long_as_their_times(name):
    figure = drawn(data_of(WORK, name, line))
    assert_texts_are_readable(figure)
    axes = figure.axes[0]
    low = axes.get_xlim()[0]
    ours = "borders" if name == "one_source_bars" else "narrow"
    seconds = SECONDS[ours] * (1 if name == "one_source_bars" else 4)
    assert axes.patches[0].get_width() + low == pytest.approx(seconds)
    texts = [text.get_text() for text in axes.texts]
    assert texts[0] == readable_seconds(seconds, 3, ms_below=1)
    assert any(text.startswith("~") for text in texts) == (name == "all_pairs_bars")
    if name == "one_source_bars":
        bay = [text.get_text() for text in figure.axes[1].texts]
        assert "wrong answer" in bay and len(figure.axes) == 9
        assert "Not available: cuGraph." in caption(figure)


def test_without_any_time_there_is_nothing_to_draw():
    with pytest.raises(UsageError, match="there is no time to draw; measure first"):
        drawn(data_of(WORK, "one_source_bars", lambda run: line(run) if run.variant == "cugraph" else None))
