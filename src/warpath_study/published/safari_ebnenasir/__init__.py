"""The ports of ``safari_ebnenasir``, the default variant of each algorithm first."""

from warpath.solvers.variant import Entry

# fmt: off
VARIANTS = (
    Entry("label_correcting.harish", "sssp", "warpath_study.published.safari_ebnenasir.label_correcting.harish",
          "a frontier relaxed and updated by two kernels, until a flag that the host reads stays unset"),
    Entry("label_correcting.locality", "sssp", "warpath_study.published.safari_ebnenasir.label_correcting.locality",
          "distances followed k steps depth first, one launch an iteration, most launches not waited for"),
)
# fmt: on
