"""Times for readers: their unit and their digits."""

import pytest

from warpath.system.durations import common_unit, readable_seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.25e-05, "12.5 µs"),
        (0.000999999, "1.00 ms"),
        (0.0123, "12.3 ms"),
        (0.695, "0.695 s"),
        (8.58384, "8.58 s"),
        (9.99996, "10.0 s"),
        (1137.63, "1,140 s"),
        (3599.9, "1.00 h"),
        (86400.0, "24.00 h"),
    ],
)
def test_seconds_for_a_person_have_a_unit_and_three_digits(seconds, text):
    assert readable_seconds(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(9.996e-7, "1.00 µs"), (3.4e-3, "3.40 ms"), (9.996e-4, "1.00 ms"), (0.9999, "1.00 s"), (1320, "1,320 s")],
)
def test_three_digits_with_seconds_from_one_second_on(seconds, text):
    assert readable_seconds(seconds, 3, ms_below=1) == text


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ([756.4, 5028.0, 155121.0], ["756 s", "5,030 s", "155,000 s"]),
        ([5028.0, 155121.0], ["1.40 h", "43.09 h"]),
        ([8.5e-5, 8.9e-4, 0.0325], ["85.0 µs", "890 µs", "32,500 µs"]),
        ([0.0, None, 0.002, 0.104], ["0 ms", "2.00 ms", "104 ms"]),
        ([8.5e-5, 0.0325, 1015.7], ["0.0000850 s", "0.0325 s", "1,020 s"]),  # not 1,020,000 ms
    ],
)
def test_a_column_has_one_unit(column, texts):
    unit = common_unit(column)
    assert [readable_seconds(seconds, unit=unit) for seconds in column if seconds is not None] == texts
    assert common_unit([None]) is None
