"""What NetworkX reads about the backend when it is imported. This module imports nothing, so it loads fast."""

# Of distances between all pairs, without the distances themselves.
OF_ALL_PAIRS = ("average_shortest_path_length", "closeness_centrality", "diameter", "eccentricity", "radius")
FUNCTIONS = (
    *OF_ALL_PAIRS,
    *("all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length", "all_pairs_dijkstra"),
    *("all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length", "all_pairs_shortest_path"),
    *("all_pairs_shortest_path_length", "bellman_ford_path", "bellman_ford_path_length"),
    *("bellman_ford_predecessor_and_distance", "bidirectional_dijkstra", "bidirectional_shortest_path"),
    *("dijkstra_path", "dijkstra_path_length", "dijkstra_predecessor_and_distance", "floyd_warshall"),
    *("floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance", "goldberg_radzik", "has_path", "johnson"),
    *("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length", "shortest_path"),
    *("shortest_path_length", "single_source_bellman_ford", "single_source_bellman_ford_path"),
    *("single_source_bellman_ford_path_length", "single_source_dijkstra", "single_source_dijkstra_path"),
    *("single_source_dijkstra_path_length", "single_source_shortest_path", "single_source_shortest_path_length"),
    *("single_target_shortest_path", "single_target_shortest_path_length"),
)

_DOCS = (
    "Runs on a GPU, or without one on the CPU, and certifies the result. Declines weight functions, infinite "
    "weights, and integers whose sums may exceed 2**53. "
    "Lengths are int or float, also for weights of NumPy types."
)
_PARAMETERS = {
    "device : str (default: `nx.config.backends.warpath.device`)": (
        '"auto", "cuda", "cuda:INDEX", "cpu", "simulated".'
    ),
    "certify : bool (default: True)": "Certify the result before returning it.",
}


def get_info() -> dict:
    """The name, functions and configuration of the backend, in the form that NetworkX expects."""
    return {
        "backend_name": "warpath",
        "project": "warpath",
        "package": "warpath",
        "short_summary": "Certified shortest paths on GPUs.",
        "default_config": {"device": "auto"},
        "functions": {name: {"additional_docs": _DOCS, "additional_parameters": _PARAMETERS} for name in FUNCTIONS},
    }
