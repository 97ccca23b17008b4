"""The catalog: our entries, derived graphs and files of one's own, and what is refused."""

import csv
from pathlib import Path

import pytest
import yaml
from tiny_graphs import named

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.graphs.files.formats import TEXT
from warpath_study import data_files
from warpath_study.datasets import catalog
from warpath_study.datasets.weight_rules import WeightRule

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "workflow" / "works" / "bodra" / "published"
REAL = {
    "kind": "gr",
    "title": "New York City",
    "file": "USA-road-d.NY.gr.gz",
    "addresses": ["http://example.org/USA-road-d.NY.gr.gz"],
    "sha256": None,
    "vertices": 264346,
    "arcs": 733846,
    "weighted": True,
    "licence": "none stated",
    "citation": "somebody",
}
GENERATED = {
    "kind": "generated",
    "title": "Demo",
    "generator": "road",
    "parameters": {"vertices": 5, "seed": 1},
    "vertices": 5,
    "arcs": 8,
    "weighted": True,
}


OURS = catalog.load_catalog(ROOT / "data" / "catalog.yaml")


@pytest.fixture
def catalog_file(tmp_path):
    def write(content):
        path = tmp_path / "catalog.yaml"
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_published_row_has_its_dataset_of_the_same_size():
    for table in ("table1", "table2", "table3"):
        with open(PUBLISHED / f"{table}.csv", newline="") as file:
            for row in csv.DictReader(file):
                for name in (row["dataset"], f"standin-{row['dataset']}"):
                    counts = OURS[name].vertices, OURS[name].arcs
                    assert counts == (int(row["nodes"]), int(row["edges"])), name


def test_every_published_file_is_named_by_its_addresses_and_comes_over_https_first():
    for dataset in OURS.values():
        if dataset.published and dataset.addresses:
            assert dataset.addresses[0].startswith("https://") and not dataset.own
            # Topologies are published as COL.gr.xz, which would be taken for the graph with lengths.
            published = dataset.file.replace(".pace.", ".")
            assert all(address.endswith(f"/{published}") for address in dataset.addresses)
            # In caida the third column is the relationship between autonomous systems.
            assert dataset.weighted == ("road-d" in dataset.file or dataset.name == "caida")


def test_an_entry_that_is_malformed_is_named_with_the_key(catalog_file):
    for change, key in (
        ({"vertces": 3}, "vertces"),
        ({"vertices": 0}, "vertices"),
        ({"file": "../escape.gz"}, "file"),
        ({"addresses": ["ftp://example.org/x"]}, "addresses"),
        ({"generator": "road"}, "generator"),
    ):
        path = catalog_file({"nyc": {**REAL, **change}})
        with named(str(change)), pytest.raises(FormatError) as caught:
            catalog.load_catalog(path)
        assert str(caught.value).startswith(f"{path}: nyc: ")
        assert key in str(caught.value) and "\n" not in str(caught.value)


def test_an_entry_says_all_that_is_known_of_its_graph(catalog_file):
    of_file = ("file", "licence", "citation", "weighted", "vertices", "arcs")
    of_generated = ("generator", "weighted", "vertices", "arcs")
    for whole, missing in (*((REAL, key) for key in of_file), *((GENERATED, key) for key in of_generated)):
        entry = {name: value for name, value in whole.items() if name != missing}
        with pytest.raises(FormatError, match=f"some: .*`{missing}`"):
            catalog.load_catalog(catalog_file({"some": entry}))


def test_a_file_of_ones_own_needs_no_more_than_its_name(catalog_file):
    for kind in TEXT:
        mine = catalog.load_catalog(catalog_file({"mine": {"kind": kind, "file": "mine.txt"}}))["mine"]
        assert (mine.published, mine.own, mine.generated, mine.derived) == (True, True, False, False)
        assert (mine.title, mine.weighted, mine.vertices, mine.arcs) == ("mine", None, None, None)
        assert catalog.raw_path(mine) == Path("data/raw/mine.txt")


REVISED = {"kind": "derived", "from": "nyc", "weights": {"seed": 1, "min": 1, "max": 10}}
PART = {"kind": "derived", "from": "nyc", "first": {"vertices": 10, "weight": 1}}
TOPOLOGY = {"kind": "gr", "file": "mine.gr", "weighted": False, "weights": {"seed": 1, "like": "road_lengths"}}


def test_the_catalog_says_how_weights_are_drawn(catalog_file):
    mine = catalog.load_catalog(catalog_file({"mine": TOPOLOGY}))["mine"]
    assert (mine.weighted, mine.weights) == (False, WeightRule(1, like="road_lengths"))
    other = catalog.load_catalog(catalog_file({"mine": {**TOPOLOGY, "weights": {"seed": 2, "like": "road_lengths"}}}))
    assert mine.identity != other["mine"].identity


def test_topologies_have_the_vertices_of_their_graphs_and_no_parallel_arcs():
    for name in ("col", "fla", "ne"):
        roads, topology = OURS[name], OURS[f"{name}-topology"]
        assert (topology.kind, topology.weighted, topology.weights.like) == ("gr", False, "road_lengths")
        assert topology.vertices == roads.vertices and 0.98 * roads.arcs < topology.arcs < roads.arcs
        assert "random weights" in topology.title


def test_a_derived_graph_has_the_counts_that_follow_from_its_origin(catalog_file):
    path = catalog_file({"nyc": REAL, "new": REVISED, "part": PART, "stated": {**PART, "arcs": 7}})
    datasets = catalog.load_catalog(path)
    new, part = datasets["new"], datasets["part"]
    assert (new.derived, new.published, new.generated) == (True, False, False)
    assert (new.origin, new.weights, new.first) == ("nyc", WeightRule(1, 1, 10), None)
    assert (new.vertices, new.arcs, new.weighted, new.title) == (REAL["vertices"], REAL["arcs"], True, "new")
    assert (part.vertices, part.arcs, datasets["stated"].arcs) == (10, None, 7)
    with pytest.raises(UsageError, match="warpath convert new"):
        catalog.raw_path(new)


def test_weights_and_derived_graphs_that_cannot_be(catalog_file):
    for entry, complaint in (
        ({**TOPOLOGY, "weights": {"seed": 1, "like": "tolls"}}, "new: .*weight"),
        ({**TOPOLOGY, "weights": {"seed": 1, "min": 1}}, "new: .*weight"),
        ({**TOPOLOGY, "kind": "snap", "weighted": True}, "new: .*weight"),
        ({**REVISED, "from": "nyx"}, "new.from: .*'nyx' .*nyc"),
        ({**REVISED, "first": PART["first"]}, "new: .*`first`"),
    ):
        with named(str(entry)), pytest.raises(FormatError, match=complaint):
            catalog.load_catalog(catalog_file({"nyc": REAL, "new": entry}))


def test_the_identity_is_what_decides_which_graph_it_is(catalog_file):
    def identity(name, **change):
        entries = {"nyc": REAL, "demo": GENERATED, "new": REVISED}
        return catalog.dataset(name, catalog_file({**entries, name: {**entries[name], **change}})).identity

    assert identity("nyc") == identity("nyc", title="New", licence="free", citation="x", addresses=["http://b.org/a"])
    for change in ({"file": "b.gr"}, {"arcs": 1}, {"sha256": "0" * 64}):
        assert identity("nyc", **change) != identity("nyc")
    assert identity("demo") != identity("demo", parameters={"vertices": 5, "seed": 2})
    assert identity("new") == identity("new", title="New weights")
    assert identity("new") != identity("new", weights={"seed": 2, "min": 1, "max": 10})


def test_what_is_no_catalog(catalog_file):
    for content, complaint in (
        ("- nyc", "top level: "),
        ("nyc: 7", "nyc: "),
        ("NYC/../x: {}", "NYC/../x: "),
    ):
        with named(str(content)), pytest.raises(FormatError, match=complaint) as caught:
            catalog.load_catalog(catalog_file(content))
        assert "\n" not in str(caught.value)


def test_an_unknown_dataset_lists_the_nearest_names(catalog_file):
    path = catalog_file({"nyc": REAL, "demo-nyc": GENERATED, "other": GENERATED})
    assert catalog.dataset("nyc", path).file == REAL["file"]
    with pytest.raises(UsageError, match=r"'NYC1'; .*nyc"):
        catalog.dataset("NYC1", path)
    with pytest.raises(UsageError, match=r"'berlin'; .*nyc, demo-nyc, other"):
        catalog.dataset("berlin", path)


def test_the_catalog_of_the_working_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nyc" in catalog.load_catalog()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "catalog.yaml").write_text(yaml.safe_dump({"mine": GENERATED}))
    assert list(catalog.load_catalog()) == ["mine"]


def test_no_catalog(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"none\.yaml"):
        catalog.load_catalog(tmp_path / "none.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data_files, "roots", lambda: (Path(), tmp_path / "package"))
    with pytest.raises(UsageError, match=r"data/catalog\.yaml"):
        catalog.load_catalog()


def test_the_size_limit_decides_nothing_about_the_graph(catalog_file):
    limited = catalog.load_catalog(catalog_file({"nyc": {**REAL, "max_bytes": 7}}))["nyc"]
    unlimited = catalog.load_catalog(catalog_file({"nyc": REAL}))["nyc"]
    assert (limited.size_limit, limited.identity) == (7, unlimited.identity)
    assert unlimited.size_limit == (1 << 20) + 64 * (REAL["vertices"] + REAL["arcs"])
    mine = catalog.load_catalog(catalog_file({"mine": {"kind": "gr", "file": "mine.txt"}}))["mine"]
    assert mine.size_limit is None


def test_the_list_says_whose_file_has_no_known_hash(capsys):
    assert main(["datasets"]) == 0
    header, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    hashed = {line[0]: line[header.index("hash")] for line in lines}
    assert (hashed["nyc"], hashed["col"], hashed["katz-64"], hashed["caida-part"]) == ("pinned", "none", "pinned", "-")
    assert sum(text == "none" for text in hashed.values()) == 9
