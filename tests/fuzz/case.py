"""One case: its random numbers, its folder, and the rules that hold for whatever warpath is fed with."""

import contextlib
import io
import os
import random
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warpath.__main__ import main
from warpath.errors import WarpathError

_SENTENCE_CHARACTERS_MAX = 2100  # and what a command writes before it


class FindingError(Exception):
    """Something that a user should not have met."""


class Case:
    """``random`` and ``numpy`` depend on subject, seed and number alone; the working directory is ``folder``."""

    def __init__(self, subject: str, seed: int, number: int, folder: Path):
        self.subject, self.seed, self.number, self.folder = subject, seed, number, folder
        self.random = random.Random(f"{subject} {seed} {number}")
        self.numpy = np.random.default_rng(self.random.getrandbits(64))
        self.note = ""

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def write(self, name: str, content: bytes | str) -> Path:
        """A file of the case."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def attempt(self, call: Callable[[], Any]) -> Any:
        """What ``call`` returns, None if it refused with one sentence."""
        try:
            with warnings_raised():
                return call()
        except WarpathError as error:
            check_sentence(str(error))
            self.note = str(error)
        return None

    def command(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Status, output and complaints of ``warpath ARGUMENTS`` in the case's folder."""
        words = [str(argument) for argument in arguments]
        self.write("command.txt", repr(words).encode(errors="backslashreplace"))
        status, out, err = run_command(words, self.folder)
        self.note = f"status {status}: {err[-500:]}"
        return status, out, err


def run_command(words: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """``warpath WORDS`` within this process; FindingError where it ends as no command may end."""
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings_raised():
            try:
                status = main(words)
            except SystemExit as ending:
                status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 3
    finally:
        os.chdir(before)
    complaints = err.getvalue()
    if status not in (0, 1, 2):
        raise FindingError(f"status {status}; {complaints[-300:]}")
    if "Traceback" in complaints or "which is a fault in warpath" in complaints:
        raise FindingError(complaints.strip().splitlines()[-1])
    lines = [line for line in complaints.splitlines() if line.startswith("warpath: error: ")]
    if lines:
        sentence = complaints[complaints.index("warpath: error: ") :].removesuffix("\n")
        check_sentence(sentence, _SENTENCE_CHARACTERS_MAX + 2 * max(map(len, words), default=0))
    if status == 2 and not lines:
        raise FindingError(f"status 2 without a sentence: {complaints[-300:]!r}")
    return status, out.getvalue(), complaints


def check_sentence(text: str, characters_max: int = _SENTENCE_CHARACTERS_MAX) -> None:
    """FindingError if ``text`` is not one line that people can read."""
    if not text.strip():
        raise FindingError("a refusal without a word")
    if len(text.splitlines()) > 1 or "Traceback" in text:
        raise FindingError(f"a refusal of several lines: {text[:300]!r}")
    if len(text) > characters_max:
        raise FindingError(f"a refusal of {len(text)} characters: {text[:200]!r}…")


def described(error: BaseException) -> str:
    """The error on one line, and the line of warpath that it came from."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/warpath/" in frame.filename]
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else ""
    said = " ".join(str(error).split())[:400]
    return said if isinstance(error, FindingError) else f"{type(error).__name__}: {said}{place}"


@contextlib.contextmanager
def warnings_raised() -> Iterator[None]:
    """Whoever would see a line of Python's warnings did not ask for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", UserWarning)
        yield
