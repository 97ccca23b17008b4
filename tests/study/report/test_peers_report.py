"""Tables, bars and claims of the work `peers`, from runs that the tests make up."""

from pathlib import Path

import pytest
from drawings import (
    CPU,
    ESTIMATED,
    OUT_OF_MEMORY,
    SIMULATED,
    assert_texts_are_readable,
    caption,
    changed,
    data_of,
    drawn,
    run_line,
)
from tiny_graphs import named

from warpath.errors import UsageError
from warpath.system.durations import readable_seconds
from warpath_study.report import style
from warpath_study.report.views import Data, make
from warpath_study.works.works import Choice, load

WORK = load(Path(__file__).resolve().parents[3] / "workflow/works/peers")
# Seconds on the first row; each further row takes twice as long.
SECONDS = {
    "warpath": 4e-4, "warpath_distances": 3.5e-4, "warpath_uncertified": 3e-4, "warpath_unprepared": 3e-3,
    "borders": 2e-4, "whole_grid": 3e-4, "cluster": 2e-4, "locality": 8e-3, "gapbs": 3.4e-3, "scipy": 0.036,
    "networkit": 0.058, "rustworkx": 0.095, "igraph": 0.113, "narrow": 0.002, "tiled_shared": 0.5, "harish": 9e-3,
    "blocked": 0.4, "routingkit": 0.02,
}  # fmt: skip
NO_TIME = {**OUT_OF_MEMORY, "samples": 0}
ROWS = ["nyc", "bay", "gnutella04", "gnutella25", "gnutella30", "caida", "dense-4096", "standin-e", "power-law"]


def line(run, **instead):
    """A run of any solver; of scipy wrong on bay, of cuGraph missing; ``instead`` maps a variant to its seconds."""
    facts = {"vertices": 264346, "arcs": 733846}
    if run.variant.startswith("cugraph"):
        return run_line(run, None, **{**facts, **NO_TIME, "status": "missing", "reason": "cuGraph is not installed"})
    seconds = {**SECONDS, **instead}[run.variant] * 2 ** ROWS.index(run.row)
    facts |= {"p10_s": seconds / 4, "median_s": seconds, "p90_s": seconds * 2}
    if run.algorithm.startswith("peer_"):
        threads = 16 if run.variant == "gapbs" else 1
        facts |= {"peer_version": "1.2.3", "peer_threads": threads, "preparation_s": 0.25, "first_answer_s": 0.75}
        facts |= {} if run.variant.startswith("warpath") else CPU
        facts["peer_settings"] = "delta=20692" if run.variant == "gapbs" else ""
    else:
        facts |= {"solve_s": seconds / 2, "median_solve_s": seconds / 2}
    if (run.row, run.variant) == ("bay", "scipy"):
        facts = {name: value for name, value in facts.items() if name not in ("p10_s", "median_s", "p90_s")}
        return run_line(run, None, **{**facts, **NO_TIME, "status": "wrong", "reason": "vertex 7 has distance 9"})
    if run.algorithm == "peer_apsp" and run.variant == "igraph":
        facts |= ESTIMATED
    # From random sources, a mean is larger than the median.
    return run_line(run, seconds if run.algorithm == "peer_apsp" else 3 * seconds, **facts)


def table_of(name, cells=line):
    return make(data_of(WORK, name, cells))


def readable(table):
    """The readable cells by solver."""
    return {of["Solver"]: of for of in table.readable}


def test_a_table_has_times_and_the_fastest_peer():
    table = table_of("one_source")
    cells = readable(table)
    assert (cells["warpath"]["nyc"], cells["gapbs"]["nyc"]) == ("0.400 ms", "3.40 ms")
    assert (cells["Fastest peer"]["nyc"], cells["Its time over warpath's"]["nyc"]) == ("gapbs", "8.50")
    assert (cells["SciPy"]["bay"], cells["cuGraph"]["bay"]) == ("wrong answer", "not available")
    lines = {(of["row"], of["solver"]): of for of in table.lines}
    assert (lines["nyc", "scipy"]["ratio"], lines["nyc", "warpath"]["ratio"]) == ("90", "1")
    assert (lines["nyc", "cugraph"]["status"], lines["bay", "scipy"]["ratio"]) == ("missing", "")
    about = "\n".join(table.notes)
    assert "bay SciPy, wrong answer: vertex 7 has distance 9." in about and "A peer is faster" not in about


def test_each_row_shows_the_first_available_of_the_kernels_and_the_fastest_of_the_published_variants():
    """Of kernels, what the library answers with, not what turns out to be faster; without clusters, the next."""

    def of_gnutella(run):
        if (run.row, run.variant) == ("gnutella30", "cluster"):
            return run_line(run, None, **{**NO_TIME, "status": "missing", "reason": "Tesla T4 runs no clusters"})
        return line(run, whole_grid=1e-4, harish=1e-4 if run.row == "bay" else 9e-3)

    cells = readable(table_of("one_source", of_gnutella))
    assert [cells["warpath's kernels"][row] for row in ("gnutella25", "gnutella30")] == ["0.800 ms", "0.800 ms"]
    assert [cells["best published"][row] for row in ("nyc", "bay")] == ["8.00 ms", "0.200 ms"]


def test_rows_on_which_a_peer_is_faster_are_named_first():
    table = table_of("one_source", lambda run: line(run, gapbs=1e-4))
    assert table.notes[0].startswith("**A peer is faster**") and "nyc (gapbs, 0.250 times" in table.notes[0]
    assert set(readable(table)["Faster"].values()) == {"Faster", "–"}, "no verdict without turns"
    verdicts = table_of("claims", lambda run: line(run, gapbs=1e-4)).lines
    assert [line["verdict"] for line in verdicts] == ["below", "below", "within"]


def by_turns(factor, *, others="one"):
    """Runs that took turns: gapbs took so many times as long as warpath from each source, by its index."""

    def cell(run):
        solver, found = run.variant, line(run)
        if run.algorithm != "peer_sssp" or not found.seconds or run.row != "nyc":
            return found
        # From one source in four, all take ten times as long.
        times = {source: found.more["median_s"] * (1 if source % 4 else 10) for source in range(40)}
        if solver == "gapbs":
            ours = SECONDS["warpath"]
            times = {source: ours * (1 if source % 4 else 10) * factor(source) for source in times}
        return changed(found, times=times, turns="one" if solver.startswith("warpath") else others)

    return cell


@pytest.mark.parametrize(
    ("factor", "verdict", "means", "notes"),
    [
        (lambda source: 1.5 + source % 3 / 10, "warpath", "warpath", []),
        (lambda source: 0.8, "gapbs", "gapbs", ["**A peer is faster** than warpath's default call: nyc (gapbs, 0.8"]),
        (lambda source: 0.9 if source % 2 else 1.1, "no difference", "warpath", ["**No difference** "]),
        # Slow from the few sources that take long: the medians and the means disagree.
        (lambda source: 0.9 if source % 4 else 2, "gapbs", "warpath", ["**A peer is faster**"]),
    ],
)
def test_a_verdict_follows_from_an_interval_of_the_ratios_from_each_source(factor, verdict, means, notes):
    table, spread = table_of("one_source", by_turns(factor)), table_of("one_source_spread", by_turns(factor))
    cells = readable(table)
    assert (cells["Faster"]["nyc"], readable(spread)["Faster"]["nyc"]) == (verdict, means)
    assert cells["Faster"]["bay"] == "–"
    (of_gapbs,) = [of for of in table.lines if (of["row"], of["solver"]) == ("nyc", "gapbs")]
    low, ratio, high = (float(of_gapbs[name]) for name in ("ratio_low", "ratio", "ratio_high"))
    assert low <= ratio <= high and " to " in cells["Its time over warpath's"]["nyc"]
    assert of_gapbs["verdict"] == {"warpath": "slower", "gapbs": "faster"}.get(verdict, verdict)
    about = [note for note in table.notes if "nyc (gapbs" in note]
    assert len(about) == len(notes) and all(map(str.startswith, about, notes))
    assert any(note.startswith("Measured one solver after another") and "nyc" not in note for note in table.notes)


def test_calls_that_took_longer_than_what_has_more_to_do_are_named():
    def noted(cell):
        return [note for note in table_of("one_source", cell).notes if note.startswith("Against expectation")]

    assert noted(line) == []
    slow = {
        "warpath": lambda row: 4e-3 if row == "nyc" else 4e-4,
        "warpath_distances": lambda row: 1 if row == "bay" else 3.5e-4,
    }
    cell = lambda run: line(run, **{name: of(run.row) for name, of in slow.items()})  # noqa: E731
    longer = "warpath took longer than warpath, unprepared on nyc"
    unknown = "they took no turns, and their times, from the 10th to the 90th percentile,"
    assert noted(cell) == [
        f"Against expectation, warpath, distances took longer than warpath on bay: {unknown} do not overlap.",
        f"Against expectation, {longer}: {unknown} overlap.",
    ]

    def taking_turns(factor):
        def cell(run):
            found = line(run)
            if run.row != "nyc" or run.variant not in ("warpath", "warpath_unprepared"):
                return found
            seconds = {source: 1e-3 * (factor(source) if run.variant == "warpath" else 1) for source in range(40)}
            return changed(found, median_s=1e-3, times=seconds, turns="one")

        return cell

    assert noted(taking_turns(lambda source: 2)) == [
        f"Against expectation, {longer}: by turns, the difference is real."
    ]
    uneven = taking_turns(lambda source: 0.9 if source % 2 else 1.2)
    assert noted(uneven) == [f"Against expectation, {longer}: by turns, there is no difference."]


def test_runs_of_different_joint_runs_have_no_verdict():
    table = table_of("one_source", by_turns(lambda source: 2, others="another"))
    assert readable(table)["Faster"]["nyc"] == "–"
    assert {of["verdict"] for of in table.lines if of["row"] == "nyc" and of["solver"] == "gapbs"} == {""}


def test_a_preparation_has_its_spread_and_says_where_there_were_fewer():
    def cell(run):
        found = line(run)
        if run.variant != "gapbs":
            return found
        ends = {
            "preparation_min_s": 0.125,
            "preparation_max_s": 0.5,
            "first_answer_min_s": 0.5,
            "first_answer_max_s": 1.0,
        }
        return changed(found, **ends, preparations=2 if run.row == "bay" else 5)

    table = table_of("preparation", cell)
    (prepared,) = [of for of in table.readable if (of["Solver"], of["Until"]) == ("gapbs", "prepared")]
    assert prepared["nyc"] == "0.250 s (0.125 s to 0.500 s)"
    (fewer,) = [note for note in table.notes if note.startswith("Fewer preparations")]
    assert "gapbs on bay (2)" in fewer and "gapbs on nyc" not in fewer


def test_a_busy_host_is_told():
    table = table_of("one_source", lambda run: changed(line(run), load_of_others=0.3 if run.row == "nyc" else 0.02))
    (note,) = [note for note in table.notes if note.startswith("Other processes")]
    assert "(30 %)" in note and "nyc" in note and "bay" not in note


def test_claims_take_the_fastest_peer_that_gave_a_time():
    assert {line["verdict"] for line in table_of("claims").lines} == {"within"}
    wrong = table_of("claims", lambda run: line(run, scipy=1e-9) if run.row == "bay" else line(run)).lines
    assert {line["verdict"] for line in wrong} == {"within"}, "a wrong answer is not the fastest one"


def test_a_simulated_time_is_compared_with_nothing():
    def simulated(run):
        return changed(line(run), **({} if line(run).device_kind == "cpu" else SIMULATED))

    table = table_of("all_pairs", simulated)
    assert "Simulation, not GPU times" in "\n".join(table.notes)
    assert {line["ratio"] for line in table.lines} == {""}
    assert set(readable(table)["Fastest peer"].values()) == {"Fastest peer", "–"}
    assert "Simulation" in caption(drawn(data_of(WORK, "all_pairs_bars", simulated)))


@pytest.mark.slow
def test_bars_can_be_read_and_are_as_long_as_their_times():
    ours, distances = SECONDS["warpath"], SECONDS["warpath_distances"]
    for name, ends in (("one_source_bars", [0.75, ours]), ("all_pairs_bars", [4 * ours, 4 * distances])):
        figure = drawn(data_of(WORK, name, lambda run: changed(line(run), preparations=5)))
        assert_texts_are_readable(figure)
        axes, texts = figure.axes[0], [[text.get_text() for text in axes.texts] for axes in figure.axes]
        assert axes.get_xlabel() == "" and figure.axes[-1].get_xlabel().endswith("(ms)")
        low = axes.get_xlim()[0]
        assert [patch.get_width() + low for patch in axes.patches[:2]] == pytest.approx([1000 * end for end in ends])
        of_all_pairs = name == "all_pairs_bars"
        assert texts[0][0] == readable_seconds(4 * ours if of_all_pairs else ours, 3, ms_below=1)
        assert any(text.startswith("~") for text in texts[0]) == of_all_pairs
        assert of_all_pairs or ("wrong answer" in texts[1] and len(figure.axes) == 9)


def test_bars_say_what_is_from_few_sources_or_elsewhere_and_a_single_sample_has_none():
    def cell(run):
        found = line(run)
        if (run.row, run.variant) == ("gnutella25", "networkit"):
            return changed(found, samples=1, sources=None)
        if (run.row, run.variant) == ("gnutella25", "rustworkx"):
            return changed(found, samples=2, sources=None)
        if (run.row, run.variant) == ("gnutella25", "scipy"):
            return changed(found, date="2026-03-15")
        return changed(found, date="2026-03-16") if run.row == "gnutella30" else found

    figure = drawn(data_of(WORK, "all_pairs_bars", cell))
    (axes,) = [axes for axes in figure.axes if axes.get_title("left") == "gnutella25"]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    said = dict(zip(labels, [text.get_text() for text in axes.texts], strict=True))
    assert said["NetworKit"].endswith(" s (1)") or said["NetworKit"].endswith(" ms (1)")
    assert said["rustworkx"].endswith("(2)") and said["SciPy"].endswith("*")
    assert not said["warpath"].endswith((")", "*"))
    (other,) = [axes for axes in figure.axes if axes.get_title("left") == "gnutella30"]
    assert not any(text.get_text().endswith("*") for text in other.texts), "a whole row of another day"
    assert len(axes.patches) == len(labels) - 1, "a bar of a single sample"
    assert "A single sample has no bar." in caption(figure)
    legend = " ".join(text.get_text() for text in figure.legends[0].get_texts())
    assert "from n sources or samples only" in legend and "on another machine or day" in legend
    few = drawn(data_of(WORK, "one_source_bars", lambda run: changed(line(run), samples=12, sources=12)))
    assert few.axes[0].texts[0].get_text().endswith("(12)")
    once = drawn(data_of(WORK, "one_source_bars", line))
    assert "until the first answer" not in " ".join(text.get_text() for text in once.legends[0].get_texts())


def test_without_any_time_there_is_nothing_to_draw():
    with pytest.raises(UsageError, match="there is no time to draw; measure first"):
        drawn(data_of(WORK, "one_source_bars", lambda run: line(run) if run.variant.startswith("cugraph") else None))


def test_columns_of_the_user_need_no_call_of_warpath():
    choice = Choice(columns=("peer_sssp.scipy", "peer_sssp.networkit", "peer_apsp.scipy"))
    for target in WORK.targets(choice):
        if target.fields.kind in ("table", "figure"):
            with named(target.name):
                found = [line(run) for run in WORK.requests(WORK.needs(target), choice)]
                with style.style_context():
                    made = make(Data(WORK, target, choice, found))
                assert target.fields.kind == "figure" or ("SciPy" in readable(made) and ". ." not in str(made.notes))
