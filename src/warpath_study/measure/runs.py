"""Everything that can be measured, by the names of runs: variants, peers, and all pairs in parts."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.errors import UsageError
from warpath.solvers import registry
from warpath.solvers.checks.preconditions import AnswerSize
from warpath.solvers.variant import Configured, Variant
from warpath.system.names import suggestion

from .. import peers
from ..parts.run import IN_PARTS, AllPairsInParts
from ..peers import PEERS, find_peer, peer_names
from ..peers.contract import Peer, PeerPlan
from ..problems import PROBLEMS
from ..provenance.facts import Code
from ..published.shared.plan import PlanVariant
from ..registry import VARIANTS

if TYPE_CHECKING:
    from ..provenance.code import Sources
    from ..record import Record

Run = Variant | AllPairsInParts
"""What has a name, parameters, code and records."""


@dataclass(frozen=True)
class PeerVariant(PlanVariant):
    """A peer's solver as a variant: ``peer_sssp.scipy`` and ``peer_apsp.scipy`` are the runs of one peer."""

    peer: Peer = field(default=None, kw_only=True)  # type: ignore[assignment]


@cache
def find(algorithm: str, name: str) -> Run:
    """The run ``algorithm.name``. Raises UsageError, with the nearest names, if there is none."""
    if algorithm in PEERS:
        return _of_peer(algorithm, name)
    if algorithm == IN_PARTS.algorithm:
        if name != IN_PARTS.name:
            raise UsageError(f"all_pairs has no variant {name!r}; there is {IN_PARTS.name}")
        return IN_PARTS
    if variant := registry.find_in(VARIANTS, algorithm, name):  # first: the study may tune a variant of the library
        return variant
    known = registry.families()
    if algorithm not in known:
        raise UsageError(
            f"unknown algorithm {algorithm!r}; {suggestion(algorithm, [*known, *PEERS, IN_PARTS.algorithm])}"
        )
    return registry.find(algorithm, name)


def peer_of(run: Run) -> Peer | None:
    """The peer of a run; None for one of warpath."""
    return run.peer if isinstance(run, PeerVariant) else None


def code_of(run: Run, device_kind: str, trees: bool = True, solvers: Collection[str] = ()) -> Code:
    """The identity of ``sources_of`` with the same arguments."""
    return sources_of(run, device_kind, trees, solvers).code


def changed_code(record: "Record") -> list[str] | None:
    """The parts of a record's code that differ today, as ``differing`` names them; None if the variant is gone."""
    from ..provenance.code import differing

    try:
        solvers = tuple(record.solved_by.solvers) if record.solved_by else ()
        current, usual = (
            _code_today(record.algorithm, record.variant, record.device["kind"], trees, solvers)
            for trees in (True, False)
        )
    except UsageError:
        return None
    only_for_trees = current.kernels.keys() - usual.kernels.keys()
    return differing(record.code, usual if record.code.kernels.keys().isdisjoint(only_for_trees) else current)


@cache
def _code_today(algorithm: str, variant: str, device_kind: str, trees: bool, solvers: tuple[str, ...]) -> Code:
    return code_of(find(algorithm, variant), device_kind, trees, solvers)


def sources_of(run: Run, device_kind: str, trees: bool = True, solvers: Collection[str] = ()) -> "Sources":
    """What the code of a run consists of on a device of kind "cuda" or "simulated"; variants of the CPU use neither.

    ``trees``: with what only graphs with ``trees_needed`` use. ``solvers``: of warpath's public functions, those that
    found the answers; if there are none, the code of all that the library chooses from counts.
    """
    from warpath import certificates  # imported here, because these take long and `warpath list` needs none
    from warpath.library import alone
    from warpath.solvers.choice import depth

    from ..provenance import code, reach
    from . import sampling

    if isinstance(run, AllPairsInParts):
        return code.sources_of_statistics(device_kind)
    kind = "cpu" if run.on_cpu else device_kind
    adapter = {kind: code.ADAPTERS[kind].REVISION}
    begins = None
    if peer := peer_of(run):
        begins = [reach.name_of(PeerPlan), peers.place_of(peer.name)]
        if peer.is_warpath:
            one_source = run.problem == "sssp"
            kernels = [*Path(certificates.__file__).parent.glob("*.cu"), *([depth.KERNEL] if one_source else [])]
            revisions = {"variant": run.revision, "sampling": sampling.REVISION}
            ran = [name for name in solvers if name != alone.NAME] if solvers else None
            return code.sources_of_library(run.problem, kind, revisions, kernels, begins, one_source, trees, ran)
    return code.sources(run, {"sampling": sampling.REVISION, **adapter}, begins, trees)


def answer_size(configured: Configured) -> AnswerSize:
    """The main memory that an answer takes."""
    if peer_of(configured.variant):
        return AnswerSize("a peer's distances, and those that are certified, take up to", 8 + 4)
    return PROBLEMS[configured.variant.problem].answer_size(configured)


def _of_peer(algorithm: str, name: str) -> Variant:
    peer, problem = find_peer(name), PEERS[algorithm]
    if problem == "apsp" and peer.all_pairs == "no":
        others = [other for other in peer_names() if find_peer(other).all_pairs != "no"]
        raise UsageError(f"{peer.title} has no function for all pairs; {', '.join(others)} have one")
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
