"""The ports of ``floyd_warshall_tutorial``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("floyd_warshall.branchless", "apsp",
          "warpath_study.published.floyd_warshall_tutorial.floyd_warshall.branchless",
          "every pair is written in every step, without a branch, by a grid of any size"),
)
# fmt: on
