"""A copy of the working tree in which tests run Snakemake and edit files."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# The demo with fewer rows and columns: every rule and every dependency, in a third of the time.
OVERLAY = """\
suite: demo
device: simulated
rows: [nyc, bay, gnutella04, New York, "64", "1000", "4096", 4096 dense]
columns:
  - naive
  - stride
  - stride_flag
  - ell
  - dijkstra.cpu
  - tiled_shared
  - branchless
  - harish
  - label_correcting.locality.k=4+vertices_per_thread=2
  - frontier
  - blocked_all_pairs.blocked
  - register_blocked
budget_s: 0.2
cpu_budget_s: 0.2
repeats_max: 3
"""


@dataclass
class Checkout:
    """A copy of the tracked files (and of new ones that git does not ignore) with the overlay of the tests."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> "Checkout":
        """Copy the working tree to ``root``, with what Python and Numba compiled: compiling again takes seconds."""
        listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listing, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            source = REPOSITORY / name
            if source.is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, root / name)
        for compiled in (REPOSITORY / "src").rglob("__pycache__"):
            folder = root / compiled.relative_to(REPOSITORY)
            if folder.parent.is_dir():
                shutil.copytree(compiled, folder)
        (root / "small.yaml").write_text(OVERLAY)
        return cls(root)

    def command(self, *arguments: str, profile: str | None = "local", overlay: str | None = "small.yaml") -> list[str]:
        """The Snakemake command line with a profile and an overlay; without a profile, Snakemake takes its default."""
        program = [sys.executable, "-m", "snakemake", *arguments]
        program += ["--workflow-profile", profile] if profile else ["--cores", "1"]
        return [*program, "--configfile", overlay] if overlay else program

    @property
    def environment(self) -> dict[str, str]:
        """Python takes warpath from the copy and compiles it once; whatever asks for an address is refused at once."""
        nowhere = "http://127.0.0.1:9"
        proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nowhere)
        own = {"PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "", "WARPATH_MIRROR": ""}
        return {**os.environ, **proxies, **own}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy; stdout and stderr come together."""
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )

    def snakemake(self, *arguments: str, status: int = 0, **options) -> str:
        """Run Snakemake, expect its exit status, and return what it printed."""
        done = self.run(*self.command(*arguments, **options))
        assert done.returncode == status, done.stdout
        return done.stdout

    def planned(self, *arguments: str, **options) -> set[str]:
        """The messages of the jobs that Snakemake would run: "run bellman_ford.stride on demo-nyc", "write table1"."""
        text = self.snakemake("--dry-run", *arguments, **options)
        return set(re.findall(r"^  (.+?)(?: \(.*\))?$", text, re.MULTILINE))

    def edit(self, name: str, text: str) -> None:
        """Append ``text`` to a file; an empty one empties nothing and changes nothing."""
        with open(self.root / name, "a") as file:
            file.write(text)

    def record(self, dataset: str, run: str) -> Path:
        """The file of a run's record; ``run`` is "bellman_ford.naive"."""
        return self.root / "results/demo/runs" / dataset / f"{run}.json"


def made_once(factory, name: str, make: Callable[[Checkout], None]) -> Checkout:
    """A checkout that ``make`` has worked in, once for all processes that test in parallel; nobody changes it.

    ``factory`` is pytest's tmp_path_factory.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with open(folder / f"{name}.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            in_work = Checkout.make(folder / f"{name}-in-work")
            make(in_work)
            in_work.root.rename(folder / name)
    return Checkout(folder / name)
