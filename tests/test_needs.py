"""What a run asks of a cluster is enough for every run that was measured, and no more than a node has."""

import datetime
from pathlib import Path

import pytest

from warpath.solvers.limits import CLOSURE, DISTANCES, PATHS
from warpath_study.measure.runs import answer_size, find, megabytes, minutes, minutes_of_rows
from warpath_study.record import read_record

PEER = answer_size(find("peer_apsp", "scipy").configured())
RECORDS = sorted((Path(__file__).parents[1] / "results/reference").glob("*/runs/*/*.json"))


def test_the_minutes_are_enough_for_every_reference_run():
    assert RECORDS
    for file in RECORDS:
        record = read_record(file)
        start, end = map(datetime.datetime.fromisoformat, (record.started, record.finished))
        assert end - start < datetime.timedelta(minutes=minutes(getattr(record.measure.sampling, "budget_s", 0))), file


def test_the_minutes_follow_the_budget():
    assert [minutes(budget_s) for budget_s in (2, 60, 600)] == [11, 12, 30]


@pytest.mark.parametrize(
    ("answer", "rows", "vertices", "arcs", "answer_gb"),
    [
        (PATHS, 1, 264346, 733846, 0.002),
        (PATHS, 36682, 36682, 88328, 10.8),
        (DISTANCES, 36682, 36682, 88328, 5.4),
        (PATHS, 65536, 65536, 524288, 34.4),
        (PEER, 22687, 22687, 54705, 6.2),
        (CLOSURE, 65536, 65536, 524288, 25.8),
    ],
)
def test_the_memory_holds_graph_and_answer(answer, rows, vertices, arcs, answer_gb):
    """An answer has eight bytes a pair, distances and predecessors, four without them, twelve of a peer."""
    asked_gb = megabytes(answer, rows, vertices, arcs) * 2**20 / 1e9
    assert answer_gb + 4 < asked_gb < 1.5 * answer_gb + 6


def test_each_further_attempt_asks_for_twice_as_much():
    assert [minutes(600, attempt) for attempt in (1, 2, 3)] == [30, 60, 120]
    first, second = (megabytes(PATHS, 36682, 36682, 88328, attempt) for attempt in (1, 2))
    assert second == 2 * first


def test_the_minutes_of_a_part_of_all_pairs_follow_its_distances():
    assert minutes_of_rows(1, 10) == 11
    whole, part = minutes_of_rows(264_346, 264_346), minutes_of_rows(66_087, 264_346)
    assert (whole, part, minutes_of_rows(66_087, 264_346, 2)) == (28, 15, 30)
