"""Writes output files whole or not at all: under a temporary name beside the target, then renamed."""

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from .errors import WarpathError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# What a killed process left is removed by who writes the same file a day later.
_ABANDONED_S = 24 * 3600.0
_STEM_MAX = 40


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path to write to, an empty file. On success it is renamed to ``path``; on an error removed.

    A missing folder is created. Raises WarpathError as ``explain_write_errors`` does.
    """
    target = Path(path)
    with explain_write_errors(target):
        _check_regular_file(target)
    temporary = target.with_name(temporary_name(target))
    made = False
    try:
        with explain_write_errors(target, temporary):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target)
            temporary.touch(exist_ok=False)
            made = True
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, target)
    finally:
        if made:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def temporary_name(target: Path) -> str:
    """A new name for a temporary file beside ``target``: NumPy and matplotlib choose the format by its suffix."""
    return f"{_beginning(target)}{secrets.token_hex(8)}.part{target.suffix}"


def _beginning(target: Path) -> str:
    return f".{target.stem[:_STEM_MAX]}."  # a name that just fits has to fit with the rest, too


def _sweep(target: Path) -> None:
    beginning, ending, latest = _beginning(target), f".part{target.suffix}", time.time() - _ABANDONED_S
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(beginning) and entry.name.endswith(ending) and entry.stat().st_mtime < latest:
                os.unlink(entry.path)


def check_place(path: str | os.PathLike) -> None:
    """Raise WarpathError if ``path`` cannot be written, so that long work can fail early. Leaves no trace."""
    target = Path(path)
    with explain_write_errors(target):
        _check_regular_file(target)
        folder = next(folder for folder in target.absolute().parents if folder.exists())
    trial = folder / temporary_name(target)
    with explain_write_errors(target, trial):
        trial.touch(exist_ok=False)
    with contextlib.suppress(OSError):
        trial.unlink(missing_ok=True)


def _check_regular_file(target: Path) -> None:
    """Refuse what no rename should replace: a folder (also ".", which has no name), a device, a FIFO, a socket."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return
    except ValueError as error:  # a NUL byte, or a character that no file name can hold
        raise WarpathError(f"{str(target)!r}: cannot be written ({error}); choose another path") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not stat.S_ISREG(mode):
        raise WarpathError(f"{target}: cannot be written (it is a device, a FIFO or a socket); choose another path")


@contextlib.contextmanager
def explain_write_errors(target: str | os.PathLike, temporary: Path | None = None) -> Iterator[None]:
    """Turn the error of a full disk or an unwritable place into a WarpathError with one sentence about ``target``.

    ``temporary`` is the temporary file beside it.
    """
    try:
        yield
    except WarpathError:
        raise
    except Exception as error:
        full = _full_disk(error)
        if full is not None:
            raise WarpathError(f"{target}: the disk is full ({full}); free some space and run again") from error
        refused = Path(error.filename) if isinstance(error, OSError) and isinstance(error.filename, str) else None
        places = (temporary, Path(target), *Path(target).parents)
        if isinstance(error, OSError) and refused and (refused in places or refused.is_relative_to(target)):
            raise WarpathError(
                f"{target}: cannot be written ({error.strerror}); choose another path or change its permissions"
            ) from error
        raise


def _full_disk(error: BaseException) -> str | None:
    """What the system said of a full disk; None if ``error`` has another cause.

    Matplotlib meets an error of its own while it closes a PDF that could not be written. NumPy's ``tofile`` has no
    errno, but says how many items were "requested" and how many "written".
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and (
            seen.errno in _FULL or (seen.errno is None and " requested and " in str(seen))
        ):
            return seen.strerror or str(seen)
        seen = seen.__cause__ or seen.__context__
    return None


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write UTF-8 ``text`` with LF line ends to ``path``, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
