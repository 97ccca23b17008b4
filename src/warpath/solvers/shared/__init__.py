"""What kernels of several solvers share: lengths, grids, and headers."""
