"""Fetching published files: from a local server that misbehaves on demand, from mirrors, and from where they are."""

import contextlib
import gzip
import io
import lzma
import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest
import requests
import urllib3
from full_disk import with_little_room
from msgspec import structs
from published_file import ARCS, CONTENT, PUBLISHED, SHA256, assert_fetched, names, small_dataset
from raw_server import HASTY, LENGTH, RawServer, once, response

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError, WarpathError
from warpath_study.datasets import catalog
from warpath_study.datasets.catalog import Dataset
from warpath_study.datasets.download import MIRROR_VARIABLE, DownloadError, Patience, fetch, mirrors_from_environment

# The port of the discard service, where nothing listens: a test that downloads from it fails.
NOWHERE = "http://127.0.0.1:9/small.gr.gz"


WHOLE = response(PUBLISHED, Content_Length=LENGTH)


def status(code):
    return response(b"", f"{code} so", Content_Length=0, Connection="close")


def cut(upto):
    """The answer of a server that closes the connection after that many bytes of the file."""
    return response(PUBLISHED[:upto], Content_Length=LENGTH)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def serve():
    """A function that starts a server, which gives its answers in turn and repeats the last."""
    with contextlib.ExitStack() as servers:
        yield lambda *answers: servers.enter_context(RawServer(lambda number: [answers[min(number, len(answers) - 1)]]))


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


def dataset(*servers, sha256=SHA256):
    return small_dataset(*(server.address for server in servers), sha256=sha256)


def test_a_plain_download(serve, output, terminal):
    shown = terminal()
    server = serve(WHOLE)
    assert fetch(dataset(server), output, patience=HASTY) == server.address
    assert_fetched(output)
    assert server.requests == 1
    assert "small.gr.gz" in shown.getvalue()
    # A server may call the file encoded; it is not unpacked.
    output.unlink()
    server = serve(response(PUBLISHED, Content_Encoding="x-gzip", Content_Length=LENGTH))
    fetch(dataset(server), output, patience=HASTY)
    assert_fetched(output)


def test_a_busy_server_is_asked_again(serve, output):
    server = serve(status(429), status(503), WHOLE)
    fetch(dataset(server), output, patience=HASTY)
    assert_fetched(output)
    assert server.requests == 3


def test_a_connection_that_is_cut_is_no_file(serve, output):
    first, second = serve(cut(10_000)), serve(WHOLE)
    assert fetch(dataset(first, second), output, patience=HASTY) == second.address
    assert_fetched(output)
    output.unlink()
    with pytest.raises(DownloadError, match=first.address):
        fetch(dataset(first), output, patience=HASTY)
    assert names(output.parent) == []


def test_addresses_are_tried_in_their_order(serve, output):
    gone, wrong, right, unused = map(serve, (status(404), response(b"hello", Content_Length=5), WHOLE, WHOLE))
    assert fetch(dataset(gone, wrong, right, unused), output, patience=HASTY) == right.address
    assert_fetched(output)
    assert (gone.requests, wrong.requests, unused.requests) == (1, 1, 0)


def test_a_failure_names_each_address_what_went_wrong_and_what_to_do(serve, output, tmp_path):
    other = gzip.compress(CONTENT.replace(b"a 1 2 0\n", b"a 1 2 1\n", 1))
    servers = [serve(status(500)), serve(response(other, Content_Length=len(other)))]
    with RawServer(once(WHOLE)) as closed:
        pass
    with pytest.raises(DownloadError) as caught:
        fetch(dataset(*servers, closed), output, [tmp_path / "nowhere", tmp_path], HASTY)
    message = str(caught.value)
    for expected in (
        str(tmp_path / "nowhere"),
        f"{servers[0].address}: HTTP 500",
        f"{servers[1].address}: not the published small.gr.gz: the sha256",
        f"{closed.address}: Connection refused",
        f"put it at {output}, or name its folder with --mirror or WARPATH_MIRROR",
    ):
        assert expected in message
    assert "\n" not in message
    assert [server.requests for server in servers] == [3, 1]
    assert not output.exists()


def test_without_a_hash_the_counts_must_agree_and_the_file_be_whole(serve, output):
    server = serve(WHOLE)
    fetch(dataset(server, sha256=None), output, patience=HASTY)
    assert output.read_bytes() == PUBLISHED
    assert names(output.parent) == ["small.gr.gz", "small.gr.gz.sha256"]
    output.unlink()
    with pytest.raises(DownloadError, match=r"5 vertices .*6 vertices"):
        fetch(structs.replace(dataset(server, sha256=None), vertices=6), output, patience=HASTY)
    short = serve(response(PUBLISHED[:-1000], Content_Length=LENGTH - 1000))
    with pytest.raises(DownloadError, match="cut short"):
        fetch(dataset(short, sha256=None), output, patience=HASTY)
    assert names(output.parent) == ["small.gr.gz.sha256"]


def test_a_server_that_is_or_falls_silent_is_given_up_soon(output):
    def first(piece):
        yield piece
        time.sleep(1)

    for piece, attempts in ((b"", 2), (cut(5000), 1)):
        started = time.monotonic()
        with RawServer(lambda _number, piece=piece: first(piece)) as server:
            with pytest.raises(DownloadError, match=r"within 0\.5 s"):
                fetch(dataset(server), output, patience=Patience(attempts=2, timeout_s=0.5, backoff_s=0.001))
            assert server.requests == attempts
        assert time.monotonic() - started < 5


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
            fetch(small_dataset(f"http://127.0.0.1:{port}/x"), output, patience=replace(HASTY, timeout_s=0.1))
        for client in waiting:
            client.close()


def test_what_is_generated_and_what_cannot_be_written_is_refused(serve, tmp_path):
    with pytest.raises(UsageError, match="warpath generate demo-nyc"):
        fetch(catalog.dataset("demo-nyc"), tmp_path / "demo.gr.gz")
    (tmp_path / "file").touch()
    with pytest.raises(WarpathError, match="file"):
        fetch(dataset(serve(WHOLE)), tmp_path / "file" / "small.gr.gz", patience=HASTY)


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
    command = ["-m", "warpath", "fetch", "small", "--output", output, "--catalog", catalog_file(serve(WHOLE))]
    done = with_little_room(command, 20_000)
    assert done.returncode == 1
    assert done.stderr.startswith(f"warpath: error: {output}: the disk is full") and done.stderr.count("\n") == 1
    assert not output.exists()


def test_the_command_from_server_to_mirror(serve, catalog_file, output, tmp_path, monkeypatch, capsys):
    server = serve(WHOLE)
    command = ["fetch", "small", "--catalog", str(catalog_file(server)), "--output"]
    copied = tmp_path / "copy.gz"
    for to, says in ((output, server.address), (output, "exists"), (copied, str(output))):
        if to is copied:
            monkeypatch.setenv(MIRROR_VARIABLE, str(output.parent))
        assert main([*command, str(to)]) == 0
        said = capsys.readouterr()
        assert said.out.startswith(f"{to}: ") and says in said.out and said.err == ""
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
        fetch(wanted, output, patience=HASTY)
        assert_fetched(output)
    else:
        with pytest.raises(DownloadError, match="from https to http"):
            fetch(wanted, output, patience=HASTY)
        assert not output.exists()


# Files that need no download: already at the output, beside it, or in a mirror folder.


def test_a_file_that_is_there_is_kept_if_it_fits(output):
    output.parent.mkdir()
    for fitting in (PUBLISHED, CONTENT, lzma.compress(CONTENT, preset=0)):
        output.write_bytes(fitting)
        assert fetch(small_dataset(NOWHERE), output, patience=HASTY) == output
        assert fetch(small_dataset(NOWHERE, sha256=None), output, patience=HASTY) == output
        assert output.read_bytes() == fitting


def test_a_file_that_is_there_and_does_not_fit_is_refused_and_left_alone(output):
    output.parent.mkdir()
    for content in (b"", b"hello\n", PUBLISHED[:-9], gzip.compress(CONTENT + b"\n", mtime=0)):
        output.write_bytes(content)
        with pytest.raises(FormatError, match=r"small\.gr\.gz.* move it away"):
            fetch(small_dataset(NOWHERE), output, patience=HASTY)
        assert output.read_bytes() == content


def test_a_mirror_may_hold_the_file_in_any_compression(output, tmp_path):
    packed = lzma.compress(CONTENT, preset=0)
    for number, (name, content) in enumerate(
        (("small.gr.gz", PUBLISHED), ("small.gr", CONTENT), ("small.gr.xz", packed), ("small.gr.gz", CONTENT))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_bytes(content)
        assert fetch(small_dataset(NOWHERE), output, [tmp_path / "nowhere", folder]) == folder / name
        assert gzip.decompress(output.read_bytes()) == CONTENT
        assert names(output.parent) == [output.name]
        output.unlink()
    beside = output.with_name("small.gr")
    beside.write_bytes(CONTENT)
    assert fetch(small_dataset(NOWHERE), output) == beside
    assert gzip.decompress(output.read_bytes()) == CONTENT


def test_a_mirror_with_another_file_is_passed_over(output, tmp_path):
    (tmp_path / "small.gr").write_bytes(CONTENT + b"c more\n")
    with pytest.raises(DownloadError, match=r"small\.gr: .*sha256"):
        fetch(small_dataset(NOWHERE), output, [tmp_path], HASTY)
    good = tmp_path / "good"
    good.mkdir()
    (good / "small.gr.gz").write_bytes(PUBLISHED)
    assert fetch(small_dataset(NOWHERE), output, [tmp_path, good], HASTY) == good / "small.gr.gz"
    assert_fetched(output)


def test_a_file_of_ones_own_comes_from_its_place_or_a_mirror(tmp_path):
    mine = Dataset(name="mine", kind="edges", title="mine", file="mine.txt")
    output = tmp_path / "raw" / "mine.txt"
    with pytest.raises(DownloadError, match=f"^{output}: .*mine.*--mirror or WARPATH_MIRROR"):
        fetch(mine, output)
    folder = tmp_path / "mirror"
    folder.mkdir()
    with pytest.raises(DownloadError, match=str(folder)):
        fetch(mine, output, [folder])
    (folder / "mine.txt.gz").write_bytes(gzip.compress(b"2 1\n0 1 5\n"))
    assert fetch(mine, output, [folder]) == folder / "mine.txt.gz"
    assert output.read_bytes() == b"2 1\n0 1 5\n"
    assert fetch(mine, output) == output
    with pytest.raises(FormatError, match=r"2 vertices .*3 vertices"):
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
        fetch(small_dataset(NOWHERE), output, patience=HASTY)


def test_mirrors_of_the_environment(monkeypatch):
    monkeypatch.setenv(MIRROR_VARIABLE, os.pathsep.join(["/a", "", "b c"]))
    assert mirrors_from_environment() == [Path("/a"), Path("b c")]
    monkeypatch.delenv(MIRROR_VARIABLE)
    assert mirrors_from_environment() == []
