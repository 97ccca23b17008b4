"""The catalog: what stands in ours, and what the schema refuses."""

import csv
from pathlib import Path

import pytest
import yaml

from warpath.errors import FormatError, UsageError
from warpath.graphs import catalog

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "data" / "published" / "bodra"
REAL = {
    "kind": "dimacs",
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


@pytest.fixture
def catalog_file(tmp_path):
    def write(content):
        path = tmp_path / "catalog.yaml"
        path.write_text(
            content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False), encoding="utf-8"
        )
        return path

    return write


def rows(table):
    with open(PUBLISHED / f"{table}.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", ["table1", "table2", "table3"])
@pytest.mark.parametrize("prefix", ["", "standin-"])
def test_every_published_row_has_its_dataset_of_the_same_size(table, prefix):
    datasets = catalog.load_catalog(ROOT / "data" / "catalog.yaml")
    for row in rows(table):
        dataset = datasets[prefix + row["dataset"]]
        assert (dataset.vertices, dataset.arcs) == (int(row["nodes"]), int(row["edges"]))


def test_every_published_file_is_named_by_its_addresses():
    for dataset in catalog.load_catalog(ROOT / "data" / "catalog.yaml").values():
        if not dataset.generated:
            assert all(address.endswith(f"/{dataset.file}") for address in dataset.addresses)
            # The relationship between autonomous systems stands where others have a weight.
            assert dataset.weighted == (dataset.kind == "dimacs" or dataset.name == "caida")


def test_fields_come_out_as_they_stand(catalog_file):
    datasets = catalog.load_catalog(catalog_file({"nyc": REAL, "demo": GENERATED}))
    nyc, demo = datasets["nyc"], datasets["demo"]
    assert (nyc.name, nyc.addresses, nyc.sha256) == ("nyc", tuple(REAL["addresses"]), None)
    assert (nyc.generated, nyc.generator, nyc.parameters) == (False, None, {})
    assert (demo.generated, demo.generator, demo.parameters) == (True, "road", GENERATED["parameters"])
    assert (demo.file, demo.addresses) == (None, ())
    assert catalog.raw_path(nyc) == Path("data/raw/USA-road-d.NY.gr.gz")
    assert catalog.graph_path(demo) == Path("data/graphs/demo.npz")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"vertces": 3}, "nyc: .*'vertces' was unexpected"),
        ({"vertices": "many"}, "nyc.vertices: 'many' is not of type 'integer'"),
        ({"vertices": 0}, "nyc.vertices: 0 is less than the minimum of 1"),
        ({"arcs": -1}, "nyc.arcs: -1 is less than"),
        ({"kind": "metis"}, "nyc.kind: 'metis' is not one of"),
        ({"sha256": "ABC"}, "nyc.sha256: 'ABC' does not match"),
        ({"file": "../escape.gz"}, "nyc.file: .* does not match"),
        ({"addresses": []}, "nyc.addresses: "),
        ({"addresses": ["ftp://example.org/x"]}, r"nyc.addresses.0: .* does not match"),
        ({"generator": "road"}, "nyc: .*'generator' was unexpected"),
        ({"kind": "generated"}, "nyc: 'generator' is a required property"),
        ({"licence": None}, "nyc.licence: None is not of type 'string'"),
    ],
)
def test_an_entry_against_the_schema_is_named_with_its_place(catalog_file, change, complaint):
    path = catalog_file({"nyc": {**REAL, **change}})
    with pytest.raises(FormatError, match=complaint) as caught:
        catalog.load_catalog(path)
    assert str(caught.value).startswith(f"{path}: nyc")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["title", "file", "addresses", "sha256", "citation", "weighted", "arcs"])
def test_nothing_may_be_missing(catalog_file, missing):
    entry = {name: value for name, value in REAL.items() if name != missing}
    with pytest.raises(FormatError, match=f"nyc: '{missing}' is a required property"):
        catalog.load_catalog(catalog_file({"nyc": entry}))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "top level: None is not of type 'object'"),
        ("{}", "top level: {} "),
        ("- nyc", "top level: .* is not of type 'object'"),
        ("nyc: [", "not YAML"),
        ("nyc: {}\nnyc: {}\n", "not YAML .*'nyc' stands there twice"),
        ("NYC/../x: {}", "top level: .* does not match"),
    ],
)
def test_what_is_no_catalog(catalog_file, content, complaint):
    with pytest.raises(FormatError, match=complaint) as caught:
        catalog.load_catalog(catalog_file(content))
    assert "\n" not in str(caught.value)


def test_an_unknown_dataset_lists_the_nearest_names(catalog_file):
    path = catalog_file({"nyc": REAL, "demo-nyc": GENERATED, "other": GENERATED})
    assert catalog.find("nyc", path).file == REAL["file"]
    with pytest.raises(UsageError, match=r"unknown dataset 'NYC1'; did you mean nyc( or demo-nyc)?\?"):
        catalog.find("NYC1", path)
    with pytest.raises(UsageError, match="unknown dataset 'berlin'; there are nyc, demo-nyc, other"):
        catalog.find("berlin", path)


def test_the_catalog_of_the_working_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nyc" in catalog.load_catalog()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "catalog.yaml").write_text(yaml.safe_dump({"mine": GENERATED}))
    assert list(catalog.load_catalog()) == ["mine"]


def test_no_catalog(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"none\.yaml: the catalog cannot be read"):
        catalog.load_catalog(tmp_path / "none.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalog, "_FOLDERS", (Path("data"),))
    with pytest.raises(UsageError, match=r"no catalog data/catalog\.yaml here; run warpath in its repository"):
        catalog.load_catalog()
