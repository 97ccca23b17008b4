"""Digraphs around a hub."""

import numpy as np
import pytest

from warpath.errors import UsageError
from warpath_study.datasets.catalog import load_catalog
from warpath_study.datasets.generate import generate


def test_every_vertex_has_an_arc_to_the_hub_and_one_from_it():
    graph, other, again = (generate("hub", vertices=40, arcs=400, seed=seed) for seed in (3, 4, 3))
    assert (graph.vertices, graph.arcs) == (40, 400) and graph.sha256 == again.sha256 != other.sha256
    tails = graph.tails()
    assert set(graph.indices[tails == 0]) >= set(range(1, 40))
    assert set(tails[graph.indices == 0]) >= set(range(1, 40))
    assert not np.any(tails == graph.indices)
    for sizes in ({"vertices": 1, "arcs": 0}, {"vertices": 5, "arcs": 7}):
        with pytest.raises(UsageError):
            generate("hub", **sizes)


def test_the_catalog_has_the_published_sizes():
    sizes = {dataset.vertices for name, dataset in load_catalog().items() if name.startswith("tutorial-")}
    assert sizes >= {32_000, 46_000}
