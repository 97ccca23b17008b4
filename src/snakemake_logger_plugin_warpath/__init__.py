"""Prints one line per step of Snakemake: ``snakemake --logger warpath``, the logger that the profiles use.

    61 steps to do: 44 runs, 9 graphs, 3 tables, 4 figures and 1 other
    [ 1/61] generate demo-nyc: 1,024 vertices, 3,968 arcs, weights 1..999   [1.2 s]
    [ 2/61] run bellman_ford naive on demo-nyc: 1.31 ms (25 samples, spread 0.4 %), certified   [2.6 s]

Snakemake finds this package by its name and passes it every event. Snakemake's own log file under .snakemake/log has
everything; --verbose prints it here too.
"""

from .handler import Handler as LogHandler

__all__ = ["LogHandler"]
