"""Files that are at hand already: at the output's place, beside it, or in a mirror folder. No address is asked."""

import gzip
import lzma
import os
from dataclasses import replace
from pathlib import Path

import pytest
from published_file import CONTENT, IMPATIENT, PUBLISHED, assert_fetched, names, small_dataset

from warpath.errors import DownloadError, FormatError
from warpath.graphs import mirror
from warpath.graphs.catalog import find
from warpath.graphs.download import fetch

# The port of the discard service, where nobody listens: a test that came to ask there would fail.
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
    with pytest.raises(FormatError, match=r"small\.gr\.gz.*; move it away, and fetch again"):
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


def test_mirrors_of_the_environment(monkeypatch):
    monkeypatch.setenv(mirror.ENVIRONMENT_VARIABLE, os.pathsep.join(["/a", "", "b c"]))
    assert mirror.folders_from_environment() == [Path("/a"), Path("b c")]
    monkeypatch.delenv(mirror.ENVIRONMENT_VARIABLE)
    assert mirror.folders_from_environment() == []


@pytest.mark.skipif(not mirror.folders_from_environment(), reason="WARPATH_MIRROR names no folder with published files")
@pytest.mark.parametrize("name", ["nyc", "bay", "gnutella04", "gnutella25", "gnutella30"])
def test_published_files_in_the_mirror_are_what_the_catalog_says(tmp_path, name):
    entry = find(name)
    held = [folder for folder in mirror.folders_from_environment() if mirror.find(entry, folder)]
    if not held:
        pytest.skip(f"no mirror holds {entry.file}")
    fetch(replace(entry, addresses=()), tmp_path / entry.file, held)
    assert names(tmp_path) == [entry.file]
