"""Solvers that run on the CPU."""

from functools import partial

from ..variant import Variant

CpuVariant = partial(Variant, on_cpu=True, floats=True, same_cost=False, optional_predecessors=True, many_sources=True)
"""A variant that solves from one source or many with integers or floats."""
