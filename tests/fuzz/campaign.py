"""Hands cases out to workers, ends a worker that hangs, and keeps the input of whatever was found."""

import ctypes.util
import itertools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

SECONDS_MAX = 30.0
MIB_MAX = 2048
_PREPARE_SECONDS_MAX = 300.0
# glibc ends the process where something has written past the end of an array, and not only many cases later.
_HEAP_CHECKS = ctypes.util.find_library("c_malloc_debug")
CHECKED_HEAP = {"LD_PRELOAD": _HEAP_CHECKS, "MALLOC_CHECK_": "3"} if _HEAP_CHECKS else {}


@dataclass(frozen=True)
class Finding:
    """``said`` is one line; ``folder`` has the input of the case, and finding.txt."""

    subject: str
    seed: int
    case: int
    said: str
    folder: Path

    def __str__(self) -> str:
        return f"{self.subject} --seed {self.seed} --case {self.case}: {self.said} [{self.folder}]"

    @property
    def kind(self) -> str:
        """The same for what is probably the same fault: without numbers, names of files and quotations."""
        return re.sub(r"/\S+|'[^']*'|\"[^\"]*\"|\d+", "_", f"{self.subject}: {self.said}")[:160]


class _Worker:
    """A process, and the case that it runs now."""

    def __init__(self, scratch: Path):
        self.log = open(scratch / "log", "wb+")  # noqa: SIM115 (closed by ``end``)
        environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "TMPDIR": str(scratch),
            "MPLBACKEND": "agg",
            **CHECKED_HEAP,
        }
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            bufsize=0,  # what waits in a buffer of ours, select does not see
            env=environment,
        )
        self.case: int | None = None
        self.folder = scratch
        self.until = 0.0

    def give(self, subject: str, seed: int, case: int, folder: Path, mib_max: int) -> None:
        self.case, self.folder = case, folder
        order = {"subject": subject, "seed": seed, "case": case, "folder": str(folder), "mib_max": mib_max}
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def reply(self) -> dict | None:
        """The next line, None if the process has ended."""
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def end(self, signal_number: int = signal.SIGKILL) -> str:
        """End the process; return the end of what it printed, where Python says in which function it was."""
        self.process.send_signal(signal_number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.seek(0)
        log = self.log.read().decode(errors="replace")
        self.log.close()
        self.process.stdin.close()
        self.process.stdout.close()
        return log[-4000:]


class Campaign:
    """Runs the cases of one seed. ``findings`` has one of each kind, ``times`` how often each was met.

    A case may take ``seconds_max``, and ``mib_max`` of memory beside what its worker has anyway.
    """

    def __init__(
        self,
        seed: int,
        folder: Path,
        workers: int,
        say: Callable[[str], None] = lambda line: None,
        seconds_max: float = SECONDS_MAX,
        mib_max: int = MIB_MAX,
    ):
        self.seed, self.folder, self.count, self.say = seed, folder.resolve(), workers, say
        self.seconds_max, self.mib_max = seconds_max, mib_max
        self.findings: dict[str, Finding] = {}
        self.times: Counter[str] = Counter()
        self.cases: Counter[str] = Counter()
        self.scratch = Path(tempfile.mkdtemp(prefix="warpath-fuzz-"))
        self._workers: list[_Worker] = []
        self._numbers = itertools.count()

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *error: object) -> None:
        self._end_workers()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def run(self, subject: str, cases: Iterable[int], seconds: float | None = None, keep: bool = False) -> None:
        """Run ``cases`` of ``subject`` until they or the ``seconds`` end."""
        began = time.monotonic()
        waiting = iter(cases)
        self._end_workers()
        self._workers = [self._started() for _ in range(self.count)]
        idle = set(self._workers)
        fresh = set(self._workers)
        while True:
            over = seconds is not None and time.monotonic() - began > seconds
            for worker in list(idle):
                number = None if over else next(waiting, None)
                if number is None:
                    break
                folder = self.scratch / f"{subject}-{self.seed}-{number}"
                folder.mkdir()
                worker.give(subject, self.seed, number, folder, self.mib_max)
                worker.until = time.monotonic() + (_PREPARE_SECONDS_MAX if worker in fresh else self.seconds_max)
                idle.remove(worker)
            busy = [worker for worker in self._workers if worker not in idle]
            if not busy:
                break
            streams = {worker.process.stdout: worker for worker in busy}
            ready, _, _ = select.select(list(streams), [], [], 0.5)
            for stream in ready:
                worker = streams[stream]
                reply = worker.reply()
                if reply and "ready" in reply:
                    fresh.discard(worker)
                    worker.until = time.monotonic() + self.seconds_max
                    continue
                if reply is None:
                    status = worker.process.wait()
                    ending = signal.Signals(-status).name if status < 0 else f"status {status}"
                    log = worker.end()
                    self._found(subject, worker, f"Python ended with {ending}; {_innermost(log)}", log)
                    self._replace(worker, idle, fresh)
                    continue
                if reply["finding"]:
                    self._found(subject, worker, reply["finding"], reply["trace"])
                self._finish(subject, worker, keep or bool(reply["finding"]))
                if keep and reply["note"]:
                    self.say(f"{subject} case {worker.case}: {reply['note']}")
                idle.add(worker)
            for worker in busy:
                if worker not in idle and worker in self._workers and time.monotonic() > worker.until:
                    log = worker.end(signal.SIGABRT)
                    limit = "preparing" if worker in fresh else f"{self.seconds_max:.0f} s"
                    self._found(subject, worker, f"no end after {limit}; {_innermost(log)}", log)
                    self._replace(worker, idle, fresh)
        self.say(f"{subject}: {self.cases[subject]} cases in {time.monotonic() - began:.0f} s")

    def summary(self) -> str:
        lines = [f"{finding} ({self.times[kind]} times)" for kind, finding in self.findings.items()]
        return "\n".join(
            [*lines, f"{sum(self.cases.values())} cases, {len(lines)} kinds of findings, seed {self.seed}"]
        )

    def _found(self, subject: str, worker: _Worker, said: str, detail: str) -> None:
        assert worker.case is not None
        kept = self.folder / worker.folder.name
        said = said.replace(str(worker.folder), ".")
        finding = Finding(subject, self.seed, worker.case, said, kept)
        self.times[finding.kind] += 1
        (worker.folder / "finding.txt").write_text(f"{finding}\n\n{detail}\n")
        if finding.kind not in self.findings:
            self.findings[finding.kind] = finding
            self.say(f"FOUND {finding}")
            self._finish_folder(worker, True)

    def _finish(self, subject: str, worker: _Worker, keep: bool) -> None:
        self.cases[subject] += 1
        self._finish_folder(worker, keep and not (worker.folder / "finding.txt").exists())

    def _finish_folder(self, worker: _Worker, keep: bool) -> None:
        """Keep the folder of a case among the findings, or remove it."""
        if keep and worker.folder.is_dir():
            kept = self.folder / worker.folder.name
            shutil.rmtree(kept, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.move(worker.folder, kept)
        shutil.rmtree(worker.folder, ignore_errors=True)

    def _replace(self, worker: _Worker, idle: set[_Worker], fresh: set[_Worker]) -> None:
        self._workers.remove(worker)
        fresh.discard(worker)
        self._finish_folder(worker, False)
        another = self._started()
        self._workers.append(another)
        idle.add(another)
        fresh.add(another)

    def _started(self) -> _Worker:
        scratch = self.scratch / f"worker-{next(self._numbers)}"
        scratch.mkdir()
        return _Worker(scratch)

    def _end_workers(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []


def _innermost(log: str) -> str:
    """The innermost line that faulthandler printed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    frames = [line for line in lines if line.startswith("File ")]
    within = [line for line in frames if "/warpath/" in line]
    return (within or frames or lines or ["nothing printed"])[0][:200]
