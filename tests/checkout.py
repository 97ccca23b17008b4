"""A copy of the working tree in which tests run Snakemake and edit files."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

# The demo with fewer rows and columns: every rule and every dependency, in a third of the time.
OVERLAY = """\
suite: demo
device: host
budget_s: 0.2
cpu_budget_s: 0.2
repeats_max: 3
tables:
  table1:
    variants: [naive, stride, stride_flag]
    rows: {nyc: demo-nyc, bay: demo-bay, col: null, fla: null, ne: null, e: null}
  table2:
    rows: {gnutella04: demo-gnutella04}
  table3:
    variants: [naive, tiled_shared]
    rows: {gnutella04: demo-gnutella04, gnutella25: null, gnutella30: null}
"""


@dataclass
class Checkout:
    """A copy of the tracked files (and of new ones that git does not ignore) with the overlay of the tests."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> "Checkout":
        listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listing, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            source = REPOSITORY / name
            if source.is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(source.read_bytes())
        (root / "small.yaml").write_text(OVERLAY)
        return cls(root)

    def command(self, *arguments: str, profile: str = "local", overlay: str | None = "small.yaml") -> list[str]:
        """The Snakemake command line with a profile and an overlay."""
        program = [sys.executable, "-m", "snakemake", *arguments, "--workflow-profile", f"workflow/profiles/{profile}"]
        return [*program, "--configfile", overlay] if overlay else program

    @property
    def environment(self) -> dict[str, str]:
        """Python takes warpath from the copy, and whatever asks for an address is refused at once."""
        nowhere = "http://127.0.0.1:9"
        proxies = {name: nowhere for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
        return {**os.environ, **proxies, "PYTHONPATH": str(self.root / "src"), "WARPATH_MIRROR": ""}

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
        """The messages of the jobs that Snakemake would run: "run bellman_ford stride on demo-nyc", "write table1"."""
        text = self.snakemake("--dry-run", *arguments, **options)
        return set(re.findall(r"^Job \d+: (.+)$", text, re.MULTILINE))

    def edit(self, name: str, text: str) -> None:
        """Append ``text`` to a file; an empty one empties nothing and changes nothing."""
        with open(self.root / name, "a") as file:
            file.write(text)

    def record(self, dataset: str, run: str) -> Path:
        """The file of a run's record; ``run`` is "bellman_ford.naive"."""
        return self.root / "results/demo/runs" / dataset / f"{run}.json"
