"""Download one file from one address: failed attempts are repeated with growing pauses, broken ones are resumed."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

_PIECE_BYTES = 1 << 16
# On some machines without a network every connection hangs; fail early.
_CONNECT_TIMEOUT_S = 5.0
_WORTH_RETRYING = frozenset({408, 429, 500, 502, 503, 504})
# Ask for the file as published: compression by the server would change its bytes and the size of the rest.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "warpath"}

# Called with the bytes received and the bytes of the whole file, None where the server does not say.
Report = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Patience:
    """When to give up on an address: after ``attempts`` attempts in a row that brought no byte.

    ``timeout_s`` bounds the wait for an answer and for each piece of it; ``backoff_s`` is the pause after the first
    failed attempt, doubled after each one that follows.
    """

    attempts: int = 3
    timeout_s: float = 20.0
    backoff_s: float = 0.5


DEFAULT_PATIENCE = Patience()


class TransferError(Exception):
    """An address did not give the file; the message says why, without the address."""


class _Retriable(Exception):
    """An attempt failed; another one may succeed."""


def transfer(address: str, part: Path, patience: Patience, report: Report) -> None:
    """Download ``address`` into ``part``, continuing after the bytes that ``part`` already holds.

    Raises TransferError, which leaves ``part`` for the next call. OSError from writing passes through.
    """
    fruitless = 0
    while True:
        before = _size(part)
        try:
            _attempt(address, part, patience.timeout_s, report)
            return
        except _Retriable as failure:
            fruitless = 0 if _size(part) > before else fruitless + 1
            if fruitless >= patience.attempts:
                raise TransferError(str(failure)) from failure
        time.sleep(patience.backoff_s * 2 ** max(fruitless - 1, 0))


def _attempt(address: str, part: Path, timeout_s: float, report: Report) -> None:
    here = _size(part)
    connect_timeout_s = min(_CONNECT_TIMEOUT_S, timeout_s)
    headers = {**_HEADERS, "Range": f"bytes={here}-"} if here else _HEADERS
    try:
        with requests.get(address, headers=headers, stream=True, timeout=(connect_timeout_s, timeout_s)) as response:
            if here and not _continues(response, here):
                if _whole_size(response) == here:
                    return
                # These bytes are not the beginning of the file that the server has now.
                part.unlink()
                _attempt(address, part, timeout_s, report)
                return
            _refuse_errors(response)
            _receive(response, part, here if response.status_code == 206 else 0, report)
    except requests.ConnectTimeout as error:
        raise _Retriable(f"no connection within {connect_timeout_s:g} s") from error
    except requests.Timeout as error:
        raise _Retriable(f"no response within {timeout_s:g} s") from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise _Retriable(f"no further bytes within {timeout_s:g} s") from error
    except (requests.ConnectionError, urllib3.exceptions.HTTPError) as error:
        raise _Retriable(_root_cause(error)) from error
    except requests.RequestException as error:
        raise TransferError(str(error)) from error


def _continues(response: requests.Response, here: int) -> bool:
    """Whether the response is usable although the request began at ``here``.

    It is if it holds the requested bytes or the whole file, or reports an error that has nothing to do with ``here``.
    """
    if response.status_code == 206:
        return response.headers.get("Content-Range", "").startswith(f"bytes {here}-")
    return response.status_code != 416


def _whole_size(response: requests.Response) -> int | None:
    """The size of the whole file according to the response to a request for a part of it."""
    match = re.fullmatch(r"bytes .*/([0-9]+)", response.headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _refuse_errors(response: requests.Response) -> None:
    if response.status_code in _WORTH_RETRYING:
        raise _Retriable(f"HTTP {response.status_code} {response.reason}")
    if response.status_code not in (200, 206):
        raise TransferError(f"HTTP {response.status_code} {response.reason}")


def _receive(response: requests.Response, part: Path, here: int, report: Report) -> None:
    """Append the body of the response to the first ``here`` bytes of ``part``."""
    length = response.headers.get("Content-Length", "")
    whole = here + int(length) if length.isdigit() else None
    with open(part, "ab" if here else "wb") as file:
        # The raw stream: a server that says "Content-Encoding: gzip" means the published .gz, which stays compressed.
        for piece in response.raw.stream(_PIECE_BYTES, decode_content=False):
            file.write(piece)
            here += len(piece)
            report(here, whole)
    if whole is not None and here != whole:
        raise _Retriable(f"the connection ended after {here} of {whole} bytes")


def _root_cause(error: BaseException) -> str:
    """The operating system's message, which the HTTP libraries wrap several times, or else the error's own."""
    words = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            words = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return words


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
