"""The ports of ``telang_grid``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("matrix_path.frontier", "grid", "warpath_study.published.telang_grid.matrix_path.frontier",
          "a tiled product, two reductions, and a path in rounds of two kernels"),
)
# fmt: on
