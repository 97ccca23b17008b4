"""Constants of the costs, in microseconds of an H200; written by ``benchmarks/fit_costs.py``.

By the name of a solver: those of preparation, and those of a call.
"""

# fmt: off
CONSTANTS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "contraction_hierarchy.sweep": (
        {"graph": 6410.0, "vertex": 0.0, "arc": 0.488, "cubed width": 0.00114},
        {"call": 297.0, "vertex": 0.00064, "squared width": 0.00179, "cell": 1.03e-05, "float cell": 0.000318,
         "float level arc": 3.15e-05, "table": 107.0, "table width": 0.626, "table cell": 0.000205},
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
        {"call": 624.0, "level": 21.7, "level width": 4.62, "level arc": 5.33e-06, "group level": 0.0,
         "group arc": 0.000181, "group level arc": 3.09e-05, "tree cell": 1.33e-05, "skewed tree cell": 0.00105},
    ),
    "label_correcting.cluster": (
        {"graph": 883.0, "vertex": 0.0586, "arc": 0.0217},
        {"source": 74.9, "level": 0.0, "level arc": 4.4e-06, "level degree": 0.174, "tree": 18.0, "tree arc": 1.23e-05,
         "float tree arc": 0.0021},
    ),
    "near_far.whole_grid": (
        {"graph": 1430.0, "vertex": 0.00318, "arc": 0.00106},
        {"source": 96.6, "level": 3.76, "level degree": 0.041, "level vertex": 1.43e-05, "vertex": 0.000278,
         "arc": 4.28e-06, "skewed arc": 1.44e-05, "tree": 30.1, "tree arc": 6.68e-06, "float tree arc": 5.7e-05},
    ),
    "near_far.queue": (
        {"graph": 353.0, "arc": 5.13e-05},
        {"source": 99.0, "level": 0.591, "level width": 0.131, "level degree": 0.106, "vertex": 0.000262,
         "arc": 1.37e-05, "skewed arc": 0.000122, "tree": 38.8, "tree arc": 7.51e-07, "float tree arc": 3.71e-05},
    ),
    "partition.borders": (
        {"graph": 10800.0, "vertex": 0.00341, "arc": 0.00403, "skewed arc": 0.0786},
        {"source": 111.0, "crossing": 1.1, "vertex": 0.000155, "arc": 4.78e-05, "floats": 169.0,
         "float vertex": 0.00011, "float level vertex": 1.26e-06, "tree": 27.4, "tree arc": 6.29e-06,
         "float tree arc": 8.57e-05},
    ),
    "sparse_all_pairs.narrow": (
        {"graph": 49.4, "arc": 0.611},
        {"call": 244.0, "level": 1.39, "arc": 0.0014, "round level arc": 0.000169, "source level arc": 3.06e-07,
         "cell": 3.44e-06, "tree cell": 0.000598},
    ),
    "dijkstra.heap": (
        {"graph": 347.0, "vertex": 0.000976},
        {"source": 63.4, "arc": 0.00367, "heap": 0.0147, "memory": 0.00254},
    ),
    "dijkstra.small": (
        {},
        {"source": 20.0, "step": 0.4},
    ),
}
