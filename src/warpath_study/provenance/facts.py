"""Types of values in records: a graph, and the code of a run."""

import hashlib
import json
from typing import Annotated, Any

from msgspec import Meta, Struct

from warpath.certificates.facts import Count, Positive

Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")]


class GraphFacts(Struct, forbid_unknown_fields=True):
    """The graph of a run. For a matrix product, ``vertices`` are cells, and ``arcs`` are steps between them."""

    vertices: Positive
    arcs: Count
    sha256: Annotated[Sha256, Meta(description="Of the arrays: indptr, indices and weights, or both matrices.")]
    about: Annotated[dict[str, Any], Meta(description="Where the graph and its weights come from.")]


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
