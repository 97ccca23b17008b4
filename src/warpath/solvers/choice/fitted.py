"""Constants of the costs, in microseconds of an H200; written by ``benchmarks/fit_costs.py``.

By the name of a solver: those of preparation, and those of a call.
"""

# fmt: off
CONSTANTS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "contraction_hierarchy.sweep": (
        {"graph": 6810.0, "vertex": 0.0, "cut arc": 0.129, "cubed width": 0.000223},
        {"source": 109.0, "source ancestor": 0.0, "source ancestor arc": 0.000307, "source vertex": 0.00044,
         "tree": 76.7, "tree arc": 1.95e-05, "call": 290.0, "vertex": 0.00103, "squared width": 0.00189,
         "cell": 1.09e-05, "float cell": 0.00033, "float level arc": 2.5e-05, "table": 110.0, "table width": 0.698,
         "table cell": 0.000239},
    ),
    "floyd_warshall.lookahead": (
        {"graph": 167.0, "cell": 4.08e-06},
        {"vertex": 0.875, "step": 5.57e-08},
    ),
    "floyd_warshall.narrow": (
        {"graph": 166.0, "cell": 4.33e-06},
        {"vertex": 0.785, "step": 3.6e-08},
    ),
    "label_correcting.batch": (
        {"graph": 1350.0, "vertex": 0.00968},
        {"call": 627.0, "level": 20.6, "level width": 4.72, "level arc": 6.35e-06, "group level": 0.0,
         "group arc": 0.000182, "group level arc": 3.02e-05, "tree cell": 1.08e-05, "skewed tree cell": 0.00105},
    ),
    "label_correcting.cluster": (
        {"graph": 883.0, "vertex": 0.0586, "arc": 0.0217},
        {"source": 75.3, "level": 0.0, "level arc": 4.26e-06, "level degree": 0.171, "tree": 17.7, "tree arc": 2.55e-05,
         "float tree arc": 0.00209},
    ),
    "near_far.whole_grid": (
        {"graph": 1430.0, "vertex": 0.00318, "arc": 0.00106},
        {"source": 97.9, "level": 3.6, "level degree": 0.0454, "level vertex": 1.41e-05, "vertex": 0.0003,
         "arc": 2.77e-06, "skewed arc": 1.43e-05, "tree": 30.3, "tree arc": 6.73e-06, "float tree arc": 5.68e-05},
    ),
    "near_far.queue": (
        {"graph": 353.0, "arc": 5.13e-05},
        {"source": 100.0, "level": 0.556, "level width": 0.113, "level degree": 0.12, "vertex": 0.000293,
         "arc": 1.19e-05, "skewed arc": 0.000121, "tree": 39.0, "tree arc": 1.38e-06, "float tree arc": 3.6e-05},
    ),
    "partition.borders": (
        {"graph": 10800.0, "vertex": 0.00341, "arc": 0.00403, "skewed arc": 0.0786},
        {"source": 111.0, "crossing": 0.912, "crossing border": 0.00613, "vertex": 0.000132, "arc": 5.08e-05,
         "floats": 171.0, "float vertex": 0.000165, "float level vertex": 1.05e-06, "tree": 27.5, "tree arc": 6.06e-06,
         "float tree arc": 8.88e-05},
    ),
    "sparse_all_pairs.narrow": (
        {"graph": 49.4, "arc": 0.611},
        {"call": 245.0, "level": 1.32, "arc": 0.00141, "round level arc": 0.000167, "source level arc": 3.13e-07,
         "cell": 3.19e-06, "tree cell": 0.000607},
    ),
    "dijkstra.heap": (
        {"graph": 347.0, "vertex": 0.000976},
        {"source": 63.1, "arc": 0.00365, "heap": 0.0148, "memory": 0.00262},
    ),
    "dijkstra.small": (
        {},
        {"source": 20.0, "step": 0.4},
    ),
}
