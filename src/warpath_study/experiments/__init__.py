"""Kernels of our own that only the study measures: what published works propose and do not measure, and other trials."""
