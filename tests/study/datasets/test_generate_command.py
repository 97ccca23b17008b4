"""``warpath generate`` and the generated datasets of the catalog."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from warpath.__main__ import main
from warpath.graphs.csr import load
from warpath.graphs.files.formats import read
from warpath_study.datasets.catalog import load_catalog
from warpath_study.datasets.generate import generate

CATALOG = load_catalog()
GENERATED = {name: dataset for name, dataset in CATALOG.items() if dataset.generated}
MAIN_PAPER = ["nyc", "bay", "col", "fla", "ne", "e", "gnutella04", "gnutella25", "gnutella30"]


@pytest.mark.parametrize("name", MAIN_PAPER)
def test_every_graph_of_the_main_paper_has_a_stand_in_of_its_counts_and_a_small_one(name):
    for other in (f"standin-{name}", f"demo-{name}"):
        assert CATALOG[other].weighted == CATALOG[name].weighted
    twin, small = CATALOG[f"standin-{name}"], CATALOG[f"demo-{name}"]
    assert (twin.vertices, twin.arcs) == (CATALOG[name].vertices, CATALOG[name].arcs)
    assert small.vertices <= 3000
    assert small.vertices % 32


@pytest.mark.parametrize(
    "name",
    [
        name if dataset.vertices < 300_000 else pytest.param(name, marks=pytest.mark.slow)
        for name, dataset in GENERATED.items()
        if dataset.vertices < 1_500_000  # a generated graph is held to its hash before it is measured
    ],
)
def test_a_generated_dataset_is_the_graph_of_its_entry(name):
    dataset = GENERATED[name]
    graph = generate(dataset.generator, **dataset.parameters)
    assert (graph.vertices, graph.arcs, graph.sha256) == (dataset.vertices, dataset.arcs, dataset.sha256)
    assert dataset.weighted == (graph.metadata["weights"]["kind"] == "given")


@pytest.mark.parametrize("name", [name for name, dataset in GENERATED.items() if dataset.vertices >= 300_000])
def test_the_parameters_of_a_large_dataset_are_the_counts_of_its_entry(name):
    dataset = GENERATED[name]
    if dataset.generator == "matrices":
        size = dataset.parameters["size"]
        assert (dataset.vertices, dataset.arcs) == (size**2, 4 * size * (size - 1))
    else:
        assert dataset.parameters == {"vertices": dataset.vertices, "arcs": dataset.arcs, "seed": 1}


def test_a_dataset_by_name(tmp_path, capsys):
    output = tmp_path / "new" / "demo-nyc.npz"
    assert main(["generate", "demo-nyc", "--output", str(output)]) == 0
    described = "600 vertices, 1,666 arcs, weights given (1 to 491), no parallel arcs, no loops, labels 0 to 599"
    assert capsys.readouterr().out == f"{output}: {described}\n"
    graph = load(output)
    assert graph.metadata["dataset"] == "demo-nyc"
    assert graph.metadata["title"] == CATALOG["demo-nyc"].title
    again = tmp_path / "again.npz"
    main(["generate", "demo-nyc", "--output", str(again)])
    assert again.read_bytes() == output.read_bytes()


def test_parameters_that_make_another_graph_than_the_entry_says_are_refused(tmp_path, monkeypatch, capsys):
    entry = {"kind": "generated", "title": "Town", "generator": "road", "vertices": 500, "arcs": 1400, "weighted": True}
    parameters = {"vertices": 500, "arcs": 1400, "seed": 9}
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    for sha256, status in (("0" * 64, 1), (generate("road", **parameters).sha256, 0)):
        Path("data/catalog.yaml").write_text(
            yaml.safe_dump({"town": {**entry, "parameters": parameters, "sha256": sha256}})
        )
        assert main(["generate", "town"]) == status
        assert Path("data/graphs/town.npz").exists() == (status == 0)
    assert generate("road", **parameters).sha256 in capsys.readouterr().err


def test_the_default_output_lies_in_data_graphs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "sample1"]) == 0
    assert load("data/graphs/sample1.npz").arcs == 9


def test_a_graph_without_weights_gets_random_ones(tmp_path):
    output = str(tmp_path / "peers.npz")
    request = ["generate", "demo-gnutella04", "--output", output]
    assert main(request) == 0
    usual = load(output)
    assert usual.metadata["weights"] == {"kind": "random", "seed": 1, "min": 1, "max": 100}
    assert main([*request, "--weights-seed", "2", "--weight-min", "5", "--weight-max", "6"]) == 0
    other = load(output)
    assert other.metadata["weights"] == {"kind": "random", "seed": 2, "min": 5, "max": 6}
    assert set(other.weights.tolist()) == {5, 6}
    np.testing.assert_array_equal(other.indices, usual.indices)


def test_a_graph_of_ones_own(tmp_path):
    output = tmp_path / "town.npz"
    options = ["--kind", "road", "--vertices", "500", "--arcs", "1400", "--seed", "9"]
    assert main(["generate", *options, "--output", str(output)]) == 0
    assert load(output).sha256 == generate("road", vertices=500, arcs=1400, seed=9).sha256


@pytest.mark.parametrize(
    "request_, sentence",
    [
        ("", "either the NAME of a generated dataset or --kind for a graph of your own"),
        ("demo-nyc --kind road", "give either the NAME"),
        ("demo-nyc --seed 2", "--seed needs --kind; the catalog has the parameters of demo-nyc"),
        ("demo-nyc --weights-seed 2", "--weights-seed is for graphs without weights; a road graph has weights"),
        ("nyc", "nyc is a gr graph, not a generated one; make it with: warpath convert nyc"),
        ("demo-nycc", "unknown dataset 'demo-nycc'; did you mean demo-nyc"),
        ("--kind road --vertices 5 --arcs 9", "must be even"),
        ("--kind gnutella --vertices 30 --arcs 60 --weight-min 7 --weight-max 6", "weights cannot be drawn from 7..6"),
    ],
)
def test_a_request_that_makes_no_sense_gets_one_sentence(request_, sentence, tmp_path, capsys):
    output = tmp_path / "graph.npz"
    assert main(["generate", *request_.split(), "--output", str(output)]) == 2
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_needed_and_its_suffix_names_the_format(tmp_path, capsys):
    assert main(["generate", "--kind", "paper_sample"]) == 2
    assert "needs --output" in capsys.readouterr().err
    assert main(["generate", "sample1", "--output", str(tmp_path / "x.foo")]) == 2
    assert "unknown suffix '.foo'" in capsys.readouterr().err
    assert main(["generate", "matrices-64", "--output", str(tmp_path / "x.gr")]) == 2
    assert "matrices need the suffix .npz" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["generate", "sample1", "--output", str(tmp_path / "x.txt")]) == 0
    assert read(tmp_path / "x.txt") == generate("paper_sample")
    assert main(["generate", "sample1", "--output", str(tmp_path / "x.gr")]) == 0
    assert "the labels are left out: this format numbers the vertices 1..6" in capsys.readouterr().out
