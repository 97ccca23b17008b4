"""The side of the blocks in shared memory, as a parameter of the ports that have such blocks."""

from warpath.solvers.variant import Parameter

TILE = 32  # as large as the threads of a block allow
# 0 stands for the variant's own size, so that a run without the parameter is the same run as before there was one.
PARAMETERS = {"block_side": Parameter(f"rows of a block in shared memory (default: {TILE})", 0, 1, TILE)}
