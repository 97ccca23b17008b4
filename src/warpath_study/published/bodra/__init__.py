"""The ports of ``bodra``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("bellman_ford.stride_flag", "sssp", "warpath_study.published.bodra.bellman_ford.stride_flag",
          "stride that relaxes only vertices whose distance fell in the round before"),
    Entry("bellman_ford.cpu", "sssp", "warpath_study.published.bodra.bellman_ford.cpu",
          "serial, n - 1 passes over all arcs"),
    Entry("bellman_ford.naive", "sssp", "warpath_study.published.bodra.bellman_ford.naive",
          "one thread a vertex, n - 1 rounds of relax and copy"),
    Entry("bellman_ford.stride", "sssp", "warpath_study.published.bodra.bellman_ford.stride",
          "naive with a grid-stride loop over half the blocks"),
    Entry("dijkstra.naive", "apsp", "warpath_study.published.bodra.dijkstra.naive",
          "one thread a source, the next vertex by a linear scan"),
    Entry("dijkstra.cpu", "apsp", "warpath_study.published.bodra.dijkstra.cpu",
          "serial, a binary heap a source over dense rows"),
    Entry("floyd_warshall.cpu", "apsp", "warpath_study.published.bodra.floyd_warshall.cpu",
          "serial, the triple loop"),
    Entry("floyd_warshall.naive", "apsp", "warpath_study.published.bodra.floyd_warshall.naive",
          "a thread a row"),
    Entry("floyd_warshall.super_naive", "apsp", "warpath_study.published.bodra.floyd_warshall.super_naive",
          "a thread a pair, 32 x 32 blocks"),
    Entry("floyd_warshall.super_naive_shared", "apsp",
          "warpath_study.published.bodra.floyd_warshall.super_naive_shared",
          "super_naive with d[i][k] in shared memory, 1024 x 1 blocks"),
    Entry("floyd_warshall.tiled", "apsp", "warpath_study.published.bodra.floyd_warshall.tiled",
          "32 x 32 tiles in three phases, in global memory"),
    Entry("floyd_warshall.tiled_shared", "apsp", "warpath_study.published.bodra.floyd_warshall.tiled_shared",
          "the three phases on tiles held in shared memory"),
)
# fmt: on
