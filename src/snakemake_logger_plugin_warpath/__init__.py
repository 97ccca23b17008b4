"""Prints one line for each step of Snakemake: ``snakemake --logger warpath``, the logger that the profiles use.

    61 steps to do: run 44, generate 9, figure 4, table 3, all 1
    [ 2/61] run bellman_ford.naive on demo-nyc: 1.31 ms (25 samples, spread 0.4 %), certified   [2.6 s]

Snakemake finds this package by its name. Its own log under .snakemake/log has everything; --verbose prints it here too.
"""

from .handler import Handler as LogHandler

__all__ = ["LogHandler"]
