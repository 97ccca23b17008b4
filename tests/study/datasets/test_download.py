"""Fetching published files from a local server that misbehaves on demand."""

import gzip
import io
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
import requests
import urllib3
from full_disk import with_little_room
from msgspec import structs
from published_file import (
    ARCS,
    CONTENT,
    IMPATIENT,
    PUBLISHED,
    SHA256,
    Server,
    assert_fetched,
    cut,
    names,
    silent,
    small_dataset,
    status,
    whole,
)

from warpath.errors import UsageError, WarpathError
from warpath_study.datasets.catalog import Dataset
from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, Patience, fetch


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    servers = []

    def start(*answers):
        servers.append(Server(*answers))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


def dataset(*servers, sha256=SHA256):
    return small_dataset(*(server.address for server in servers), sha256=sha256)


def test_a_plain_download(serve, output):
    server = serve(whole)
    assert fetch(dataset(server), output, patience=IMPATIENT) == server.address
    assert_fetched(output)
    assert server.requests == 1


def test_content_encoding_does_not_unpack_the_file(serve, output):
    server = serve(lambda handler: handler.answer(200, PUBLISHED, Content_Encoding="x-gzip"))
    fetch(dataset(server), output, patience=IMPATIENT)
    assert_fetched(output)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_is_asked_again(serve, output, code):
    server = serve(status(code), status(code), whole)
    fetch(dataset(server), output, patience=IMPATIENT)
    assert_fetched(output)
    assert server.requests == 3


def test_a_connection_that_is_cut_is_no_file(serve, output):
    first, second = serve(cut(10_000)), serve(whole)
    assert fetch(dataset(first, second), output, patience=IMPATIENT) == second.address
    assert_fetched(output)
    output.unlink()
    with pytest.raises(DownloadError, match=first.address):
        fetch(dataset(first), output, patience=IMPATIENT)
    assert names(output.parent) == []


def test_addresses_are_tried_in_their_order(serve, output):
    gone, wrong, right, unused = (
        serve(status(404)),
        serve(lambda handler: whole(handler, b"hello")),
        *map(serve, [whole] * 2),
    )
    assert fetch(dataset(gone, wrong, right, unused), output, patience=IMPATIENT) == right.address
    assert_fetched(output)
    assert (gone.requests, wrong.requests, unused.requests) == (1, 1, 0)


def test_a_failure_names_each_address_what_went_wrong_and_what_to_do(serve, output, tmp_path):
    other = gzip.compress(CONTENT.replace(b"a 1 2 0\n", b"a 1 2 1\n", 1))
    page = b"<!DOCTYPE html>\n<title>Sign in</title>"
    servers = [
        serve(status(404)),
        serve(status(500)),
        serve(lambda handler: whole(handler, other)),
        serve(lambda handler: whole(handler, page)),
        serve(cut(0)),
    ]
    closed = serve(whole)
    closed.shutdown()
    closed.server_close()
    with pytest.raises(DownloadError) as caught:
        fetch(dataset(*servers, closed), output, [tmp_path / "nowhere", tmp_path], IMPATIENT)
    message = str(caught.value)
    for expected in (
        "small.gr.gz could not be fetched",
        f"{tmp_path / 'nowhere'}: no such folder",
        f"{tmp_path}: no such file in it",
        f"{servers[0].address}: HTTP 404 Not Found",
        f"{servers[1].address}: HTTP 500 Internal Server Error",
        f"{servers[2].address}: not the published small.gr.gz: the sha256 of its uncompressed content is",
        f"{servers[3].address}: line 1: '<!DOCTYPE html>' where 'p sp VERTICES ARCS' or 'p tw",
        f"{closed.address}: Connection refused",
        f"put it at {output}, or name its folder with --mirror or WARPATH_MIRROR",
    ):
        assert expected in message
    assert "\n" not in message
    assert f"{servers[4].address}: " in message
    assert [server.requests for server in servers] == [1, 3, 1, 1, 1]
    assert not output.exists()


def test_without_a_hash_the_counts_must_agree_and_the_file_be_whole(serve, output):
    server = serve(whole)
    fetch(dataset(server, sha256=None), output, patience=IMPATIENT)
    assert output.read_bytes() == PUBLISHED
    assert names(output.parent) == ["small.gr.gz", "small.gr.gz.sha256"]
    output.unlink()
    with pytest.raises(
        DownloadError, match="it has 5 vertices and 40000 arcs, the catalog says 6 vertices and 40000 arcs"
    ):
        fetch(structs.replace(dataset(server, sha256=None), vertices=6), output, patience=IMPATIENT)
    short = serve(lambda handler: whole(handler, PUBLISHED[:-1000]))
    with pytest.raises(DownloadError, match="the compressed file is cut short"):
        fetch(dataset(short, sha256=None), output, patience=IMPATIENT)
    assert names(output.parent) == ["small.gr.gz.sha256"]


def test_a_silent_server_is_given_up_soon(serve, output):
    server = serve(silent)
    started = time.monotonic()
    with pytest.raises(DownloadError, match=r"within 0\.5 s"):
        fetch(dataset(server), output, patience=Patience(attempts=2, timeout_s=0.5, backoff_s=0.001))
    assert time.monotonic() - started < 5
    assert server.requests == 2


def test_a_server_that_falls_silent_on_the_way(serve, output):
    def stall(handler):
        handler.answer(200, PUBLISHED[:5000], length=len(PUBLISHED))
        silent(handler)

    server = serve(stall)
    with pytest.raises(DownloadError, match=r"within 0\.5 s"):
        fetch(dataset(server), output, patience=Patience(attempts=1, timeout_s=0.5, backoff_s=0.001))


def test_a_machine_that_takes_no_connection_is_given_up_soon(output):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        # Nothing accepts: once the queue is full, further connections hang, as on a network that drops packets.
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        with pytest.raises(DownloadError, match=r"within 0\.1 s"):
            fetch(small_dataset(f"http://127.0.0.1:{port}/x"), output, patience=replace(IMPATIENT, timeout_s=0.1))
        for client in waiting:
            client.close()


def test_a_name_that_does_not_resolve_fails_soon(output):
    unknown = small_dataset("http://graphs.invalid/small.gr.gz")
    started = time.monotonic()
    with pytest.raises(DownloadError, match=r"http://graphs\.invalid/small\.gr\.gz: "):
        fetch(unknown, output, patience=IMPATIENT)
    assert time.monotonic() - started < 30


def test_shows_progress_on_a_terminal(serve, output, terminal):
    shown = terminal()
    fetch(dataset(serve(whole)), output, patience=IMPATIENT)
    assert "small.gr.gz" in shown.getvalue()


def test_generated_graphs_are_not_fetched(output):
    generated = Dataset(
        name="demo", kind="generated", title="Demo", vertices=1, arcs=0, weighted=True, generator="road"
    )
    with pytest.raises(UsageError, match="make it with: warpath generate demo"):
        fetch(generated, output)


def test_an_output_that_cannot_be_written(serve, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WarpathError, match="cannot be written"):
        fetch(dataset(serve(whole)), tmp_path / "file" / "small.gr.gz", patience=IMPATIENT)


COMMAND = [sys.executable, "-m", "warpath", "fetch", "small"]


@pytest.fixture
def catalog_file(tmp_path):
    def write(server):
        path = tmp_path / "catalog.yaml"
        path.write_text(
            f"small: {{kind: gr, title: Small, file: small.gr.gz, addresses: ['{server.address}'], vertices: 5, "
            f"arcs: {ARCS}, weighted: true, licence: none, citation: none, "
            f"sha256: {SHA256}}}\n"
        )
        return path

    return write


def test_a_full_disk_leaves_no_output_and_says_so(serve, catalog_file, output):
    command = ["-m", "warpath", "fetch", "small", "--output", output, "--catalog", catalog_file(serve(whole))]
    done = with_little_room(command, 20_000)
    assert done.returncode == 1
    assert (
        done.stderr == f"warpath: error: {output}: the disk is full (File too large); free some space and run again\n"
    )
    assert not output.exists()


def test_the_command_from_server_to_mirror(serve, catalog_file, output, tmp_path):
    server = serve(whole)
    command = [*COMMAND, "--catalog", catalog_file(server), "--output"]
    first = subprocess.run([*command, output], capture_output=True, text=True, timeout=60)
    assert (first.stdout, first.stderr) == (f"{output}: from {server.address}\n", "")
    again = subprocess.run([*command, output], capture_output=True, text=True, timeout=60)
    assert again.stdout == f"{output}: exists, checked\n"
    copied = tmp_path / "copy.gz"
    environment = {**os.environ, MIRROR_VARIABLE: str(output.parent)}
    mirrored = subprocess.run([*command, copied], capture_output=True, text=True, timeout=60, env=environment)
    assert mirrored.stdout == f"{copied}: from {output}\n"
    assert server.requests == 1


class _Redirects(requests.adapters.BaseAdapter):
    """Answers https with a redirect to ``to``, and http with the file."""

    def __init__(self, to):
        super().__init__()
        self.to, self.asked = to, []

    def send(self, request, **_options):
        self.asked.append(request.url)
        answer = requests.Response()
        answer.url, answer.request = request.url, request
        body = PUBLISHED if request.url.startswith("http:") else b""
        answer.status_code = 200 if body else 302
        answer.headers["Location"] = self.to
        answer.raw = urllib3.HTTPResponse(io.BytesIO(body), preload_content=False)
        return answer

    def close(self):
        pass


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_file_without_a_known_hash_does_not_come_from_https_by_way_of_http(output, monkeypatch, sha256):
    adapter = _Redirects("http://mirror.test/small.gr.gz")
    monkeypatch.setattr(requests.Session, "get_adapter", lambda _session, **_url: adapter)
    wanted = small_dataset("https://publisher.test/small.gr.gz", sha256=sha256)
    if sha256:
        fetch(wanted, output, patience=IMPATIENT)
        assert_fetched(output)
    else:
        with pytest.raises(DownloadError, match="from https to http"):
            fetch(wanted, output, patience=IMPATIENT)
        assert not output.exists()
