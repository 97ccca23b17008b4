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
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
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
        self.prepared = False
        self.ended = False

    def answer(self, order: dict, seconds_max: float) -> dict:
        """What the case of ``order`` came to, also where it ends the process."""
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            limit_s = seconds_max if self.prepared else _PREPARE_SECONDS_MAX
            ready, _, _ = select.select([self.process.stdout], [], [], limit_s)
            line = self.process.stdout.readline() if ready else b""
            if not line:
                status = self.process.wait() if ready else None
                log = self.end(signal.SIGABRT)
                said = f"no end after {limit_s:.0f} s"
                if status is not None:
                    said = f"Python ended with {signal.Signals(-status).name if status < 0 else f'status {status}'}"
                return {"finding": f"{said}; {_innermost(log)}", "trace": log, "note": ""}
            reply = json.loads(line)
            if "ready" not in reply:
                return reply
            self.prepared = True

    def end(self, signal_number: int = signal.SIGKILL) -> str:
        """End the process; return the end of what it printed, where Python says in which function it was."""
        self.ended = True
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
        self._lock = threading.Lock()
        self._numbers = itertools.count()

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def run(self, subject: str, cases: Iterable[int], seconds: float | None = None, keep: bool = False) -> None:
        """Run ``cases`` of ``subject`` until they or the ``seconds`` end."""
        began = time.monotonic()
        over = threading.Event()
        waiting = iter(cases)

        def next_case() -> int | None:
            late = seconds is not None and time.monotonic() - began > seconds
            with self._lock:
                return None if late or over.is_set() else next(waiting, None)

        def work() -> None:
            worker = None
            while (number := next_case()) is not None:
                if worker is None or worker.ended:
                    worker = self._started()
                folder = self.scratch / f"{subject}-{self.seed}-{number}"
                folder.mkdir()
                order = {"subject": subject, "seed": self.seed, "case": number}
                reply = worker.answer({**order, "folder": str(folder), "mib_max": self.mib_max}, self.seconds_max)
                with self._lock:
                    self._finish(subject, number, folder, reply, keep)
            if worker is not None and not worker.ended:
                worker.end()

        with ThreadPoolExecutor(self.count) as pool:
            try:
                for done in [pool.submit(work) for _ in range(self.count)]:
                    done.result()
            finally:
                over.set()
        self.say(f"{subject}: {self.cases[subject]} cases in {time.monotonic() - began:.0f} s")

    def summary(self) -> str:
        lines = [f"{finding} ({self.times[kind]} times)" for kind, finding in self.findings.items()]
        return "\n".join(
            [*lines, f"{sum(self.cases.values())} cases, {len(lines)} kinds of findings, seed {self.seed}"]
        )

    def _finish(self, subject: str, number: int, folder: Path, reply: dict, keep: bool) -> None:
        """Count the case, and keep its folder if it is the first finding of its kind, or ``keep``."""
        self.cases[subject] += 1
        kept = self.folder / folder.name
        if reply["finding"]:
            said = reply["finding"].replace(str(folder), ".")
            finding = Finding(subject, self.seed, number, said, kept)
            self.times[finding.kind] += 1
            (folder / "finding.txt").write_text(f"{finding}\n\n{reply['trace']}\n")
            if self.findings.setdefault(finding.kind, finding) is finding:
                self.say(f"FOUND {finding}")
                keep = True
        elif keep and reply["note"]:
            self.say(f"{subject} case {number}: {reply['note']}")
        if keep:
            shutil.rmtree(kept, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.move(folder, kept)
        shutil.rmtree(folder, ignore_errors=True)

    def _started(self) -> _Worker:
        scratch = self.scratch / f"worker-{next(self._numbers)}"
        scratch.mkdir()
        return _Worker(scratch)


def _innermost(log: str) -> str:
    """The innermost line that faulthandler printed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    frames = [line for line in lines if line.startswith("File ")]
    within = [line for line in frames if "/warpath/" in line]
    return (within or frames or lines or ["nothing printed"])[0][:200]
