"""Transitive closure: which vertices can be reached from which."""

from .paths import AllPairs


class Closure(AllPairs):
    """The closure of a graph. Its certificate counts the arcs that its searches visit."""

    name = "closure"
    certifies_all_arcs = False
