"""Servers that send what no server should: the outcome is the right file or one sentence, in bounded space."""

import gzip
import itertools
import os
import random

import pytest
from published_file import CONTENT, PUBLISHED, assert_fetched, names, small_dataset
from raw_server import (
    HASTY,
    LENGTH,
    RawServer,
    fetched_or_refused,
    fetched_or_refused_from_damaged,
    once,
    response,
)
from tiny_graphs import named

from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, fetch


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


def test_a_content_length_that_is_no_number(output):
    for length in ("²²", "9" * 5000, "-1", "1e3", "", "0x10", "1,2", "٣"):
        raw = response(PUBLISHED, Content_Length="@").replace(b"@", length.encode())
        fetched_or_refused(once(raw), empty(output))


def test_a_redirect_that_leads_nowhere(output):
    for location in (
        "file:///etc/passwd",
        "http://[::1",
        "//",
        "/again",
        "http://a b\x01c:99999999/",
        "http://127.0.0.1:²/",
        "x" * 60_000,
    ):
        refused(response(b"", "302 Found", Location="@", Content_Length=0).replace(b"@", location.encode()), output)


def test_a_redirect_with_a_broken_body(output):
    half = gzip.compress(CONTENT)[: LENGTH // 2]
    for body, length in ((b"\x1f\x8b" + bytes(100), "9" * 19), (half, LENGTH)):
        facts = {"Location": "/again", "Content_Encoding": "gzip", "Content_Length": length}
        refused(response(body, "301 Moved", **facts), output)


def refused(raw, output):
    """The address of a server that answers with ``raw`` is named."""
    with RawServer(once(raw)) as server, pytest.raises(DownloadError, match=server.address):
        fetch(small_dataset(server.address), output, patience=HASTY)


def empty(output):
    """The same place, where nothing is."""
    output.unlink(missing_ok=True)
    return output


def test_the_file_arrives_without_a_length_in_chunks_and_from_where_a_redirect_leads(output):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (PUBLISHED[:9999], PUBLISHED[9999:]))
    moved = response(b"", "302 Found", Location="/there", Content_Length=0)
    right = response(PUBLISHED, Content_Length=LENGTH)
    for name, answer in (
        ("no length", once(response(PUBLISHED))),
        ("chunks", once(response(chunks + b"0\r\n\r\n", Transfer_Encoding="chunked"))),
        ("a redirect", lambda number: [right if number else moved]),
    ):
        with named(name):
            assert fetched_or_refused(answer, empty(output)) is None
            assert_fetched(output)


def test_what_is_no_response_or_not_the_file(output):
    for raw in (
        b"",
        b"HTTP/1.1 \xb2\xb2\xb2 OK\r\n\r\n",
        b"HTTP/1.1 404 \x1b[31mgone\x07" + b"x" * 60_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + PUBLISHED,
        response(PUBLISHED, Content_Length=LENGTH + 7),
        response(PUBLISHED[:-9], Content_Length=LENGTH - 9),
        response(b"\x1f\x8b" + bytes(100)),
        response(b"-5\r\nabc", Transfer_Encoding="chunked"),
        response(b"9" * 100_000, Transfer_Encoding="chunked"),
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000,
    ):
        with named(str(raw[:50])):
            assert "127.0.0.1" in fetched_or_refused(once(raw), output)


def test_more_bytes_than_the_catalog_allows_are_refused(output):
    announced = once(response(PUBLISHED, Content_Length=LENGTH))
    limit = f"more than the {LENGTH - 1} bytes"
    assert limit in fetched_or_refused(announced, output, max_bytes=LENGTH - 1)
    unannounced = once(response(PUBLISHED))
    assert limit in fetched_or_refused(unannounced, output, max_bytes=LENGTH - 1)
    endless = lambda _number: itertools.chain([response()], itertools.repeat(bytes(1 << 16)))  # noqa: E731
    assert "max_bytes" in fetched_or_refused(endless, output)
    assert names(output.parent) == []
    assert fetched_or_refused(announced, output, max_bytes=len(CONTENT)) is None


def test_a_small_file_of_large_content_is_refused(output):
    bomb = gzip.compress(CONTENT + b"c" * 10_000_000, compresslevel=1)
    sentence = fetched_or_refused(once(response(bomb)), output)
    assert "uncompressed" in sentence


@pytest.mark.filterwarnings("error")
def test_random_damage_gives_the_file_or_one_sentence(output):
    chance = random.Random(os.environ["WARPATH_TEST_SEED"])
    outcomes = set()
    for trial in range(100):
        folder = output.parent / str(trial)
        folder.mkdir(parents=True)
        outcomes.add(fetched_or_refused_from_damaged(folder / "small.gr.gz", chance) is None)
    assert outcomes == {True, False}
