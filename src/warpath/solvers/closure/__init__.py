"""Transitive closure over dense matrices: which vertices can be reached from which, themselves included.

Warshall's algorithm: vertices 0, 1, ... join the allowed intermediate ones in turn. Weights play no part.
"""
