"""``warpath table``: distances from each source to each target, or to the nearest targets."""

import argparse

from ..errors import UsageError
from ._questions import add_question_arguments, solver_and_questions, write

HELP = """
Find the distance from each source to each target, certified, and print or write a line for each source with a column
for each target. Without targets, these are all vertices. The distance is inf if there is no path. With --nearest, there
is a line for each source and each of its nearest targets.

examples:
  warpath table roads.csv --weight km --source Oslo,Voss --target Bergen,Hamar
  warpath table roads.csv --weight km --questions trips.csv --output distances.parquet
  warpath table roads.csv --weight km --source Oslo --nearest 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_question_arguments(parser)
    parser.add_argument("--nearest", type=int, metavar="COUNT", help="find so many nearest targets for each source")


def main(arguments: argparse.Namespace) -> None:
    solver, questions = solver_and_questions(arguments)
    sources, targets = (list(dict.fromkeys(questions[end])) for end in ("source", "target"))
    if not sources:
        raise UsageError("name the sources with --source")
    found = solver.table(
        sources, targets or None, nearest=arguments.nearest, cutoff=arguments.cutoff, certify=not arguments.no_certify
    )
    frame = found.to_frame()
    write(arguments, found, frame.rename(columns=str).reset_index() if arguments.nearest is None else frame)
