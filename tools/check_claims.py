"""Check what the pages claim: run the commands of data/claims.yaml that this machine can run, in a fresh clone.

    python tools/check_claims.py [--minutes 10]

Prints a line for each claim and number. The exit status is 1 if one does not hold. If other processes kept the host
busy, a time that does not hold says nothing. Edits that are not committed are left out.
"""

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec

from warpath_study.cli import print_columns
from warpath_study.data_files import load_yaml
from warpath_study.measure.host_load import host_load, load_of_others
from warpath_study.report.notes import LOAD_MAX

ROOT = Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "data/claims.yaml"
REFERENCE = ROOT / "results/reference"
HOLDS, FAILS = "holds", "does not hold"
LONGER_MAX = 2
"""A command may take so many times as long as a page says, since hosts differ."""
_SECONDS = {"s": 1, "min": 60, "minutes": 60}
_SHOWN_OF_A_FAILURE = 2000  # characters


class Claim(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim, and the ``command`` that checks it: it holds if the command and all of ``numbers`` do.

    ``where`` is the page that makes the claim, and ``table`` the comment before its table there. ``takes`` is what the
    page says of the command's time, and ``minutes`` an estimate that no page needs. ``gpu`` begins the name of a GPU
    and ``host_gb`` is host memory; a machine without them cannot run the command.

    Each of ``numbers`` has a pattern, whose last group is a number in ``unit``. The measured number is in what the
    command prints, the expected one in ``reference``, a file of results/reference. The one over the other has to lie in
    ``tolerance``. If no command decides, ``why_not`` says why.
    """

    claim: str
    where: str
    table: str = ""
    command: str = ""
    takes: str = ""
    minutes: float = 0
    gpu: str = ""
    host_gb: float = 0
    reference: str = ""
    unit: str = ""
    tolerance: tuple[float, float] = (1, 1)
    numbers: dict[str, str] = {}
    why_not: str = ""

    @property
    def seconds(self) -> float:
        """How long the command probably takes."""
        number, _, unit = self.takes.partition(" ")
        return float(number) * _SECONDS[unit] if self.takes else 60 * self.minutes


Line = tuple[str, str, str, str]
"""A claim, what is expected, what was measured, and the verdict."""


def load(file: Path) -> list[Claim]:
    return msgspec.convert(load_yaml(file), list[Claim])


def gpu_names() -> list[str]:
    if not shutil.which("nvidia-smi"):
        return []
    asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.splitlines()


def obstacle(claim: Claim, minutes: float, path: str) -> str:
    """Why this machine does not run the command; "" if it does."""
    host_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    if claim.why_not:
        return claim.why_not
    if claim.gpu and not any(name.startswith(claim.gpu) for name in gpu_names()):
        return f"needs a GPU, {claim.gpu}"
    if claim.host_gb > host_gb:
        return f"needs {claim.host_gb:g} GB of host memory"
    if claim.seconds > 60 * minutes:
        return f"takes {claim.seconds / 60:g} minutes; --minutes allows it"
    program = claim.command.split()[0]
    return "" if shutil.which(program, path=path) else f"needs {program}"


def number_in(text: str, pattern: str) -> float:
    """The number that ``pattern`` finds; NaN, which no tolerance allows, if it finds none."""
    found = re.search(pattern, text)
    return float(found.groups()[-1].replace(",", "")) if found else math.nan


def verdict(holds: bool, others: float) -> str:
    """Whether a time holds, if other processes kept the part ``others`` of the cores busy."""
    if not holds and others > LOAD_MAX:
        return f"not tried: other processes kept {100 * others:.0f} % of the cores busy"
    return HOLDS if holds else FAILS


def checked(claim: Claim, folder: Path, minutes: float) -> Iterator[Line]:
    """Run the command in ``folder``, a clone of the repository."""
    path = f"{folder}/.venv/bin{os.pathsep}{os.environ['PATH']}"
    reason = obstacle(claim, minutes, path)
    if reason:
        yield claim.claim, "", "", f"not tried: {reason}"
        return
    print(claim.command, file=sys.stderr, flush=True)
    environment = os.environ | {"PATH": path, "PYTHONPATH": ""}  # the clone's own code
    began, before = perf_counter(), host_load()
    done = subprocess.run(["bash", "-c", claim.command], cwd=folder, env=environment, capture_output=True, text=True)
    seconds, after = perf_counter() - began, host_load()
    others = load_of_others(before, after, os.cpu_count() or 1) if before and after else 0
    limit = f", in {claim.takes} or up to {LONGER_MAX} times as long" if claim.takes else ""
    facts = claim.claim, f"exit status 0{limit}", f"exit status {done.returncode}, in {seconds:.3g} s"
    if done.returncode:
        print((done.stdout + done.stderr)[-_SHOWN_OF_A_FAILURE:], file=sys.stderr)
        yield *facts, FAILS
        return
    yield *facts, verdict(not claim.takes or seconds <= LONGER_MAX * claim.seconds, others)
    low, high = claim.tolerance
    for name, pattern in claim.numbers.items():
        expected = number_in((REFERENCE / claim.reference).read_text(encoding="utf-8"), pattern)
        found = number_in(done.stdout, pattern)
        limits = f"{expected:g} {claim.unit}, or {low:g} to {high:g} times as much"
        holds = low * expected <= found <= high * expected
        yield name, limits, f"{found:g} {claim.unit}", FAILS if math.isnan(found) else verdict(holds, others)


def check(claims: Sequence[Claim], minutes: float) -> list[Line]:
    """Check ``claims`` in order, in one clone of this repository."""
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        return [line for claim in claims for line in checked(claim, Path(folder), minutes)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="leave out longer commands (default: %(default)s)")
    parser.add_argument("--claims", type=Path, default=CLAIMS, metavar="FILE", help="default: data/claims.yaml")
    options = parser.parse_args()
    lines = check(load(options.claims), options.minutes)
    print_columns(lines, ("claim", "expected", "measured", "verdict"))
    return any(line[-1] == FAILS for line in lines)


if __name__ == "__main__":
    sys.exit(main())
