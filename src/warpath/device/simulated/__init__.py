"""A GPU simulated on the CPU, which runs the text of the same kernels."""
