"""What is kept about a graph on a device: shared, made once, and freed with its last user."""

import gc
import os
import weakref
from dataclasses import replace

import numpy as np
import pytest
from tiny_graphs import graph

from warpath.device.resident import forget, keep_lately_used, resident
from warpath.device.simulated.device import SimulatedDevice


class Counting(SimulatedDevice):
    uploads: tuple = ()

    def upload(self, array):
        self.uploads += (id(array),)
        return super().upload(array)


@pytest.fixture
def device():
    gc.disable()  # what is freed here is freed without a search for cycles
    yield Counting()
    gc.enable()


def path():
    return graph(3, (0, 1, 4), (1, 2, 5))


def everything(used):
    return [used.of_arcs("made", set), used.of_weights("made", set), *used.arguments.values()]


def are_same(some, others):
    return [one is other for one, other in zip(some, others, strict=True)]


def test_it_is_the_same_while_in_use_and_all_is_freed_with_its_last_user(device):
    of = path()
    used = resident(device, of)
    assert resident(device, of) is used and used.graph is of
    assert resident(device, path()) is not used and resident(Counting(), of) is not used
    watched = [weakref.ref(thing) for thing in (of, used, *everything(used))]
    del of, used
    assert [reference() for reference in watched] == [None] * 7


def test_arrays_are_uploaded_at_their_first_use_and_once(device):
    of = path()
    used = resident(device, of)
    assert not device.uploads
    np.testing.assert_array_equal(used.indices, of.indices)
    for name, array in [*used.arguments.items(), *resident(device, of).arguments.items()]:
        np.testing.assert_array_equal(array, getattr(of, name))
        assert getattr(used, name) is array
    assert sorted(device.uploads) == sorted(map(id, (of.indptr, of.indices, of.weights)))


def test_graphs_with_the_same_arcs_share_what_comes_from_these_alone(device):
    of = path()
    first, second = resident(device, of), resident(device, replace(of, weights=of.weights + 1))
    # Made from the arcs, made from the weights, indptr, indices, weights.
    assert are_same(everything(first), everything(second)) == [True, False, True, True, False]
    assert not any(are_same(everything(first), everything(resident(device, path()))))
    assert first.fact("found", set) is not second.fact("found", set)
    np.testing.assert_array_equal(second.weights, of.weights + 1)
    arcs, weights = (weakref.ref(made) for made in everything(first)[:2])
    del first
    assert second.of_arcs("made", set) is arcs() and weights() is None


def test_to_forget_frees_what_takes_memory_on_one_device_and_keeps_facts(device):
    of = path()
    both = [resident(device, one) for one in (of, replace(of, weights=of.weights + 1))]
    there = resident(Counting(), of)
    found, kept = both[0].fact("found", set), everything(there)
    assert not forget(device)  # facts take no memory
    freed = [weakref.ref(thing) for used in both for thing in everything(used)]
    assert forget(device)
    assert [reference() for reference in freed] == [None] * 10
    assert all(are_same(everything(there), kept))
    assert resident(device, of) is both[0] and both[0].fact("found", set) is found
    np.testing.assert_array_equal(both[0].weights, of.weights)  # uploaded again
    forget(device)
    one = both[1]
    for use in (lambda: one.indices, lambda: one.weights, lambda: one.of_arcs(0, set), lambda: one.of_weights(0, set)):
        use()
        assert forget(device)


def test_a_forked_process_forgets_and_its_parent_does_not(device):
    used = resident(device, path())
    kept, found = everything(used), used.fact("found", set)
    child = os.fork()
    if child == 0:
        forgot = False
        try:
            forgot = not any(are_same(everything(used), kept)) and used.fact("found", set) is found
        finally:
            os._exit(not forgot)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert all(are_same(everything(used), kept))


def test_a_few_that_were_used_lately_are_kept(device):
    graphs, made = [path() for _ in range(30)], []
    for of in graphs:
        keep_lately_used(resident(device, of))
        made.append(weakref.ref(resident(device, of).of_weights("made", set)))
        keep_lately_used(resident(device, graphs[0]))
    kept = [reference() is not None for reference in made]
    assert kept[0] and kept[-1] and 2 <= sum(kept) <= 10
