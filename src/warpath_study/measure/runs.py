"""What can be measured, by the names of its runs: variants, peers, and all pairs in parts.

A variant is a solver of warpath or a published port.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from warpath import code
from warpath.errors import UsageError
from warpath.facts import Code
from warpath.names import suggestion
from warpath.solvers import registry
from warpath.solvers.preconditions import AnswerSize
from warpath.solvers.registry import Configured, Parameter, Variant, configured

from ..peers import PEERS, find_peer, peer_names
from ..peers.contract import Peer, PeerPlan
from ..problems import PROBLEMS
from ..published import packages
from . import sampling

IN_PARTS = ("all_pairs", "reductions")
"""Algorithm and name of all pairs in parts."""

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
        if variant := registry.find_in(package, algorithm, name):
            return variant
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
