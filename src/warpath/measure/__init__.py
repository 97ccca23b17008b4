"""Timing a run and keeping what is needed to believe it: samples, environment, lock, record."""
