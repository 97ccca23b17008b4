"""One file from one address over HTTP: retried with growing pauses, and resumed where a connection broke."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

_PIECE_BYTES = 1 << 16
# Without a network some machines let every connection hang: that should show soon.
_CONNECT_TIMEOUT_S = 5.0
_WORTH_RETRYING = frozenset({408, 429, 500, 502, 503, 504})
# A server must not compress on its own: what counts is the file as published, and the size of what is still missing.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "warpath"}

# Called with the bytes that are here and the bytes of the whole, None where the server does not say.
Report = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Patience:
    """When to give an address up: after so many ``attempts`` in a row that brought no byte.

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
    """An attempt failed in a way that another one may not."""


def transfer(address: str, part: Path, patience: Patience, report: Report) -> None:
    """Bring the file at ``address`` into ``part``, going on from the bytes that ``part`` already holds.

    Raises TransferError; ``part`` then stays, for another time. OSError from writing passes through.
    """
    fruitless = 0
    while True:
        before = _size(part)
        try:
            return _attempt(address, part, patience.timeout_s, report)
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
                # What lies here belongs to another file, or to none.
                part.unlink()
                return _attempt(address, part, timeout_s, report)
            _refuse_errors(response)
            _receive(response, part, here if response.status_code == 206 else 0, report)
    except requests.ConnectTimeout as error:
        raise _Retriable(f"no connection within {connect_timeout_s:g} s") from error
    except requests.Timeout as error:
        raise _Retriable(f"no answer within {timeout_s:g} s") from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise _Retriable(f"nothing more came within {timeout_s:g} s") from error
    except (requests.ConnectionError, urllib3.exceptions.HTTPError) as error:
        raise _Retriable(_root_cause(error)) from error
    except requests.RequestException as error:
        raise TransferError(str(error)) from error


def _continues(response: requests.Response, here: int) -> bool:
    """Whether the answer to a request for the bytes from ``here`` on says something about the file itself.

    That is: the bytes asked for, the whole file, or an error that has nothing to do with ``here``.
    """
    if response.status_code == 206:
        return response.headers.get("Content-Range", "").startswith(f"bytes {here}-")
    return response.status_code != 416


def _whole_size(response: requests.Response) -> int | None:
    """The size of the whole file, as the answer to a request for a part of it says."""
    match = re.fullmatch(r"bytes .*/([0-9]+)", response.headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _refuse_errors(response: requests.Response) -> None:
    if response.status_code in _WORTH_RETRYING:
        raise _Retriable(f"HTTP {response.status_code} {response.reason}")
    if response.status_code not in (200, 206):
        raise TransferError(f"HTTP {response.status_code} {response.reason}")


def _receive(response: requests.Response, part: Path, here: int, report: Report) -> None:
    """Append the answer's body to the first ``here`` bytes of ``part``."""
    length = response.headers.get("Content-Length", "")
    whole = here + int(length) if length.isdigit() else None
    with open(part, "ab" if here else "wb") as file:
        # The raw stream, because a server's "Content-Encoding: gzip" means the published .gz, to be kept as it is.
        for piece in response.raw.stream(_PIECE_BYTES, decode_content=False):
            file.write(piece)
            here += len(piece)
            report(here, whole)
    if whole is not None and here != whole:
        raise _Retriable(f"the connection ended after {here} of {whole} bytes")


def _root_cause(error: BaseException) -> str:
    """The operating system's words for what happened, from under the layers of HTTP libraries, or the error's own."""
    words = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            words = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return words


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
