"""The shortest path over a matrix product, from its smallest entry to its second smallest, from cell to cell."""
