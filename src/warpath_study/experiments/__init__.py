"""Kernels of our own that only the study measures: what works propose and do not measure, and trials."""
