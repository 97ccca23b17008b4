"""Download one file from one address: failed attempts are repeated with growing pauses, broken ones are resumed."""

import http.client
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from warpath.errors import UsageError

from .deadline import Deadline
from .fetch_lock import open_plain, plain_size

_PIECE_BYTES = 1 << 16
# On some machines without a network every connection hangs; fail early.
_CONNECT_TIMEOUT_S = 5.0
_WORTH_RETRYING = frozenset({408, 429, 500, 502, 503, 504})
# Ask for the file as published: compression by the server would change its bytes and the size of the rest.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "warpath"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
# However many bytes each of them brings.
_MOST_ATTEMPTS = 100
_MOST_SECONDS = 1e6
_LONGEST_MESSAGE = 200

# Called with the bytes received and the bytes of the whole file, None where the server does not say.
Report = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Patience:
    """When to give up on an address: after ``attempts`` attempts in a row that brought no byte.

    ``timeout_s`` bounds the wait for an answer and for each piece of it; ``backoff_s`` is the pause after the first
    failed attempt, doubled after each one that follows; ``deadline_s`` bounds all of it together.

    Raises UsageError for impossible values.
    """

    attempts: int = 3
    timeout_s: float = 20.0
    backoff_s: float = 0.5
    deadline_s: float = 3600.0

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= _MOST_ATTEMPTS:
            raise UsageError(f"the attempts must be 1 to {_MOST_ATTEMPTS}, not {self.attempts}")
        for what, seconds in (("timeout", self.timeout_s), ("deadline", self.deadline_s)):
            if not 0 < seconds <= _MOST_SECONDS:  # false for nan
                raise UsageError(f"the {what} must be above 0 and at most {_MOST_SECONDS:.0f} seconds, not {seconds:g}")
        if not 0 <= self.backoff_s <= _MOST_SECONDS:
            raise UsageError(f"the backoff must be 0 to {_MOST_SECONDS:.0f} seconds, not {self.backoff_s:g}")


DEFAULT_PATIENCE = Patience()


class TransferError(Exception):
    """An address did not give the file; the message says why, without the address."""

    def __init__(self, message: str):
        super().__init__(_one_line(message))


class _Retriable(Exception):
    """An attempt failed; another one may succeed."""


def transfer(
    address: str, part: Path, patience: Patience, deadline: Deadline, report: Report, limit: int | None = None
) -> None:
    """Download ``address`` into ``part``, continuing after the bytes that ``part`` already holds.

    Raises TransferError, which leaves ``part`` for the next call, but not if the file has more than ``limit`` bytes.
    OSError from writing and WarpathError where ``part`` is no plain file pass through.
    """
    fruitless = 0
    for attempt in range(_MOST_ATTEMPTS):
        before = plain_size(part)
        failure = f"not finished within {deadline.seconds:g} s"
        if deadline.remaining_s:
            try:
                _attempt(address, part, patience.timeout_s, deadline, report, math.inf if limit is None else limit)
                return
            except _Retriable as error:
                failure = str(error) if deadline.remaining_s else failure
        fruitless = 0 if plain_size(part) > before else fruitless + 1
        if fruitless >= patience.attempts or attempt + 1 == _MOST_ATTEMPTS or not deadline.remaining_s:
            raise TransferError(failure)
        # Ten doublings of any pause worth the name are longer than anyone waits.
        time.sleep(min(patience.backoff_s * 2 ** min(max(fruitless - 1, 0), 10), deadline.remaining_s))


def _attempt(
    address: str, part: Path, timeout_s: float, deadline: Deadline, report: Report, limit: float, afresh: bool = False
) -> None:
    here = 0 if afresh else plain_size(part)
    connect_timeout_s = min(_CONNECT_TIMEOUT_S, timeout_s)
    headers = {**_HEADERS, "Range": f"bytes={here}-"} if here else _HEADERS
    try:
        with (
            deadline.session() as session,
            _response(session, address, headers, (connect_timeout_s, timeout_s)) as response,
        ):
            if not here or _continues(response, here):
                _refuse_errors(response)
                _receive(response, part, here if response.status_code == 206 else 0, deadline, report, limit)
                return
            if _whole_size(response) == here:
                return
    except requests.ConnectTimeout as error:
        raise _Retriable(f"no connection within {connect_timeout_s:g} s") from error
    except requests.Timeout as error:
        raise _Retriable(f"no response within {timeout_s:g} s") from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise _Retriable(f"no further bytes within {timeout_s:g} s") from error
    except (requests.ConnectionError, urllib3.exceptions.HTTPError) as error:
        raise _Retriable(_root_cause(error)) from error
    except (requests.RequestException, ValueError) as error:  # ValueError: a header or an address that makes no sense
        raise TransferError(str(error)) from error
    # These bytes are not the beginning of the file that the server has now.
    _attempt(address, part, timeout_s, deadline, report, limit, afresh=True)


def _response(
    session: requests.Session, address: str, headers: Mapping[str, str], timeout: tuple[float, float]
) -> requests.Response:
    """The response at the end of a few redirects."""
    for _ in range(_MOST_REDIRECTS + 1):
        response = session.get(address, headers=headers, stream=True, timeout=timeout, allow_redirects=False)
        if response.status_code not in _REDIRECTS or "Location" not in response.headers:
            return response
        response.close()
        address = _redirected(address, response.headers["Location"])
    raise TransferError(f"more than {_MOST_REDIRECTS} redirects")


def _redirected(address: str, location: str) -> str:
    try:
        target = urljoin(address, location.encode("latin-1").decode("utf-8", "replace"))
        scheme, known = urlsplit(target).scheme, bool(urlsplit(target).hostname)
    except ValueError:
        raise TransferError(f"redirected to {location!r}, which is no address") from None
    if scheme not in ("http", "https") or not known:
        raise TransferError(f"redirected to {location!r}, which is no address of http or https")
    if scheme == "http" and urlsplit(address).scheme == "https":
        raise TransferError(f"redirected from https to {location!r}, which anyone on the way could change")
    return target


def _continues(response: requests.Response, here: int) -> bool:
    """Whether the response is usable although the request began at ``here``.

    It is if it holds the requested bytes or the whole file, or reports an error that has nothing to do with ``here``.
    """
    if response.status_code == 206:
        return response.headers.get("Content-Range", "").startswith(f"bytes {here}-")
    return response.status_code != 416


def _whole_size(response: requests.Response) -> int | None:
    """The size of the whole file according to the response to a request for a part of it."""
    match = re.fullmatch(r"bytes .*/(\S+)", response.headers.get("Content-Range", ""))
    return _number(match[1]) if match else None


def _number(text: str) -> int | None:
    """A number of bytes in a header; None if it is none that a file can have."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None


def _refuse_errors(response: requests.Response) -> None:
    if response.status_code in _WORTH_RETRYING:
        raise _Retriable(f"HTTP {response.status_code} {response.reason}")
    if response.status_code not in (200, 206):
        raise TransferError(f"HTTP {response.status_code} {response.reason}")


def _receive(
    response: requests.Response, part: Path, here: int, deadline: Deadline, report: Report, limit: float
) -> None:
    """Append the body of the response to the first ``here`` bytes of ``part``."""
    length = _number(response.headers.get("Content-Length", ""))
    whole = None if length is None else here + length
    if max(here, whole or 0) > limit:
        _refuse_size(part, f"{whole or here} bytes", limit)
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if here else os.O_TRUNC)
    # Told here, in words and with the bytes of earlier attempts.
    response.raw.enforce_content_length = False
    with open(open_plain(part, flags), "ab" if here else "wb") as file:
        # One read of the connection at a time, so that neither slow bytes nor a chunk's endless header pile up.
        # As sent: a server that says "Content-Encoding: gzip" means the published .gz, which stays compressed.
        while piece := response.raw.read1(_PIECE_BYTES, decode_content=False):
            here += len(piece)
            if here > limit:
                _refuse_size(part, "more", limit)
            file.write(piece)
            report(here, whole)
            if not deadline.remaining_s:
                break
    if not deadline.remaining_s and here != whole:
        # Shutting the connection down looks like the end of a file whose size the server does not say.
        raise _Retriable("the deadline has passed")
    if whole is not None and here != whole:
        raise _Retriable(f"the connection ended after {here} of {whole} bytes")


def _refuse_size(part: Path, size: str, limit: float) -> None:
    part.unlink(missing_ok=True)
    raise TransferError(f"it has {size} where at most {limit:.0f} bytes are expected (max_bytes in the catalog)")


def _root_cause(error: BaseException) -> str:
    """The operating system's message, which the HTTP libraries wrap several times, or else the error's own."""
    words = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            words = cause.strerror
        elif isinstance(cause, http.client.IncompleteRead):
            words = "the connection ended early"
        cause = cause.__cause__ or cause.__context__
    return words


def _one_line(words: str) -> str:
    """``words``, which may come from a server, without line ends and control characters, and not long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in words).strip()
    return shown if len(shown) <= _LONGEST_MESSAGE else f"{shown[:_LONGEST_MESSAGE]}…"
