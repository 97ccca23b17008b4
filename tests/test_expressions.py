"""Expressions over runs: what each function gives, what a missing run does, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath.errors import UsageError
from warpath_study.record import parse_run
from warpath_study.report.expressions import Scope, evaluate
from warpath_study.works.works import Asked

COLUMNS = ["solver.slow", "solver.fast.k=1+v=1", "solver.fast.k=1+v=2", "solver.fast.k=2+v=1", "solver.fast.k=2+v=2"]
SIZES = {"small": 10, "middle": 100, "large": 1000}
# Seconds over those of slow, which takes 1 s in the small row, 10 s in the middle one and 100 s in the large one.
RELATIVE = dict(zip(COLUMNS, (1.0, 0.5, 0.4, 0.2, 0.25), strict=True))


def scope(without=(), **changes) -> Scope:
    """Every column on every row, without the (row, column) of ``without``; ``changes`` replace facts of slow."""
    asked = [Asked(row, f"g-{row}", *parse_run(column)) for row in SIZES for column in COLUMNS]
    lines = {}
    for run in asked:
        if (run.row, run.column) not in without:
            seconds = RELATIVE[run.column] * SIZES[run.row] / 10
            line = {"seconds": seconds, "vertices": SIZES[run.row], "rounds": 7, "status": "ok", "device": "a GPU"}
            lines[run.row, run.run] = {**line, **(changes if run.variant == "slow" else {})}
    return Scope([*SIZES, "absent"], COLUMNS, asked, lines)


def values(text: str, **given) -> dict[str, float]:
    return evaluate(text, scope(**given)).values


def value(text: str, **given) -> float | None:
    return evaluate(text, scope(**given)).value


def test_a_column_has_a_time_in_each_row_whichever_way_it_is_named():
    assert values('seconds("slow")') == values('seconds("solver.slow")') == {"small": 1, "middle": 10, "large": 100}
    assert values('seconds("fast.k=2+v=1")')["large"] == 20


def test_quantities_of_several_rows_are_calculated_row_by_row():
    assert values('seconds("slow") / seconds("fast.k=2+v=1")') == pytest.approx(dict.fromkeys(SIZES, 5.0))
    assert values('100 * (1 - seconds("fast.k=1+v=1") / seconds("slow"))') == pytest.approx(dict.fromkeys(SIZES, 50.0))
    assert values('-fact("rounds", "slow") ** 2') == dict.fromkeys(SIZES, -49.0)


def test_one_number_is_taken_of_several():
    assert value('at(seconds("slow"), "middle")') == value('largest(only(seconds("slow"), "small", "middle"))') == 10
    assert (value('largest(seconds("slow"))'), value('smallest(seconds("slow"))')) == (100, 1)
    assert (value('min(seconds("slow"))'), value('max(seconds("slow"))'), value('mean(seconds("slow"))')) == (
        1,
        100,
        37,
    )


def test_the_best_of_a_variant_says_which_it_was():
    best = evaluate('best("fast", "slow")', scope()).numbers["small"]
    assert best.value == pytest.approx(0.2)
    assert best.notes == ("fast.k=2+v=1 is the fastest",)
    assert len(best.used) == 5  # that it is the best rests on all of them


def test_a_parameter_is_judged_over_all_rows_with_the_others_at_their_best_or_fixed():
    assert values('by("k", "fast", "slow")') == pytest.approx({"1": 0.4, "2": 0.2})
    assert values('by("k", "fast", "slow", v=2)') == pytest.approx({"1": 0.4, "2": 0.25})
    assert value('least_at(by("k", "fast", "slow"))') == 2
    assert value('least_at(by("v", "fast", "slow", k=1))') == 2
    assert value('at(by("k", "fast", "slow"), "2") / at(by("k", "fast", "slow"), "1")') == pytest.approx(0.5)


def test_the_row_of_one_size_is_told_with_the_range_over_all():
    notes = evaluate('largest(seconds("slow") * 2)', scope()).notes
    assert notes == ("at 1,000 vertices", "2 to 200 over 3 rows")
    assert evaluate('min(seconds("slow"))', scope()).notes == ("at small",)


LOST = ("middle", "solver.slow")


def test_a_missing_run_leaves_everything_that_rests_on_it_without_a_value():
    for text in (
        'min(seconds("slow"))',
        'mean(seconds("slow"))',
        'slope(seconds("slow"))',
        'at(best("slow", "fast"), "middle")',
    ):
        number = evaluate(text, scope(without=[LOST]))
        assert (number.value, number.missing) == (None, ("g-middle solver.slow",)), text
    assert evaluate('by("k", "fast", "slow")', scope(without=[LOST])).values == {}
    assert value('at(seconds("slow"), "large")', without=[LOST]) == 100
    assert value('largest(seconds("slow"))', without=[LOST]) == 100


def test_the_largest_row_is_not_known_while_one_is_not_measured_at_all():
    number = evaluate('largest(seconds("slow"))', scope(without=[("middle", column) for column in COLUMNS]))
    assert (number.value, number.missing) == (None, ("g-middle solver.slow",))


def test_a_row_or_fact_that_there_is_not_here_is_missing_and_no_fault():
    assert evaluate('at(seconds("slow"), "absent")', scope()).missing == ("a run for absent",)
    assert evaluate('at(fact("launches", "slow"), "small")', scope()).missing == ("launches of g-small solver.slow",)


def test_a_run_that_did_not_fit_into_memory_is_named_and_is_not_the_best():
    full = {"status": "out_of_memory", "seconds": math.nan}
    assert evaluate('at(seconds("slow"), "small")', scope(**full)).missing == ("g-small solver.slow (out of memory)",)
    assert value('at(best("slow", "fast"), "small")', **full) == pytest.approx(0.2)
    assert value('at(best("slow"), "small")', **full) is None


def test_the_first_that_is_available_counts_however_fast_the_next_is():
    assert values('first("slow", "fast.k=2+v=1")') == values('seconds("slow")')
    away = {"status": "missing", "seconds": math.nan}
    assert values('first("slow", "fast.k=2+v=1")', **away) == values('seconds("fast.k=2+v=1")')
    assert evaluate('at(first("slow", "fast"), "middle")', scope(without=[LOST])).missing == ("g-middle solver.slow",)
    assert value('at(first("slow"), "small")', **away) is None
    full = {"status": "out_of_memory", "seconds": math.nan}
    assert value('at(first("slow", "fast"), "small")', **full) is None


@pytest.mark.parametrize("text", ["1 / 0", "(0 - 1) ** 0.5", "10 ** 400", 'slope(only(seconds("slow"), "small"))'])
def test_a_calculation_without_a_result_has_no_value(text):
    assert evaluate(text, scope()).value is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read"),
        ("1 +", "cannot be read"),
        ('"slow"', "a name where a quantity belongs"),
        ("seconds", "'seconds' is not part of the language"),
        ("True", "'True' is not part of the language"),
        ("[1]", "not part of the language"),
        ("1 if 1 else 2", "not part of the language"),
        ('seconds("slow").values', "not part of the language"),
        ('__import__("os").system("true")', "not part of the language"),
        ('__import__("os")', "unknown name '__import__'"),
        ('second("slow")', "did you mean seconds"),
        ('seconds("slwo")', "did you mean slow"),
        ('seconds("fast")', "names several runs of the row small"),
        ("seconds(1)", "seconds(): expected a name in quotes for column"),
        ("seconds()", "seconds(): missing a required argument: 'column'"),
        ('seconds(*"slow")', "not part of the language"),
        ("at(1, 'small')", "expected a quantity with several values for x"),
        ('at(seconds("slow"), "smal")', "did you mean small"),
        ('by("l", "fast", "slow")', "unknown name 'l'"),
        ('by("k", "fast", "slow", v="2")', "expected a number for others"),
        ('largest(by("k", "fast", "slow"))', "has no number of vertices"),
        ('seconds("slow") / by("k", "fast", "slow")', "a value for each row"),
        ('least_at(seconds("slow"))', "'small' is none"),
        ('at(fact("device", "slow"), "small")', "text and no number"),
        ("1" * 1001, "longer than 1000 characters"),
        ("-" * 999 + "1", "expression"),
    ],
)
def test_a_fault_is_told_in_one_sentence_that_quotes_the_expression(text, says):
    with pytest.raises(UsageError) as refused:
        evaluate(text, scope())
    assert says in str(refused.value)
    assert repr(text) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_are_checked_before_anything_is_measured():
    nothing = Scope([*SIZES], COLUMNS)
    assert evaluate('largest(seconds("slow") / best("fast"))', nothing).value is None
    assert evaluate('least_at(by("k", "fast", "slow", v=2))', nothing).value is None
    with pytest.raises(UsageError, match="did you mean fast"):
        evaluate('best("fats")', nothing)


numbers = st.integers(1, 99).map(str)
sums = st.recursive(
    numbers, lambda part: st.builds("({} {} {})".format, part, st.sampled_from("+-*/"), part), max_leaves=12
)


@given(sums)
def test_arithmetic_is_that_of_python(text):
    try:
        expected = float(eval(text))
    except ZeroDivisionError:
        expected = None
    assert evaluate(text, scope()).value == expected


@given(st.text(max_size=60))
def test_any_text_gives_a_quantity_or_is_refused(text):
    try:
        evaluate(text, scope())
    except UsageError as error:
        assert repr(text) in str(error)


@given(st.floats(-4, 4), st.floats(0.1, 10))
def test_the_slope_of_a_power_law_is_its_exponent(power, factor):
    asked = [Asked(row, row, *parse_run("solver.slow")) for row in SIZES]
    lines = {
        (run.row, run.run): {"seconds": factor * SIZES[run.row] ** power, "vertices": SIZES[run.row], "status": "ok"}
        for run in asked
    }
    found = evaluate('slope(seconds("slow"))', Scope([*SIZES], ["solver.slow"], asked, lines))
    assert found.value == pytest.approx(power, abs=1e-6)
