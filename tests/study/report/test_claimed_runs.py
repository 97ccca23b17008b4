"""The runs and quantities of claims: what each method gives, what a missing run does, and what is refused."""

import operator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath.errors import UsageError
from warpath_study.record import parse_run
from warpath_study.report.quantities import ClaimedRuns, Number
from warpath_study.report.runs import Run
from warpath_study.works.works import RunRequest

COLUMNS = ["solver.slow", "solver.fast.k=1+v=1", "solver.fast.k=1+v=2", "solver.fast.k=2+v=1", "solver.fast.k=2+v=2"]
SIZES = {"small": 10, "middle": 100, "large": 1000}
# Seconds over those of slow, which takes 1 s in the small row, 10 s in the middle one and 100 s in the large one.
RELATIVE = dict(zip(COLUMNS, (1.0, 0.5, 0.4, 0.2, 0.25), strict=True))


def runs(without=(), printed=False, **changes) -> ClaimedRuns:
    """Every column on every row, without the (row, column) of ``without``; ``changes`` replace facts of slow."""
    asked = [RunRequest(row, f"g-{row}", *parse_run(column)) for row in SIZES for column in COLUMNS]
    cells = {}
    for run in asked:
        if (run.row, run.column) not in without:
            seconds = RELATIVE[run.column] * SIZES[run.row] / 10
            facts = {"seconds": seconds, "vertices": SIZES[run.row], "status": "ok", "device": "a GPU"}
            facts |= changes if run.variant == "slow" else {}
            cells[run.row, run.run] = Run(row=run.row, dataset=run.dataset, more={"rounds": 7}, **facts)
    return ClaimedRuns([*SIZES, "absent"], COLUMNS, asked, cells, printed)


def slow(**given):
    return runs(**given).seconds("slow")


def test_a_column_has_a_time_in_each_row_whichever_way_it_is_named():
    assert slow().values == runs().seconds("solver.slow").values == {"small": 1, "middle": 10, "large": 100}
    assert runs().seconds("fast.k=2+v=1").values["large"] == 20


def test_quantities_of_several_rows_are_calculated_row_by_row():
    t = runs()
    assert (t.seconds("slow") / t.seconds("fast.k=2+v=1")).values == pytest.approx(dict.fromkeys(SIZES, 5.0))
    share = 100 * (1 - t.seconds("fast.k=1+v=1") / t.seconds("slow"))
    assert share.values == pytest.approx(dict.fromkeys(SIZES, 50.0))
    assert (0 - t.fact("rounds", "slow") ** 2).values == dict.fromkeys(SIZES, -49.0)


def test_one_number_is_taken_of_several():
    assert slow().at("middle").value == slow().only("small", "middle").largest().value == 10
    assert slow().largest().value == 100
    assert [number.value for number in (slow().min(), slow().max())] == [1, 100]


def from_sources(times, **changes):
    facts = {"status": "ok", "device": "a GPU", "turns": "one", "times": times, "more": {"median_s": times[1]}}
    return Run(row="small", dataset="g", **facts | changes)


def test_the_fastest_of_several_is_compared_source_by_source_with_what_took_turns():
    columns = ["peer.ours", "peer.near", "peer.far"]
    asked = [RunRequest("small", "g", *parse_run(column)) for column in columns]

    def ratio(ours, **changes):
        found = [ours, from_sources({1: 5.0, 2: 2.0, 3: 9.0}, **changes), from_sources({1: 8.0, 2: 8.0, 3: 24.0})]
        cells = {(run.row, run.run): cell for run, cell in zip(asked, found, strict=True)}
        return ClaimedRuns(["small"], columns, asked, cells).times_as_long(["near", "far"], "ours").at("small")

    ours = from_sources({1: 2.0, 2: 1.0, 3: 8.0})  # medians over sources are those from source 1
    assert (ratio(ours).value, ratio(ours).notes) == (2.0, ("near is the fastest",))
    assert ratio(ours, turns="another").value == 2.5, "medians, without turns"
    assert ratio(replace(ours, status="missing", more={})).value is None


def test_the_best_of_a_variant_says_which_it_was():
    best = runs().best("fast", "slow").numbers["small"]
    assert best.value == pytest.approx(0.2)
    assert best.notes == ("fast.k=2+v=1 is the fastest",)
    assert len(best.used) == 5  # that it is the best rests on all of them


def test_a_parameter_is_judged_over_all_rows_with_the_others_at_their_best_or_fixed():
    by_k = runs().by("k", "fast", "slow")
    assert by_k.values == pytest.approx({"1": 0.4, "2": 0.2})
    assert runs().by("k", "fast", "slow", v=2).values == pytest.approx({"1": 0.4, "2": 0.25})
    assert by_k.least_at().value == 2
    assert runs().by("v", "fast", "slow", k=1).least_at().value == 2
    assert (by_k.at("2") / by_k.at("1")).value == pytest.approx(0.5)


LOST = ("middle", "solver.slow")


def test_a_missing_run_leaves_all_that_rests_on_it_without_a_value_and_matters_to_nothing_else():
    t = runs(without=[LOST])
    for number in (
        t.seconds("slow").min(),
        t.seconds("slow").slope(),
        t.best("slow", "fast").at("middle"),
        2 * t.seconds("slow").at("middle"),
        t.first("slow", "fast").at("middle"),
    ):
        assert (number.value, number.missing) == (None, ("g-middle solver.slow",))
    assert t.by("k", "fast", "slow").values == {}
    assert t.seconds("slow").at("large").value == t.seconds("slow").largest().value == 100


def test_the_largest_row_is_not_known_while_one_is_not_measured_but_of_printed_times_it_is_that_with_a_time():
    assert slow(without=[("middle", column) for column in COLUMNS]).largest().missing == ("g-middle solver.slow",)
    lost = [("large", "solver.slow")]
    assert slow(without=lost).largest().value is None
    assert slow(without=lost, printed=True).largest().value == 10


def test_a_row_or_fact_that_there_is_not_here_is_missing_and_no_fault():
    assert slow().at("absent").missing == ("a run for absent",)
    assert runs().fact("launches", "slow").at("small").missing == ("launches of g-small solver.slow",)


def test_a_run_that_did_not_fit_into_memory_is_named_and_is_not_the_best():
    t = runs(status="out_of_memory", seconds=None)
    assert t.seconds("slow").at("small").missing == ("g-small solver.slow (out of memory)",)
    assert t.best("slow", "fast").at("small").value == pytest.approx(0.2)
    assert t.best("slow").at("small").value is None


def test_the_first_that_is_available_counts_however_fast_the_next_is():
    assert runs().first("slow", "fast.k=2+v=1").values == slow().values
    away = runs(status="missing", seconds=None)
    assert away.first("slow", "fast.k=2+v=1").values == away.seconds("fast.k=2+v=1").values
    assert away.first("slow").at("small").value is None
    full = runs(status="out_of_memory", seconds=None)
    assert full.first("slow", "fast").at("small").value is None


def test_a_calculation_without_a_result_has_no_value():
    t = runs()
    small, middle = t.seconds("slow").at("small"), t.seconds("slow").at("middle")
    for number in (small / 0, (0 - small) ** 0.5, middle**400, t.seconds("slow").only("small").slope()):
        assert number.value is None and number.missing


def test_a_fault_is_told_in_one_sentence():
    for measure, says in (
        (lambda t: t.seconds("slwo"), "slow"),
        (lambda t: t.best("fats"), "fast"),
        (lambda t: t.seconds("fast"), "small"),
        (lambda t: t.seconds("slow").at("smal"), "small"),
        (lambda t: t.by("l", "fast", "slow"), "'l'"),
        (lambda t: t.by("k", "fast", "slow").largest(), "vertices"),
        (lambda t: t.seconds("slow") / t.by("k", "fast", "slow"), "row"),
        (lambda t: t.seconds("slow").least_at(), "'small'"),
        (lambda t: t.fact("device", "slow").at("small"), "text"),
    ):
        with pytest.raises((UsageError, ValueError)) as refused:
            measure(runs())
        assert says in str(refused.value) and "\n" not in str(refused.value)


def test_without_any_run_there_is_no_value_and_names_are_known():
    nothing = ClaimedRuns([*SIZES], COLUMNS)
    assert (nothing.seconds("slow") / nothing.best("fast")).largest().value is None
    assert nothing.by("k", "fast", "slow", v=2).least_at().value is None


@given(
    st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]),
    st.floats(-50, 50),
    st.floats(0.5, 4),
)
def test_arithmetic_is_that_of_python(function, left, right):
    quantities = (Number(left), right), (left, Number(right)), (Number(left), Number(right))
    try:
        expected = function(left, right)
    except ZeroDivisionError:
        expected = None
    expected = None if isinstance(expected, complex) else expected
    assert [function(*pair).value for pair in quantities] == [expected] * 3


@given(st.floats(-4, 4), st.floats(0.1, 10))
def test_the_slope_of_a_power_law_is_its_exponent(power, factor):
    asked = [RunRequest(row, row, *parse_run("solver.slow")) for row in SIZES]
    cells = {
        (run.row, run.run): Run(row=run.row, dataset=run.row, status="ok", seconds=factor * size**power, vertices=size)
        for run, size in zip(asked, SIZES.values(), strict=True)
    }
    found = ClaimedRuns([*SIZES], ["solver.slow"], asked, cells).seconds("slow").slope()
    assert found.value == pytest.approx(power, abs=1e-6)
