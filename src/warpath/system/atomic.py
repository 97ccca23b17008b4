"""Writing output files completely or not at all: to a temporary file in the same folder, which is then renamed."""

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import UsageError, WarpathError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_ABANDONED_S = 24 * 3600.0  # older temporary files are of killed processes
_STEM_MAX = 40


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[Path]:
    """Yield the path of an empty temporary file, which is renamed to ``path`` on success and removed on an error.

    A symbolic link stays, and the file that it names is written. A missing folder is created. Raises WarpathError as
    ``explain_write_errors`` does.
    """
    target = Path(path)
    with explain_write_errors(target):
        _check_regular_file(target)
        if target.is_symlink():
            target = Path(os.path.realpath(target))
    temporary = target.with_name(temporary_name(target))
    created = False
    try:
        with explain_write_errors(target, temporary):
            target.parent.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(target)
            temporary.touch(exist_ok=False)
            created = True
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, target)
    finally:
        if created:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def temporary_name(target: Path) -> str:
    """A new temporary name with the suffix of ``target``, by which NumPy and matplotlib choose the format."""
    return f"{_prefix(target)}{secrets.token_hex(8)}.part{target.suffix}"


def _prefix(target: Path) -> str:
    return f".{target.stem[:_STEM_MAX]}."  # short: the temporary name must not exceed the limit of a file name


def _remove_abandoned(target: Path) -> None:
    prefix, suffix, latest = _prefix(target), f".part{target.suffix}", time.time() - _ABANDONED_S
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.name.endswith(suffix) and entry.stat().st_mtime < latest:
                os.unlink(entry.path)


def check_writable(path: str | os.PathLike, *others: str | os.PathLike) -> None:
    """Raise WarpathError if ``path`` cannot be written or is one of ``others``, before long work begins."""
    target = Path(path)
    with explain_write_errors(target):
        _check_regular_file(target)
        for other in others:
            if _is_same_file(target, other):
                raise UsageError(f"{target}: is an input or another output, which would be replaced; name another file")
        folder = next(folder for folder in target.absolute().parents if folder.exists())
    trial = folder / temporary_name(target)
    with explain_write_errors(target, trial):
        trial.touch(exist_ok=False)
    with contextlib.suppress(OSError):
        trial.unlink(missing_ok=True)


def _is_same_file(one: str | os.PathLike, other: str | os.PathLike) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):  # also where a folder on the way is missing
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def _check_regular_file(target: Path) -> None:
    """Raise an error if ``target`` is a folder, a device, a FIFO or a socket, which a rename should not replace."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return
    except ValueError as error:  # a NUL byte, or half a surrogate pair
        raise WarpathError(f"{str(target)!r}: cannot be written ({error}); choose another path") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not stat.S_ISREG(mode):
        raise WarpathError(f"{target}: cannot be written (it is a device, a FIFO or a socket); choose another path")


@contextlib.contextmanager
def explain_write_errors(target: str | os.PathLike, temporary: Path | None = None) -> Iterator[None]:
    """Turn the error of a full disk or an unwritable path into a WarpathError about ``target``."""
    try:
        yield
    except WarpathError:
        raise
    except Exception as error:
        full = _full_disk(error)
        if full is not None:
            raise WarpathError(f"{target}: the disk is full ({full}); free some space and run again") from error
        if isinstance(error, OSError) and isinstance(error.filename, str):
            path = Path(error.filename)
            if path in (temporary, Path(target), *Path(target).parents) or path.is_relative_to(target):
                raise WarpathError(
                    f"{target}: cannot be written ({error.strerror}); choose another path or change its permissions"
                ) from error
        raise


def _full_disk(error: BaseException) -> str | None:
    """The system's message about a full disk; None if ``error`` has another cause.

    Errors of Matplotlib have it as their context. NumPy's ``tofile`` raises an OSError without errno, about items
    "requested" and "written".
    """
    cause: BaseException | None = error
    while cause is not None:
        is_tofile = isinstance(cause, OSError) and cause.errno is None and " requested and " in str(cause)
        if is_tofile or (isinstance(cause, OSError) and cause.errno in _FULL):
            return getattr(cause, "strerror", None) or str(cause)
        cause = cause.__cause__ or cause.__context__
    return None


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write ``text`` to ``path`` in UTF-8 with LF line ends, completely or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
