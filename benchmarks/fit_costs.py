"""Fits the constants of the solvers' costs to recorded times, and says what the choice by these costs loses.

    python benchmarks/fit_costs.py FOLDER [--write]

FOLDER has the files of ``solver_times.py``. Without ``--write``, the constants in the library's ``fitted.py`` hold;
with it, this file is written anew. Families that are kept aside are not fitted to. Each constant is at least 0. The fit
minimises about the sum of squared logarithms of expected over recorded time: a weighted least-squares fit, again and
again with weights from the last one.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from math import inf
from pathlib import Path
from textwrap import TextWrapper
from typing import NamedTuple

import numpy as np
from recorded_times import ONE_SOURCE, RecordedGraph, losses, read_records
from scipy.optimize import nnls

from warpath.solvers.choice.fitted import CONSTANTS
from warpath.solvers.choice.fitted import __file__ as written_file
from warpath.solvers.costs import Cost, Facts, Wanted
from warpath.solvers.registry import CPU_SOLVERS, SOLVERS
from warpath_study.measure.heading import heading

ROUNDS = 40
WRAPPER, BOUND = TextWrapper(120, initial_indent=8 * " ", subsequent_indent=9 * " "), "\N{NO-BREAK SPACE}"
VERTICES_MIN, CLOSE, TOLD_MAX = 16_000, 1.3, 40
_HEAD = '''"""Constants of the costs, in microseconds of an H200; written by ``benchmarks/fit_costs.py``.

By the name of a solver: those of preparation, and those of a call.
"""

# fmt: off
CONSTANTS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
'''


class Row(NamedTuple):
    """The terms of what took ``us``, of which ``known_us`` are not to be explained by them."""

    terms: Mapping[str, float]
    known_us: float
    us: float


Constants = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where graphs.csv and times.csv are")
    parser.add_argument("--write", action="store_true", help="fit the constants")
    options = parser.parse_args()
    graphs = read_records(options.folder)
    if options.write:
        fitted_to = [graph for graph in graphs if not graph.kept_aside]
        for entry in (*SOLVERS, *CPU_SOLVERS):
            if entry.cost and (constants := fitted(entry.name, entry.cost, fitted_to)):
                CONSTANTS[entry.name] = constants
        write(CONSTANTS)
    tell(graphs)


def fitted(name: str, cost: Cost, graphs: list[RecordedGraph]) -> tuple[Constants, Constants] | None:
    """The constants of preparation and of a call of a solver; None if it was not measured."""
    firsts: list[Row] = []
    calls: list[Row] = []
    for graph in graphs:
        for request in graph.requests:
            us = graph.times.get((request, name), inf)
            terms = terms_of(cost, graph.facts, graph.wanted(request))
            if us == inf or not terms or (name in ONE_SOURCE and request not in ("1", "1 trees")):
                continue
            of_graph, of_call = terms
            calls.append(Row(of_call, 0.0, us))
            first_us = graph.times.get(("first", name), inf)
            if first_us < inf and request in ("1", "all pairs"):
                firsts.append(Row(of_graph, us, first_us))
    return (fit(firsts), fit(calls)) if calls else None


def terms_of(cost: Cost, facts: Facts, wanted: Wanted) -> tuple[Constants, Constants] | None:
    """What a cost multiplies each constant of preparation and of a call with; None if the solver does not solve this.

    Costs are linear: a term is the cost if its constant is 1, and the others are 0.
    """
    zeros: tuple[Constants, Constants] = defaultdict(float), defaultdict(float)  # the cost enters all names
    if cost(facts, wanted, *zeros) is None:
        return None

    def term(part: int, name: str) -> float:
        constants = [*zeros]
        constants[part] = {**zeros[part], name: 1.0}
        found = cost(facts, wanted, *constants)
        assert found
        return found[part]

    prepare, call = ({name: term(part, name) for name in zeros[part]} for part in (0, 1))
    return prepare, call


def fit(rows: list[Row]) -> Constants:
    names = list(dict.fromkeys(name for row in rows for name in row.terms))
    matrix = np.array([[row.terms.get(name, 0.0) for name in names] for row in rows], float)
    known, times = np.array([row.known_us for row in rows]), np.array([row.us for row in rows])
    weights = 1 / times
    for _ in range(ROUNDS):
        constants, _ = nnls(matrix * weights[:, None], (times - known) * weights)
        weights = 1 / np.sqrt(np.maximum(matrix @ constants + known, 1) * times)
    return {name: float(f"{constant:.3g}") for name, constant in zip(names, constants, strict=True)}


def write(constants: Mapping[str, tuple[Constants, Constants]]) -> None:
    text = "".join(f'    "{name}": (\n{told(parts[0])}{told(parts[1])}    ),\n' for name, parts in constants.items())
    Path(written_file).write_text(f"{_HEAD}{text}}}\n", encoding="utf-8")


def told(constants: Constants) -> str:
    """The constants as lines of Python, broken between two of them."""
    items = (f'"{name}":{BOUND}{value!r}'.replace(" ", BOUND) for name, value in constants.items())
    return WRAPPER.fill("{" + ", ".join(items) + "},").replace(BOUND, " ") + "\n"


def tell(graphs: list[RecordedGraph]) -> None:
    print(heading("recorded times", code=["choice"]))
    found = [loss for graph in graphs if graph.facts.vertices >= VERTICES_MIN for loss in losses(graph)]
    for title, kept_aside in (("fitted", False), ("kept aside", True)):
        print(f"{title}: {summary([loss.ratio for loss in found if loss.graph.kept_aside == kept_aside])}")
    for kind in sorted({(loss.expected, loss.request) for loss in found}):
        ratios = [loss.ratio for loss in found if (loss.expected, loss.request) == kind]
        print(f"    {', '.join(kind):16} {summary(ratios)}")
    for loss in sorted(found, key=lambda loss: -loss.ratio)[:TOLD_MAX]:
        case = f"{loss.graph.name}{' (kept aside)' * loss.graph.kept_aside}, {loss.request}, {loss.expected}"
        print(f"{loss.ratio:6.2f} {case}: {loss.chosen}, best {loss.best}")


def summary(ratios: list[float]) -> str:
    within = sum(ratio <= CLOSE for ratio in ratios) / max(1, len(ratios))
    return f"{len(ratios)} cases, {100 * within:.1f} % within {CLOSE}, largest {max(ratios, default=0):.2f}"


if __name__ == "__main__":
    main()
