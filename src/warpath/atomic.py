"""Output files are written whole or not at all: to a temporary name beside the target, then renamed."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from .errors import WarpathError

_PLACE_CANNOT_BE_WRITTEN = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,  # a file stands where a folder would have to be made
        errno.ENAMETOOLONG,
    }
)


@contextlib.contextmanager
def written_whole(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path to write to; on success it becomes ``path``, on any error nothing is left behind.

    The folder is made if needed. Raises WarpathError as ``write_errors_explained`` does.
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
    """Raise what ``written_whole`` would if ``path`` cannot be written; for use before long work. Leaves no trace."""
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
    # The suffix stays last, because numpy and matplotlib choose the format by it.
    return f".{target.stem}.{os.getpid()}.part{target.suffix}"


def _refuse_folder(target: Path) -> None:
    if target.is_dir():  # "." has no name to put another beside
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextlib.contextmanager
def write_errors_explained(target: str | os.PathLike, temporary: Path | None = None) -> Iterator[None]:
    """Turn a full disk, or a place that cannot be written, into a WarpathError with one sentence about ``target``.

    ``temporary`` is the file to be made beside it.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise WarpathError(
                f"{target}: the disk is full ({error.strerror}); free some space and run again"
            ) from error
        # Systems such as /proc say of a file, or of a folder to it, that they do not take that it is not there.
        not_taken = (temporary, *Path(target).parents) if error.errno == errno.ENOENT and error.filename else ()
        if error.errno in _PLACE_CANNOT_BE_WRITTEN or (not_taken and Path(error.filename) in not_taken):
            raise WarpathError(
                f"{target}: cannot be written ({error.strerror}); choose another path or change its permissions"
            ) from error
        raise


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write UTF-8 ``text`` with LF line ends to ``path``, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
