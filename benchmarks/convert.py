"""How much time and memory does ``warpath convert`` need for a graph of the size of the Eastern USA?

Makes a .gr.gz file with that many random arcs, converts it in a separate process, as a user would, and prints seconds
and peak memory.

    python benchmarks/convert.py [--vertices N --arcs M]
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

VERTICES, ARCS = 3_598_623, 8_778_114
SECONDS_MAX, MEMORY_MAX_GIB = 10.0, 3.0
_ARCS_AT_ONCE = 1 << 18


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vertices", type=int, default=VERTICES, help="default: %(default)s")
    parser.add_argument("--arcs", type=int, default=ARCS, help="default: %(default)s")
    parser.add_argument("--seconds-max", type=float, default=SECONDS_MAX, metavar="S", help="default: %(default)g")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "random.gr.gz")
        text_bytes = write_gr(file, options.vertices, options.arcs)
        print(f"{options.vertices:,} vertices, {options.arcs:,} arcs, {text_bytes / 1e6:.0f} MB of text")
        seconds, peak_gib = measure_conversion(file, Path(folder, "random.npz"))
    print(f"{seconds:.2f} s, peak memory {peak_gib:.2f} GiB")
    within = seconds <= options.seconds_max and peak_gib <= MEMORY_MAX_GIB
    print(f"at most {options.seconds_max:g} s and {MEMORY_MAX_GIB:g} GiB wanted: {'kept' if within else 'NOT KEPT'}")
    return 0 if within else 1


def write_gr(file: Path, vertices: int, arcs: int) -> int:
    """Write a .gr.gz of random arcs; return the bytes of its text."""
    generator = np.random.default_rng(1)
    text_bytes = 0
    with gzip.open(file, "wb", compresslevel=6) as output:
        text_bytes += output.write(b"p sp %d %d\n" % (vertices, arcs))
        for start in range(0, arcs, _ARCS_AT_ONCE):
            count = min(_ARCS_AT_ONCE, arcs - start)
            tails, heads = generator.integers(1, vertices + 1, (2, count)).tolist()
            weights = generator.integers(1, 100_000, count).tolist()
            lines = [b"a %d %d %d\n" % arc for arc in zip(tails, heads, weights, strict=True)]
            text_bytes += output.write(b"".join(lines))
    return text_bytes


def measure_conversion(file: Path, output: Path) -> tuple[float, float]:
    """Seconds and peak memory in GiB of one conversion."""
    command = [sys.executable, "-m", "warpath", "convert", "--from", str(file), "--output", str(output)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"the conversion failed with status {process.returncode}")
    # Linux counts in KiB, macOS in bytes.
    return seconds, usage.ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)


if __name__ == "__main__":
    sys.exit(main())
