"""Config, catalog and suites: damaged trees, damaged text, odd values."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from fuzz.case import Case
from fuzz.mutations import damaged, damaged_bytes, damaged_tree
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.works import works
from warpath_study.works.settings import Settings
from warpath_study.works.work_file import read_suites

_ROOT = Path(__file__).resolve().parents[2]
_WORKS = _ROOT / "workflow" / "works"


def case(case: Case) -> None:
    """One damaged file, read as the commands and the Snakefile read it."""
    kind = case.random.choice(("config", "config", "catalog", "catalog", "suite"))
    {"config": _config, "catalog": _catalog, "suite": _suite}[kind](case)


def _config(case: Case) -> None:
    path = case.write("config.yaml", _damaged(case, _ROOT / "config.yaml"))
    loaded = case.attempt(lambda: load_yaml(path))
    if loaded is not None:
        case.attempt(lambda: Settings.of(loaded, *_known()))


def _suite(case: Case) -> None:
    path = case.write("workflow/suites/demo.yaml", _damaged(case, _ROOT / "workflow" / "suites" / "demo.yaml"))
    suites = case.attempt(lambda: read_suites(path.parent))
    if suites is not None:
        for work in _known()[0].values():
            case.attempt(lambda work=work: replace(work, suites=suites).check(_known()[1]))


def _catalog(case: Case) -> None:
    path = case.write("catalog.yaml", _damaged(case, _ROOT / "data" / "catalog.yaml", top_level=12))
    datasets = case.attempt(lambda: load_catalog(path))
    names = [name for name in datasets or {} if isinstance(name, str)] or ["nyc"]
    name = case.random.choice(names)
    command = case.random.randrange(6)
    if command < 2:
        case.command("datasets", "--catalog", path)
    elif command == 2 and not name.startswith("-"):
        case.command("convert", name, "--catalog", path)


def _damaged(case: Case, file: Path, top_level: int | None = None) -> bytes:
    chosen = case.random
    kind = chosen.choice(("tree", "tree", "tree", "text", "bytes", "odd"))
    if kind == "tree":
        tree = _tree(file)
        if top_level and isinstance(tree, dict):
            tree = dict(list(tree.items())[:top_level])
        text = yaml.safe_dump(damaged_tree(tree, chosen), allow_unicode=True, sort_keys=False)
        return text.encode(errors="surrogatepass")
    if kind == "odd":
        return _odd(case, file)
    return (damaged if kind == "text" else damaged_bytes)(file.read_bytes(), chosen)


def _odd(case: Case, file: Path) -> bytes:
    """Aliases of themselves or of nothing, keys and values that YAML cannot read."""
    odd = [
        "a: &a {b: *a}\n",
        "a: &a [*a, *a]\n",
        "a: *missing\n",
        "<<: [{a: 1}, 7]\n",
        "a: &a {<<: *a}\n",
        "? [a, b]\n: 1\n",
        "? {a: b}\n: 1\n",
        "? &x [*x]\n: 1\n",
        "!!python/object/apply:os.system ['true']\n",
        "!!timestamp 'x': 1\n",
        "a: !!int x\n",
        "a: !!float ''\n",
        "a: !!binary '\xff'\n",
        "a: 2026-99-99\n",
        "2026-01-01: 1\n",
        "a: " + "9" * 5000 + "\n",
        "a: 0x" + "f" * 9000 + "\n",
        "a: 190:20:30\n",
        "a: &b\n" * 3 + "%YAML 9.9\n---\n---\n",
        "a: |\n" + " x\n" * 100_000,
    ]
    text = case.random.choice(odd)
    return (text + file.read_text() if case.chance(0.5) else text).encode()


@cache
def _tree(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


@cache
def _known() -> tuple[dict, dict]:
    return works.load_all(_WORKS), load_catalog(_ROOT / "data" / "catalog.yaml")
