"""The variants of the study: the list of each work, and of the experiments."""

from . import experiments
from .published import bodra, floyd_warshall_tutorial, katz_kider, safari_ebnenasir, telang_grid

VARIANTS = (
    *bodra.VARIANTS,
    *experiments.VARIANTS,  # before katz_kider: blocked_all_pairs without a name is register_blocked
    *floyd_warshall_tutorial.VARIANTS,
    *katz_kider.VARIANTS,
    *safari_ebnenasir.VARIANTS,
    *telang_grid.VARIANTS,
)
