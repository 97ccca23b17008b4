"""Measures what a dry run of Snakemake lists, on a machine with several GPUs: each run has one and cores of its own.

    snakemake -n -p works katz_kider_larger --cores 1 --config device=cuda graphs=reference > commands.txt
    python benchmarks/reference.py commands.txt [--gpus N] [--seconds S] [--only REGEX] [--earlier RECORDS] [--stay]

Graphs are made first, with all cores. Then a worker for each GPU takes one run after the other, long ones first. Runs
on several GPUs come last, one at a time. What is there already stays, so the same command goes on where one ended
before; what would not be done in ``--seconds`` is left out.

A run with a record in ``--earlier`` takes one sample if it took a minute or more there, three from 5 s on, and else as
many as its command says, within 20 s; runs on the CPU and estimates keep their earlier settings.

Warpath measures one run at a time on a machine. Here each worker has a lock of its own, and runs share power, memory
and the driver. While a process opens its GPU, an allocation on another GPU waits: 28 ms were seen. That is little
beside seconds. For short solves, ``--stay`` gives all runs of a worker one process, which opens its GPU once.
"""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from time import perf_counter

from warpath_study.records.files import read_record

MINUTE = 60
SHORT_S, SHORT_BUDGET_S = 5, 20
UNKNOWN_S = 20.0
READY, PROCESS = "ready", "process of a worker"


@dataclass
class Run:
    """A command of the list; ``expected_s`` is what it takes with all that is around its samples."""

    name: str
    words: list[str]
    output: Path
    gpus: int
    expected_s: float = UNKNOWN_S

    def sample_like(self, file: Path) -> None:
        """Set the options of sampling, and what to expect, by the record in ``file``."""
        record = read_record(file)
        took = datetime.fromisoformat(record.finished) - datetime.fromisoformat(record.started)
        self.expected_s = took.total_seconds() + 2
        if "--budget-s" not in self.words or record.seconds is None:
            return
        if record.estimate or record.device["kind"] == "cpu":
            names = ("budget_s", "repeats_min", "repeats_max", "spread")
            self._set(**{name: getattr(record.measure, name) for name in names})
        elif record.seconds < SHORT_S:
            self._set(budget_s=SHORT_BUDGET_S)
        else:
            count = 3 if record.seconds < MINUTE else 1
            self._set(budget_s=round(record.seconds * (count + 0.8), 1), repeats_min=count, repeats_max=count)
            self.expected_s += record.seconds * (count - len(record.samples))

    def _set(self, **options: float) -> None:
        for name, value in options.items():
            self.words[self.words.index("--" + name.replace("_", "-")) + 1] = str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commands", type=Path, help="what snakemake -n -p printed")
    parser.add_argument("--gpus", type=int, default=1, help="how many, each with its part of the cores (default: 1)")
    parser.add_argument("--seconds", type=float, default=3600, help="then end (default: %(default)g)")
    parser.add_argument("--only", default="", metavar="REGEX", help="runs DATASET/RUN in which this is found")
    parser.add_argument("--earlier", type=Path, metavar="RECORDS", help="a folder of records, DATASET/RUN.json")
    parser.add_argument("--stay", action="store_true", help="one process for all runs of a worker")
    options = parser.parse_args()
    began = perf_counter()
    graphs, runs = read_commands(options.commands)
    runs = [run for run in runs if re.search(options.only, run.name) and not run.output.exists()]
    for run in runs:
        if options.earlier and (file := options.earlier / f"{run.name}.json").exists():
            run.sample_like(file)
    runs.sort(key=lambda run: -run.expected_s)
    make(graphs, {run.words[1] for run in runs})
    print(f"graphs after {perf_counter() - began:.1f} s, {len(runs)} runs to do", flush=True)
    todo = Todo(runs, began, options.seconds)
    gpus = visible_gpus(options.gpus)
    if todo.first(1):
        work([Worker([gpu], part_of_cores(at, len(gpus)), options.stay, todo) for at, gpu in enumerate(gpus)], todo)
    if len(gpus) > 1 and todo.first(len(gpus)):
        work([Worker(gpus, part_of_cores(0, 1), options.stay, todo)], todo)
    left = sum(run.expected_s for run in todo.runs)
    print(f"{todo.done} done, {todo.failed} failed, {len(todo.runs)} left, about {left:.0f} s of one GPU")
    sys.exit(1 if todo.failed or todo.broken else 0)


def read_commands(file: Path) -> tuple[dict[str, list[str]], list[Run]]:
    """The commands that make files of graphs, by file, and the runs."""
    graphs, runs = {}, []
    for line in file.read_text(encoding="utf-8").splitlines():
        words = shlex.split(line.partition(" > ")[0])
        if words[:1] != ["warpath"] or "--output" not in words:
            continue
        output = words[words.index("--output") + 1]
        if words[1] in ("fetch", "convert", "generate"):
            graphs[output] = words[1:]
        elif words[1] == "run":
            gpus = re.search(r"\bdevices=(\d+)", words[3])
            name = f"{Path(output).parent.name}/{Path(output).stem}"
            runs.append(Run(name, words[1:], Path(output), int(gpus[1]) if gpus else 1))
    return graphs, runs


def make(graphs: dict[str, list[str]], wanted: set[str]) -> None:
    """Make the ``wanted`` files, and what they are made from, in a process for each core."""
    together: dict[str, list[str]] = {}
    for file in sorted(wanted):
        together.setdefault(origin(graphs, file), []).append(file)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for wrong in pool.map(lambda files: [make_file(graphs, file) for file in files], together.values()):
            for message in filter(None, wrong):
                print(message, flush=True)


def origin(graphs: dict[str, list[str]], file: str) -> str:
    """The file that ``file`` is made from in the end."""
    while source := source_of(graphs, file):
        file = source
    return file


def source_of(graphs: dict[str, list[str]], file: str) -> str | None:
    words = graphs.get(file, [])
    return words[words.index("--input") + 1] if "--input" in words else None


def make_file(graphs: dict[str, list[str]], file: str) -> str:
    """Make ``file``, after what it is made from, if it is not there. Returns what went wrong."""
    if Path(file).exists() or file not in graphs:
        return ""
    source = source_of(graphs, file)
    if wrong := make_file(graphs, source) if source else "":
        return wrong
    done = subprocess.run([sys.executable, "-m", "warpath", *graphs[file]], capture_output=True, text=True)
    return f"{file}: {done.stderr.strip()}" if done.returncode else ""


def visible_gpus(count: int) -> list[str]:
    """The first ``count`` GPUs that this process may use, by the names that CUDA_VISIBLE_DEVICES has for them."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = visible.split(",") if visible else [str(number) for number in range(count)]
    if count > len(names):
        sys.exit(f"--gpus {count}: CUDA_VISIBLE_DEVICES names {len(names)}")
    return names[:count]


def part_of_cores(part: int, parts: int) -> list[int]:
    cores = sorted(os.sched_getaffinity(0))
    count = max(1, len(cores) // parts)
    return cores[part * count : (part + 1) * count] or cores


class Todo:
    """The runs that are left, and how the others ended. Workers use it at the same time."""

    def __init__(self, runs: list[Run], began: float, seconds: float):
        self.runs, self.began, self.seconds = runs, began, seconds
        self.done = self.failed = 0
        self.broken = False
        self.lock = threading.Lock()

    @property
    def elapsed_s(self) -> float:
        return perf_counter() - self.began

    def first(self, gpus: int) -> Run | None:
        """The first run for one GPU, or the first for several where there are ``gpus``, that will be done in time."""
        for run in self.runs:
            fits = 1 < run.gpus <= gpus if gpus > 1 else run.gpus == 1
            if fits and self.elapsed_s + run.expected_s < self.seconds:
                return run
        return None

    def take(self, gpus: int) -> Run | None:
        with self.lock:
            if run := self.first(gpus):
                self.runs.remove(run)
            return run

    def put_back(self, run: Run, why: str) -> None:
        with self.lock:
            self.runs.append(run)
            print(f"{self.elapsed_s:7.1f} s  {run.name}: not done, {why}", flush=True)

    def tell(self, run: Run, gpus: str, took_s: float, status: int, log: Path) -> None:
        """Count the run, and print what it said last."""
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
        said = (lines or ["printed nothing"])[-1].rpartition(f"{run.name.replace('/', ' ')}: ")[2]
        with self.lock:
            self.done += not status
            self.failed += bool(status)
            line = f"{self.elapsed_s:7.1f} s  GPU {gpus}  {took_s:6.1f} s  {run.name}: {said}"
            print(line if status == 0 else f"{line} (status {status})", flush=True)


class Worker(threading.Thread):
    """Takes runs for its GPUs until none fits, and has a process of its own do them."""

    def __init__(self, gpus: list[str], cores: list[int], stay: bool, todo: Todo):
        super().__init__(daemon=True)
        self.gpus, self.todo = gpus, todo
        self.name = "+".join(gpus)
        threads = str(len(cores))
        settings = {
            "CUDA_VISIBLE_DEVICES": ",".join(gpus),
            "OMP_NUM_THREADS": threads,
            "NUMBA_NUM_THREADS": threads,
        }
        how = [self.name, "stay" if stay else "fork", ",".join(map(str, cores))]
        self.process = subprocess.Popen(
            [sys.executable, __file__, PROCESS, *how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | settings,
            start_new_session=True,
        )
        self.out_of_time = False

    def run(self) -> None:
        assert self.process.stdin and self.process.stdout
        if self.process.stdout.readline().strip() != READY and not self.out_of_time:
            self.todo.broken = True
            print(f"GPU {self.name}: its process does not start; what it printed says why", flush=True)
            return
        while run := self.todo.take(len(self.gpus)):
            log = Path("logs", "reference", f"{run.name}.log")
            log.parent.mkdir(parents=True, exist_ok=True)
            began = perf_counter()
            with suppress(BrokenPipeError):
                print(json.dumps([run.words, str(log)]), file=self.process.stdin, flush=True)
            status = self.process.stdout.readline()
            if not status:
                self.todo.broken = self.todo.broken or not self.out_of_time
                self.todo.put_back(run, "out of time" if self.out_of_time else "its process ended")
                return
            self.todo.tell(run, self.name, perf_counter() - began, int(status), log)

    def stop(self) -> None:
        self.out_of_time = True
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def work(workers: list[Worker], todo: Todo) -> None:
    """Let workers work until nothing fits or time is over; a run that is not done by then is left."""
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(max(0.0, todo.seconds - todo.elapsed_s))
    finally:  # also after Ctrl-C
        for worker in workers:
            worker.stop()
    for worker in workers:
        worker.join()


def do_runs(name: str, stay: str, cores: str) -> None:
    """A worker's process: does the runs that come in, a line each, and answers with their exit statuses."""
    os.sched_setaffinity(0, map(int, cores.split(",")))
    import numba  # noqa: F401  imported before the runs, which are forked or share it
    import pandas  # noqa: F401
    import scipy.sparse.csgraph  # noqa: F401

    import warpath_study.cli.run  # noqa: F401
    from warpath_study.measure import lock, run

    with suppress(ImportError):
        import cupy  # noqa: F401
    folder = Path("logs", "reference", f"gpu-{name}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    run.machine_held = partial(lock.machine_held, folder / "measuring.lock")
    do = do_here if stay == "stay" else do_in_child
    print(READY, flush=True)
    for line in sys.stdin:
        print(do(*json.loads(line)), flush=True)


def do_in_child(words: list[str], log: str) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(do_here(words, log))


def do_here(words: list[str], log: str) -> int:
    """The exit status of ``warpath`` with ``words``; what it prints goes to ``log``."""
    from warpath.__main__ import main as warpath

    kept = [os.dup(number) for number in (1, 2)]
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        for number in (1, 2):
            os.dup2(file, number)
        try:
            return warpath(words)
        except SystemExit as error:
            return int(error.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)
        os.close(file)


if __name__ == "__main__":
    if sys.argv[1:2] == [PROCESS]:
        do_runs(*sys.argv[2:])
    else:
        main()
