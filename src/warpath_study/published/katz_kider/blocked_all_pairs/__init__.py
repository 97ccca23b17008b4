"""All pairs in blocks, in the cells that ``warpath.solvers.blocked_all_pairs`` describes."""
