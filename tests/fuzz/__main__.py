"""The command line: ``python tests/fuzz --seconds 600``, or one case again: ``--subject text --seed S --case N``."""

import argparse
import os
import secrets
import sys
from pathlib import Path

# The folders of this package and of what tests share.
sys.path[:1] = [str(Path(__file__).resolve().parents[1] / name) for name in ("", "helpers")]

from fuzz import SUBJECTS  # noqa: E402 (after the path)
from fuzz.campaign import Campaign  # noqa: E402


def print_now(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Feed warpath with hostile input.")
    parser.add_argument("--seconds", type=float, default=600, help="for all subjects together (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of all cases (default: a fresh one, which is printed)")
    parser.add_argument("--subject", action="append", choices=SUBJECTS, help="only this one; may be repeated")
    parser.add_argument("--case", type=int, help="run this one case only, and keep its files")
    parser.add_argument("--kills", type=int, help="interrupt and resume a build so often, and do nothing else")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="default: one a core")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for findings (default: %(default)s)")
    chosen = parser.parse_args()
    if chosen.case is not None and (len(chosen.subject or ()) != 1 or chosen.seed is None):
        parser.error("--case needs one --subject and the --seed that were printed")
    seed = secrets.randbelow(2**32) if chosen.seed is None else chosen.seed
    subjects = chosen.subject or list(SUBJECTS)
    print_now(f"seed {seed}, {chosen.workers} workers")
    if chosen.kills:
        from fuzz.interruptions import interrupt

        return 1 if interrupt(chosen.kills, seed, chosen.folder.resolve() / "interrupted", print_now) else 0
    with Campaign(seed, chosen.folder, chosen.workers, say=print_now) as campaign:
        for subject in subjects:
            if chosen.case is not None:
                campaign.run(subject, [chosen.case], keep=True)
            else:
                campaign.run(subject, range(10**9), chosen.seconds / len(subjects))
        print(campaign.summary())
        return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
