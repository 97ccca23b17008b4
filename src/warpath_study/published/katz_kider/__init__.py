"""The ports of ``katz_kider``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("blocked_all_pairs.blocked", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.blocked",
          "three passes over 32 x 32 blocks in shared memory, on grids without idle blocks"),
    Entry("blocked_all_pairs.cpu", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.cpu",
          "serial, the triple loop without blocks"),
    Entry("blocked_all_pairs.cpu_blocked", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.cpu_blocked",
          "serial, three passes over blocks that fit into the cache"),
    Entry("blocked_all_pairs.cpu_tuned", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.cpu_tuned",
          "three passes over blocks, on every core and in vector instructions"),
    Entry("blocked_all_pairs.paged", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.paged",
          "pages in host memory, dealt out to one or several GPUs, which relax them as blocked does"),
    Entry("blocked_all_pairs.standard", "apsp", "warpath_study.published.katz_kider.blocked_all_pairs.standard",
          "without blocks: a thread a pair, a launch a vertex"),
    Entry("transitive_closure.blocked", "closure", "warpath_study.published.katz_kider.transitive_closure.blocked",
          "three passes over 32 x 32 blocks in shared memory, on grids without idle blocks"),
    Entry("transitive_closure.cpu", "closure", "warpath_study.published.katz_kider.transitive_closure.cpu",
          "serial, whole rows at a time"),
    Entry("transitive_closure.naive", "closure", "warpath_study.published.katz_kider.transitive_closure.naive",
          "a thread a pair, a launch a vertex"),
)
# fmt: on
