"""YAML files: what is refused, with its line where PyYAML knows it, and what works."""

import pytest

from warpath.errors import FormatError, UsageError
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("a: b\na: c\n", ", line 2: .*'a'"),
        ("a: b\nc: {a: 1, b: 2, a: 3}\n", ", line 2: .*'a'"),
        ("a: b\nc: [\n", ", line 3: "),
        ("a: 1\n---\nb: 2\n", ", line 2: "),
        ("x: 1\nb: *none\n", ", line 2: "),
        ("a: b\n? {}\n: c\n", ", line 2: "),
        ("a: b\nc: !!python/object/apply:os.getpid []\n", ", line 2: "),
        ("a: b\nc: 2020-99-99\n", ": "),
        ("a: b\nc: !!int x\n", ": "),
        ("a: b\nc: !!bool x\n", ": "),
        ("a: b\nc: !!timestamp x\n", ": "),
        (b"a: b\nc: \xff\n", ": "),
        (b"a: b\nc: \0\n", ": "),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), ": "),
    ],
)
def test_what_is_refused(tmp_path, content, place):
    path = tmp_path / "x.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (load_yaml, load_catalog):
        with pytest.raises(FormatError, match=f"^{path}{place}") as refused:
            read(path)
        assert "\n" not in str(refused.value)


def test_anchors_aliases_and_merges_work(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {k: 1, l: &l [1, 2]}\nb: *l\nc:\n  <<: *a\n  k: 3\n", encoding="utf-8")
    assert load_yaml(path) == {"a": {"k": 1, "l": [1, 2]}, "b": [1, 2], "c": {"k": 3, "l": [1, 2]}}


def test_a_folder(tmp_path):
    with pytest.raises(UsageError, match="the catalog"):
        load_catalog(tmp_path)
