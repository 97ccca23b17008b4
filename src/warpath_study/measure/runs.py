"""What can be measured, by the names of its runs, and what it asks of a cluster.

There are three kinds: variants, peers, and all pairs in parts. A variant is a solver of warpath or a published port.

What is asked of a cluster are minutes, from the budget, and megabytes of main memory, from the graph. Both are
generous, since a job that asks for too little is lost. Where that happens all the same, each further attempt asks for
twice as much.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from math import ceil
from pathlib import Path

from warpath import code
from warpath.errors import UsageError
from warpath.facts import Code
from warpath.names import suggestion
from warpath.solvers import registry
from warpath.solvers.limits import AnswerSize
from warpath.solvers.parameters import Parameter
from warpath.solvers.registry import Configured, Variant, configured

from ..peers import PEERS, find_peer, peer_names
from ..peers.contract import Peer, PeerPlan
from ..problems import PROBLEMS
from ..published import packages
from . import sampling

IN_PARTS = ("all_pairs", "reductions")
"""Algorithm and name of all pairs in parts."""

# Reading the graph, preparing it, compiling kernels, certifying a part and the whole answer.
_MINUTES_BESIDE_SAMPLES = 10
# A last sample may begin shortly before the budget ends.
_BUDGETS = 2
# Distances that a part of all pairs keeps in a store in a minute, with room: an H200 did 13 billion.
_DISTANCES_A_MINUTE = 4_000_000_000
# Python with its packages, the CUDA libraries, the compiler.
_MB_WITHOUT_GRAPH = 4096
# A graph's arrays in several forms, and what a partition keeps beside them.
_BYTES_A_VERTEX_OR_ARC = 256
# The answer, and for all pairs what is certified of it at a time.
_ANSWERS = 1.25

_PARAMETERS_OF_PARTS = {
    "first": Parameter("how many vertices are sources, the first; 0 for all", default=0, low=0),
    "nearest": Parameter("nearest vertices that are kept of each source", default=0, low=0, high=1024),
    "store": Parameter("1 to keep all rows in a store, 0 for their reductions alone", default=0, low=0, high=1),
}


@dataclass(frozen=True)
class AllPairsInParts:
    """All pairs in parts: ``warpath reduce`` makes the parts, in as many processes as there are.

    ``warpath gather`` puts them together, and ``warpath record-parts`` makes the record of the run.
    """

    problem: str = "reductions"
    origin: str = "warpath"
    summary: str = "all pairs solved, certified and reduced row by row, in parts"
    on_cpu: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: _PARAMETERS_OF_PARTS, hash=False)
    algorithm: str = IN_PARTS[0]
    name: str = IN_PARTS[1]

    def configured(self, given: Mapping[str, int] | None = None) -> Configured:
        """With the values ``given``, and defaults for its other parameters; errors as of ``Variant.configured``."""
        return configured(self, given)


@dataclass(frozen=True)
class PeerVariant(Variant):
    """A peer's solver as a variant: ``peer_sssp.scipy`` and ``peer_apsp.scipy`` are the runs of one peer."""

    peer: Peer = None  # type: ignore[assignment]  # fields before it have defaults


@cache
def find(algorithm: str, name: str) -> Variant | AllPairsInParts:
    """What the run ``algorithm.name`` measures. Raises UsageError with the nearest names where there is none."""
    if algorithm in PEERS:
        return _of_peer(algorithm, name)
    if algorithm == IN_PARTS[0]:
        if name != IN_PARTS[1]:
            raise UsageError(f"all_pairs has no variant {name!r}; there is {IN_PARTS[1]}")
        return AllPairsInParts()
    for package in packages():  # the study's own first: it may tune what the library leaves alone
        if registry.has(package, algorithm, name):
            return registry.find_in(package, algorithm, name)
    known = registry.families()
    if algorithm not in known:
        raise UsageError(f"unknown algorithm {algorithm!r}; {suggestion(algorithm, [*known, *PEERS, IN_PARTS[0]])}")
    return registry.find(algorithm, name)


def peer_of(variant: Variant | AllPairsInParts) -> Peer | None:
    """The peer whose solver ``variant`` is; None for one of ours."""
    return variant.peer if isinstance(variant, PeerVariant) else None


def code_of(variant: Variant | AllPairsInParts, device_kind: str) -> Code:
    """The code of a run on a device of kind "cuda" or "host"; a serial variant uses neither."""
    if isinstance(variant, AllPairsInParts):
        return code.identity_of_reductions(device_kind)
    if variant.on_cpu:
        adapter = {"cpu": sampling.CPU_REVISION}
    else:
        adapter = {device_kind: code.ADAPTERS[device_kind].REVISION}
    files = None
    if peer := peer_of(variant):
        files = [Path(inspect.getfile(part)) for part in (PeerPlan, inspect.getmodule(peer.prepare)) if part]
    return code.identity(variant, {"sampling": sampling.REVISION, **adapter}, files)


def answer_size(configured: Configured) -> AnswerSize:
    """What an answer takes of this machine's memory."""
    if peer_of(configured.variant):
        return AnswerSize("a peer's distances, and those that are certified, take up to", 8 + 4)
    return PROBLEMS[configured.variant.problem].answer_size(configured)


def _of_peer(algorithm: str, name: str) -> Variant:
    peer, problem = find_peer(name), PEERS[algorithm]
    if problem == "apsp" and peer.all_pairs == "no":
        able = [other for other in peer_names() if find_peer(other).all_pairs != "no"]
        raise UsageError(f"{peer.title} has no call for all pairs; {', '.join(able)} have")
    return PeerVariant(
        problem=problem,
        origin="peer",
        summary=f"{peer.title}, {peer.summary}",
        plan=partial(PeerPlan, peer=peer),
        on_cpu=peer.on_cpu,
        kernels=peer.sources,
        revision=peer.revision,
        negative_arcs=False,
        peer=peer,
        algorithm=algorithm,
        name=name,
    )


def minutes(budget_s: float, attempt: int = 1) -> int:
    """Minutes that a run with this budget may take, whatever its graph."""
    return (_MINUTES_BESIDE_SAMPLES + ceil(_BUDGETS * budget_s / 60)) * 2 ** (attempt - 1)


def minutes_of_rows(sources: int, vertices: int, attempt: int = 1) -> int:
    """Minutes that all pairs from so many sources may take, also with a store."""
    return (_MINUTES_BESIDE_SAMPLES + ceil(sources * vertices / _DISTANCES_A_MINUTE)) * 2 ** (attempt - 1)


def megabytes(answer: AnswerSize, rows: int, vertices: int, arcs: int, attempt: int = 1) -> int:
    """Megabytes of main memory that a run may use whose answer has so many ``rows``.

    ``vertices`` are its columns, and cells in a grid.
    """
    graph_bytes = _BYTES_A_VERTEX_OR_ARC * (vertices + arcs)
    all_bytes = graph_bytes + _ANSWERS * answer.bytes_per_pair * rows * vertices
    return (_MB_WITHOUT_GRAPH + ceil(all_bytes / 2**20)) * 2 ** (attempt - 1)
