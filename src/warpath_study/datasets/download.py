"""Fetches the published file of a dataset, from a mirror folder or from its publisher."""

import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from warpath.errors import FormatError, WarpathError
from warpath.graphs.content import (
    COMPRESSIONS,
    compressing,
    compression_named,
    compression_of,
    open_content,
)
from warpath.system.atomic import atomic_write
from warpath.system.progress import Progress

from .catalog import Dataset, require_published
from .verify import check_file, content_sha256, read_hash, write_hash

MIRROR_VARIABLE = "WARPATH_MIRROR"
_PIECE_BYTES = 1 << 16
# On some machines without a network, every connection hangs.
_CONNECT_TIMEOUT_S = 5.0
_RETRIED_STATUSES = (408, 429, 500, 502, 503, 504)
# Compression by the server would change the bytes of the published file.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "warpath"}
_REDIRECTS_MAX = 5
_MESSAGE_MAX = 200


class DownloadError(WarpathError):
    """A file could not be downloaded; the message names each address tried, and where to put the file by hand."""


@dataclass(frozen=True)
class Patience:
    """Limits for each address: the number of attempts, and the seconds to wait for a byte.

    ``backoff_s`` is the first of the growing pauses between attempts.
    """

    attempts: int = 3
    timeout_s: float = 20.0
    backoff_s: float = 0.5


USUAL = Patience()


def fetch(dataset: Dataset, output: Path, mirrors: Sequence[Path] = (), patience: Patience = USUAL) -> Path | str:
    """Write the file of ``dataset`` to ``output``, checked, and return its origin: a path or an address.

    An existing file at ``output`` is checked and never replaced. Otherwise the folders ``mirrors`` are tried, then the
    catalog's addresses. If the catalog has no hash, ``verify`` keeps that of the first download.
    Raises FormatError if ``output`` is another file, DownloadError if the file could not be fetched.
    """
    require_published(dataset)
    if output.exists():
        _check_existing(dataset, output)
        return output
    failures = []
    for folder in (output.parent, *mirrors):
        source = file_in(dataset, folder)
        if source is not None:
            try:
                _copy(dataset, source, output)
                return source
            except FormatError as error:
                failures.append(str(error))
        elif folder != output.parent:
            failures.append(f"{folder}: {'no such file in it' if folder.is_dir() else 'no such folder'}")
    for address in dataset.addresses:
        try:
            _download(dataset, address, output, patience)
            return address
        except (DownloadError, FormatError) as error:
            failures.append(f"{address}: {error}")
    reasons = f" ({'; '.join(failures)})" if failures else ""
    advice = f"or name its folder with --mirror or {MIRROR_VARIABLE}"
    if dataset.own:
        raise DownloadError(
            f"{output}: no such file, and the catalog has no address for {dataset.name}{reasons}; put the file there, "
            f"{advice}"
        )
    raise DownloadError(
        f"{dataset.file} could not be fetched{reasons}; download it elsewhere and put it at {output}, {advice}"
    )


def mirrors_from_environment() -> list[Path]:
    """The folders in WARPATH_MIRROR, separated as in PATH."""
    return [Path(folder) for folder in os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep) if folder]


def _check_existing(dataset: Dataset, output: Path) -> None:
    try:
        if not output.is_file():
            raise FormatError(f"{output}: not a file")
        sha256 = check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away and fetch again") from None
    # The folder may be read-only.
    with contextlib.suppress(WarpathError):
        write_hash(dataset, output.parent, sha256)


def file_in(dataset: Dataset, folder: Path) -> Path | None:
    """The file of ``dataset`` in ``folder``, compressed or not; None if there is none."""
    name = Path(dataset.file or "")
    stem = name.stem if compression_named(name) else name.name
    candidates = (folder / candidate for candidate in (name.name, stem, *(stem + suffix for suffix in COMPRESSIONS)))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _copy(dataset: Dataset, source: Path, output: Path) -> None:
    """Check ``source`` against the catalog and copy it to ``output``, compressed as its name says."""
    sha256 = check_file(dataset, source, output.parent)
    with atomic_write(output) as temporary:
        if compression_of(source) == compression_named(output):
            shutil.copyfile(source, temporary)
        else:
            with open_content(source) as content, compressing(temporary) as file:
                shutil.copyfileobj(content, file)
        if content_sha256(temporary) != sha256:
            raise FormatError(f"{source}: changed while it was copied; fetch again")
    write_hash(dataset, output.parent, sha256)


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    pinned = dataset.sha256 or read_hash(dataset, output.parent)
    with atomic_write(output) as temporary:
        _transfer(dataset, address, temporary, patience, insecure_redirects=pinned is not None)
        try:
            sha256 = check_file(dataset, temporary, output.parent)
        except FormatError as error:
            raise FormatError(str(error).removeprefix(str(temporary)).lstrip(":, ")) from None
        write_hash(dataset, output.parent, sha256)


def _transfer(dataset: Dataset, address: str, output: Path, patience: Patience, insecure_redirects: bool) -> None:
    """Download ``address`` to ``output``, with retries.

    Raises DownloadError, also for a file larger than the catalog allows, and for a redirect from https to http unless
    ``insecure_redirects``.
    """
    import requests  # here, so that the help of commands does without them
    import urllib3

    retries = urllib3.Retry(
        total=patience.attempts - 1,
        status_forcelist=_RETRIED_STATUSES,
        backoff_factor=patience.backoff_s,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    timeouts = (min(_CONNECT_TIMEOUT_S, patience.timeout_s), patience.timeout_s)
    label = f"downloading {dataset.file}"
    with requests.Session() as session, open(output, "wb") as file, Progress(label, "B") as progress:
        session.max_redirects = _REDIRECTS_MAX
        for scheme in ("http://", "https://"):
            session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retries))
        try:
            response = session.get(address, headers=_HEADERS, stream=True, timeout=timeouts)
            steps = [step.url.partition(":")[0] for step in (*response.history, response)]
            if "http" in steps[steps.index("https") if "https" in steps else len(steps) :] and not insecure_redirects:
                raise DownloadError(
                    "redirects from https to http, where anybody may change a file without a known hash"
                )
            if response.status_code != 200:
                raise DownloadError(_printable(f"HTTP {response.status_code} {response.reason}"))
            received, total = 0, response.raw.length_remaining
            _check_size(total or 0, dataset.size_limit)
            # Not decoded: some servers send a published .gz with "Content-Encoding: gzip".
            while piece := response.raw.read(_PIECE_BYTES, decode_content=False):
                received += len(piece)
                _check_size(received, dataset.size_limit)
                file.write(piece)
                progress(received, total)
        # ValueError: a malformed header or address. The last two: requests reads a broken body of a redirect again.
        except (
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            ValueError,
            OverflowError,
            RuntimeError,
        ) as error:
            raise DownloadError(_printable(_cause(error, patience.timeout_s))) from error


def _check_size(size: int, limit: int | None) -> None:
    if limit is not None and size > limit:
        raise DownloadError(f"it has more than the {limit} bytes expected (max_bytes in the catalog)")


def _cause(error: BaseException, timeout_s: float) -> str:
    """The operating system's message, which the HTTP libraries wrap, or else the error's own."""
    from urllib3.exceptions import TimeoutError as TimedOut

    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    messages = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
    if not messages and any(isinstance(cause, TimeoutError | TimedOut) for cause in causes):
        return f"no answer, or no more of it, within {timeout_s:g} s"
    return messages[-1] if messages else str(error)


def _printable(message: str) -> str:
    """The beginning of a message that a server may have sent, without control characters."""
    text = "".join(letter if letter.isprintable() else " " for letter in message).strip()
    return text if len(text) <= _MESSAGE_MAX else f"{text[:_MESSAGE_MAX]}…"
