"""Digraphs around a hub."""

import numpy as np
import pytest

from warpath.errors import UsageError
from warpath_study.datasets.catalog import load_catalog
from warpath_study.datasets.generate import generate


def test_every_vertex_has_an_arc_to_the_hub_and_one_from_it():
    graph = generate("hub", vertices=40, arcs=400, seed=3)
    assert (graph.vertices, graph.arcs) == (40, 400)
    tails = graph.tails()
    assert set(graph.indices[tails == 0]) >= set(range(1, 40))
    assert set(tails[graph.indices == 0]) >= set(range(1, 40))
    assert not np.any(tails == graph.indices)


def test_the_seed_decides():
    assert generate("hub", vertices=9, arcs=60, seed=1).sha256 == generate("hub", vertices=9, arcs=60, seed=1).sha256
    assert generate("hub", vertices=9, arcs=60, seed=1).sha256 != generate("hub", vertices=9, arcs=60, seed=2).sha256


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"vertices": 1, "arcs": 0}, "at least two vertices"), ({"vertices": 5, "arcs": 7}, "two arcs per other vertex")],
)
def test_refuses_what_is_no_hub(parameters, words):
    with pytest.raises(UsageError, match=words):
        generate("hub", **parameters)


def test_the_catalog_has_the_published_sizes():
    sizes = {dataset.vertices for name, dataset in load_catalog().items() if name.startswith("tutorial-")}
    assert sizes >= {32_000, 46_000}
