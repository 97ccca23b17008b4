"""The record of all pairs that were made in parts: a run like any other, for tables and figures."""

from collections.abc import Sequence

from warpath.errors import UsageError
from warpath.scatter.parts import Part

from ..record import Measure, Record, ReductionsFacts, Sample, parse_run, run_name
from .runs import IN_PARTS, find


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
    total = sum(phases.values())
    return Record(
        dataset=dataset,
        algorithm=algorithm,
        variant=variant,
        asked=asked,
        parameters=dict(configured.settings),
        problem=configured.variant.problem,
        source=None,
        graph=facts.graph,
        device=facts.device,
        status="ok",
        reason=None,
        seconds=total,
        samples=[Sample(total, phases)],
        estimate=None,
        counters={},
        certificate=facts.certificate,
        reductions=ReductionsFacts(
            sources=facts.of,
            parts=len(parts),
            solved_by=found.variant,
            pairs=found.pairs,
            diameter=found.diameter,
            radius=found.radius,
            mean_distance=found.mean_distance,
            bin_width=float(edges[1]),
            histogram=histogram.tolist(),
        ),
        measure=Measure(),
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
