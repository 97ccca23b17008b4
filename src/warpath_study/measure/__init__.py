"""Timing a run and keeping what is needed to trust it: procedure, samples, lock, environment, record."""
