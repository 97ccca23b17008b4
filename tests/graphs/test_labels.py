"""Labels: the file's own vertex numbers, looked up both ways, kept by every graph that is made from another."""

import re
from dataclasses import replace
from fractions import Fraction

import networkx
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import graph as graph_of
from tiny_graphs import named

import warpath
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import from_arcs, load
from warpath.graphs.labels import Labels
from warpath.graphs.weights import with_random_weights
from warpath_study.datasets.conversion import first_vertices
from warpath_study.subgraph import nearest_subgraph

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20, unique=True)
NAMES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=20, unique=True)
OBJECTS = st.lists(st.one_of(st.text(), st.integers(), st.tuples(st.integers())), min_size=1, max_size=20, unique=True)


def labelled(*labels):
    """A path through vertices with these labels."""
    ends = np.arange(len(labels) - 1)
    return from_arcs(len(labels), ends, ends + 1, np.ones(len(ends), np.int32), labels=list(labels))


@given(st.one_of(NUMBERS, NAMES, OBJECTS))
def test_every_label_is_looked_up_both_ways(given_labels):
    labels = Labels.of(given_labels, len(given_labels))
    assert [labels.of_index(index) for index in range(len(given_labels))] == given_labels
    assert [labels.index_of(label) for label in given_labels] == list(range(len(given_labels)))
    assert labels.index_of(given_labels[::-1]).tolist() == list(range(len(given_labels)))[::-1]
    assert labels.array.tolist() == given_labels
    assert Labels.of(labels.array, labels.count) == labels
    assert "\n" not in str(labels)


def test_types_of_labels_and_what_they_are_looked_up_with():
    numbers, names, objects = labelled(10, 77, 20), labelled("b", "a"), labelled((0, 1), (1, 1), "x")
    assert [graph.labels.dtype.kind for graph in (numbers, names, objects)] == ["i", "U", "O"]
    assert [type(graph.label_of(1)) for graph in (numbers, names, objects)] == [int, str, tuple]
    assert numbers.index_of(np.int32(20)) == 2
    assert numbers.index_of(np.array([20, 10], np.uint8)).tolist() == [2, 0]
    assert numbers.index_of([]).dtype == np.int64
    assert objects.index_of((1, 1)) == 1
    assert objects.index_of([(1, 1), "x"]).tolist() == [1, 2]
    assert objects.index_of(((1, 1), "x")).tolist() == [1, 2]


def test_labels_at_the_ends_of_64_bits():
    low, high = -(2**63), 2**63 - 1
    for ends in ([high, low], [high - 1, high, low], [low, high], [high - 2, high - 1, high], [0, high, 2 - high]):
        labels = Labels.of(ends, len(ends))
        assert labels.array.tolist() == ends
        assert labels.index_of(ends).tolist() == list(range(len(ends)))
    with pytest.raises(GraphError):
        Labels.of([0, high, 2 - high, 0], 4)


def test_points_in_time_stay_points_in_time():
    for unit in ("D", "s", "ns"):
        times = np.array(["2020-01-01", "2020-01-03"], f"M8[{unit}]")
        labels = Labels.of(times, 2)
        assert labels.index_of(np.datetime64("2020-01-03", unit)) == 1
        assert labels.index_of(times[::-1]).tolist() == [1, 0]
        assert isinstance(labels.of_index(0), np.datetime64)


def test_an_unsigned_number_is_not_cut_to_a_label():
    for labels in ((-7, 5, 9), (1000, 1001, 1002), (-7, 2000, 5)):
        for asked in (249, 200, 2**16 - 7, 2**32 - 7, 2**64 - 7):
            for kind in ("u1", "u2", "u4", "u8"):
                if asked <= np.iinfo(kind).max:
                    with named(f"{asked} of {labels}"), pytest.raises(UsageError):
                        labelled(*labels).index_of(np.array([asked], kind))


def test_an_unknown_label_is_named_with_labels_that_there_are():
    for labels, asked, unknown, offered in (
        (range(1, 5), [4, 5], "5", ["1", "4"]),
        (range(1, 5), 10**30, str(10**30), ["1", "4"]),
        (range(1, 5), True, "True", ["1", "4"]),
        (range(1, 5), np.array([1.0]), "1.0", ["1", "4"]),
        ((77, 30, 20, 10), 21, "21", ["30", "20"]),
        (("Bern", "Basel"), ["Bern", "Berne"], "'Berne'", ["'Bern'"]),
        ((1, "x"), "1", "'1'", ["1"]),
    ):
        with named(f"{asked} of {labels}"):
            with pytest.raises(UsageError) as refused:
                labelled(*labels).index_of(asked)
            before, _, hint = str(refused.value).partition(";")
            assert unknown in before
            found = [label for label in map(repr, labels) if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", hint)]
            assert found == offered


def test_an_index_that_is_none_has_no_label():
    for labels in (None, 10, ["a", "b", "c"]):
        for index in (-1, 3, 1.0, "b"):
            with pytest.raises(UsageError):
                from_arcs(3, [0], [1], [1], labels=labels).label_of(index)


def test_labels_that_no_graph_can_have():
    with pytest.raises(GraphError, match="3"):
        replace(labelled(1, 2, 3), labels=[1, 2])
    with pytest.raises(GraphError, match="list"):
        labelled([1], [2])
    for equal in ((True, 1), (1, 1.0), (0.0, -0.0), ((1,), (True,)), (Fraction(2), 2), (7, 7), (np.nan,) * 2):
        with named(str(equal)):
            with pytest.raises(GraphError) as refused:
                labelled("a", *equal)
            for label in equal:  # as it is spelled
                assert re.search(rf"(?<!\w){re.escape(repr(label))}(?!\w)", str(refused.value))
    for same in (("a", "b", "a"), (7, 3, 7)):
        with pytest.raises(GraphError, match=repr(same[0])):
            labelled(*same)


def test_equal_names_in_a_data_frame_are_one_vertex_as_in_networkx():
    frame = pandas.DataFrame({"source": pandas.Series([1, "a", True], dtype=object), "target": [1.0, 2.0, 1.0]})
    expected = set(networkx.from_pandas_edgelist(frame))
    graph = warpath.prepare(frame, "cpu").graph
    assert set(graph.labels.tolist()) == expected == {1, "a", 2}
    assert graph.index_of(True) == graph.index_of(1.0) == graph.index_of(1)


@given(st.one_of(NUMBERS, NAMES))
def test_a_saved_graph_keeps_its_labels(tmp_path_factory, given_labels):
    file = tmp_path_factory.getbasetemp() / "labelled.npz"
    graph = labelled(*given_labels)
    graph.save(file)
    assert load(file) == graph
    assert load(file).labels.tolist() == given_labels


def test_consecutive_numbers_take_no_room(tmp_path):
    graph = replace(graph_of(50_000), labels=1)
    graph.save(tmp_path / "graph.npz")
    assert (tmp_path / "graph.npz").stat().st_size < 1.1 * 4 * 50_000
    assert graph.labels.tolist() == list(range(1, 50_001))


def test_graphs_made_from_others_keep_labels():
    graph = labelled(10, 20, 30, 77)
    assert with_random_weights(graph, 1).labels.tolist() == [10, 20, 30, 77]
    assert first_vertices(graph, 3, 1).labels.tolist() == [10, 20, 30]
    part, source = nearest_subgraph(graph, graph.index_of(30), 2)
    assert part.labels.tolist() == [30, 77] and part.label_of(source) == 30


def test_the_first_vertices_keep_the_arcs_of_one_weight():
    whole = graph_of(4, (0, 1, 1), (1, 0, -1), (1, 2, 1), (2, 3, 1), (0, 2, 0))
    part = first_vertices(whole, 3, 1)
    assert (part.vertices, part.tails().tolist(), part.indices.tolist()) == (3, [0, 1], [1, 2])
    assert part.weights.tolist() == [1, 1]
    for vertices, weight, says in ((0, 1, "1 to 4"), (5, 1, "1 to 4"), (3, 7, "-1, 0, 1$"), (1, 1, "more")):
        with pytest.raises(UsageError, match=says):
            first_vertices(whole, vertices, weight)
