"""The shortest path over a matrix product: from its smallest entry to its second smallest, stepping from cell to cell.

Source: K. P. Telang, "Single Source Shortest Path using CUDA". It is no problem on a CSR graph with integer weights,
and so has its own solver, certificate and record beside those of the other works.
"""
