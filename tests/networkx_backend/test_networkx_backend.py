"""The NetworkX backend: its answers are NetworkX's, and NetworkX's own tests pass under it."""

import inspect
import os
import re
import subprocess
import sys
import tomllib
import warnings
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from importlib.metadata import entry_points
from itertools import pairwise, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from examples import fewer
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import named

from warpath.certificates.on_device import DeviceCertifier
from warpath.certificates.on_host import HostCertifier
from warpath.errors import CertificateError
from warpath.networkx_backend.info import FUNCTIONS
from warpath.networkx_backend.interface import backend

REPOSITORY = Path(__file__).resolve().parents[2]
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
NETWORKX_TESTS = [
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.centrality.tests.test_closeness_centrality",
]
NODES = ["a", (1, 2), 3, 4.5, frozenset({7}), 0]


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """The environment of a process in which NetworkX finds the backend as it would find the installed package's."""
    path = [str(REPOSITORY / "src")]
    if not entry_points(group="networkx.backends", name="warpath"):
        folder = tmp_path_factory.mktemp("installed") / "warpath-0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: warpath\nVersion: 0\n")
        declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["entry-points"]
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in declared.items()
        ]
        (folder / "entry_points.txt").write_text("\n".join(lines))
        path.append(str(folder.parent))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def test_networkx_s_own_tests_pass_and_run_here(environment, tmp_path):
    log = tmp_path / "networkx.log"
    options = ["-q", "-p", "no:cacheprovider", "-o", f"log_file={log}", "-o", "log_file_level=DEBUG"]
    test = subprocess.run(
        [sys.executable, "-m", "pytest", "--pyargs", *NETWORKX_TESTS, *options],
        env={**environment, "NETWORKX_TEST_BACKEND": "warpath", "NETWORKX_FALLBACK_TO_NX": "True"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert test.returncode == 0, test.stdout[-3000:] + test.stderr[-3000:]
    ran = Counter(re.findall(r"Using backend 'warpath' for call to '(\w+)'", log.read_text()))
    assert set(ran) == set(FUNCTIONS)
    assert ran.total() >= 400
    gave_up = re.findall(r"Backend 'warpath' raised when calling '(\w+)': (.*)", log.read_text())
    assert not gave_up


def test_dispatch_by_keyword_configuration_and_fallback(environment):
    script = """
import networkx as nx
nx.config.warnings_to_ignore.add("cache")
G = nx.Graph()
G.add_weighted_edges_from([("a", "b", 2), ("b", "c", 3), ("a", "c", 9)])
print(nx.dijkstra_path(G, "a", "c", backend="warpath", device="simulated", certify=False))
nx.config.backends.warpath.device = "simulated"
H = nx.DiGraph(G)
with nx.config(backend_priority=["warpath"]):
    print(nx.single_source_dijkstra_path_length(H, "a"))
    print("converted once:", len(H.__networkx_cache__["backends"]["warpath"]), nx.dijkstra_path_length(H, "a", "c"))
    print("falls back:", nx.dijkstra_path_length(H, "a", "c", weight=lambda u, v, d: d["weight"] ** 2))
    H.add_edge("c", "d", weight=1 / 3)
    print("a float:", nx.dijkstra_path_length(H, "a", "d"))
convert = nx.utils.backends._load_backend("warpath").convert_from_nx
converted = convert(G, edge_attrs={"weight": 1})
print("of a converted graph:", nx.shortest_path_length(converted, "a", "c", weight="weight"))
negative = convert(nx.DiGraph([("a", "b", {"weight": 2.5}), ("d", "b", {"weight": -1})]), edge_attrs={"weight": 1})
for fallback in (False, True):
    with nx.config(backend_priority=["warpath"], fallback_to_nx=fallback):
        try:
            print("of negative weights:", nx.dijkstra_path_length(negative, "a", "b"))
        except NotImplementedError:
            print("declined")
G.add_edge("a", "d", weight="far")
for _ in range(2):
    try:
        nx.dijkstra_path(G, "a", "c", backend="warpath")
    except NotImplementedError as error:
        print("named:", error.__cause__)
try:
    nx.dijkstra_path(G, "a", "c", weight=None, backend="warpath", device="toaster")
except Exception as error:
    print(type(error).__name__)
print(sorted(nx.utils.backends.backend_info["warpath"]["functions"]) == sorted(
    name for name in nx.utils.backends._registered_algorithms
    if "warpath" in nx.utils.backends._registered_algorithms[name].backends))
"""
    test = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert test.stderr == ""
    assert test.stdout.splitlines() == [
        "['a', 'b', 'c']",
        "{'a': 0, 'b': 2, 'c': 5}",
        "converted once: 1 5",
        "falls back: 13",
        "a float: 5.333333333333333",
        "of a converted graph: 5",
        "declined",
        "of negative weights: 2.5",
        "named: weights are of type str; warpath takes int and float",
        "named: weights are of type str; warpath takes int and float",
        "UsageError",
        "True",
    ]


def test_networkx_starts_without_loading_the_backend(environment):
    script = "import sys, networkx; print('numba' in sys.modules, 'warpath.networkx_backend.interface' in sys.modules)"
    test = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert test.stdout.split() == ["False", "False"], test.stderr


def test_wrong_arguments_are_type_errors():
    graph = nx.path_graph(2)
    for options in ({"devise": "cpu"}, {"target": 1}, {"source": 0, "device": "simulated"}, {}):
        arguments = (0,) if options else ()
        for priority in ([], ["warpath"]):
            with nx.config(backend_priority=priority), pytest.raises(TypeError, match=next(iter(options), "source")):
                nx.single_source_dijkstra_path_length(graph, *arguments, backend="warpath", **options)


def call(name, graph, *arguments, device="simulated", **keywords):
    """What the backend answers, called as NetworkX calls it."""
    function = getattr(nx, name)
    assert backend.can_run(name, (graph, *arguments), keywords) is True
    bound = inspect.signature(function.orig_func).bind(graph, *arguments, **keywords)
    bound.apply_defaults()
    weight = bound.arguments.get("weight", bound.arguments.get("distance"))
    converted = backend.convert_from_nx(graph, edge_attrs=None if weight is None else {weight: 1})
    return listed(getattr(backend, name)(converted, *arguments, device=device, **keywords))


def reason_to_decline(name, graph, *arguments, **keywords):
    """Why the backend cannot run the call, as NetworkX asks before it converts the graph; None if it can."""
    with nx.config(backend_priority=["warpath"]):
        answer = backend.can_run(name, (graph, *arguments), keywords)
    return None if answer is True else answer


def networkx_s(name, *arguments, **keywords):
    return listed(getattr(nx, name).orig_func(*arguments, **keywords))


def listed(answer):
    return dict(answer) if inspect.isgenerator(answer) else answer


@st.composite
def graphs(draw, weights):
    graph = draw(st.sampled_from(KINDS))()
    nodes = NODES[: draw(st.integers(1, len(NODES)))]
    graph.add_nodes_from(nodes)
    node = st.sampled_from(nodes)
    for tail, head, weight in draw(st.lists(st.tuples(node, node, weights), max_size=12)):
        graph.add_edge(tail, head, **({} if weight is None else {"weight": weight}))
    return graph


def weight_of(graph, path, weight):
    """The length of a path, added up as NetworkX's own tests do."""
    total = 0
    for tail, head in pairwise(path):
        edges = graph[tail][head].values() if graph.is_multigraph() else [graph[tail][head]]
        total += 1 if weight is None else min(edge.get(weight, 1) for edge in edges)
    return total


def assert_same_paths(graph, got, expected, weight):
    """The same ends and lengths; where several paths are shortest, any of them."""
    assert got.keys() == expected.keys()
    for node, path in got.items():
        assert (path[0], path[-1]) == (expected[node][0], expected[node][-1])
        assert len(path) == len(set(path))
        assert weight_of(graph, path, weight) == weight_of(graph, expected[node], weight)


def as_sets(before):
    """The predecessors of each node, in no order."""
    return {node: set(nodes) for node, nodes in before.items()}


def assert_same_lengths(got, expected):
    assert got == expected
    assert {type(length) for length in got.values()} <= {int, float}
    assert list(got.values()) == sorted(got.values())


WHOLE_WEIGHTS = st.sampled_from([None, 0, 1, 2, 3, 7])
HALF_WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2.25, 4.0])
FLOAT_WEIGHTS = st.one_of(st.floats(0, 1), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.0, 2.0**-53, 1e-17, 5e-324, 1e300]))


def test_floyd_warshall_has_floats_where_an_edge_has_no_weight():
    graph = nx.DiGraph([("a", "b"), ("b", "c", {"weight": 2})])
    expected, got = networkx_s("floyd_warshall", graph), call("floyd_warshall", graph)
    for node, lengths in expected.items():
        assert dict(got[node]) == lengths
        assert {type(length) for length in got[node].values()} == {type(length) for length in lengths.values()}


def test_a_graph_with_more_than_one_weight_an_edge_is_not_converted():
    for kept in ({"preserve_edge_attrs": True}, {"edge_attrs": {"weight": 1, "cost": 1}}):
        with pytest.raises(NotImplementedError):
            backend.convert_from_nx(nx.DiGraph([("a", "b", {"weight": 2, "cost": 3})]), **kept)


@fewer
@given(
    graph=st.one_of(graphs(WHOLE_WEIGHTS), graphs(HALF_WEIGHTS), graphs(FLOAT_WEIGHTS)),
    cutoff=st.sampled_from([None, -1, 0, 0.3, 1.5, 3]),
)
def test_dijkstra_as_networkx(graph, cutoff):
    source = NODES[0]
    expected_lengths, expected_paths = networkx_s("single_source_dijkstra", graph, source, cutoff=cutoff)
    lengths, paths = call("single_source_dijkstra", graph, source, cutoff=cutoff)
    assert_same_lengths(lengths, expected_lengths)
    assert [type(lengths[node]) for node in expected_lengths] == [*map(type, expected_lengths.values())]
    assert_same_paths(graph, paths, expected_paths, "weight")
    assert call("single_source_dijkstra_path_length", graph, source, cutoff=cutoff) == expected_lengths
    before, of_before = call("dijkstra_predecessor_and_distance", graph, source, cutoff=cutoff)
    expected_before, _ = networkx_s("dijkstra_predecessor_and_distance", graph, source, cutoff=cutoff)
    assert of_before == expected_lengths
    assert as_sets(before) == as_sets(expected_before)
    assert all(len(nodes) == len(set(nodes)) for nodes in before.values())
    sources = list(graph)[:2]
    lengths, paths = call("multi_source_dijkstra", graph, sources, cutoff=cutoff)
    expected_lengths, expected_paths = networkx_s("multi_source_dijkstra", graph, sources, cutoff=cutoff)
    assert_same_lengths(lengths, expected_lengths)
    assert paths.keys() == expected_paths.keys()
    for node, path in paths.items():
        assert path[0] in sources
        assert weight_of(graph, path, "weight") == lengths[node]
    for name in ("all_pairs_dijkstra_path_length", "all_pairs_shortest_path_length"):
        lengths = call(name, graph, cutoff=cutoff)
        assert lengths == networkx_s(name, graph, cutoff=cutoff)
        assert list(lengths) == list(graph)


FLOATS32 = st.one_of(st.floats(0, 1, width=32), st.sampled_from([0.1, 0.2, 2.0**-24, 1e30])).map(np.float32)


@given(graph=st.one_of(graphs(FLOATS32), graphs(st.one_of(st.integers(0, 5), st.floats(0, 1)))))
def test_lengths_of_float32_and_of_integers_among_floats_are_rounded_as_networkx_does(graph):
    lengths, paths = call("single_source_dijkstra", graph, NODES[0])
    expected_lengths, expected_paths = networkx_s("single_source_dijkstra", graph, NODES[0])
    assert_same_lengths(lengths, expected_lengths)
    assert_same_paths(graph, paths, expected_paths, "weight")


LARGE_WEIGHTS = st.sampled_from([None, 0, 1, 2**31 - 2, 2**31 - 1, 2**31, 2**33 + 1, 2**50 + 1])


@fewer
@given(graph=graphs(LARGE_WEIGHTS), negative=graphs(st.sampled_from([-1, 0, 2**31 - 1, 2**40 + 1])))
def test_sums_of_integers_beyond_31_bits_are_integers(graph, negative):
    source = NODES[0]
    for name in ("single_source_dijkstra", "bellman_ford_predecessor_and_distance"):
        lengths = next(part for part in call(name, graph, source) if 0 in part.values())
        expected = next(part for part in networkx_s(name, graph, source) if 0 in part.values())
        assert lengths == expected
        assert {type(length) for length in lengths.values()} == {int}
    assert call("all_pairs_dijkstra_path_length", graph) == networkx_s("all_pairs_dijkstra_path_length", graph)
    assert call("dijkstra_path_length", graph, source, source) == 0
    try:
        expected = networkx_s("single_source_bellman_ford_path_length", negative, source)
    except nx.NetworkXUnbounded:
        with pytest.raises(nx.NetworkXUnbounded):
            call("single_source_bellman_ford_path_length", negative, source)
    else:
        assert call("single_source_bellman_ford_path_length", negative, source) == expected


@fewer
@given(
    graph=st.one_of(graphs(st.sampled_from([None, -2, -1, 1, 3, 4])), graphs(st.sampled_from([-0.5, 0.25, 1.0, 2.5]))),
    unweighted=st.booleans(),
)
def test_bellman_ford_as_networkx(graph, unweighted):
    source, weight = NODES[0], None if unweighted else "weight"
    try:
        expected = networkx_s("single_source_bellman_ford", graph, source, weight=weight)
    except nx.NetworkXUnbounded:
        with pytest.raises(nx.NetworkXUnbounded):
            call("single_source_bellman_ford", graph, source, weight=weight)
        return
    lengths, paths = call("single_source_bellman_ford", graph, source, weight=weight)
    assert lengths == expected[0]
    assert_same_paths(graph, paths, expected[1], weight)
    try:
        before, lengths = networkx_s("bellman_ford_predecessor_and_distance", graph, source, weight=weight)
    except nx.NetworkXUnbounded:  # a negative loop out of reach
        for name in ("bellman_ford_predecessor_and_distance", "goldberg_radzik"):
            with pytest.raises(nx.NetworkXUnbounded):
                call(name, graph, source, weight=weight)
        return
    got, of_got = call("bellman_ford_predecessor_and_distance", graph, source, weight=weight)
    assert of_got == lengths
    assert as_sets(got) == as_sets(before)
    tree, lengths = call("goldberg_radzik", graph, source, weight=weight)
    assert lengths == of_got
    assert all(tree[node] in got[node] for node in tree if node != source)


@fewer
@given(
    graph=st.one_of(graphs(st.sampled_from([None, -1, 0, 2, 3, 4])), graphs(st.sampled_from([-0.5, 0.0, 1.25, 3.0]))),
    unweighted=st.booleans(),
)
def test_all_pairs_with_negative_weights_as_networkx(graph, unweighted):
    weight = None if unweighted else "weight"
    try:
        expected = networkx_s("johnson", graph, weight=weight)
    except nx.NetworkXUnbounded:
        with pytest.raises(nx.NetworkXUnbounded):
            call("johnson", graph, weight=weight)
        with pytest.raises(NotImplementedError):
            call("floyd_warshall", graph, weight=weight)
        return
    for node, paths in call("johnson", graph, weight=weight).items():
        assert_same_paths(graph, paths, expected[node], weight)
    before, lengths = call("floyd_warshall_predecessor_and_distance", graph, weight=weight)
    expected_before, expected_lengths = networkx_s("floyd_warshall_predecessor_and_distance", graph, weight=weight)
    assert lengths == expected_lengths
    assert as_sets(before) == as_sets(expected_before)
    for source in before:
        for target in before[source].keys() - {source}:
            assert weight_of(graph, nx.reconstruct_path(source, target, before), weight) == lengths[source][target]
    if list(graph) == list(graph)[::-1] or not weight:
        return
    in_order = {"nodelist": list(graph)[::-1]}
    expected = networkx_s("floyd_warshall_numpy", graph, **in_order)
    np.testing.assert_array_equal(call("floyd_warshall_numpy", graph, **in_order), expected)


def test_the_matrix_of_floyd_warshall_adds_float64_as_networkx_does():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, np.float32(0.1)), (1, 2, np.float32(0.2))])
    np.testing.assert_array_equal(call("floyd_warshall_numpy", graph), networkx_s("floyd_warshall_numpy", graph))


@fewer
@given(graph=graphs(WHOLE_WEIGHTS), cutoff=st.sampled_from([None, -1, 0, 1, 1.5, 2]), weighted=st.booleans())
def test_unweighted_and_generic_functions_as_networkx(graph, cutoff, weighted):
    node = NODES[0]
    for name in ("single_source_shortest_path_length", "single_target_shortest_path_length"):
        assert_same_lengths(call(name, graph, node, cutoff=cutoff), networkx_s(name, graph, node, cutoff=cutoff))
    for name in ("single_source_shortest_path", "single_target_shortest_path"):
        got, expected = (function(name, graph, node, cutoff=cutoff) for function in (call, networkx_s))
        assert_same_paths(graph, got, expected, None)
    weight = "weight" if weighted else None
    for method in ("dijkstra", "bellman-ford"):
        options = {"weight": weight, "method": method}
        for ends in ({"source": node}, {"target": node}):
            lengths = call("shortest_path_length", graph, **ends, **options)
            assert lengths == networkx_s("shortest_path_length", graph, **ends, **options)
            paths = call("shortest_path", graph, **ends, **options)
            assert_same_paths(graph, paths, networkx_s("shortest_path", graph, **ends, **options), weight)
        assert call("shortest_path_length", graph, **options) == networkx_s("shortest_path_length", graph, **options)
    last = list(graph)[-1]
    for ends in ((node, last), (None, last), (node, None), (None, None)):
        assert call("has_path", graph, *ends) == networkx_s("has_path", graph, *ends)


@fewer
@given(
    graph=st.one_of(graphs(WHOLE_WEIGHTS), graphs(HALF_WEIGHTS)),
    weight=st.sampled_from([None, "weight"]),
    improved=st.booleans(),
)
def test_measures_of_all_pairs_as_networkx(graph, weight, improved):
    node, some = NODES[0], list(graph)[:2]
    for name, options in (
        ("eccentricity", {}),
        ("eccentricity", {"v": node}),
        ("eccentricity", {"v": [*some, "unknown"]}),
        ("eccentricity", {"v": 99}),
        ("diameter", {}),
        ("radius", {}),
        ("average_shortest_path_length", {}),
        ("average_shortest_path_length", {"method": "unweighted"}),
        ("average_shortest_path_length", {"method": "bellman-ford"}),
        ("average_shortest_path_length", {"method": "guess"}),
    ):
        expected = outcome(networkx_s, name, graph, weight=weight, **options)
        assert outcome(call, name, graph, weight=weight, **options) == expected, (name, options)
    for options in ({}, {"u": node}):
        options |= {"distance": weight, "wf_improved": improved}
        assert call("closeness_centrality", graph, **options) == networkx_s("closeness_centrality", graph, **options)


def test_measures_of_floats_differ_by_rounding_at_most():
    draw = np.random.default_rng(5)
    graph = nx.gnm_random_graph(60, 400, seed=1, directed=True)
    graph.add_edges_from(pairwise([*range(60), 0]))
    nx.set_edge_attributes(graph, {edge: draw.random() for edge in graph.edges}, "weight")
    for name in ("eccentricity", "average_shortest_path_length", "closeness_centrality"):
        options = {"distance" if "closeness" in name else "weight": "weight"}
        assert call(name, graph, **options) == pytest.approx(networkx_s(name, graph, **options), rel=1e-12)


def test_measures_that_need_no_distances_of_all_pairs_are_declined():
    graph = nx.path_graph(3)
    assert reason_to_decline("diameter", graph, usebounds=True)
    assert reason_to_decline("radius", graph, e={0: 2, 1: 1, 2: 2})
    assert reason_to_decline("eccentricity", graph, sp=dict(nx.all_pairs_shortest_path_length(graph)))
    graph.add_edge(0, 1, weight=-1)
    assert reason_to_decline("closeness_centrality", graph, distance="weight")


def test_missing_nodes_and_paths_are_networkx_s_errors():
    graph = nx.DiGraph([(0, 1)])
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(nx, name)).parameters
        if "source" in parameters:
            needs_target = "target" in parameters and parameters["target"].default is inspect._empty
            for ends in [("moon", 0), ("moon", "moon"), (1, 0), (0, "moon")] if needs_target else [("moon",)]:
                assert_same_outcome(name, graph, **dict(zip(("source", "target"), ends, strict=False)))
    for kind, weight, method in product(KINDS, [None, "weight"], ["dijkstra", "bellman-ford"]):
        for name in ("shortest_path", "shortest_path_length"):
            assert_same_outcome(name, kind([(0, 1)]), target="moon", weight=weight, method=method)


def outcome(function, *arguments, **keywords):
    """What a call answers, or the error that it raises."""
    try:
        return listed(function(*arguments, **keywords))
    except Exception as error:
        return type(error), str(error)


def assert_same_outcome(name, graph, **keywords):
    """The answer of NetworkX, or its error."""
    expected = outcome(networkx_s, name, graph, **keywords)
    assert outcome(call, name, graph, device="cpu", **keywords) == expected, (name, keywords)


WITH_CUTOFF = [name for name in FUNCTIONS if "cutoff" in inspect.signature(getattr(nx, name)).parameters]
CUTOFFS = [np.nan, np.float32("nan"), np.inf, np.float64("inf"), -np.inf, -0.0, -3, 2, True, 2.5, 0.3, Fraction(9, 4)]
CUTOFFS += [10**400, -(10**400), 2**53 + 3, np.int8(2), np.uint64(4), np.float16(1.5), np.float32(0.3), np.float64(0.3)]


@fewer
@given(
    name=st.sampled_from(WITH_CUTOFF), step=st.sampled_from([1, 0.1, np.float32(0.1), 2.0**53 + 4]), number=st.data()
)
def test_a_cutoff_is_compared_as_networkx_does(name, step, number):
    tree = nx.balanced_tree(2, 3)  # one path only to each node
    nx.set_edge_attributes(tree, {edge: step * (1 + edge[1] % 2) for edge in tree.edges}, "weight")
    ends = {"source": 0, "target": 0, "sources": [0, 14]}
    ends = {end: ends[end] for end in inspect.signature(getattr(nx, name)).parameters if end in ends}
    for cutoff in CUTOFFS:
        assert_same_outcome(name, tree, **ends, cutoff=cutoff)
        if "target" in ends and len(ends) == 2:
            target = number.draw(st.sampled_from([1, 5, 14]))
            assert_same_outcome(name, tree, **{**ends, "target": target}, cutoff=cutoff)


WEIGHTS_OF_TWO_KINDS = st.fixed_dictionaries(
    {},
    optional={
        "weight": st.sampled_from([-2, -1, 0, 1, 3, 2**31 - 1]),
        "cost": st.sampled_from([0, 0.25, 1.5, np.float32(0.5), "far", None, 2**60]),
    },
)
ARGUMENTS = {
    "source": st.sampled_from([*NODES, "moon"]),
    "target": st.sampled_from([*NODES, "moon"]),
    "sources": st.lists(st.sampled_from(NODES), max_size=3),
    "cutoff": st.sampled_from([None, 1, 0.5, float("nan")]),
    "weight": st.sampled_from([None, "weight", "cost", "colour", lambda *edge: 1]),
    "method": st.sampled_from(["dijkstra", "bellman-ford"]),
    "heuristic": st.booleans(),
    "nodelist": st.none(),
    "v": st.sampled_from([None, *NODES, NODES[:2], "moon"]),
    "u": st.sampled_from([None, *NODES]),
    "distance": st.sampled_from([None, "weight", "cost"]),
    "wf_improved": st.booleans(),
    "sp": st.none(),
    "e": st.none(),
    "usebounds": st.booleans(),
}


@st.composite
def calls(draw):
    """A function of the backend, and its arguments by name."""
    name = draw(st.sampled_from(FUNCTIONS))
    parameters = inspect.signature(getattr(nx, name).orig_func).parameters
    given_ones = {
        each: parameter.default is inspect._empty or draw(st.booleans()) for each, parameter in parameters.items()
    }
    return name, {each: draw(ARGUMENTS[each]) for each, is_given in given_ones.items() if is_given and each != "G"}


@st.composite
def changes(draw):
    """A method of a graph that changes it, and its arguments."""
    tail, head = draw(st.sampled_from(NODES)), draw(st.sampled_from(NODES))
    return draw(
        st.sampled_from(
            [
                ("add_edges_from", ([(tail, head, draw(WEIGHTS_OF_TWO_KINDS))],)),
                ("remove_edges_from", ([(tail, head)],)),
                ("remove_nodes_from", ([tail],)),
                ("add_node", (tail,)),
            ]
        )
    )


@given(kind=st.sampled_from(KINDS), steps=st.lists(st.one_of(calls(), calls(), changes()), min_size=2, max_size=20))
def test_answers_do_not_depend_on_earlier_calls(kind, steps):
    """NetworkX keeps conversions of a graph, and gives one with weights to calls without."""
    graph = kind()
    graph.add_nodes_from(NODES)
    graph.add_edges_from(
        [("a", 3, {"weight": 2}), (3, 0), (0, 4.5, {"weight": 1, "cost": 0.5}), (7, 7, {"weight": -1})]
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Note: conversions to backend graphs are saved to cache")
        for name, arguments in steps:
            if isinstance(arguments, tuple):
                getattr(graph, name)(*arguments)
                continue
            fresh = deepcopy(graph)
            fresh.__networkx_cache__.clear()
            options = {**arguments, "backend": "warpath", "device": "cpu"}
            answers = (outcome(getattr(nx, name), each, **options) for each in (graph, fresh))
            np.testing.assert_equal(*answers)


def test_a_graph_comes_back_as_it_went():
    def edges(of_graph):
        ends = ((tail, head) if of_graph.is_directed() else frozenset({tail, head}) for tail, head in of_graph.edges())
        return Counter(zip(ends, nx.get_edge_attributes(of_graph, "weight", 1).values(), strict=True))

    for kind in KINDS:
        graph = kind([("a", "b", {"weight": 2}), ("b", "c", {"weight": 0}), ("c", "c", {"weight": 5}), ("a", "b")])
        graph.add_node("alone")
        back = backend.convert_to_nx(backend.convert_from_nx(graph, edge_attrs={"weight": 1}))
        assert type(back) is kind and set(back) == set(graph) and edges(back) == edges(graph)


def test_declines_what_it_cannot_answer_exactly():
    for weight, reason in (
        (None, "NoneType"),
        ("2", "str"),
        (Fraction(1, 2), "Fraction"),
        (float("inf"), "finite"),
        (float("nan"), "finite"),
        (1e308, "finite"),
        (2**53, "larger than 2"),
        (10**400, "larger than 2"),
        (np.float16(0.5), "size"),
        (-1, "Dijkstra"),
    ):
        with named(repr(weight)):
            graph = nx.Graph([("a", "b", {"weight": weight}), ("b", "c")])
            converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
            for name in ("single_source_dijkstra", "shortest_path", "all_pairs_dijkstra_path"):
                arguments = () if name.startswith("all") else ("a",)
                assert reason in reason_to_decline(name, graph, *arguments, weight="weight")
                with pytest.raises(NotImplementedError, match=reason):
                    getattr(backend, name)(converted, *arguments, weight="weight", device="simulated")
            assert reason_to_decline("single_source_shortest_path", graph, "a") is None
            assert reason_to_decline("single_source_dijkstra", graph, "a", weight="cost") is None
            if weight == -1:
                assert reason_to_decline("single_source_bellman_ford", graph, "a") is None
                with pytest.raises(NotImplementedError):
                    backend.floyd_warshall(converted, weight="weight", device="simulated")


def test_declines_functions_other_weights_and_sums_beyond_53_bits():
    graph = nx.path_graph(4)
    assert "function" in reason_to_decline("dijkstra_path", graph, 0, 3, weight=lambda u, v, d: 1)
    converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert "'cost'" in reason_to_decline("dijkstra_path", converted, 0, 3, weight="cost")
    with pytest.raises(NotImplementedError, match="'cost'"):
        backend.dijkstra_path(converted, 0, 3, weight="cost", device="simulated")
    mixed = nx.Graph([("a", "b", {"weight": 2**53 - 1}), ("b", "c", {"weight": 0.5})])
    assert "larger than 2" in reason_to_decline("single_source_dijkstra", mixed, "a")


def test_answers_are_certified_unless_declined(monkeypatch):
    def wrong():
        raise CertificateError("the answer is wrong")

    for certifier in (DeviceCertifier, HostCertifier):
        monkeypatch.setattr(certifier, "begin", lambda *_: wrong)
    for name, arguments in (("dijkstra_path", (0, 2)), ("multi_source_dijkstra_path", ([0, 3],)), ("johnson", ())):
        graph = nx.path_graph(30)
        with pytest.raises(CertificateError):
            call(name, graph, *arguments)
        converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        answer = getattr(backend, name)(converted, *arguments, device="simulated", certify=False)
        assert answer == networkx_s(name, graph, *arguments)


def test_empty_graph():
    graph = nx.DiGraph()
    assert call("floyd_warshall", graph) == call("johnson", graph) == call("all_pairs_dijkstra_path", graph) == {}
    assert call("floyd_warshall_numpy", graph).shape == (0, 0)


def test_without_a_gpu_a_call_that_names_no_backend_comes_for_all_pairs_alone(monkeypatch):
    monkeypatch.setattr("warpath.networkx_backend.interface._has_gpu", lambda: False)
    network = nx.path_graph(4)

    def taken(name, *arguments, **options):
        return backend.should_run(name, (network, *arguments), options) is True

    assert taken("all_pairs_dijkstra_path") and taken("shortest_path") and taken("floyd_warshall") and taken("johnson")
    for name in ("single_source_dijkstra", "shortest_path", "single_source_shortest_path_length"):
        assert "there is no GPU" in backend.should_run(name, (network, 0), {})
    assert not taken("shortest_path_length", target=2)
    with nx.config.backends.warpath(device="cpu"):
        assert taken("single_source_dijkstra", 0)
        assert nx.dijkstra_path(network, 0, 3, backend="warpath") == [0, 1, 2, 3]


# The table "What differs" of docs/library.md: rows that the tests of random graphs above say nothing of.


def test_networkx_lengths_are_int_or_float():
    for value, kind in ((np.int64(2), int), (np.float32(0.5), float), (np.float64(0.5), float)):
        graph = nx.DiGraph([("a", "b", {"weight": value})])
        length = call("dijkstra_path_length", graph, "a", "b")
        assert length == value and type(length) is kind
    graph = nx.DiGraph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 0.5})])
    assert type(call("dijkstra_path_length", graph, "a", "b")) is float


def test_networkx_floats_are_added_from_the_source_on():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (0, 3, 0.7)])
    expected = networkx_s("dijkstra_path_length", graph, 0, 3)
    assert expected == 0.1 + 0.2 + 0.3 != 0.1 + (0.2 + 0.3)
    assert call("bidirectional_dijkstra", graph, 0, 3)[0] == expected
    for name in ("floyd_warshall", "floyd_warshall_numpy"):
        assert call(name, graph)[0][3] == expected
