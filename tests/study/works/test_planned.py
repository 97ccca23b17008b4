"""What jobs ask of a cluster is enough for every run that was measured, and no more than a node has."""

import datetime
from pathlib import Path

import pytest

from warpath.solvers.checks.preconditions import CLOSURE, DISTANCES, PATHS
from warpath_study.datasets.catalog import Dataset, load_catalog
from warpath_study.measure.runs import answer_size, find
from warpath_study.record import read_record
from warpath_study.works.planned import items_read, megabytes, minutes

PEER = answer_size(find("peer_apsp", "scipy").configured())
RECORDS = sorted((Path(__file__).resolve().parents[3] / "results/reference").glob("*/runs/*/*.json"))


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
    asked_gb = megabytes(vertices + arcs, answer.bytes_per_pair * rows * vertices) * 2**20 / 1e9
    assert answer_gb + 4 < asked_gb < 1.5 * answer_gb + 6


def test_the_minutes_of_a_part_of_all_pairs_follow_its_distances():
    assert minutes(distances=10) == 11
    assert [minutes(distances=sources * 264_346) for sources in (264_346, 66_087)] == [28, 15]


def test_a_graph_asks_for_what_making_it_takes():
    """The stand-in of the eastern USA took 30 s and 1 GB on a busy core."""
    items = items_read(load_catalog()["standin-e"], {})
    assert 5 < minutes(items=items) < 30
    assert 2_000 < megabytes(items) < 10_000


def test_a_graph_of_unknown_size_asks_for_much():
    """Other than one of the catalog, whose size decides whether a job makes it."""
    catalog = load_catalog()
    assert max(items_read(catalog[name], catalog) for name in ("demo-nyc", "nyc")) < 2_000_000
    assert items_read(Dataset(name="mine", kind="snap", title="Mine", file="mine.txt"), catalog) > 100_000_000


def test_a_part_of_a_graph_asks_for_as_much_as_the_graph():
    catalog = load_catalog()
    assert items_read(catalog["caida-part"], catalog) == catalog["caida"].vertices + catalog["caida"].arcs
    assert items_read(catalog["w-revised"], catalog) == catalog["w"].vertices + catalog["w"].arcs
