"""Transitive closure over dense matrices, in blocks and without."""
