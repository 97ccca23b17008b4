"""Variants of our own that only the study measures."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("bellman_ford.ell", "sssp", "warpath_study.experiments.bellman_ford.ell",
          "stride over rows padded to equal length, stored slot by slot"),
    Entry("blocked_all_pairs.register_blocked", "apsp", "warpath_study.experiments.blocked_all_pairs.register_blocked",
          "three passes with output tiles in registers"),
    Entry("blocked_all_pairs.out_of_core", "apsp", "warpath_study.experiments.blocked_all_pairs.out_of_core",
          "pages of a matrix in host memory, copied there and back while others are computed on"),
    Entry("blocked_all_pairs.several_devices", "apsp", "warpath_study.experiments.blocked_all_pairs.several_devices",
          "pages shared among the GPUs of a machine, which fetch lengths from each other"),
    Entry("floyd_warshall.staged", "apsp", "warpath_study.experiments.floyd_warshall.staged",
          "output tiles in registers, slices of the primary row and column in shared memory"),
    Entry("label_correcting.four_arcs", "sssp", "warpath_study.experiments.label_correcting.four_arcs",
          "locality that reads four arcs of a vertex at once"),
)
# fmt: on
