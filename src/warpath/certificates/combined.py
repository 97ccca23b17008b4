"""One certificate for several answers on the same graph."""

from collections.abc import Sequence

import msgspec

from .certificate import Certificate


def combined(certificates: Sequence[Certificate]) -> Certificate:
    """The certificate of all answers that ``certificates`` state, one at least: counts add up."""
    if len(certificates) == 1:
        return certificates[0]
    return msgspec.structs.replace(
        certificates[0],
        sources=sum(certificate.sources for certificate in certificates),
        arcs_checked=sum(certificate.arcs_checked for certificate in certificates),
        reached=sum(certificate.reached for certificate in certificates),
    )
