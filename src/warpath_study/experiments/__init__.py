"""Variants of our own that only the study measures."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("bellman_ford.ell", "sssp", "warpath_study.experiments.bellman_ford.ell",
          "stride over rows padded to equal length, stored slot by slot"),
    Entry("floyd_warshall.staged", "apsp", "warpath_study.experiments.floyd_warshall.staged",
          "output tiles in registers, slices of the primary row and column in shared memory"),
)
# fmt: on
