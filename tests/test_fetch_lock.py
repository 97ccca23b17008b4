"""Several fetches of one file at once, and what others may have put beside it."""

import gzip
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from published_file import PUBLISHED, SHA256, assert_fetched, names, small_dataset
from raw_server import HASTY, LENGTH, RawServer, fetched_or_refused, once, response

from warpath.errors import DownloadError, FormatError, WarpathError
from warpath_study.datasets import mirror
from warpath_study.datasets.download import fetch
from warpath_study.datasets.fetch_lock import fetching_alone

OTHER = gzip.compress(b"another file")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv(mirror.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "raw" / "small.gr.gz"


@pytest.mark.parametrize("suffix", [".part", ".lock"])
@pytest.mark.parametrize("kind", ["link", "dead link", "folder", "pipe"])
def test_what_is_planted_beside_the_output_is_neither_followed_nor_waited_for(output, tmp_path, suffix, kind):
    output.parent.mkdir()
    planted, victim = output.with_name(output.name + suffix), tmp_path / "victim"
    victim.write_text("precious")
    make = {
        "link": lambda: planted.symlink_to(victim),
        "dead link": lambda: planted.symlink_to(tmp_path / "nowhere"),
        "folder": planted.mkdir,
        "pipe": lambda: os.mkfifo(planted),
    }
    make[kind]()
    with RawServer(once(response(PUBLISHED))) as server, pytest.raises(WarpathError, match=f"{planted}: is a link, a"):
        fetch(small_dataset(server.address), output, patience=HASTY)
    assert victim.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists() and not output.exists()


def test_an_output_that_is_a_pipe_is_not_waited_for(output):
    output.parent.mkdir()
    os.mkfifo(output)
    with pytest.raises(FormatError, match="not a file; move it away"):
        fetch(small_dataset("http://127.0.0.1:9/x"), output, patience=HASTY)


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_pairs_of_fetches_of_one_file_all_succeed(tmp_path, sha256, capfd):
    halves = lambda _number: [response(PUBLISHED[:9000], Content_Length=LENGTH), PUBLISHED[9000:]]  # noqa: E731
    patience = replace(HASTY, deadline_s=20.0)
    with RawServer(halves, pause_s=0.005) as server, ThreadPoolExecutor(4) as pool:
        outputs = [tmp_path / str(i // 2) / "small.gr.gz" for i in range(60)]
        entry = small_dataset(server.address, sha256=sha256)
        origins = list(pool.map(lambda output: fetch(entry, output, patience=patience), outputs))
    assert all(output.read_bytes() == PUBLISHED for output in outputs)
    assert {name for output in outputs for name in names(output.parent)} <= {"small.gr.gz", "small.gr.gz.sha256"}
    assert server.requests == 30 == origins.count(server.address)
    assert "another process is fetching it; waiting" in capfd.readouterr().err


def test_waiting_for_another_fetch_ends_at_the_deadline(output):
    with fetching_alone(output, 1.0), pytest.raises(DownloadError, match=r"fetching it for more than 0\.1 s; wait"):
        fetch(small_dataset("http://127.0.0.1:9/x"), output, patience=replace(HASTY, deadline_s=0.1))


def test_what_a_killed_fetch_left_does_not_stand_in_the_way(output):
    output.parent.mkdir()
    output.with_name("small.gr.gz.lock").touch()
    output.with_name("small.gr.gz.part").write_bytes(PUBLISHED[:100])
    rest = response(
        PUBLISHED[100:],
        "206 Partial Content",
        Content_Length=LENGTH - 100,
        Content_Range=f"bytes 100-{LENGTH - 1}/{LENGTH}",
    )
    assert fetched_or_refused(once(rest), output) is None
    assert_fetched(output)


def test_a_mirrored_file_that_changes_meanwhile_is_refused(output, tmp_path, monkeypatch):
    source = tmp_path / "small.gr.gz"
    source.write_bytes(PUBLISHED)

    def copy_of_another(_source, target):
        target.write_bytes(OTHER)

    monkeypatch.setattr("shutil.copyfile", copy_of_another)
    with pytest.raises(DownloadError, match="changed while it was copied"):
        fetch(small_dataset("http://127.0.0.1:9/x"), output, [tmp_path], replace(HASTY, attempts=1))
    assert names(output.parent) == []


def test_a_lock_is_held_by_one_at_a_time(tmp_path):
    """More holders than files: who waits for a lock file that its holder removes goes on with the next one."""
    inside, most = [], []
    guard = threading.Lock()

    def enter(_number):
        with fetching_alone(tmp_path / "file", 20.0):
            with guard:
                inside.append(1)
                most.append(len(inside))
            time.sleep(0.001)
            with guard:
                inside.pop()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(24)))
    assert set(most) == {1} and len(most) == 24
    assert names(tmp_path) == []
