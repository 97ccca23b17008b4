"""How long does an answer take from the device to ordinary host memory? Prints medians, in pieces and as one copy.

    python benchmarks/downloads.py [--vertices 4096 10876 ...] [--device cuda] [--copies 5]

Each answer is a matrix of all pairs, int32, and its memory on the host is new each time, as that of a call's answer is.
"""

import argparse
from statistics import median
from time import perf_counter

import numpy as np

from warpath.device import open_device
from warpath.device.copies import download_in_pieces
from warpath_study.measure.heading import heading


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--vertices",
        type=int,
        nargs="+",
        default=[2048, 4096, 10876, 22687, 36682],
        help="default: a dense graph's and those of Gnutella",
    )
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--copies", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind, ["copies"]), flush=True)
    for vertices in options.vertices:
        array = device.upload(np.arange(vertices * vertices, dtype=np.int32).reshape(vertices, vertices))
        ways = {"in pieces": lambda out, array=array: download_in_pieces(device, array, out)}
        ways["as one"] = lambda out, array=array: device.download(array, out)
        for name, copy in ways.items():
            seconds = []
            for _ in range(1 + options.copies):  # the first takes page-locked memory
                out = np.empty(array.shape, array.dtype)
                device.synchronize()
                began = perf_counter()
                copy(out)
                seconds.append(perf_counter() - began)
                assert int(out[-1, -1]) == vertices * vertices - 1
                del out
            typical = median(seconds[1:])
            times = f"{1e3 * typical:9.2f} ms  {array.nbytes / typical / 1e9:6.1f} GB/s"
            print(f"n = {vertices:6,}  {name:9}  {times}  (first {1e3 * seconds[0]:.2f} ms)")


if __name__ == "__main__":
    main()
