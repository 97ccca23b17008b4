"""All pairs in parts as a run: its parameters, and its record, which is made from the parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warpath.errors import UsageError
from warpath.solvers.variant import Configured, Parameter, configured

from ..record import Measure, Record, Sample, StatisticsFacts, Timed, parse_run, run_name
from .parts import Part

PARAMETERS = {
    "first": Parameter("number of sources, the first vertices; 0 for all", default=0, low=0),
    "nearest": Parameter("number of nearest vertices to keep for each source", default=0, low=0, high=1024),
    "store": Parameter("1 to write all rows to a store, 0 to keep only their statistics", default=0, low=0, high=1),
}


@dataclass(frozen=True)
class AllPairsInParts:
    """The run ``all_pairs.reductions``. It has no solver: ``warpath statistics`` makes its parts."""

    algorithm: str = "all_pairs"
    name: str = "reductions"
    problem: str = "reductions"
    on_cpu: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: PARAMETERS, hash=False)

    def configured(self, given: Mapping[str, int] | None = None) -> Configured:
        """As ``Variant.configured``."""
        return configured(self, given)


IN_PARTS = AllPairsInParts()


def record_of(whole: Part, parts: Sequence[Part], run: str, dataset: str) -> Record:
    """The record of ``run``, such as ``all_pairs.reductions.nearest=8``; ``whole`` is the gathered ``parts``.

    Its time is the sum over all parts, without preparing the graph. Raises UsageError if the parts are of another run.
    """
    algorithm, variant, parameters = parse_run(run)
    facts, statistics = whole.facts, whole.statistics
    if (algorithm, variant) != (IN_PARTS.algorithm, IN_PARTS.name):
        raise UsageError(f"--run {run}: parts are of all_pairs.reductions")
    settings = IN_PARTS.configured(parameters).settings
    for what, of_run, of_parts in (
        ("sources", settings["first"] or facts.graph.vertices, facts.of),
        ("nearest vertices", settings["nearest"], facts.nearest),
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
        parameters=dict(settings),
        problem=IN_PARTS.problem,
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
    return run_name(IN_PARTS.algorithm, IN_PARTS.name, {**first, **nearest})
