"""``warpath record-parts``: write the record of all pairs from the parts of ``warpath statistics``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from warpath.errors import UsageError
from warpath.graphs import csr
from warpath.system.atomic import check_writable

from ..datasets.verify import check_generated
from ..measure.runs import IN_PARTS, find
from ..parts.parts import Part, check_graph, gathered
from ..record import Measure, Record, Sample, StatisticsFacts, Timed, parse_run, run_name, write_record

HELP = """
Write the record of a run of all pairs, all_pairs.reductions, from all of its parts, the files of 'warpath statistics'.

examples:
  warpath record-parts data/graphs/nyc.npz parts/*.npz --output record.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Path, metavar="GRAPH", help="the .npz graph of the parts")
    parser.add_argument(
        "parts", type=Path, nargs="+", metavar="PART", help="files of 'warpath statistics', in any order"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="file of the record")
    parser.add_argument("--run", metavar="RUN", help="name of the run (default: from the parts)")
    parser.add_argument(
        "--dataset", metavar="NAME", help="name of the graph in the record (default: the name in its file)"
    )


def main(arguments: argparse.Namespace) -> None:
    if arguments.output.suffix != ".json":
        raise UsageError(f"{arguments.output}: a record needs the suffix .json")
    check_writable(arguments.output)
    graph = csr.load(arguments.graph)
    whole, parts = gathered(arguments.parts)
    check_graph(whole, arguments.parts[0], graph, arguments.graph)
    dataset = arguments.dataset or graph.metadata.get("dataset") or arguments.graph.stem
    check_generated(dataset, graph, arguments.graph)
    run = arguments.run or run_of(whole)
    write_record(arguments.output, record_of(whole, parts, run, dataset))
    print(f"{arguments.output}: the record of {run} on {dataset}")


def record_of(whole: Part, parts: Sequence[Part], run: str, dataset: str) -> Record:
    """The record of ``run``, such as ``all_pairs.reductions.nearest=8``; ``whole`` is the gathered ``parts``.

    Its time is the sum over all parts, without preparing the graph. Raises UsageError if the parts are of another run.
    """
    algorithm, variant, parameters = parse_run(run)
    configured = find(algorithm, variant).configured(parameters)
    facts, statistics = whole.facts, whole.statistics
    if configured.variant.problem != "reductions":
        raise UsageError(f"--run {run}: parts are of all_pairs.reductions")
    for what, of_run, of_parts in (
        ("sources", configured.settings["first"] or facts.graph.vertices, facts.of),
        ("nearest vertices", configured.settings["nearest"], facts.nearest),
    ):
        if of_run != of_parts:
            raise UsageError(f"--run {run}: has {of_run:,} {what}, but the parts have {of_parts:,}")
    seconds = facts.seconds
    phases = {"solve_s": seconds.solve, "certify_s": seconds.certify, "reduce_s": seconds.reduce}
    phases["other_s"] = max(0.0, seconds.whole - sum(phases.values()))
    histogram, edges = statistics.histogram
    return Record(
        dataset=dataset,
        algorithm=algorithm,
        variant=variant,
        given=parameters,
        parameters=dict(configured.settings),
        problem=configured.variant.problem,
        source=None,
        graph=facts.graph,
        device=facts.device,
        measure=Measure(),
        outcome=Timed([Sample(phases)], {}),
        certificate=facts.certificate,
        reductions=StatisticsFacts(
            sources=facts.of,
            parts=len(parts),
            solved_by=statistics.variant,
            diameter=statistics.diameter,
            radius=statistics.radius,
            mean_distance=statistics.mean_distance,
            bin_width=float(edges[1]),
            histogram=histogram.tolist(),
        ),
        environment={**facts.environment, "gpu": None},
        code=facts.code,
        started=facts.started,
        finished=facts.finished,
    )


def run_of(part: Part) -> str:
    """The name of the run of a part."""
    facts = part.facts
    first = {"first": facts.of} if facts.of < facts.graph.vertices else {}
    nearest = {"nearest": facts.nearest} if facts.nearest else {}
    return run_name(*IN_PARTS, {**first, **nearest})
