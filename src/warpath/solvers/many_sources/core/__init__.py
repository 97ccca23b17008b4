"""All pairs of a sparse graph: a block for each few sources, their distances side by side in its shared memory."""
