"""Fetching the file of a dataset: it is here already, or comes from a mirror folder or from the publisher."""

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
    """Put the file of ``dataset`` at ``output``, checked, and return where it came from.

    A file that is at ``output`` already is kept if it is the right one and left alone if not. Otherwise ``mirrors`` are
    tried, then the catalog's addresses, each in order. An interrupted download stays beside ``output`` as ``.part`` and
    is resumed.
    Raises FormatError where ``output`` is another file, DownloadError where no mirror and no address gave it.
    """
    require_published(dataset)
    if output.exists():
        _check_present(dataset, output)
        return output
    failures = []
    for folder in (output.parent, *mirrors):
        source = mirror.held_file(dataset, folder)
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
        check_file(dataset, output)
    except FormatError as error:
        raise FormatError(f"{error}; move it away and fetch again") from None


def _download(dataset: Dataset, address: str, output: Path, patience: Patience) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(output.name + ".part")
    resumed = part.exists()
    with ProgressBar(dataset.file or dataset.name) as bar:
        transfer(address, part, patience, bar.report)
    try:
        check_file(dataset, part)
    except FormatError as error:
        part.unlink()
        if resumed:
            # The first bytes may come from another edition or another address: start again from the beginning.
            _download(dataset, address, output, patience)
            return
        raise FormatError(str(error).removeprefix(str(part)).lstrip(":, ")) from None
    os.replace(part, output)
