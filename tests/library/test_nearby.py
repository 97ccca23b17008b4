"""Sources that reach few vertices, which the library solves by a search on the host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, random_graphs

import warpath
from warpath.device import open_device
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError, UsageError
from warpath.library import nearby

SIMULATED = open_device("simulated")
SEARCH = "host.search"


@given(random_graphs(vertices_max=12, arcs_per_vertex=2), st.booleans(), st.booleans())
def test_distances_and_predecessors_are_those_of_a_kernel_and_of_scipy(of, certify, predecessors):
    for source in range(of.vertices):
        paths = warpath.sssp(of, source, device=SIMULATED, certify=certify, predecessors=predecessors)
        assert paths.distances.tolist() == reference(of, source).tolist()
        assert (paths.predecessors is not None) == predecessors
        assert (paths.certificate is not None) == certify
        if certify:
            assert paths.certificate == warpath.certify(
                of, source, paths.distances, paths.predecessors, device=SIMULATED
            )


@pytest.mark.parametrize("name", TINY)
def test_a_source_without_outgoing_arcs_reaches_itself(name):
    of = TINY[name]
    for source in np.flatnonzero(np.diff(of.indptr) == 0).tolist():
        paths = warpath.sssp(of, np.int64(source), device=SIMULATED)
        assert paths.variant == SEARCH
        assert np.flatnonzero(paths.reached).tolist() == [source]
        assert paths.path_to(source) == [source] and paths.certificate.reached == 1


def test_all_else_is_left_to_the_solvers():
    few = TINY["sinks"]
    named = {"algorithm": "near_far"}, {"cutoff": 5}, {"output": "device"}
    for options in named:
        assert warpath.sssp(few, 0, device=SIMULATED, **options).variant != SEARCH
    for of in (TINY["path of 33"], *NEGATIVE.values()):
        assert warpath.sssp(of, 0, device=SIMULATED).variant != SEARCH


def test_faults_are_those_of_the_solvers():
    far = graph(3, (0, 1, 2**31 - 2), (1, 2, 2))
    with pytest.raises(GraphError, match="does not fit 32 bits"):
        warpath.sssp(far, 0, device=SIMULATED)
    with pytest.raises(UsageError, match="not a vertex"):
        warpath.sssp(far, 3, device=SIMULATED)
    with pytest.raises(UsageError):
        warpath.sssp(far, 2, device=SIMULATED, variant="queue")
    with pytest.raises(UsageError):
        warpath.sssp(far, 2, device=SIMULATED, output="nowhere")


@pytest.mark.parametrize("weights", [(5, 1), (2**31 - 2, 1), (2**31 - 2, 2)])
def test_the_head_of_a_reached_vertex_is_not_unreachable(weights):
    of = graph(3, (0, 1, weights[0]), (1, 2, weights[1]))
    with pytest.raises(CertificateError):
        nearby.certify(of, 0, np.array([0, weights[0], UNREACHABLE], np.int32), None)


def test_a_sum_beyond_the_largest_float_is_no_path():
    largest = np.finfo(np.float64).max
    of = warpath.from_arcs(3, [0, 1], [1, 2], [largest, largest])
    for trees in (None, np.array([-1, 0, -1], np.int32)):
        assert nearby.certify(of, 0, np.array([0, largest, np.inf]), trees).reached == 2


@pytest.mark.parametrize("predecessors", [[-1, 0, 3, -1], [1, 0, -1, -1], [-1, 0, 1, -1], [-1, -1, -1, -1]])
def test_only_reached_vertices_but_the_source_have_predecessors(predecessors):
    of, distances = graph(4, (0, 1, 5)), np.array([0, 5, UNREACHABLE, UNREACHABLE], np.int32)
    assert nearby.certify(of, 0, distances, np.array([-1, 0, -1, -1], np.int32)).reached == 2
    with pytest.raises(CertificateError):
        nearby.certify(of, 0, distances, np.array(predecessors, np.int32))
