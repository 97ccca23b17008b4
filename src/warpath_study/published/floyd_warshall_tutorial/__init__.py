"""The ports of ``floyd_warshall_tutorial``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

_FOLDER = "warpath_study.published.floyd_warshall_tutorial.floyd_warshall"

# fmt: off
VARIANTS = (
    Entry("floyd_warshall.branchless", "apsp", f"{_FOLDER}.branchless",
          "every pair is written in every step, without a branch, by a grid of any size"),
    Entry("floyd_warshall.branching", "apsp", f"{_FOLDER}.branching",
          "branchless, but a pair is written only if it improves"),
    Entry("floyd_warshall.cpu_branching", "apsp", f"{_FOLDER}.cpu_branching",
          "serial, distances alone, a branch for each pair"),
    Entry("floyd_warshall.cpu_branchless", "apsp", f"{_FOLDER}.cpu_branchless",
          "cpu_branching without the branch"),
)
# fmt: on
