"""Bellman-Ford from one source over CSR: n - 1 rounds of relaxing every arc."""
