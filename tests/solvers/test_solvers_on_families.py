"""Every solver, named by the caller, solves graphs of every family or refuses them in one sentence."""

import numpy as np
import pytest
from families import FAMILIES, WEIGHTS, make
from float_sums import least_sums
from scipy_reference import reference

from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.solvers import find, variants

VERTICES = 64
SOLVERS = [(of.algorithm, of.name) for of in variants() if of.origin == "warpath" and of.problem in ("sssp", "apsp")]


class SmallSharedMemory(SimulatedDevice):
    """A device whose blocks have little shared memory."""

    shared_memory_bytes = 4096

    def resident_blocks(self, kernel, block, shared_mem=0):
        return int(shared_mem <= self.shared_memory_bytes)


DEVICES = [SimulatedDevice(), SmallSharedMemory()]


@pytest.mark.parametrize("weights", ["whole", "floats"])
@pytest.mark.parametrize("device", DEVICES, ids=["simulated", "small shared memory"])
@pytest.mark.parametrize("names", SOLVERS, ids=".".join)
def test_a_named_solver_solves_or_refuses(names, device, weights):
    algorithm, variant = names
    for family in FAMILIES:
        of = make(family, VERTICES)
        expected = reference(of, 1)
        if weights == "floats":
            of = Graph(of.indptr, of.indices, WEIGHTS["floats"](np.random.default_rng(1), of.arcs))
            expected = least_sums(of, 1)
        solver, how = Solver(of, device), {"algorithm": algorithm, "variant": variant}
        try:
            if find(*names).problem == "sssp":
                answer = solver.sssp([1, 0], **how).distances[0]
            else:
                answer = solver.apsp(**how).distances[1]
        except (GraphError, UsageError) as error:
            assert type(error) in (GraphError, UsageError)  # not their kinds that are about this machine
            continue
        np.testing.assert_array_equal(answer, expected, family)
