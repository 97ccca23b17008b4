"""What G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the GPU" (2008), print."""
