"""Label correcting, four_arcs: locality that reads four arcs of a vertex before it waits for any."""

from dataclasses import replace
from pathlib import Path

from .locality import VARIANT as LOCALITY
from .locality import LocalityPlan

KERNEL = Path(__file__).with_suffix(".cu")


class FourArcsPlan(LocalityPlan):
    """The launches of locality, of another kernel."""

    kernel_file = KERNEL


VARIANT = replace(
    LOCALITY,
    origin="warpath",
    summary="locality that reads four arcs of a vertex at once",
    plan=FourArcsPlan,
    kernels=(KERNEL, *LOCALITY.kernels[1:]),
)
