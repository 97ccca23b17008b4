"""Damaged and edited records: refused in one sentence, or the table of runs can be made of them."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from damage import damaged
from report_samples import ROOT

from warpath.errors import FormatError
from warpath_study.record import read_record
from warpath_study.report.runs import collect, write_runs
from warpath_study.works.works import RunRequest

RUNS = ROOT / "results" / "reference" / "nvidia-h200" / "runs"
RECORDS = [
    ("katz-64", "blocked_all_pairs", "standard", {}),
    ("katz-128", "transitive_closure", "naive", {}),
    ("nyc", "bellman_ford", "cpu", {}),
    ("gnutella04", "dijkstra", "cpu", {}),
    ("matrices-1024", "matrix_path", "frontier", {}),
    ("nyc-revised", "label_correcting", "harish", {"sources": 100}),
]
WORDS: list[Any] = [
    ...,
    None,
    True,
    -1,
    0,
    1,
    2**63,
    10**30,
    1.5,
    -0.5,
    1e300,
    5e-324,
    "",
    "x",
    "\0",
    "²",
    [],
    {},
    [[]],
]


COUNT = 120


def test_every_reference_record_is_read():
    paths = sorted(RUNS.rglob("*.json"))
    assert paths
    for path in paths:
        record = read_record(path)
        assert (record.dataset, record.run) == (path.parent.name, path.stem)


@pytest.mark.parametrize(("dataset", "algorithm", "variant", "asked"), RECORDS, ids=lambda value: str(value))
@pytest.mark.parametrize("damage", ["bytes", "value", "key"])
def test_a_damaged_record_is_refused_or_makes_a_line(tmp_path, dataset, algorithm, variant, asked, damage):
    run = RunRequest("a row", dataset, algorithm, variant, asked)
    original = (RUNS / run.file).read_bytes()
    (tmp_path / run.file).parent.mkdir(parents=True)
    edits: dict[str, Callable[[random.Random], bytes]] = {
        "bytes": lambda source: damaged(original, source),
        "value": lambda source: edited(json.loads(original), source),
        "key": lambda source: renamed(json.loads(original), source),
    }
    source, refused = random.Random(7), 0
    for _ in range(COUNT):
        content = edits[damage](source)
        (tmp_path / run.file).write_bytes(content)
        try:
            (cell,) = collect([run], tmp_path)
        except FormatError as error:
            refused += 1
            assert str(error).startswith(str(tmp_path / run.file)) and "\n" not in str(error)
        else:
            assert (cell.dataset, cell.variant) == (dataset, variant)
            write_runs(tmp_path / "runs.csv", [cell])
    assert refused > COUNT // 4


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a record with each of its keys or indices."""
    inside = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in inside] + [place for key in inside for place in places(value[key])]


def edited(record: dict, source: random.Random) -> bytes:
    """``record`` with one value taken out or replaced: by another type, another number, another text."""
    container, key = source.choice(places(record))
    value, word = container[key], source.choice(WORDS)
    if isinstance(value, int | float) and source.random() < 0.5:
        word = source.choice([value + 1, value - 1, value * 2, value // 2, -value, float(value) * 1.001])
    if word is ...:
        del container[key]
    else:
        container[key] = word
    return json.dumps(record).encode()


def renamed(record: dict, source: random.Random) -> bytes:
    """``record`` with one key renamed, or with a key that does not belong there."""
    container, key = source.choice([place for place in places(record) if isinstance(place[0], dict)])
    if source.random() < 0.7:
        container[key + source.choice(["s", " ", "_s"])] = container.pop(key)
    else:
        container[source.choice(["seconds", "source", "sources", "row", "min_s"])] = source.choice(WORDS[1:])
    return json.dumps(record).encode()
