"""Types of files' contents: a graph, a certificate, and the code of a run, with the ranges of their values."""

import hashlib
import json
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")]

Scope = Literal["full", "subgraph"]


class GraphFacts(Struct, forbid_unknown_fields=True):
    """The graph of a run. For a matrix product, ``vertices`` are cells, and ``arcs`` are steps between them."""

    vertices: Positive
    arcs: Count
    sha256: Annotated[Sha256, Meta(description="Of the arrays: indptr, indices and weights, or both matrices.")]
    about: Annotated[dict[str, Any], Meta(description="Where the graph and its weights come from.")]


class Certificate(Struct, forbid_unknown_fields=True, frozen=True):
    """States that the distances and predecessors from ``sources`` sources are exact.

    Attributes
    ----------
    scope : {"full", "subgraph"}
        Whether the answer is for the whole graph or for a part of it.
    vertices, sources : int
    arcs_checked : int
        Each arc counts once for each source.
    reached : int
        The pairs of a source and a vertex that it reaches, itself included.
    verdict : {"exact", "exact in float32"}
    tolerances : dict of str to float
        Relative tolerances of float32 answers.
    """

    scope: Scope
    vertices: Positive
    sources: Positive
    arcs_checked: Count
    reached: Positive
    verdict: Literal["exact", "exact in float32"] = "exact"
    tolerances: dict[str, float] = {}

    def __repr__(self) -> str:
        of = f"{self.sources:,} source{'' if self.sources == 1 else 's'} and {self.vertices:,} vertices"
        part = " of a subgraph" if self.scope == "subgraph" else ""
        return (
            f"<Certificate: {self.verdict}, {of}{part}, {self.arcs_checked:,} arcs checked, {self.reached:,} reached>"
        )


class Code(Struct, forbid_unknown_fields=True):
    """The identity of code; see ``warpath_study.provenance.code``."""

    kernels: Annotated[dict[str, Sha256], Meta(description="Of each kernel's text, and of each function of Numba's.")]
    launch: Annotated[dict[str, Any], Meta(description="Sizes of blocks and tiles.")]
    revisions: Annotated[dict[str, Positive], Meta(description="Of the variant, the sampling, the device's adapter.")]
    host_loop: Annotated[Sha256, Meta(description="Of what the host loop reaches; no part of the identity.")]

    @property
    def identity(self) -> str:
        """A hash of kernels, launch and revisions, without the names of kernels."""
        counted = [sorted(set(self.kernels.values())), self.launch, self.revisions]
        return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()
