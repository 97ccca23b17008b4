"""YAML that is small to look at, or is no text: a sentence with the line, within seconds and little memory."""

import pytest

from warpath.errors import FormatError, UsageError
from warpath_study.datasets.catalog import load_catalog
from warpath_study.yaml_file import load_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 12)
)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (BOMB, r"line \d+: not YAML \(aliases and all, these are more than 1000000 values\)"),
        (
            "a: &a {k: v}\nb: &b\n  <<: [" + ", ".join(["*a"] * 9) + "]\nc: *none\n",
            r"line 4: not YAML .*undefined alias",
        ),
        ("x: 1\na: &a [*a]\n", r"line 2: not YAML \(the alias \*a is inside what it stands for\)"),
        ("x: 1\ny: " + "[" * 100_000, r"line 2: not YAML \(values are nested more than 50 deep\)"),
        ("".join(" " * k + "a:\n" for k in range(2000)), r"line 51: not YAML \(values are nested more than 50 deep\)"),
        ("a: b\n1: c\n", r"line 2: not YAML \(the key '1' is not text; put it in quotes\)"),
        ("a: b\nnull: c\n", "line 2: .*the key 'null' is not text"),
        ("a: b\nyes: c\n", "line 2: .*the key 'yes' is not text"),
        ("a: b\n2020-01-01: c\n", "line 2: .*the key '2020-01-01' is not text"),
        ("a: b\n? [1, 2]\n: c\n", "line 2: .*the key a sequence is not text"),
        ("a: b\n? {}\n: c\n", "line 2: .*the key a mapping is not text"),
        ("a: b\nc: " + "9" * 5000, "line 2: not YAML .*cannot be read as int"),
        ("a: b\nc: 2020-99-99\n", "line 2: not YAML .'2020-99-99' cannot be read as timestamp"),
        ("a: b\nc: !!int x\n", "line 2: not YAML .'x' cannot be read as int"),
        ("a: b\nc: !!int ''\n", "line 2: not YAML .'' cannot be read as int"),
        ("a: b\nc: !!bool x\n", "line 2: not YAML .'x' cannot be read as bool"),
        ("a: b\nc: !!timestamp x\n", "line 2: not YAML .'x' cannot be read as timestamp"),
        ("a: b\nc: !!map x\n", "line 2: not YAML"),
        ("a: b\nc: !!python/object/apply:os.getpid []\n", "line 2: not YAML .*could not determine a constructor"),
        ("a: b\na: c\n", r"line 2: not YAML \('a' occurs twice\)"),
        ("a: b\nc: {a: 1, b: 2, a: 3}\n", r"line 2: not YAML \('a' occurs twice\)"),
        ("a: b\nc: [\n", "line 3: not YAML"),
        (b"a: b\nc: \xff\n", r"line 2: not YAML \(invalid start byte of UTF-8 text\)"),
        (b"a: b\nc: \0\n", r"line 2: not YAML"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "line 1: not YAML"),
        ("a: 1\n---\nb: 2\n", "line 2: not YAML"),
    ],
)
def test_what_is_refused_with_its_line(tmp_path, content, complaint):
    path = tmp_path / "x.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (load_yaml, load_catalog):
        with pytest.raises(FormatError, match=complaint) as refused:
            read(path)
        said = str(refused.value)
        assert said.startswith(f"{path}, line ")
        assert "\n" not in said
        assert len(said) < len(str(path)) + 200


def test_anchors_aliases_and_merges_work(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {k: 1, l: &l [1, 2]}\nb: *l\nc:\n  <<: *a\n  k: 3\n", encoding="utf-8")
    assert load_yaml(path) == {"a": {"k": 1, "l": [1, 2]}, "b": [1, 2], "c": {"k": 3, "l": [1, 2]}}


def test_a_folder(tmp_path):
    with pytest.raises(UsageError, match=r"the catalog cannot be read \(Is a directory\)"):
        load_catalog(tmp_path)


def test_a_complaint_about_a_catalog_is_short(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(f"nyc: [{'x' * 100_000}]\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x.yaml: nyc: ") as refused:
        load_catalog(path)
    assert len(str(refused.value)) < 1000
