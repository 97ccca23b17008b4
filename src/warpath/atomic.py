"""Writes output files whole or not at all: under a temporary name beside the target, then renamed."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from .errors import WarpathError

_UNWRITABLE = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,  # a file has the name of a folder that is needed
        errno.ENAMETOOLONG,
    }
)


@contextlib.contextmanager
def written_whole(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path to write to. On success it is renamed to ``path``; on an error it is removed.

    A missing folder is created. Raises WarpathError as ``write_errors_explained`` does.
    """
    target = Path(path)
    with write_errors_explained(target):
        _refuse_folder(target)
    temporary = target.with_name(_temporary_name(target))
    try:
        with write_errors_explained(target, temporary):
            target.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_place(path: str | os.PathLike) -> None:
    """Raise WarpathError if ``path`` cannot be written, so that long work can fail early. Leaves no trace."""
    target = Path(path)
    with write_errors_explained(target):
        _refuse_folder(target)
        folder = next(folder for folder in target.absolute().parents if folder.exists())
    trial = folder / _temporary_name(target)
    try:
        with write_errors_explained(target, trial):
            trial.touch()
    finally:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)


def _temporary_name(target: Path) -> str:
    # The suffix stays at the end, because numpy and matplotlib choose the format by it.
    return f".{target.stem}.{os.getpid()}.part{target.suffix}"


def _refuse_folder(target: Path) -> None:
    if target.is_dir():  # also catches ".", which has no name to derive a temporary one from
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextlib.contextmanager
def write_errors_explained(target: str | os.PathLike, temporary: Path | None = None) -> Iterator[None]:
    """Turn the OSError of a full disk or an unwritable place into a WarpathError with one sentence about ``target``.

    ``temporary`` is the temporary file beside it.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise WarpathError(
                f"{target}: the disk is full ({error.strerror}); free some space and run again"
            ) from error
        # File systems such as /proc report ENOENT when a file or folder cannot be created.
        refused = (temporary, *Path(target).parents) if error.errno == errno.ENOENT and error.filename else ()
        if error.errno in _UNWRITABLE or (refused and Path(error.filename) in refused):
            raise WarpathError(
                f"{target}: cannot be written ({error.strerror}); choose another path or change its permissions"
            ) from error
        raise


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write UTF-8 ``text`` with LF line ends to ``path``, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
