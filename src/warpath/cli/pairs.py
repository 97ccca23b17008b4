"""``warpath pairs``: distances, or paths, of pairs of a source and a target."""

import argparse
import json

from ..errors import UsageError
from ._questions import add_question_arguments, solver_and_questions, write

HELP = """
Find the distance of each pair of a source and a target, certified, and print or write a line for each. With --paths, a
line also has the vertices of a shortest path. Further columns of the questions are kept. The distance is inf if there
is no path.

examples:
  warpath pairs roads.csv --weight km --source Oslo --target Bergen --paths
  warpath pairs roads.csv --weight km --questions trips.csv --output distances.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_question_arguments(parser)
    parser.add_argument("--paths", action="store_true", help="find paths as well")


def main(arguments: argparse.Namespace) -> None:
    import pandas

    solver, pairs = solver_and_questions(arguments)
    if len(pairs["source"]) != len(pairs["target"]):
        raise UsageError("a pair has a source and a target; give as many --target as --source")
    pairs = pandas.DataFrame(pairs)
    if taken := {"distance", "path"} & set(pairs.columns):
        raise UsageError(f"{arguments.questions}: has a column {min(taken)!r}, which the answer needs; rename it")
    found = solver.pairs(pairs, paths=arguments.paths, cutoff=arguments.cutoff, certify=not arguments.no_certify)
    frame = found.to_frame()
    if arguments.paths and (arguments.output is None or arguments.output.suffix == ".csv"):
        frame["path"] = [json.dumps(path, ensure_ascii=False) for path in frame["path"]]
    write(arguments, found, frame)
