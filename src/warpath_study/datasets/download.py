"""Fetching the file of a dataset: it is here already, or comes from a mirror folder or from the publisher."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from warpath.atomic import write_errors_explained
from warpath.errors import DownloadError, FormatError, WarpathError

from . import mirror, recorded_hash
from .catalog import Dataset, require_published
from .deadline import Deadline
from .fetch_lock import fetching_alone, plain_size
from .progress import ProgressBar
from .transfer import DEFAULT_PATIENCE, Patience, TransferError, transfer
from .verify import check_file


def fetch(
    dataset: Dataset, output: Path, mirrors: Sequence[Path] = (), patience: Patience = DEFAULT_PATIENCE
) -> Path | str:
    """Put the file of ``dataset`` at ``output``, checked, and return where it came from.

    A file that is at ``output`` already is kept if it is the right one and left alone if not. Otherwise ``mirrors`` are
    tried, then the catalog's addresses, each in order. An interrupted download stays beside ``output`` as ``.part`` and
    is resumed. Where the catalog has no hash, that of the first file is kept beside ``output`` as ``.sha256``, and
    later ones must have it. Several fetches of one file may run at once: one downloads, the others wait.
    Raises FormatError where ``output`` is another file, DownloadError where no mirror and no address gave it.
    """
    require_published(dataset)
    if output.exists():
        _check_present(dataset, output, patience)
        return output
    failures = []
    sources = []
    for folder in (output.parent, *mirrors):
        source = mirror.held_file(dataset, folder)
        if source is not None:
            sources.append(source)
        elif folder != output.parent:
            failures.append(f"{folder}: {'no such file in it' if folder.is_dir() else 'no such folder'}")
    if sources or dataset.addresses:
        with fetching_alone(output, patience.deadline_s):
            if output.exists():  # another process has fetched it while this one waited
                _check_plain(dataset, output)
                return output
            origin = _first_that_fits(dataset, output, sources, patience, failures)
            if origin is not None:
                return origin
    tried = f" ({'; '.join(failures)})" if failures else ""
    elsewhere = f"or name the folder that holds it with --mirror or {mirror.ENVIRONMENT_VARIABLE}"
    if dataset.own:
        raise DownloadError(
            f"{output}: no such file, and the catalog has no address for {dataset.name}{tried}; put the file there, "
            f"{elsewhere}"
        )
    raise DownloadError(
        f"{dataset.file} could not be fetched{tried}; download it elsewhere and put it at {output}, {elsewhere}"
    )


def _check_present(dataset: Dataset, output: Path, patience: Patience) -> None:
    sha256 = _check_plain(dataset, output)
    if recorded_hash.place(dataset, output.parent) and recorded_hash.read(dataset, output.parent) is None:
        # A folder that others have filled may be read-only; the file in it is as good.
        with contextlib.suppress(WarpathError), fetching_alone(output, patience.deadline_s):
            recorded_hash.write(dataset, output.parent, sha256)


def _check_plain(dataset: Dataset, output: Path) -> str:
    try:
        if not output.is_file():
            raise FormatError(f"{output}: not a file")
        return check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away and fetch again") from None


def _first_that_fits(
    dataset: Dataset, output: Path, sources: Sequence[Path], patience: Patience, failures: list[str]
) -> Path | str | None:
    """Fetch from the first of ``sources`` and addresses that has the file; add to ``failures`` why others do not."""
    for source in sources:
        try:
            sha256 = mirror.copy(dataset, source, output)
            recorded_hash.write(dataset, output.parent, sha256)
            return source
        except FormatError as error:
            failures.append(str(error))
    for address in dataset.addresses:
        try:
            with write_errors_explained(output):
                _download(dataset, address, output, patience)
            return address
        except (TransferError, FormatError) as error:
            failures.append(f"{address}: {error}")
    return None


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    part = output.with_name(output.name + ".part")
    with Deadline(patience.deadline_s) as deadline:
        while True:
            resumed = plain_size(part) > 0
            with ProgressBar(dataset.file or dataset.name) as bar:
                transfer(address, part, patience, deadline, bar.report, dataset.size_limit)
            try:
                sha256 = check_file(dataset, part)
                break
            except FormatError as error:
                part.unlink()
                # The first bytes may come from another edition or another address: start again from the beginning.
                if not resumed:
                    raise FormatError(str(error).removeprefix(str(part)).lstrip(":, ")) from None
    with open(part, "rb+") as file:
        os.fsync(file.fileno())
    recorded_hash.write(dataset, output.parent, sha256)
    os.replace(part, output)
