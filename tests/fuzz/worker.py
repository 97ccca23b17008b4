"""The process that runs cases, one after the other: a line of JSON in, a line of JSON out.

A crash, a hang or a case that takes all the memory ends this process and not the campaign.
"""

import faulthandler
import importlib
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path[:1] = [str(Path(__file__).resolve().parents[1] / name) for name in ("", "helpers")]

from fuzz.case import Case, FindingError, described  # noqa: E402 (after the path)
from warpath.device import open_device  # noqa: E402
from warpath_study.measure import lock  # noqa: E402

MIB = 1 << 20
# Above what a case may use, so that one that claims memory is seen to use it, and below what a machine has.
_CLAIMED_MIB_MAX = 5 * 1024


def main() -> None:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is not a reply
    faulthandler.enable(all_threads=False)
    # Others may measure on this machine for long.
    lock.KERNEL_FILE = Path(os.devnull, "none")
    lock.FILE = Path(tempfile.gettempdir(), "measuring.lock")
    open_device("auto")  # without a GPU, the first call warns
    prepared: set[str] = set()
    for line in sys.stdin:
        order = json.loads(line)
        subject = order["subject"]
        module = importlib.import_module(f"fuzz.{subject}")
        if subject not in prepared:
            getattr(module, "prepare", lambda: None)()
            prepared.add(subject)
            _limit_claims()
            print(json.dumps({"ready": True}), file=replies, flush=True)
        case = Case(subject, order["seed"], order["case"], Path(order["folder"]))
        print(json.dumps(_run(module.case, case, order["mib_max"])), file=replies, flush=True)


def _run(run: Callable[[Case], None], case: Case, mib_max: int) -> dict:
    finding = trace = None
    _forget_peak()
    before = _status_mib("VmRSS")
    try:
        run(case)
    except BaseException as error:
        finding, trace = described(error), "".join(traceback.format_exception(error))
        if isinstance(error, FindingError):
            trace = f"{error}\n"
    peak = _status_mib("VmHWM")
    if finding is None and peak - before > mib_max:
        finding = trace = f"took {peak - before} MiB of memory; {case.note}"
    return {"finding": finding, "trace": trace, "note": case.note, "peak_mib": peak - before}


def _limit_claims() -> None:
    limit = (_status_mib("VmSize") + _CLAIMED_MIB_MAX) * MIB
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status_mib(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) // 1024
    return 0


if __name__ == "__main__":
    main()
