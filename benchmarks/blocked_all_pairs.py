"""Are the blocked kernels as fast as they should be? Prints ratios of times, each with its limit.

    python benchmarks/blocked_all_pairs.py kernels       blocked all pairs and bitset closure against the standard ones
    python benchmarks/blocked_all_pairs.py out-of-core   pages under a memory limit against the whole matrix in core
    python benchmarks/blocked_all_pairs.py devices       one, two and four GPUs

Small graphs are solved and certified first. Answers of the large ones are compared with each other; ``--certify``
certifies them as well. The host holds two 32-bit matrices, 34 GB for the 65,536 vertices of ``devices``, and a copy of
the distances.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from warpath.device import Device, open_device
from warpath.errors import DeviceError
from warpath.graphs.csr import Graph, from_arcs
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import plan_of
from warpath_study.measure.runs import find
from warpath_study.problems import PROBLEMS
from warpath_study.published.shared.plan import Plan, Solution

VERTICES = {"kernels": 11_264, "out-of-core": 36_682, "devices": 65_536}
ARCS_PER_VERTEX = 8
CODE = {
    "kernels": [
        *(f"blocked_all_pairs.{name}" for name in ("standard", "blocked", "register_blocked")),
        *(f"transitive_closure.{name}" for name in ("naive", "blocked", "bitset")),
    ],
    "out-of-core": ["blocked_all_pairs.register_blocked", "blocked_all_pairs.out_of_core"],
    "devices": ["blocked_all_pairs.several_devices"],
}
SAMPLES = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=VERTICES)
    parser.add_argument("--vertices", type=int, help=f"default: {VERTICES}")
    parser.add_argument("--limit-mib", type=int, default=4096, help="for out-of-core (default: %(default)s)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--certify", action="store_true", help="certify the large answers as well")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind, CODE[options.what]), flush=True)
    graph = random_graph(options.vertices or VERTICES[options.what])
    print(f"{device.name}, {graph.vertices:,} vertices, {graph.arcs:,} arcs")
    {"kernels": kernels, "out-of-core": out_of_core, "devices": devices}[options.what](device, graph, options)


def kernels(device: Device, graph: Graph, options: argparse.Namespace) -> None:
    seconds, answer = {}, None
    for name in ("standard", "blocked", "register_blocked"):
        certify_small(device, "blocked_all_pairs", name)
        plan = plan_of(find("blocked_all_pairs", name), device, graph, None)
        seconds[name], solution = median(device, plan, SAMPLES, f"all pairs, {name}")
        answer = agree(answer, solution.distances)
        if options.certify:
            print("   ", PROBLEMS["apsp"].certify(graph, None, solution))
    for name in ("blocked", "register_blocked"):
        verdict(f"standard / {name}", seconds["standard"] / seconds[name], at_least=5)
    answer = None
    for name in ("naive", "blocked", "bitset"):
        certify_small(device, "transitive_closure", name)
        plan = plan_of(find("transitive_closure", name), device, graph, None)
        seconds[name], solution = median(device, plan, SAMPLES, f"closure, {name}")
        answer = agree(answer, solution.reachable())
    verdict("naive / bitset", seconds["naive"] / seconds["bitset"], at_least=8)


def out_of_core(device: Device, graph: Graph, options: argparse.Namespace) -> None:
    certify_small(device, "blocked_all_pairs", "out_of_core", page_side=128)
    plan = plan_of(find("blocked_all_pairs", "register_blocked"), device, graph, None)
    in_core_s, solution = median(device, plan, SAMPLES, "in core")
    answer = solution.distances.copy()
    del plan, solution
    limit = options.limit_mib
    plan = plan_of(find("blocked_all_pairs", "out_of_core"), device, graph, None, device_memory_limit_mib=limit)
    paged_s, solution = median(device, plan, SAMPLES, f"out of core, {limit} MiB")
    agree(answer, solution.distances)
    if options.certify:
        print("   ", PROBLEMS["apsp"].certify(graph, None, solution))
    verdict("out of core / in core", paged_s / in_core_s, at_most=1.5)


def devices(device: Device, graph: Graph, options: argparse.Namespace) -> None:
    seconds, answer = {}, None
    for count in available(device, (1, 2, 4)):
        certify_small(device, "blocked_all_pairs", "several_devices", devices=count, page_side=128)
        plan = plan_of(find("blocked_all_pairs", "several_devices"), device, graph, None, devices=count)
        seconds[count], solution = median(device, plan, 1, f"{count} devices")
        answer = agree(answer, solution.distances.copy())
        if options.certify:
            print("   ", PROBLEMS["apsp"].certify(graph, None, solution))
        del plan, solution
    if 4 in seconds:
        verdict("1 device / 4 devices", seconds[1] / seconds[4], at_least=2.5)


def available(device: Device, counts: tuple[int, ...]) -> Iterator[int]:
    """The counts of devices that this machine has."""
    for count in counts:
        try:
            device.peers(count)
        except DeviceError as error:
            print(f"left out: {error}")
        else:
            yield count


def random_graph(vertices: int) -> Graph:
    numbers = np.random.default_rng(1)
    tails, heads = numbers.integers(0, vertices, (2, ARCS_PER_VERTEX * vertices))
    return from_arcs(vertices, tails, heads, numbers.integers(1, 101, len(tails)))


def certify_small(device: Device, algorithm: str, name: str, **parameters: int) -> None:
    """Certify answers at sizes around those of tiles and pages; raises CertificateError at the first wrong one."""
    for vertices in (1, 63, 64, 65, 129, 700):
        graph = random_graph(vertices)
        variant = find(algorithm, name)
        PROBLEMS[variant.problem].certify(graph, None, plan_of(variant, device, graph, None, **parameters).solve())


def median(device: Device, plan: Plan, samples: int, label: str) -> tuple[float, Solution]:
    """The median seconds from upload to download, after one untimed solve, and the last answer."""
    totals = []
    for sample in range(samples + 1):
        plan.reset()
        device.release()
        device.synchronize()
        events = [device.record()]
        for phase in (plan.upload, lambda: plan.iterate(0, plan.iterations), plan.finish):
            phase()
            device.synchronize()
            events.append(device.record())
        solution = plan.download()
        events.append(device.record())
        parts = [device.seconds_between(*pair) for pair in pairwise(events)]
        plan.release()
        if sample:
            totals.append(sum(parts))
    named = zip(("upload", "iterate", "finish", "download"), parts, strict=True)
    print(
        f"{label:32} {np.median(totals):9.4f} s ({', '.join(f'{name} {part:.4f}' for name, part in named)})", flush=True
    )
    return float(np.median(totals)), solution


def agree(expected: np.ndarray | None, answer: np.ndarray) -> np.ndarray:
    """Return ``answer``; exit if it differs from the expected one."""
    if expected is not None and not np.array_equal(expected, answer):
        raise SystemExit("the answers differ")
    return answer


def verdict(label: str, ratio: float, at_least: float = 0, at_most: float = np.inf) -> None:
    limit = f"at least {at_least}" if at_least else f"at most {at_most}"
    print(f"  {label}: {ratio:.2f} ({limit}: {'holds' if at_least <= ratio <= at_most else 'MISSED'})", flush=True)


if __name__ == "__main__":
    main()
