"""Where the catalog has no hash, that of the first download is kept, and later ones must have it."""

import gzip
import os

import pytest
from published_file import CONTENT, PUBLISHED, SHA256, names, small_dataset
from raw_server import HASTY, RawServer, once, response

from warpath.errors import FormatError, WarpathError
from warpath_study.datasets.conversion import convert_dataset
from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, fetch

OTHER = gzip.compress(CONTENT.replace(b"a 1 2 0\n", b"a 1 2 1\n", 1), mtime=0)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


def download(body, output, mirrors=()):
    with RawServer(once(response(body, Content_Length=len(body)))) as server:
        return fetch(small_dataset(server.address, sha256=None), output, mirrors, HASTY)


def test_a_later_download_is_held_to_it_until_it_is_deleted(output):
    download(PUBLISHED, output)
    record = output.with_name("small.gr.gz.sha256")
    assert record.read_text() == f"{SHA256}  small.gr\n"
    output.unlink()
    with pytest.raises(DownloadError, match=rf"{SHA256}.*{record}"):
        download(OTHER, output)
    assert names(output.parent) == [record.name]
    download(PUBLISHED, output)
    output.unlink()
    record.unlink()
    download(OTHER, output)
    assert output.read_bytes() == OTHER


def test_a_mirror_and_a_file_that_is_there_are_held_to_it(output, tmp_path):
    download(PUBLISHED, output)
    output.write_bytes(OTHER)
    with pytest.raises(FormatError, match=SHA256):
        download(PUBLISHED, output)
    output.unlink()
    (tmp_path / "small.gr.gz").write_bytes(OTHER)
    with pytest.raises(DownloadError, match=SHA256):
        fetch(small_dataset("http://127.0.0.1:9/x", sha256=None), output, [tmp_path], HASTY)
    (tmp_path / "small.gr.gz").write_bytes(PUBLISHED)
    assert download(OTHER, output, [tmp_path]) == tmp_path / "small.gr.gz"


def test_a_copy_from_a_mirror_and_a_file_put_there_by_hand_are_first_uses(output, tmp_path):
    (tmp_path / "small.gr.gz").write_bytes(PUBLISHED)
    download(b"", output, [tmp_path])
    record = output.with_name("small.gr.gz.sha256")
    assert record.read_text().startswith(SHA256)
    record.unlink()
    download(b"", output)
    assert record.read_text().startswith(SHA256)
    assert names(output.parent) == ["small.gr.gz", record.name]


def test_a_conversion_is_held_to_it(output):
    download(PUBLISHED, output)
    entry = small_dataset("https://publisher.test/small.gr.gz", sha256=None)
    assert convert_dataset(entry, output).arcs == entry.arcs
    output.write_bytes(OTHER)
    with pytest.raises(FormatError, match=SHA256):
        convert_dataset(entry, output)


def test_a_damaged_record_is_said(output):
    output.parent.mkdir()
    record = output.with_name("small.gr.gz.sha256")
    for make in (
        lambda: record.write_bytes(b"\xff\x00" * 100),
        lambda: record.write_text(SHA256[:-1]),
        lambda: os.mkfifo(record),
        lambda: record.symlink_to("nowhere"),
        record.mkdir,
    ):
        record.unlink(missing_ok=True)
        make()
        with pytest.raises(DownloadError, match=f"{record}: "):
            download(PUBLISHED, output)


def test_a_file_in_a_folder_that_cannot_be_written_is_as_good(output, monkeypatch):
    output.parent.mkdir()
    output.write_bytes(PUBLISHED)

    def refuse(*_arguments):
        raise WarpathError("cannot be written")

    monkeypatch.setattr("warpath_study.datasets.verify.write_text", refuse)
    assert fetch(small_dataset("http://127.0.0.1:9/x", sha256=None), output, patience=HASTY) == output
