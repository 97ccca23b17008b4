"""Servers that send what no server should: the outcome is the right file or one sentence, in bounded space."""

import gzip
import itertools
import random

import pytest
from msgspec import structs
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

from warpath.__main__ import main
from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, fetch


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


@pytest.mark.parametrize("length", ["²²", "9" * 5000, "-1", "1e3", "", "0x10", " ", "1,2", "+5", "٣"])
def test_a_content_length_that_is_no_number(output, length):
    raw = response(PUBLISHED, Content_Length="@").replace(b"@", length.encode())
    fetched_or_refused(once(raw), output)


def test_no_content_length(output):
    assert fetched_or_refused(once(response(PUBLISHED)), output) is None
    assert_fetched(output)


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "http://[::1",
        "http:",
        "//",
        "https:///x",
        "/again",
        "http://a b\x01c:99999999/",
        "http://127.0.0.1:²/",
        "x" * 60_000,
    ],
)
def test_a_redirect_that_leads_nowhere(output, location):
    redirect = response(b"", "302 Found", Location="@", Content_Length=0).replace(b"@", location.encode())
    with RawServer(once(redirect)) as server, pytest.raises(DownloadError, match=server.address):
        fetch(small_dataset(server.address), output, patience=HASTY)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_redirect_that_promises_more_than_any_memory(output, encoding):
    body = b"not compressed"
    moved = response(body, "302 Found", Location="/there", Content_Encoding=encoding, Content_Length=10**30)
    with RawServer(once(moved)) as server, pytest.raises(DownloadError, match=server.address):
        fetch(small_dataset(server.address), output, patience=HASTY)


def test_a_redirect_whose_compressed_body_breaks_off(output):
    body = gzip.compress(random.Random(1).randbytes(100_000))
    moved = response(body[:-10_000], "302 Found", Location="/there", Content_Encoding="gzip", Content_Length=len(body))
    with RawServer(once(moved)) as server, pytest.raises(DownloadError, match=server.address):
        fetch(small_dataset(server.address), output, patience=HASTY)


def test_a_redirect_to_the_file_is_followed(output):
    moved = response(b"", "302 Found", Location="/there", Content_Length=0)
    right = response(PUBLISHED, Content_Length=LENGTH)
    assert fetched_or_refused(lambda number: [right if number else moved], output) is None


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\r\n\r\n", id="blank"),
        pytest.param(b"HTTP/1.1 ", id="half a status"),
        pytest.param(b"HTTP/1.1 \xb2\xb2\xb2 OK\r\n\r\n", id="no number of status"),
        pytest.param(b"HTTP/1.1 99999 OK\r\n\r\n", id="large status"),
        pytest.param(b"HTTP/1.1 404 \x1b[31mgone\x07" + b"x" * 60_000 + b"\r\n\r\n", id="long reason"),
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1000 + b"\r\n", id="many headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n", id="long header"),
        pytest.param(b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", id="no header"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + PUBLISHED, id="two lengths"
        ),
        pytest.param(response(PUBLISHED, Content_Length=LENGTH + 7), id="early close"),
        pytest.param(response(PUBLISHED[:-9], Content_Length=LENGTH - 9), id="cut gzip"),
        pytest.param(response(b"\x1f\x8b" + bytes(100)), id="no gzip"),
        pytest.param(response(b"-5\r\nabc", Transfer_Encoding="chunked"), id="negative chunk"),
        pytest.param(response(b"zz\r\nabc", Transfer_Encoding="chunked"), id="no chunk"),
        pytest.param(response(b"9" * 100_000, Transfer_Encoding="chunked"), id="endless chunk size"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, id="always about to"),
    ],
)
def test_what_is_no_response_or_not_the_file(output, raw):
    assert "127.0.0.1" in fetched_or_refused(once(raw), output)


def test_chunks_arrive_whole(output):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (PUBLISHED[:9999], PUBLISHED[9999:]))
    assert fetched_or_refused(once(response(chunks + b"0\r\n\r\n", Transfer_Encoding="chunked")), output) is None


def test_more_bytes_than_the_catalog_allows_are_refused(output):
    announced = once(response(PUBLISHED, Content_Length=LENGTH))
    limit = f"more than the {LENGTH - 1} bytes"
    assert limit in fetched_or_refused(announced, output, max_bytes=LENGTH - 1)
    unannounced = once(response(PUBLISHED))
    assert limit in fetched_or_refused(unannounced, output, max_bytes=LENGTH - 1)
    endless = lambda _number: itertools.chain([response()], itertools.repeat(bytes(1 << 16)))  # noqa: E731
    assert "(max_bytes in the catalog)" in fetched_or_refused(endless, output)
    assert names(output.parent) == []
    assert fetched_or_refused(announced, output, max_bytes=len(CONTENT)) is None


def test_a_small_file_of_large_content_is_refused(output):
    bomb = gzip.compress(CONTENT + b"c" * 10_000_000, compresslevel=1)
    sentence = fetched_or_refused(once(response(bomb)), output)
    assert "its uncompressed content has more than the" in sentence


def test_the_limit_follows_from_the_counts_and_yields_to_the_catalog():
    published = small_dataset("https://publisher.test/small.gr.gz")
    assert published.size_limit == (1 << 20) + 64 * (published.vertices + published.arcs)
    assert structs.replace(published, max_bytes=7).size_limit == 7
    assert small_dataset().size_limit is None


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *itertools.product(["timeout-s"], ["nan", "inf", "-inf", "-1", "0", "1e300", "²"]),
        *itertools.product(["attempts"], ["0", "-1", "nan", "9" * 5000, "1000000", "²"]),
    ],
)
def test_an_impossible_patience_is_one_sentence(option, value, capsys):
    assert main(["fetch", "nyc", f"--{option}={value}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("warpath: error: ") and error.count("\n") == 1
    assert option.partition("-")[0] in error


@pytest.mark.filterwarnings("error")
def test_random_damage_gives_the_file_or_one_sentence(output):
    chance = random.Random(11)
    outcomes = set()
    for trial in range(250):
        folder = output.parent / str(trial)
        folder.mkdir(parents=True)
        outcomes.add(fetched_or_refused_from_damaged(folder / "small.gr.gz", chance) is None)
    assert outcomes == {True, False}
