"""Table and pictures of K. P. Telang, "Single Source Shortest Path using CUDA"."""
