"""What several ports share: plans, kernels and headers. Like the ports, it stays as it is."""
