"""A local server that sends whatever bytes a test says, in whatever pieces, HTTP or not."""

import contextlib
import socket
import threading
from dataclasses import replace

from msgspec import structs
from published_file import CONTENT, PUBLISHED, SHA256, names, small_dataset

from warpath_study.datasets.download import DownloadError, Patience, fetch
from warpath_study.datasets.verify import content_sha256

# Long enough for a busy machine: nothing that is right takes a second.
HASTY = Patience(attempts=3, timeout_s=5.0, backoff_s=0.001)
LENGTH = len(PUBLISHED)


class RawServer:
    """A context manager. Sends the pieces that ``answer(number)`` returns for a request's number, and closes."""

    def __init__(self, answer):
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/small.gr.gz"
        self._ended = threading.Event()
        self.requests = 0

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self._ended.set()
        # Closing alone would leave the other thread in accept.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.requests += 1
            threading.Thread(target=self._send, args=(connection, self.requests - 1), daemon=True).start()

    def _send(self, connection, number):
        with contextlib.suppress(OSError), connection:
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(65536)
            for piece in self._answer(number):
                if self._ended.is_set():
                    return
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)


def once(response):
    """The same bytes, in one piece, for each request."""
    return lambda _number: [response]


def response(body=b"", status="200 OK", **headers):
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def fetched_or_refused(answer, output, patience=HASTY, **facts):
    """The sentence of the refusal, None if the file came; asserts that it is one of the two."""
    with RawServer(answer) as server:
        try:
            fetch(structs.replace(small_dataset(server.address), **facts), output, patience=patience)
            sentence = None
        except DownloadError as error:
            sentence = str(error)
    if sentence is None:
        # The hash is of the content: a server may send it as it likes, or with another date in the gzip header.
        assert content_sha256(output) == SHA256
    else:
        assert sentence.isprintable() and len(sentence) < 1500
        assert not output.exists()
        assert names(output.parent) == []
    return sentence


def damaged_response(chance):
    """A response that is right but for a few random changes."""
    body = chance.choice([PUBLISHED, PUBLISHED, PUBLISHED[: chance.randrange(LENGTH)], CONTENT, b"", b"x" * 99])
    numbers = [str(len(body)), "0", "-1", "²", "9" * chance.choice([3, 19, 5000]), "", "1, 1", "nan", "\x00"]
    headers = [
        ("Content-Length", chance.choice([str(len(body))] * 9 + numbers)),
        ("Transfer-Encoding", chance.choice(["chunked", "gzip", "\xff", "identity"])),
        ("Content-Encoding", chance.choice(["gzip", "br", "x" * 1000, ""])),
        ("Content-Range", f"bytes {chance.choice(numbers)}-{chance.choice(numbers)}/{chance.choice(numbers)}"),
        (
            "Location",
            chance.choice(["/", "//", "http://[", "file:///x", "x" * 9999, "http://127.0.0.1:1/", "\xe9\x01"]),
        ),
        ("Connection", chance.choice(["close", "keep-alive", "upgrade"])),
        ("Retry-After", chance.choice(numbers)),
    ]
    chosen = [header for header in headers if chance.random() < 0.4]
    status = chance.choice(
        ["200 OK"] * 6 + ["206 Part", "301 Moved", "302 \x1b[2J", "304", "416 R", "503 B", "0 x", "²"]
    )
    text = "".join(f"{name}: {value}\r\n" for name, value in chosen)
    raw = bytearray(f"HTTP/1.1 {status}\r\n{text}\r\n".encode("latin-1") + body)
    for _ in range(chance.choice([0, 0, 0, 1, 5])):
        raw[chance.randrange(len(raw)) if chance.random() < 0.3 else chance.randrange(min(len(raw), 200))] ^= (
            1 << chance.randrange(8)
        )
    if chance.random() < 0.2:
        del raw[chance.randrange(len(raw)) :]
    cut = chance.randrange(len(raw) + 1)
    return [bytes(raw[:cut]), bytes(raw[cut:])]


def fetched_or_refused_from_damaged(output, chance):
    """``fetched_or_refused`` from a server with a few damaged answers."""
    answers = [damaged_response(chance) for _ in range(3)]
    patience = replace(HASTY, timeout_s=0.2)
    return fetched_or_refused(lambda number: answers[number % 3], output, patience)
