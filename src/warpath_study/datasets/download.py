"""Fetching the file of a dataset: it is here already, or comes from a mirror folder or from the publisher.

Mirrors are folders that hold files of datasets, for machines without a network or to spare the publisher.
"""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

from warpath.atomic import atomic_write
from warpath.errors import DownloadError, FormatError, UsageError, WarpathError
from warpath.graphs.content import compressing, compression_named, compression_of, content_sha256, open_content

from .catalog import Dataset, require_published
from .verify import check_file, read_recorded, write_recorded

MIRROR_VARIABLE = "WARPATH_MIRROR"
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


def fetch(
    dataset: Dataset, output: Path, mirrors: Sequence[Path] = (), patience: Patience = DEFAULT_PATIENCE
) -> Path | str:
    """Put the file of ``dataset`` at ``output``, checked, and return where it came from.

    A file that is at ``output`` already is kept if it is the right one and left alone if not. Otherwise ``mirrors`` are
    tried, then the catalog's addresses, each in order. Where the catalog has no hash, that of the first file is kept
    beside ``output`` as ``.sha256``, and later ones must have it.
    Raises FormatError where ``output`` is another file, DownloadError where no mirror and no address gave it.
    """
    require_published(dataset)
    if output.exists():
        _check_present(dataset, output)
        return output
    failures = []
    for folder in (output.parent, *mirrors):
        source = held_file(dataset, folder)
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
    tried = f" ({'; '.join(failures)})" if failures else ""
    elsewhere = f"or name the folder that holds it with --mirror or {MIRROR_VARIABLE}"
    if dataset.own:
        raise DownloadError(
            f"{output}: no such file, and the catalog has no address for {dataset.name}{tried}; put the file there, "
            f"{elsewhere}"
        )
    raise DownloadError(
        f"{dataset.file} could not be fetched{tried}; download it elsewhere and put it at {output}, {elsewhere}"
    )


def mirrors_from_environment() -> list[Path]:
    """The folders in WARPATH_MIRROR, which is separated like PATH."""
    return [Path(folder) for folder in os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep) if folder]


def _check_present(dataset: Dataset, output: Path) -> None:
    try:
        if not output.is_file():
            raise FormatError(f"{output}: not a file")
        sha256 = check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away and fetch again") from None
    # A folder that others have filled may be read-only; the file in it is as good.
    with contextlib.suppress(WarpathError):
        write_recorded(dataset, output.parent, sha256)


def held_file(dataset: Dataset, folder: Path) -> Path | None:
    """The file of ``dataset`` in ``folder``, with any compression or none; None if the folder lacks it."""
    name = Path(dataset.file or "")
    stem = name.stem if compression_named(name) else name.name
    candidates = (folder / candidate for candidate in (name.name, stem, f"{stem}.gz", f"{stem}.xz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _copy(dataset: Dataset, source: Path, output: Path) -> None:
    """Check ``source`` against the catalog and write it to ``output``, whose name says how to compress it."""
    sha256 = check_file(dataset, source, output.parent)
    with atomic_write(output) as temporary:
        if compression_of(source) == compression_named(output):
            shutil.copyfile(source, temporary)
        else:
            with open_content(source) as content, compressing(temporary) as file:
                shutil.copyfileobj(content, file)
        if content_sha256(temporary) != sha256:
            raise FormatError(f"{source}: changed while it was copied; fetch again")
    write_recorded(dataset, output.parent, sha256)


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    pinned = dataset.sha256 or read_recorded(dataset, output.parent)
    with atomic_write(output) as temporary:
        _transfer(dataset, address, temporary, patience, insecure_redirects=pinned is not None)
        try:
            sha256 = check_file(dataset, temporary, output.parent)
        except FormatError as error:
            raise FormatError(str(error).removeprefix(str(temporary)).lstrip(":, ")) from None
        write_recorded(dataset, output.parent, sha256)


def _transfer(dataset: Dataset, address: str, output: Path, patience: Patience, insecure_redirects: bool) -> None:
    """Download ``address`` to ``output``; a busy server and a failed connection are tried again.

    Raises DownloadError, without the address, also for a file of more bytes than the catalog allows, and for a redirect
    from https to http unless ``insecure_redirects`` are allowed. OSError from writing passes through.
    """
    retries = urllib3.Retry(
        total=patience.attempts - 1,
        status_forcelist=_WORTH_RETRYING,
        backoff_factor=patience.backoff_s,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    timeouts = (min(_CONNECT_TIMEOUT_S, patience.timeout_s), patience.timeout_s)
    with requests.Session() as session, open(output, "wb") as file, _progress_shown(str(dataset.file)) as progress:
        session.max_redirects = _MOST_REDIRECTS
        for scheme in ("http://", "https://"):
            session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retries))
        try:
            response = session.get(address, headers=_HEADERS, stream=True, timeout=timeouts)
            steps = [step.url.partition(":")[0] for step in (*response.history, response)]
            if "http" in steps[steps.index("https") if "https" in steps else len(steps) :] and not insecure_redirects:
                raise DownloadError("leads from https to http, where anybody may change a file that has no known hash")
            if response.status_code != 200:
                raise DownloadError(_shown(f"HTTP {response.status_code} {response.reason}"))
            here, whole = 0, response.raw.length_remaining
            _check_size(whole or 0, dataset.size_limit)
            # As sent: a server that says "Content-Encoding: gzip" means the published .gz, which stays compressed.
            while piece := response.raw.read(_PIECE_BYTES, decode_content=False):
                here += len(piece)
                _check_size(here, dataset.size_limit)
                file.write(piece)
                progress(here, whole)
        # ValueError: a header or an address that makes no sense
        except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
            raise DownloadError(_shown(_cause(error, patience.timeout_s))) from error


def _check_size(size: int, limit: int | None) -> None:
    if limit is not None and size > limit:
        raise DownloadError(f"it has more than the {limit} bytes expected (max_bytes in the catalog)")


def _cause(error: BaseException, timeout_s: float) -> str:
    """The operating system's message, which the HTTP libraries wrap several times, or else the error's own."""
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    said = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
    if not said and any(isinstance(cause, TimeoutError | urllib3.exceptions.TimeoutError) for cause in causes):
        return f"no answer, or no more of it, within {timeout_s:g} s"
    return said[-1] if said else str(error)


def _shown(message: str) -> str:
    """What may come from a server: printable characters, not many."""
    shown = "".join(letter if letter.isprintable() else " " for letter in message).strip()
    return shown if len(shown) <= _LONGEST_MESSAGE else f"{shown[:_LONGEST_MESSAGE]}…"


@contextlib.contextmanager
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
