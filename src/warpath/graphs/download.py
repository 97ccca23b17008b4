"""Getting a dataset's published file: from where it lies already, from a mirror folder, or from the publisher."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..atomic import write_errors_explained
from ..errors import DownloadError, FormatError
from . import mirror
from .catalog import Dataset, require_published
from .progress import ProgressBar
from .transfer import DEFAULT_PATIENCE, Patience, TransferError, transfer
from .verify import check_file


def fetch(
    dataset: Dataset, output: Path, mirrors: Sequence[Path] = (), patience: Patience = DEFAULT_PATIENCE
) -> Path | str:
    """Put the published file of ``dataset`` at ``output``, checked, and return where it came from.

    What lies at ``output`` already is kept if it fits, and never overwritten if not. Then come ``mirrors``, then the
    catalog's addresses, each in order. An interrupted download stays beside ``output`` as ``.part`` and is resumed.
    Raises FormatError where ``output`` is something else, DownloadError where nothing gave the file.
    """
    require_published(dataset)
    if output.exists():
        _check_what_is_there(dataset, output)
        return output
    failures = []
    for folder in (output.parent, *mirrors):
        source = mirror.find(dataset, folder)
        if source is None:
            if folder != output.parent:
                failures.append(f"{folder}: {'no such file in it' if folder.is_dir() else 'no such folder'}")
            continue
        try:
            mirror.copy(dataset, source, output)
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
    raise DownloadError(
        f"{dataset.file} could not be had ({'; '.join(failures)}); download it elsewhere and put it at {output}, "
        f"or name the folder that holds it with --mirror or {mirror.ENVIRONMENT_VARIABLE}"
    )


def _check_what_is_there(dataset: Dataset, output: Path) -> None:
    try:
        check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away, and fetch again") from None


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(output.name + ".part")
    resumed = part.exists()
    with ProgressBar(dataset.file) as bar:
        transfer(address, part, patience, bar.report)
    try:
        check_file(dataset, part)
    except FormatError as error:
        part.unlink()
        if resumed:
            # The first bytes may be another edition's, or another address's: once more from the beginning.
            return _download(dataset, address, output, patience)
        raise FormatError(str(error).removeprefix(str(part)).lstrip(":, ")) from None
    os.replace(part, output)
