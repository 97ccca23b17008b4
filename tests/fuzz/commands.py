"""Random options and values for every command, taken from the parsers themselves."""

import argparse
import shutil
import socket
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import warpath
from fuzz.case import Case
from fuzz.mutations import damaged
from warpath.cli import parser_of_all_commands
from warpath.solvers import families

_ROOT = Path(__file__).resolve().parents[2]
_RUNS = _ROOT / "results" / "reference" / "nvidia-h200" / "runs"
# What takes minutes by right: every kernel compiled, or large graphs made.
_WITHOUT_ARGUMENTS = {"doctor": ["--device", "hots"], "report": ["bodra", "table1"]}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(" "))


_NUMBERS = (*_words("0 1 -1 2 7 1.5 nan inf -inf 1e400 "), "x", "²", "9" * 5000, "-" + "9" * 30, "1e9x")
_TEXTS = (
    *("", " ", "x", "a b", "a\nb", "\0", "$(touch P)", "`x`", "'", '"', "$a$b$", "../..", "/", ".", "é", "\udcff", "-"),
    *_words("cuda:² cuda:-1 cuda:99999999999999999999 simulated auto cuda k=1 k=² a=1,a=1 1,2 , 1,"),
    "A" * 5000,
)
_SIZES = ("vertices", "rows", "columns", "size", "arcs", "seed", "hubs")


def prepare() -> None:
    """Take the network away, and waiting for it."""

    def refuse(*arguments: Any, **options: Any) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    socket.socket.connect = refuse  # type: ignore[method-assign, assignment]
    socket.getaddrinfo = refuse  # type: ignore[assignment]
    time.sleep = lambda seconds: None


def case(case: Case) -> None:
    """One command."""
    _files(case)
    command, actions = case.random.choice(list(_commands().items()))
    actions = [action for action in actions if not isinstance(action, argparse._HelpAction)]
    positional = [action for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings]
    words: list[str] = []
    usual = case.chance(0.6) and command in _USUAL
    if usual:
        words = case.random.choice(_USUAL[command]).split()
        if case.chance(0.2):
            words[case.random.randrange(len(words))] = case.random.choice(_TEXTS + _FILES)
    for action in [] if usual else positional:
        if action.nargs in ("*", "?") and case.chance(0.3):
            continue
        words += [_value(case, action) for _ in range(case.random.choice((1, 1, 2)) if action.nargs == "*" else 1)]
    wanted = case.random.sample(options, min(len(options), case.random.choice((0, 1, 1, 2, 3, 4))))
    required = [action for action in options if action.dest in _NEEDED.get(command, ()) and not usual]
    for action in dict.fromkeys([*required, *wanted]):
        words.append(action.option_strings[0])
        if action.nargs != 0:
            words[-1:] = case.random.choice(([words[-1], value := _value(case, action)], [f"{words[-1]}={value}"]))
    if case.chance(0.03):
        words.insert(case.random.randrange(len(words) + 1), case.random.choice(_TEXTS))
    if not words:
        words = _WITHOUT_ARGUMENTS.get(command, [])
    if command == "doctor" and {"simulated", "auto", "cuda"} & {word.rpartition("=")[2] for word in words}:
        return
    if command == "report" and case.chance(0.7):
        words += ["--results", "r", "--figures", "f"]
    case.command(command, *words)


_NEEDED = {
    "generate": ("kind", "output"),
    "run": ("budget_s", "output"),
    "convert": ("output",),
    "report": ("results", "figures"),
}
# What works, for an option or two more.
_USUAL = {
    "solve": (
        "graph.npz --device simulated",
        "graph.txt --all-pairs --device simulated",
        "graph.gr --source 1,2 --device simulated",
    ),
    "pairs": ("graph.npz --source 0 --target 1 --device simulated",),
    "table": ("graph.gr --source 1,2 --device simulated",),
    "certify": ("graph.npz answer.npz --source 0 --device simulated",),
    "run": ("graph.npz bellman_ford.stride --device simulated --budget-s 0.05 --output out.json",),
    "records": ("runs", "runs --format csv", "runs --format summary"),
    "compare": ("runs runs", "record.json record.json", "runs runs --format csv"),
    "report": ("bodra table1 --records runs --results r --figures f",),
    "claims": ("bodra --records runs",),
    "generate": ("--kind complete --vertices 5 --output out.npz", "--kind matrices --size 4 --output out.npz"),
    "convert": (
        "--from graph.txt --output out.gr",
        "--from graph.gr --output out.npz",
        "--from graph.npz --output o.mtx",
    ),
    "fetch": ("nyc --mirror folder", "nyc --output out.gr.gz"),
    "datasets": ("--catalog catalog.yaml",),
}


def _value(case: Case, action: argparse.Action) -> str:
    """A value that may be one of those meant, or of another kind."""
    chosen = case.random
    if case.chance(0.15):
        return chosen.choice(_TEXTS + _NUMBERS)
    if action.choices is not None:
        return chosen.choice(list(action.choices))
    name = action.dest
    if action.type in (int, float):
        if name == "budget_s":
            return chosen.choice(("0.01", "0.1", "nan", "inf", "-1", "0", "x"))
        if name in ("repeats_max", "repeats_min", *_SIZES) and case.chance(0.7):
            return str(chosen.randint(0, 20))
        return chosen.choice(_NUMBERS) if case.chance(0.5) else str(chosen.randint(-3, 60))
    for key, pool in _POOLS.items():
        if key in name:
            return chosen.choice(pool)
    return chosen.choice((*_FILES, *_TEXTS, "bodra", "nyc"))


_FILES = _words("graph.npz graph.txt graph.gr broken.gr broken.npz pair.npz left.npy answer.npz missing.npz")
_VARIANTS = tuple(f"{family}.{name}" for family, names in families().items() for name in names)
_OUTPUTS = tuple(f"out.{suffix}" for suffix in _words("npz csv json txt npy gr mtx wel gr.gz svg  parquet"))
_ODD_RUNS = "bellman_ford.stride.sources=2 label_correcting.locality.k=4 bellman_ford x.y a.b.c=1"
_ODD_OUTPUTS = "missing/out.npz folder folder/out.npz graph.npz/out.npz /dev/full /dev/null/x.npz"
# By a part of the option's name; the first that fits.
_POOLS: dict[str, tuple[str, ...]] = {
    key: _words(values) if isinstance(values, str) else tuple(values)
    for key, values in {
        "graph": _FILES,
        "answer": "answer.npz broken.npz left.npy graph.txt record.json",
        "output": (*_OUTPUTS, *_words(_ODD_OUTPUTS)),
        "device": "simulated simulated simulated auto cuda cuda:1 cuda:x tpu",
        "run": (*_VARIANTS, *_words(_ODD_RUNS)),
        "source": ("0", "1", "3", "0,1", "9", "-1", "1e3", "0.5", "²", "9" * 400),
        "target": "0 1 3 0,1 9 table1 claims x",
        "algorithm": (*families(), "dijkstr"),
        "variant": sorted({name for names in families().values() for name in names}),
        "work": "bodra katz_kider safari_ebnenasir telang_grid floyd_warshall_tutorial nothing ../works/bodra",
        "records": "runs missing record.json graph.npz",
        "folders": "runs missing record.json .",
        "catalog": "catalog.yaml missing graph.npz folder",
        "name": "nyc gnutella04 demo-nyc demo-gnutella04 standin nyc-revised x",
        "a": "runs record.json missing",
        "b": "runs record.json missing",
    }.items()
}


def _files(case: Case) -> None:
    """Small files for the commands, some of them damaged."""
    graph = warpath.from_arcs(4, [0, 1, 1, 2], [1, 2, 3, 0], [4, 5, 6, 7])
    graph.save(case.folder / "graph.npz")
    text = b"p sp 4 4\na 1 2 4\na 2 3 5\na 2 4 6\na 3 1 7\n"
    case.write("graph.gr", text)
    case.write("graph.txt", b"4 4\n0 1 4\n1 2 5\n1 3 6\n2 0 7\n")
    case.write("broken.gr", damaged(text, case.random))
    case.write("broken.npz", (case.folder / "graph.npz").read_bytes()[: case.random.randrange(800)])
    np.savez(case.folder / "answer.npz", distances=np.array([0, 4, 9, 10]), predecessors=np.array([-1, 0, 1, 1]))
    np.save(case.folder / "left.npy", case.numpy.random((5, 5)))
    record = case.random.choice(_records())
    case.write("record.json", record.read_bytes())
    case.write(f"runs/{record.parent.name}/{record.name}", record.read_bytes())
    shutil.copy(_ROOT / "data" / "catalog.yaml", case.folder / "catalog.yaml")
    (case.folder / "folder").mkdir()


@cache
def _records() -> list[Path]:
    return sorted(_RUNS.glob("*/*.json"))


@cache
def _commands() -> dict[str, list[argparse.Action]]:
    """The arguments of each command."""
    parser = parser_of_all_commands()
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: command._actions for name, command in commands.choices.items()}
