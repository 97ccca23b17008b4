"""Do the ports of Bodra's kernels take as long as his listings? Times both in turns, on the same graph.

    python benchmarks/beside_listings.py TEXT GRAPH ... [--only PORT ...] [--steps N] [--device cuda]

TEXT is the text of the paper, such as `pdftotext -layout` makes it; it is not part of this repository. The kernels of
its listings are extracted, and put into the places of the port's kernels. So both have the same host code, arrays and
compiler, and differ in their kernels alone. --nvcc compiles the listings with nvcc, as the paper does. --keep FOLDER
keeps the extracted files.

A sample is a whole solve, or with --steps the first N steps of it: a step is a round, a vertex or a stage of tiles;
Dijkstra has one. The ratio is that of medians, port over listing. The last column says whether the distances agree;
those of `tiled` may differ, because its listing has a race.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import warpath
from warpath.device import Device, open_device
from warpath.device.cuda_kernel import CudaKernel
from warpath.device.kernel_source import parameter_names
from warpath.errors import UsageError, WarpathError
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import plan_of

LARGEST_MATRIX = 46_340  # the listings number cells by 32 bits
PREAMBLE = """// Extracted from a text by benchmarks/beside_listings.py.
#define INF 0x7fffffff
#define TILE_DIM 32
"""
_CSR = "int vertices, const int *indptr, const int *indices, const int *weights, "
_GIVEN = "vertices, nullptr, (int *)indptr, (int *)indices, (int *)weights, (int *)previous, distances, nullptr"


@dataclass(frozen=True)
class Part:
    """A kernel of a port: its name and parameters, and the kernel of the listing with what it is called with."""

    name: str
    parameters: str
    listed: str
    given: str
    helpers: tuple[str, ...] = ()

    def text(self, functions: dict[str, str]) -> str:
        """The listing's kernel as a function, and a kernel with the port's name and parameters that calls it."""
        body = functions[self.listed].replace("__global__", "__device__ __forceinline__")
        kernel = (
            f'extern "C" __global__ void {self.name}({self.parameters})\n{{\n    {self.listed}({self.given});\n}}\n'
        )
        return "\n".join([*(functions[name] for name in self.helpers), body, kernel])


def rounds(variant: str, flagged: bool = False) -> tuple[Part, Part]:
    """The kernels of Bellman-Ford; the variant is named as in the listing."""
    flag, flags = (", bool *flags", ", flags") if flagged else ("", "")
    relax = f"{_CSR}const int *previous, int *distances{flag}"
    update = f"int vertices, int *previous, int *distances{flag}"
    return (
        Part("relax", relax, f"bellmanFordRelax{variant}", f"{_GIVEN}{flags}"),
        Part("update", update, f"bellmanFordUpdateDistance{variant}", f"vertices, previous, distances{flags}"),
    )


def of_matrix(*names: str) -> tuple[Part, ...]:
    """The kernels of Floyd-Warshall: one for each vertex, or three for each tile."""
    own, step = (("relax",), "k") if len(names) == 1 else (("phase1", "phase2", "phase3"), "primary")
    parameters = f"int vertices, int {step}, int *distances, int *predecessors"
    given = f"vertices, {step}, distances, predecessors"
    return tuple(Part(name, parameters, listed, given) for name, listed in zip(own, names, strict=True))


def phases(variant: str) -> tuple[Part, ...]:
    return of_matrix(*(f"floydWarshall{variant}Phase{phase}" for phase in (1, 2, 3)))


SEARCH = Part(
    "search",
    "int vertices, int rounds, int *costs, bool *all_visited, int *all_distances, int *all_predecessors",
    "dijkstraNaive",
    "vertices, costs, all_visited, all_distances, all_predecessors",
    ("extractMin",),
)
PORTS: dict[str, tuple[Part, ...]] = {
    "bellman_ford.naive": rounds("Naive"),
    "bellman_ford.stride": rounds("Stride"),
    "bellman_ford.stride_flag": rounds("StrideFlag", flagged=True),
    "dijkstra.naive": (SEARCH,),
    "floyd_warshall.naive": of_matrix("floydWarshallNaive"),
    "floyd_warshall.super_naive": of_matrix("floydWarshallSuperNaive"),
    "floyd_warshall.super_naive_shared": of_matrix("floydWarshallSuperNaiveShared"),
    "floyd_warshall.tiled": phases("Tiled"),
    "floyd_warshall.tiled_shared": phases("TiledShared"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path, metavar="TEXT", help="the text of the paper")
    parser.add_argument("graph", nargs="+", metavar="GRAPH", help="a graph file")
    parser.add_argument("--only", nargs="+", choices=PORTS, metavar="PORT", default=list(PORTS), help=", ".join(PORTS))
    parser.add_argument("--steps", type=int, help="steps of a solve (default: all)")
    parser.add_argument("--samples", type=int, default=3, help="of each (default: %(default)s)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--nvcc", action="store_true", help="compile the listings with nvcc")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the extracted kernels stay")
    options = parser.parse_args()
    try:
        compare(options)
    except (WarpathError, OSError) as error:
        sys.exit(f"beside_listings.py: error: {error}")


def compare(options: argparse.Namespace) -> None:
    found = functions_of(options.text.read_text(encoding="utf-8"))
    device = open_device(options.device)
    print(heading(device.name, device.kind, options.only), flush=True)
    print(f"{device.name}; seconds, medians of {options.samples} in turns")
    print(f"{'graph':16} {'port':34} {'steps':>7} {'port':>9} {'listing':>9} {'ratio':>7}  distances")
    with TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for file in options.graph:
            graph = warpath.read(file)
            for port in options.only:
                if not port.startswith("bellman_ford") and graph.vertices > LARGEST_MATRIX:
                    continue
                listed = write_listing(folder, port, found)
                plans = [port_of(which, graph, port) for which in (device, Replaced(device, listed, options.nvcc))]
                steps = plans[0].iterations
                if options.steps is not None and port != "dijkstra.naive":
                    steps = min(steps, options.steps)
                times, agree = in_turns(device, plans, steps, options.samples)
                port_s, listing_s = map(median, times)
                print(
                    f"{Path(file).name[:16]:16} {port:34} {steps:7} {port_s:9.4f} {listing_s:9.4f} "
                    f"{port_s / listing_s:7.3f}  {'agree' if agree else 'DIFFER'}",
                    flush=True,
                )


def in_turns(device: Device, plans: list[Any], steps: int, samples: int) -> tuple[list[list[float]], bool]:
    """The samples of both plans, without a first one of each, and whether their distances are equal."""
    times: list[list[float]] = [[], []]
    answers: list[Any] = [None, None]
    for turn in range(samples + 1):
        for which, plan in enumerate(plans):
            plan.reset()
            start = device.record()
            plan.upload()
            plan.iterate(0, steps)
            plan.finish()
            answers[which] = plan.download().distances
            stop = device.record()
            device.synchronize()
            if turn:
                times[which].append(device.seconds_between(start, stop))
            plan.release()
    return times, np.array_equal(*answers)


def port_of(device: Any, graph: warpath.Graph, port: str) -> Any:
    module = import_module(f"warpath_study.published.bodra.{port}")
    return plan_of(module.VARIANT, device, graph, 0 if port.startswith("bellman_ford") else None)


class Replaced:
    """A device that takes the kernels of ``folder`` in place of others of the same name."""

    def __init__(self, device: Device, folder: Path, nvcc: bool):
        self._device, self._folder, self._nvcc = device, folder, nvcc

    def kernel(self, file: Path, name: str, macros: Any = None) -> Any:
        own = self._folder / f"{name}.cu"
        if not own.exists():
            return self._device.kernel(file, name, macros)
        return compiled_by_nvcc(self._device, own) if self._nvcc else self._device.kernel(own, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)


def compiled_by_nvcc(device: Device, file: Path) -> CudaKernel:
    """The kernel that has the name of ``file``."""
    import cupy

    cubin = file.with_suffix(".cubin")
    architecture = f"sm_{cupy.cuda.Device().compute_capability}"
    subprocess.run(["nvcc", "-O3", f"-arch={architecture}", "--cubin", "-o", cubin, file], check=True)
    parameters = parameter_names(file.read_text(encoding="utf-8"))[file.stem]
    return CudaKernel(device, file.stem, parameters, cupy.RawModule(path=str(cubin)).get_function(file.stem))


def write_listing(folder: Path, port: str, functions: dict[str, str]) -> Path:
    """Write a file for each kernel of ``port``, and return their folder."""
    own = folder / port
    own.mkdir(exist_ok=True)
    for part in PORTS[port]:
        for name in (part.listed, *part.helpers):
            if name not in functions:
                raise UsageError(f"the text has no function {name}, which {port} needs")
        (own / f"{part.name}.cu").write_text(PREAMBLE + part.text(functions), encoding="utf-8")
    return own


def functions_of(text: str) -> dict[str, str]:
    """The functions for the device in the listings of ``text``, by name.

    Page breaks swallow braces and double them. So a function ends before the next one, and with no brace that
    statements follow.
    """
    code = "\n".join(lines_of_code(text))
    functions = {}
    for match in re.finditer(r"__(?:global|device)__\s+\w+\s+(\w+)\s*\([^)]*\)\s*\{", code):
        following = re.compile(r"\n\s*(?:__(?:global|device)__|(?:void|int)\s+\w+\s*\()").search(code, match.end())
        last = following.start() if following else len(code)
        body, depth = "", 1
        for at in range(match.end(), last):
            if depth == 1 and code[at] == "}" and ";" in code[at:last]:
                continue
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            body += code[at]
            if not depth:
                break
        functions[match[1]] = match[0] + body + "\n}" * depth
    return functions


def lines_of_code(text: str) -> Iterator[str]:
    """The lines without their numbers and comments. Lines too long for the page go on in the next, as comments do."""
    in_comment = False
    for line in text.splitlines():
        code = re.sub(r"^\s*\d+(?=\s|$)", "", line).rstrip()
        if not code.strip() or code.startswith(("```", "Listing ")):
            continue
        prose = not re.search(r"[;{}()=]|__(?:global|device)__|^\s*(?:else|#)", code)
        if in_comment and prose:
            continue
        code, mark, _ = code.partition("//")
        in_comment = bool(mark)
        yield code


if __name__ == "__main__":
    main()
