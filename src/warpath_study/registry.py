"""The variants of the study: the list of each work, and of the experiments."""

from . import experiments
from .published import bodra, floyd_warshall_tutorial, katz_kider, safari_ebnenasir, telang_grid

VARIANTS = (
    *bodra.VARIANTS,
    *floyd_warshall_tutorial.VARIANTS,
    *katz_kider.VARIANTS,
    *safari_ebnenasir.VARIANTS,
    *telang_grid.VARIANTS,
    *experiments.VARIANTS,
)
