"""The kinds of problems: what measuring, certifying and recording need to know of each. One module a kind.

A record is read with this package alone, so what solves or certifies is imported where it is called.
"""

from .all_pairs_in_parts import AllPairsInParts
from .closure import Closure
from .matrix_product import MatrixProduct
from .paths import AllPairs, OneSource
from .problem import Problem

PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (OneSource(), AllPairs(), Closure(), MatrixProduct(), AllPairsInParts())
}
