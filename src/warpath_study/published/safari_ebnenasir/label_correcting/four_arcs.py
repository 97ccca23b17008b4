"""The library's four_arcs, measured beside locality: tuned as locality is."""

from dataclasses import replace

from warpath.solvers.label_correcting.four_arcs import VARIANT as UNTUNED

from .locality import KERNEL_THAT_TUNES, tune

VARIANT = replace(UNTUNED, tune=tune, kernels=(*UNTUNED.kernels, KERNEL_THAT_TUNES))
