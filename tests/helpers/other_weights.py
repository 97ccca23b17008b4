"""Solvers whose copy of a graph has other weights, so that they answer another question."""

import numpy as np
from pytest import MonkeyPatch

from warpath.device.resident import Resident


def give_solvers_other_weights(monkeypatch: MonkeyPatch) -> None:
    right = Resident.arguments.fget
    assert right
    wrong = property(lambda kept: {**right(kept), "weights": np.ones(kept.graph.arcs, np.int32)})
    monkeypatch.setattr(Resident, "arguments", wrong)
