"""The certificate, and types of values in files, with their ranges."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1)]

Scope = Literal["full", "subgraph"]


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
