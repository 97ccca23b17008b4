"""Files that need no download: already at the output, beside it, or in a mirror folder."""

import gzip
import lzma
import os
from pathlib import Path

import pytest
from msgspec import structs
from published_file import CONTENT, IMPATIENT, PUBLISHED, assert_fetched, names, small_dataset

from warpath.errors import FormatError
from warpath_study.datasets import catalog
from warpath_study.datasets.catalog import Dataset
from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, fetch, file_in, mirrors_from_environment

# The port of the discard service, where nothing listens: a test that downloads from it fails.
NOWHERE = "http://127.0.0.1:9/small.gr.gz"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


def test_a_file_that_is_there_is_kept_if_it_fits(output):
    output.parent.mkdir()
    for fitting in (PUBLISHED, CONTENT, lzma.compress(CONTENT, preset=0)):
        output.write_bytes(fitting)
        assert fetch(small_dataset(NOWHERE), output, patience=IMPATIENT) == output
        assert fetch(small_dataset(NOWHERE, sha256=None), output, patience=IMPATIENT) == output
        assert output.read_bytes() == fitting


@pytest.mark.parametrize("content", [b"", b"hello\n", PUBLISHED[:-9], gzip.compress(CONTENT + b"\n", mtime=0)])
def test_a_file_that_is_there_and_does_not_fit_is_refused_and_left_alone(output, content):
    output.parent.mkdir()
    output.write_bytes(content)
    with pytest.raises(FormatError, match=r"small\.gr\.gz.*; move it away and fetch again"):
        fetch(small_dataset(NOWHERE), output, patience=IMPATIENT)
    assert output.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("small.gr.gz", PUBLISHED),
        ("small.gr", CONTENT),
        ("small.gr.xz", lzma.compress(CONTENT, preset=0)),
        ("small.gr.gz", CONTENT),
    ],
)
def test_a_mirror_may_hold_the_file_in_any_compression(output, tmp_path, name, content):
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / name).write_bytes(content)
    assert fetch(small_dataset(NOWHERE), output, [tmp_path / "nowhere", folder]) == folder / name
    assert gzip.decompress(output.read_bytes()) == CONTENT
    assert names(output.parent) == [output.name]


def test_a_copy_beside_the_output_counts_as_a_mirror(output):
    output.parent.mkdir()
    output.with_name("small.gr").write_bytes(CONTENT)
    assert fetch(small_dataset(NOWHERE), output) == output.with_name("small.gr")
    assert gzip.decompress(output.read_bytes()) == CONTENT


def test_a_mirror_with_another_file_is_passed_over(output, tmp_path):
    (tmp_path / "small.gr").write_bytes(CONTENT + b"c more\n")
    with pytest.raises(DownloadError, match=r"small\.gr: not the published small\.gr\.gz: the sha256"):
        fetch(small_dataset(NOWHERE), output, [tmp_path], IMPATIENT)
    good = tmp_path / "good"
    good.mkdir()
    (good / "small.gr.gz").write_bytes(PUBLISHED)
    assert fetch(small_dataset(NOWHERE), output, [tmp_path, good], IMPATIENT) == good / "small.gr.gz"
    assert_fetched(output)


def test_a_file_of_ones_own_comes_from_its_place_or_a_mirror(tmp_path):
    mine = Dataset(name="mine", kind="edges", title="mine", file="mine.txt")
    output = tmp_path / "raw" / "mine.txt"
    where = "put the file there, or name its folder with --mirror or WARPATH_MIRROR"
    with pytest.raises(
        DownloadError, match=f"^{output}: no such file, and the catalog has no address for mine; {where}$"
    ):
        fetch(mine, output)
    folder = tmp_path / "mirror"
    folder.mkdir()
    with pytest.raises(DownloadError, match=rf"no address for mine \({folder}: no such file in it\); put"):
        fetch(mine, output, [folder])
    (folder / "mine.txt.gz").write_bytes(gzip.compress(b"2 1\n0 1 5\n"))
    assert fetch(mine, output, [folder]) == folder / "mine.txt.gz"
    assert output.read_bytes() == b"2 1\n0 1 5\n"
    assert fetch(mine, output) == output
    with pytest.raises(FormatError, match="it has 2 vertices and 1 arcs, the catalog says 3 vertices; move it away"):
        fetch(structs.replace(mine, vertices=3), output)


def test_a_mirrored_file_that_changes_meanwhile_is_refused(output, tmp_path, monkeypatch):
    (tmp_path / "small.gr.gz").write_bytes(PUBLISHED)
    monkeypatch.setattr("shutil.copyfile", lambda _source, target: target.write_bytes(gzip.compress(b"another file")))
    with pytest.raises(DownloadError, match="changed"):
        fetch(small_dataset(), output, [tmp_path])
    assert names(output.parent) == []


def test_an_output_that_is_a_pipe_is_not_waited_for(output):
    output.parent.mkdir()
    os.mkfifo(output)
    with pytest.raises(FormatError, match=str(output)):
        fetch(small_dataset(NOWHERE), output, patience=IMPATIENT)


def test_mirrors_of_the_environment(monkeypatch):
    monkeypatch.setenv(MIRROR_VARIABLE, os.pathsep.join(["/a", "", "b c"]))
    assert mirrors_from_environment() == [Path("/a"), Path("b c")]
    monkeypatch.delenv(MIRROR_VARIABLE)
    assert mirrors_from_environment() == []


@pytest.mark.skipif(not mirrors_from_environment(), reason="WARPATH_MIRROR names no folder with published files")
@pytest.mark.parametrize("name", ["nyc", "bay", "gnutella04", "gnutella25", "gnutella30"])
def test_published_files_in_the_mirror_are_what_the_catalog_says(tmp_path, name):
    entry = catalog.dataset(name)
    held = [folder for folder in mirrors_from_environment() if file_in(entry, folder)]
    if not held:
        pytest.skip(f"no mirror holds {entry.file}")
    fetch(structs.replace(entry, addresses=()), tmp_path / entry.file, held)
    assert names(tmp_path) == [entry.file]
