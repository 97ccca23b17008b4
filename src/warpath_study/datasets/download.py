"""Fetching the file of a dataset: it is here already, or comes from a mirror folder or from the publisher."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from warpath.atomic import written_whole
from warpath.errors import DownloadError, FormatError, WarpathError

from . import mirror, recorded_hash
from .catalog import Dataset, require_published
from .transfer import DEFAULT_PATIENCE, Patience, TransferError, transfer
from .verify import check_file


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
    sources = []
    for folder in (output.parent, *mirrors):
        source = mirror.held_file(dataset, folder)
        if source is not None:
            sources.append(source)
        elif folder != output.parent:
            failures.append(f"{folder}: {'no such file in it' if folder.is_dir() else 'no such folder'}")
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


def _check_present(dataset: Dataset, output: Path) -> None:
    try:
        if not output.is_file():
            raise FormatError(f"{output}: not a file")
        sha256 = check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away and fetch again") from None
    # A folder that others have filled may be read-only; the file in it is as good.
    with contextlib.suppress(WarpathError):
        recorded_hash.write(dataset, output.parent, sha256)


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
            _download(dataset, address, output, patience)
            return address
        except (TransferError, FormatError) as error:
            failures.append(f"{address}: {error}")
    return None


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    with written_whole(output) as temporary:
        transfer(address, temporary, patience, dataset.file or dataset.name, dataset.size_limit)
        try:
            sha256 = check_file(dataset, temporary, output.parent)
        except FormatError as error:
            raise FormatError(str(error).removeprefix(str(temporary)).lstrip(":, ")) from None
        recorded_hash.write(dataset, output.parent, sha256)
