"""``warpath record-parts``: the record of all pairs that ``warpath reduce`` made in parts."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from warpath.atomic import check_writable
from warpath.errors import UsageError
from warpath.graphs import csr
from warpath.scatter.parts import Part, check_graph, gathered

from ..datasets.verify import check_named
from ..measure.runs import IN_PARTS, find
from ..record import Measure, Record, ReductionsFacts, Sample, Timed, parse_run, run_name, write_record

HELP = """
Write the record of a run of all pairs, all_pairs.reductions, from its parts: all files that 'warpath reduce' made.

examples:
  warpath record-parts data/graphs/nyc.npz parts/*.npz --output record.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="the graph that the parts were made of, a .npz file")
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath reduce', in any order")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="file of the record")
    parser.add_argument("--run", metavar="RUN", help="the run that the record is of (default: by what the parts are)")
    parser.add_argument("--dataset", metavar="NAME", help="the graph's name in the record (default: that of its file)")


def main(arguments: argparse.Namespace) -> None:
    if arguments.output.suffix != ".json":
        raise UsageError(f"{arguments.output}: a record is a .json file; name it so")
    check_writable(arguments.output)
    graph = csr.load(arguments.graph)
    whole, parts = gathered(arguments.parts)
    check_graph(whole, arguments.parts[0], graph, arguments.graph)
    dataset = arguments.dataset or graph.metadata.get("dataset") or arguments.graph.stem
    check_named(dataset, graph, arguments.graph)
    run = arguments.run or run_of(whole)
    write_record(arguments.output, record_of(whole, parts, run, dataset))
    print(f"{arguments.output}: the record of {run} on {dataset}")


def record_of(whole: Part, parts: Sequence[Part], run: str, dataset: str) -> Record:
    """The record of ``run``, such as ``all_pairs.reductions.nearest=8``; ``whole`` is what ``parts`` were gathered to.

    Its seconds are those of all parts together, of each from the prepared graph's first use to its reductions. Raises
    UsageError where the parts were not made as ``run`` says.
    """
    algorithm, variant, asked = parse_run(run)
    configured = find(algorithm, variant).configured(asked)
    facts, found = whole.facts, whole.reductions
    if configured.variant.problem != "reductions":
        raise UsageError(f"--run {run}: parts make runs of all_pairs.reductions")
    vertices = facts.graph.vertices
    for what, wanted, there in (
        ("sources", configured.settings["first"] or vertices, facts.of),
        ("nearest vertices", configured.settings["nearest"], facts.nearest),
    ):
        if wanted != there:
            raise UsageError(f"--run {run}: is of {wanted:,} {what}, and these parts are of {there:,}")
    seconds = facts.seconds
    of_rows = {"solve_s": seconds.solve, "certify_s": seconds.certify, "reduce_s": seconds.reduce}
    phases = {**of_rows, "other_s": max(0.0, seconds.whole - sum(of_rows.values()))}
    histogram, edges = found.histogram
    return Record(
        dataset=dataset,
        algorithm=algorithm,
        variant=variant,
        given=asked,
        parameters=dict(configured.settings),
        problem=configured.variant.problem,
        source=None,
        graph=facts.graph,
        device=facts.device,
        measure=Measure(),
        outcome=Timed([Sample(phases)], {}),
        certificate=facts.certificate,
        reductions=ReductionsFacts(
            sources=facts.of,
            parts=len(parts),
            solved_by=found.variant,
            diameter=found.diameter,
            radius=found.radius,
            mean_distance=found.mean_distance,
            bin_width=float(edges[1]),
            histogram=histogram.tolist(),
        ),
        environment={**facts.environment, "gpu": None},
        code=facts.code,
        started=facts.started,
        finished=facts.finished,
    )


def run_of(part: Part) -> str:
    """The name of the run that parts are of."""
    facts = part.facts
    first = {"first": facts.of} if facts.of < facts.graph.vertices else {}
    nearest = {"nearest": facts.nearest} if facts.nearest else {}
    return run_name(*IN_PARTS, {**first, **nearest})
