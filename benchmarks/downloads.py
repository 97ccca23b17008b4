"""How long does an answer take from the device to host memory? Prints medians, for each kind of memory.

    python benchmarks/downloads.py [--vertices 4096 10876 ...] [--device cuda] [--copies 5]

Each answer is a matrix of all pairs, int32. It is copied to new ordinary memory, in pieces and as one, and to
page-locked memory: new memory for each answer, as for answers that are kept, and the same memory again.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from warpath.device import Device, open_device
from warpath.device.copies import download_in_pieces
from warpath.library.calls import PINNED_BYTES_MAX
from warpath_study.measure.heading import heading

KEPT = "page-locked, new"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--vertices",
        type=int,
        nargs="+",
        default=[512, 1024, 2048, 4096, 10876, 22687, 36682],
        help="default: a dense graph's, those of Gnutella, and smaller ones",
    )
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--copies", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind, ["copies"]), flush=True)
    for vertices in options.vertices:
        array = device.upload(np.arange(vertices * vertices, dtype=np.int32).reshape(vertices, vertices))
        for name, answered in ways(device, array).items():
            seconds, kept = [], []
            for _ in range(1 + options.copies):  # the first takes page-locked memory for pieces
                device.synchronize()
                began = perf_counter()
                out = answered()
                device.synchronize()
                seconds.append(perf_counter() - began)
                assert int(out[-1, -1]) == vertices * vertices - 1
                if name == KEPT:
                    kept.append(out)
                del out
            typical = median(seconds[1:])
            times = f"{1e3 * typical:9.2f} ms  {array.nbytes / typical / 1e9:6.1f} GB/s"
            print(f"n = {vertices:6,}  {name:18}  {times}  (first {1e3 * seconds[0]:.2f} ms)")


def ways(device: Device, array: Any) -> dict[str, Callable[[], np.ndarray]]:
    """What copies ``array`` to the host, by name."""

    def ordinary(copy: Callable[[np.ndarray], None]) -> np.ndarray:
        out = np.empty(array.shape, array.dtype)
        copy(out)
        return out

    def locked() -> np.ndarray:
        out = device.pinned(array.shape, array.dtype, pooled=True)
        device.copy(array, out)
        return out

    found = {
        "in pieces": lambda: ordinary(lambda out: download_in_pieces(device, array, out)),
        "as one": lambda: ordinary(lambda out: device.download(array, out)),
    }
    return found | ({KEPT: locked, "page-locked, again": locked} if array.nbytes <= PINNED_BYTES_MAX else {})


if __name__ == "__main__":
    main()
