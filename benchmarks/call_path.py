"""What does one prepared call pass through? Prints functions by file, Python calls, and frames before the first launch.

    python benchmarks/call_path.py [--device simulated] [--vertices 3000]

The call is ``solver.sssp(source)`` with all defaults, on a random graph of four arcs a vertex, after a few others.
Counted is what lies in warpath, without the folder device/, since each device has its own.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import warpath
from warpath.graphs.weights import with_random_weights
from warpath.library.solver import Solver
from warpath_study.datasets.generate import generate

PACKAGE = Path(warpath.__file__).parent
SETTLED = 4  # calls before the counted one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="simulated", help="default: %(default)s")
    parser.add_argument("--vertices", type=int, default=3000, help="default: %(default)s")
    options = parser.parse_args()
    graph = with_random_weights(generate("random", vertices=options.vertices, arcs=4 * options.vertices), seed=1)
    solver = warpath.prepare(graph, options.device)
    for source in range(SETTLED):
        solver.sssp(source)
    functions, frames = passed(solver, SETTLED)
    for file in sorted({file for file, _ in functions}):
        of_file = {name: times for (where, name), times in functions.items() if where == file}
        print(f"{file}: {', '.join(name + (f' ({times})' if times > 1 else '') for name, times in of_file.items())}")
    files = len({file for file, _ in functions})
    print(f"{files} files, {functions.total()} Python calls, {frames} frames before the first launch")


def passed(solver: Solver, source: int) -> tuple[Counter[tuple[str, str]], int]:
    """The functions that a call enters, by file and name, and how many are open when the first kernel is launched."""
    functions: Counter[tuple[str, str]] = Counter()
    frames = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal frames
        file = Path(frame.f_code.co_filename)
        if event != "call" or not file.is_relative_to(PACKAGE):
            return
        where = file.relative_to(PACKAGE)
        if where.parts[0] != "device":
            functions[where.as_posix(), frame.f_code.co_name] += 1
        elif frame.f_code.co_name == "__call__" and not frames:
            frames = depth_of(frame.f_back)

    sys.setprofile(note)
    try:
        solver.sssp(source)
    finally:
        sys.setprofile(None)
    return functions, frames


def depth_of(frame: FrameType | None) -> int:
    """The frames of warpath from this one outward."""
    depth = 0
    while frame:
        depth += Path(frame.f_code.co_filename).is_relative_to(PACKAGE)
        frame = frame.f_back
    return depth


if __name__ == "__main__":
    main()
