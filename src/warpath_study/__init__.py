"""The study: measures solvers, published ports and other libraries on one machine, and prints tables and figures."""
