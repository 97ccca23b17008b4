"""What the solvers of dense matrices cost: n times n times n steps."""

from ..costs import Constants, Facts, Microseconds, Wanted

_HEAVY_ARCS = 8  # so many of the heaviest arcs should fit a distance of 16 bits


def lookahead(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    if not wanted.all_pairs or (facts.is_negative and (facts.has_floats or not facts.sums_fit)):
        return None
    return _of_matrix(facts.vertices, prepare, call)


def narrow(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    if not wanted.all_pairs or facts.is_negative or facts.has_floats or _HEAVY_ARCS * facts.weight_max >= 2**15:
        return None
    return _of_matrix(facts.vertices, prepare, call)


def _of_matrix(vertices: int, prepare: Constants, call: Constants) -> Microseconds:
    return Microseconds(
        prepare["graph"] + prepare["cell"] * vertices**2,
        call["vertex"] * vertices + call["step"] * vertices**3,
    )
