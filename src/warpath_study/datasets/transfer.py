"""Download one file from one address: a busy server and a failed connection are tried again."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

from warpath.errors import UsageError

_PIECE_BYTES = 1 << 16
# On some machines without a network every connection hangs; fail early.
_CONNECT_TIMEOUT_S = 5.0
_WORTH_RETRYING = (408, 429, 500, 502, 503, 504)
# Ask for the file as published: compression by the server would change its bytes.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "warpath"}
_MOST_REDIRECTS = 5
_MOST_ATTEMPTS = 100
_MOST_SECONDS = 1e6
_LONGEST_MESSAGE = 200
_MIB = 1 << 20
_REDRAW_S = 0.1


@dataclass(frozen=True)
class Patience:
    """When to give up on an address: after ``attempts`` attempts to get an answer, or ``timeout_s`` without a byte.

    ``backoff_s`` is what the growing pauses between attempts begin with. Raises UsageError for impossible values.
    """

    attempts: int = 3
    timeout_s: float = 20.0
    backoff_s: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= _MOST_ATTEMPTS:
            raise UsageError(f"the attempts must be 1 to {_MOST_ATTEMPTS}, not {self.attempts}")
        if not 0 < self.timeout_s <= _MOST_SECONDS:  # false for nan
            raise UsageError(f"the timeout must be above 0 and at most {_MOST_SECONDS:.0f} s, not {self.timeout_s:g}")


DEFAULT_PATIENCE = Patience()


class TransferError(Exception):
    """An address did not give the file; the message says why, without the address."""

    def __init__(self, message: str):
        # It may come from a server: one line of printable characters, not long.
        shown = "".join(letter if letter.isprintable() else " " for letter in message).strip()
        super().__init__(shown if len(shown) <= _LONGEST_MESSAGE else f"{shown[:_LONGEST_MESSAGE]}…")


def transfer(address: str, output: Path, patience: Patience, label: str, limit: int | None = None) -> None:
    """Download ``address`` to ``output``, with its progress after ``label`` on a terminal.

    Raises TransferError, also for a file of more than ``limit`` bytes. OSError from writing passes through.
    """
    retries = urllib3.Retry(
        total=patience.attempts - 1,
        status_forcelist=_WORTH_RETRYING,
        backoff_factor=patience.backoff_s,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    timeouts = (min(_CONNECT_TIMEOUT_S, patience.timeout_s), patience.timeout_s)
    with requests.Session() as session, open(output, "wb") as file, _progress_shown(label) as progress:
        session.max_redirects = _MOST_REDIRECTS
        for scheme in ("http://", "https://"):
            session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retries))
        try:
            response = session.get(address, headers=_HEADERS, stream=True, timeout=timeouts)
            if response.status_code != 200:
                raise TransferError(f"HTTP {response.status_code} {response.reason}")
            here, whole = 0, response.raw.length_remaining
            _check_size(whole or 0, limit)
            # As sent: a server that says "Content-Encoding: gzip" means the published .gz, which stays compressed.
            while piece := response.raw.read(_PIECE_BYTES, decode_content=False):
                here += len(piece)
                _check_size(here, limit)
                file.write(piece)
                progress(here, whole)
        # ValueError: a header or an address that makes no sense
        except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
            raise TransferError(_cause(error, patience.timeout_s)) from error


def _check_size(size: int, limit: int | None) -> None:
    if limit is not None and size > limit:
        raise TransferError(f"it has more than the {limit} bytes expected (max_bytes in the catalog)")


def _cause(error: BaseException, timeout_s: float) -> str:
    """The operating system's message, which the HTTP libraries wrap several times, or else the error's own."""
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    said = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
    if not said and any(isinstance(cause, TimeoutError | urllib3.exceptions.TimeoutError) for cause in causes):
        return f"no answer, or no more of it, within {timeout_s:g} s"
    return said[-1] if said else str(error)


@contextmanager
def _progress_shown(label: str) -> Iterator:
    """A function that shows the bytes received, of None or so many, where standard error is a terminal."""
    drawn = 0.0

    def show(here: int, whole: int | None) -> None:
        nonlocal drawn
        if sys.stderr.isatty() and time.monotonic() - drawn >= _REDRAW_S:
            drawn = time.monotonic()
            of = f" of {whole / _MIB:.1f}" if whole else ""
            sys.stderr.write(f"\r{label}  {here / _MIB:.1f}{of} MiB\x1b[K")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
