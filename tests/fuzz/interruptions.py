"""Blows to a build at random moments, from a seed: unlocked, the same command, given again, makes the same tables.

The build is a small Table 1 on the simulated GPU. Blows are SIGKILL, SIGTERM and SIGINT, to Snakemake and all that it
started, to Snakemake alone, or to one running step; in some cases the command that resumes gets one, too.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from checkout import Checkout

import warpath
from fuzz.case import FindingError
from warpath.errors import WarpathError
from warpath_study.record import read_record

_OVERLAY = """\
suite: demo
device: simulated
rows: [nyc]
columns: [naive, stride]
budget_s: 20
repeats_min: 2
repeats_max: 2
spread: 0
"""
_TABLE = "results/demo/table1"
_SECONDS_MAX = 180
_NUMBER = re.compile(r"\d+\.\d+(e-?\d+)?|\d+e-\d+|\d{4}-\d\d-\d\d|~?\d[\d.,]*(?= (s|ms|µs)\b)|(?<= )(s|ms|µs)\b")
_BLOWS = (
    *[("group", signal.SIGKILL)] * 4,
    *[("snakemake", signal.SIGKILL)] * 2,
    *[("step", signal.SIGKILL)] * 3,
    ("group", signal.SIGINT),
    ("group", signal.SIGTERM),
    ("snakemake", signal.SIGINT),
    ("snakemake", signal.SIGTERM),
    ("step", signal.SIGTERM),
    ("step", signal.SIGINT),
)


class Interruptions:
    """A checkout in ``root``, and what an undisturbed build makes there."""

    def __init__(self, root: Path):
        self.checkout = Checkout.make(root)
        (root / "small.yaml").write_text(_OVERLAY)
        self._reset(graphs=True)
        began = time.monotonic()
        self.checkout.snakemake(f"{_TABLE}.csv")
        self.seconds = time.monotonic() - began
        self.expected = self._tables()

    def case(self, seed: int, number: int) -> str:
        """Interrupt and resume once; return what was done. FindingError if what was resumed is not as it should be."""
        chosen = random.Random(f"interruption {seed} {number}")
        profile = chosen.choice(("local", "local", None))
        graphs, of_duration = chosen.random() < 0.5, 1.0
        self._reset(graphs)
        said = [self._disturbed(chosen, profile)]
        while said[-1].endswith("status 0"):  # the build was done before the blow: once more, with an earlier one
            of_duration *= 0.7
            self._reset(graphs)
            said[-1] = self._disturbed(chosen, profile, of_duration)
        if chosen.random() < 0.2:
            said.append(self._disturbed(chosen, profile))
        done = f"profile {profile}: {'; then '.join(said)}"
        self.checkout.snakemake("--unlock")
        resumed = self.checkout.run(*self.checkout.command(f"{_TABLE}.csv", profile=profile))
        if resumed.returncode != 0:
            raise FindingError(f"{done}; not resumed: {resumed.stdout[-600:]}")
        self._wait_for_orphans()
        self._hold_whole(done)
        if self._tables() != self.expected:
            raise FindingError(f"{done}; other tables: {self._tables()}")
        planned = self.checkout.planned(f"{_TABLE}.csv", profile=profile)
        if planned:
            raise FindingError(f"{done}; still to do: {planned}")
        return done

    def _disturbed(self, chosen: random.Random, profile: str | None, of_duration: float = 1.0) -> str:
        """Start the build and give it a blow within this part of its usual duration; return which and when."""
        whom, blow = chosen.choice(_BLOWS)
        moment = chosen.choice(("time", "time", "step", "writing"))
        wait_s = chosen.uniform(0, of_duration) * self.seconds if moment == "time" else chosen.uniform(0, 2.0)
        self.checkout.snakemake("--unlock")
        with subprocess.Popen(
            self.checkout.command(f"{_TABLE}.csv", profile=profile),
            cwd=self.checkout.root,
            env=self.checkout.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            began = time.monotonic()
            if moment == "step":
                _until(lambda: process.poll() is not None or bool(self._steps()), 60)
            elif moment == "writing":
                wait_s = 0
                nth = chosen.randrange(1, 5)
                for _ in range(nth):
                    _until(lambda: process.poll() is not None or self._is_writing(), 60)
            _until(lambda: process.poll() is not None, wait_s)
            if whom == "step":
                _until(lambda: process.poll() is not None or bool(self._steps()), 60)
            at_s = time.monotonic() - began
            self._strike(whom, blow, process)
            try:
                process.wait(_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise FindingError(f"{blow.name} to {whom}: no end after {_SECONDS_MAX} s") from None
        what = f"{blow.name} to {whom} after {at_s:.1f} s ({moment}), status {process.returncode}"
        self._hold_whole(what)
        return what

    def _strike(self, whom: str, blow: signal.Signals, process: subprocess.Popen) -> None:
        try:
            if whom == "group":
                os.killpg(process.pid, blow)
            elif whom == "snakemake":
                process.send_signal(blow)
            else:
                for step in self._steps()[:1]:
                    os.kill(step, blow)
        except ProcessLookupError:
            pass  # it has just ended

    def _steps(self) -> list[int]:
        """The processes of the copy that run a command of warpath."""
        return [process for process, words in self._processes() if b"-m\0warpath\0" in words]

    def _processes(self) -> list[tuple[int, bytes]]:
        """Those whose working directory is the copy, with their arguments."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd") == str(self.checkout.root):
                    found.append((int(entry.name), (entry / "cmdline").read_bytes()))
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def _wait_for_orphans(self) -> None:
        if not _until(lambda: not self._processes(), _SECONDS_MAX):
            raise FindingError(f"still running: {self._processes()}")

    def _is_writing(self) -> bool:
        return any(".part" in path.name for folder in ("results", "data/graphs") for path in self._files(folder))

    def _files(self, folder: str) -> list[Path]:
        return [path for path in (self.checkout.root / folder).rglob("*") if path.is_file()]

    def _hold_whole(self, done: str) -> None:
        """FindingError if a file of the build is there in part."""
        for path in [*self._files("results/demo"), *self._files("data/graphs")]:
            try:
                if ".part" in path.name:
                    continue
                if path.suffix == ".json":
                    read_record(path)
                elif path.suffix == ".npz":
                    warpath.read(path)
                elif not path.read_bytes().endswith(b"\n"):
                    raise FindingError(f"{done}; {path} is not whole")
            except FileNotFoundError:
                continue  # a step that outlived Snakemake is at work
            except WarpathError as error:
                raise FindingError(f"{done}; {error}") from error

    def _tables(self) -> list[str]:
        """What was made, without times, what notes tell of them, and the widths of columns."""
        texts = [(self.checkout.root / f"{_TABLE}{end}").read_text() for end in (".csv", "_comparison.csv", ".md")]
        texts = [re.sub(r"^- Samples .*\n", "", text, flags=re.MULTILINE) for text in texts]
        return [re.sub(r"[ :-]+", " ", _NUMBER.sub("#", text)) for text in texts]

    def _reset(self, graphs: bool) -> None:
        """Remove what the build makes; its graphs too if ``graphs``."""
        shutil.rmtree(self.checkout.root / "results/demo", ignore_errors=True)
        for path in (self.checkout.root / "data/graphs").glob("*" if graphs else ".*"):
            path.unlink()


def interrupt(count: int, seed: int, folder: Path, say: Callable[[str], None]) -> int:
    """Run so many cases in ``folder``; return how many found something."""
    # What a shell runs in the background ignores Ctrl-C, and so do its children; but they are sent it here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    shutil.rmtree(folder, ignore_errors=True)
    build, found = Interruptions(folder), 0
    for number in range(count):
        try:
            say(f"interruption {number}: {build.case(seed, number)}")
        except FindingError as error:
            found += 1
            say(f"FOUND interruption --seed {seed}, {number}: {error}")
            kept = folder.with_name(f"{folder.name}-{seed}-{number}")
            shutil.rmtree(kept, ignore_errors=True)
            folder.rename(kept)
            build = Interruptions(folder)
    say(f"{count} interruptions, {found} findings, seed {seed}")
    return found


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for ``condition``, at most ``seconds``; return whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
