"""Constants of the costs, in microseconds of an H200; written by ``benchmarks/fit_costs.py``.

By the name of a solver: those of preparation, and those of a call.
"""

# fmt: off
CONSTANTS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "contraction_hierarchy.sweep": (
        {"graph": 147.0, "arc": 1.38, "cubed width": 8.78e-05},
        {"call": 417.0, "vertex": 0.000703, "squared width": 0.000897, "cell": 2.26e-05, "float cell": 0.000331,
         "float level arc": 8.04e-05, "table": 182.0, "table width": 0.305, "table cell": 0.000735},
    ),
    "floyd_warshall.lookahead": (
        {"graph": 65.9, "cell": 8.57e-06},
        {"vertex": 1.09, "step": 2.62e-08},
    ),
    "floyd_warshall.narrow": (
        {"graph": 67.1},
        {"vertex": 1.18, "step": 3.18e-10},
    ),
    "label_correcting.batch": (
        {"graph": 1410.0, "vertex": 0.0279},
        {"call": 695.0, "level": 21.7, "level width": 3.47, "level arc": 1.46e-05, "group level": 0.0105,
         "group arc": 0.000156, "group level arc": 3.4e-05, "tree cell": 0.000176},
    ),
    "label_correcting.cluster": (
        {"graph": 1020.0, "vertex": 0.0502, "arc": 0.0187},
        {"source": 76.2, "level": 0.0402, "level arc": 5.09e-06, "level degree": 0.165},
    ),
    "near_far.whole_grid": (
        {"graph": 1450.0, "vertex": 0.00329, "arc": 0.001},
        {"source": 97.8, "level": 2.67, "level degree": 0.0594, "level vertex": 1.42e-05, "vertex": 0.000633,
         "skewed arc": 6.86e-06},
    ),
    "near_far.queue": (
        {"graph": 361.0, "arc": 6.19e-05},
        {"source": 97.1, "level": 0.61, "level width": 0.127, "level degree": 0.0785, "vertex": 8.64e-05,
         "arc": 2.92e-05, "skewed arc": 0.000175},
    ),
    "partition.borders": (
        {"graph": 11200.0, "vertex": 0.00729, "arc": 0.00266},
        {"source": 120.0, "crossing": 0.961, "vertex": 0.000186, "arc": 4.14e-05, "floats": 119.0,
         "float vertex": 0.000801, "float level vertex": 3.09e-07},
    ),
    "sparse_all_pairs.narrow": (
        {"graph": 423.0, "arc": 0.585},
        {"call": 265.0, "level": 1.21, "arc": 0.00118, "round level arc": 0.000194, "cell": 1.42e-05,
         "tree cell": 0.000457},
    ),
    "dijkstra.heap": (
        {"graph": 348.0, "vertex": 0.00125},
        {"source": 64.0, "arc": 0.00408, "heap": 0.015, "memory": 0.000886},
    ),
    "dijkstra.small": (
        {},
        {"source": 20.0, "step": 0.4},
    ),
}
