"""A small dataset, and a local server that publishes it and misbehaves on demand."""

import gzip
import hashlib
import http.server
import time

from warpath_study.datasets.catalog import Dataset
from warpath_study.datasets.download import Patience

ARCS = 40_000
CONTENT = b"c small\np sp 5 %d\n" % ARCS + b"".join(b"a 1 2 %d\n" % (i * i % 99_991) for i in range(ARCS))
PUBLISHED = gzip.compress(CONTENT, mtime=0)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
IMPATIENT = Patience(attempts=3, timeout_s=5.0, backoff_s=0.001)


class Server(http.server.ThreadingHTTPServer):
    """Answers requests with ``answers`` in turn and repeats the last; ``requests`` counts them."""

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers)
        self.requests = 0

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/small.gr.gz"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests += 1
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def log_message(self, *_arguments):
        pass

    def answer(self, status, body, length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)


def whole(handler, body=PUBLISHED):
    """A server that sends the file."""
    handler.answer(200, body)


def cut(upto):
    """A server that closes the connection after that many bytes of the file."""
    return lambda handler: handler.answer(200, PUBLISHED[:upto], length=len(PUBLISHED))


def status(code):
    return lambda handler: handler.answer(code, b"")


def silent(handler):
    time.sleep(1.0)


def small_dataset(*addresses, sha256=SHA256):
    return Dataset(
        name="small",
        kind="gr",
        title="Small",
        vertices=5,
        arcs=ARCS,
        weighted=True,
        file="small.gr.gz",
        addresses=addresses,
        licence="none",
        citation="none",
        sha256=sha256,
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_fetched(output):
    assert output.read_bytes() == PUBLISHED
    assert names(output.parent) == [output.name]
