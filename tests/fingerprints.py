"""Fingerprints of the host code that is timed: run this file to keep those of today.

The text of host code does not identify a run; its revision does. So an edit has to be looked at by its author: a test
fails until the revision is raised, or the new fingerprint is kept with the old revision, which says that nothing timed
has changed.
"""

import ast
import hashlib
import inspect
import json
import sys
from functools import cache, partial
from pathlib import Path

from warpath.device import cuda, host
from warpath.errors import UsageError
from warpath.reductions import reductions
from warpath.solvers import variants
from warpath_study.measure import sampling
from warpath_study.measure.runs import IN_PARTS, PeerVariant, find
from warpath_study.peers import PEERS, peer_names
from warpath_study.provenance.code import import_closure, python_form

KEPT = Path(__file__).with_suffix(".json")

# Modules that find, describe, guard or record, and decide nothing that is timed.
_INDECISIVE = (
    "warpath.solvers.registry",
    "warpath.device.contract",
    "warpath.device.host_machine",
    "warpath.device.kernel_caches",
    "warpath_study.provenance.environment",
    "warpath_study.measure.lock",
    "warpath_study.record",
    "warpath_study.measure.run",
)


def today() -> dict[str, dict[str, int | str]]:
    """The revision and the fingerprint of each variant and peer, of the sampling and of the adapters."""
    solvers = [find(variant.algorithm, variant.name) for variant in variants()]
    for family in PEERS:
        for name in peer_names():
            try:
                solvers.append(find(family, name))
            except UsageError:  # a peer without all pairs
                continue
    found = {f"{solver.algorithm}.{solver.name}": _kept(solver.revision, *_modules_of(solver)) for solver in solvers}
    found[".".join(IN_PARTS)] = _kept(reductions.REVISION, reductions.__name__, "warpath.solvers.auto")
    found["sampling"] = _kept(sampling.REVISION, "warpath_study.measure.sampling", "warpath.distances")
    adapters = {"cuda": cuda, "host": host}
    return found | {f"adapter of {kind}": _kept(module.REVISION, module.__name__) for kind, module in adapters.items()}


def _modules_of(solver) -> list[str]:
    plan = solver.plan.func if isinstance(solver.plan, partial) else solver.plan
    adapter = [inspect.getmodule(solver.peer.prepare).__name__] if isinstance(solver, PeerVariant) else []
    return [plan.__module__, *adapter]


def _kept(revision: int, *modules: str) -> dict[str, int | str]:
    files = {file for module in modules for file in _files(module)}
    text = "\n".join(sorted(map(_form, files)))
    return {"revision": revision, "fingerprint": hashlib.sha256(text.encode()).hexdigest()[:16]}


def _files(module: str) -> list[Path]:
    """The module and what it imports from its own package, and from the solvers."""
    packages = {module.split(".")[1], "solvers", "published"}
    return import_closure(module, within=packages, without=_INDECISIVE)


@cache
def _form(file: Path) -> str:
    return python_form(ast.parse(file.read_bytes()))


if __name__ == "__main__":
    KEPT.write_text(json.dumps(today(), indent=2) + "\n", encoding="utf-8")
    print(f"{KEPT}: written", file=sys.stderr)
