"""Figure 3: the mean time of harish and of locality on each graph, grouped bars."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from .. import figure5
from ..comparison import Entry, ratio_to_published
from ..selection import select
from .published import Claim, PublishedGraph
from .runs import ALGORITHM, Run

TITLE = "Mean time over random sources"


def draw(entries: list[Entry]) -> Figure:
    """Bars on a logarithmic axis, as the graphs differ much in size; diamonds where the paper's text names a time."""
    return figure5.grouped_bars(select(entries, ALGORITHM, with_published=True), TITLE, log=True)


def entries_of(runs: list[Run], graphs: Mapping[str, PublishedGraph], claims: list[Claim]) -> list[Entry]:
    """The runs in the form of a comparison; published times are those that the text names."""
    entries = []
    for run in runs:
        published = _published_seconds(run, claims)
        graph = graphs.get(run.row)
        comparable = graph is not None and run.edges == graph.arcs
        entries.append(
            Entry(
                dataset=run.dataset,
                variant=run.label,
                published_seconds=published,
                seconds=run.seconds,
                ratio=ratio_to_published(published, run.seconds, comparable, run.device_kind),
                status="ok",
                device=run.device,
                record=run.record,
                algorithm=ALGORITHM,
                row=run.row,
                nodes=run.nodes,
                edges=run.edges,
                comparable=comparable,
                device_kind=run.device_kind,
                date=run.date,
            )
        )
    return entries


def _published_seconds(run: Run, claims: list[Claim]) -> str:
    """The paper measured locality with k = 4 and two vertices a thread; its times are not those of other settings."""
    method = {"harish": "Harish", "locality": "locality-based"}[run.variant]
    if run.asked not in ("", "k=4,vertices_per_thread=2"):
        return ""
    for claim in claims:
        if claim.unit == "s" and claim.claim.endswith(method) and claim.claim.startswith(run.row):
            return f"{claim.value:g}"
    return ""
