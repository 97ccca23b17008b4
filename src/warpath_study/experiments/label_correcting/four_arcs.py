"""The library's four_arcs, tuned like locality for measurements."""

from dataclasses import replace

from warpath.solvers.one_source.four_arcs import VARIANT as UNTUNED

from ...published.safari_ebnenasir.label_correcting.locality import KERNEL_THAT_TUNES, tune
from ...published.shared import predecessors

VARIANT = replace(UNTUNED, tune=tune, kernels=(*UNTUNED.kernels, predecessors.KERNEL, KERNEL_THAT_TUNES))
