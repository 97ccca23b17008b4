"""A graph on a device, and everything that is kept about it there from call to call."""

import os
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from ..graphs.csr import Graph
from ..system.locks import Guard, one_at_a_time
from .contract import Device
from .copies import uploaded

Made = TypeVar("Made")


class _Arcs:
    """Arcs on a device, which graphs with other weights share, and what was made from them alone."""

    def __init__(self, device: Device, graph: Graph):
        self.device, self.host = device, (graph.indptr, graph.indices)  # their ids are unique while this exists
        self.made: dict[Hashable, Any] = {}


class Resident:
    """A graph on a device: read-only arrays, memos of what was made from its arcs and from its weights, and facts.

    ``made`` has what was made from the weights, by its key. Graphs with the same arcs and other weights share the
    arrays and the memo of the arcs. One thread at a time, which holds ``guard``, uses what was made from the weights.
    What is made must not refer to the resident: both would last until Python looks for cycles. ``is_certified`` says
    that answers will be certified: then one upload serves solvers and certificates.
    """

    def __init__(self, device: Device, graph: Graph, arcs: _Arcs):
        self.device, self.graph, self.guard = device, graph, Guard()
        self.is_certified = False
        self._arcs = arcs
        self.made: dict[Any, Any] = {}
        self._facts: dict[Hashable, Any] = {}

    @property
    def indptr(self) -> Any:
        """The device array ``indptr`` of the graph; the first use copies all arrays. May raise OutOfMemoryError."""
        return self.arguments["indptr"]

    @property
    def indices(self) -> Any:
        return self.arguments["indices"]

    @property
    def weights(self) -> Any:
        return self.arguments["weights"]

    @property
    def arguments(self) -> dict[str, Any]:
        """The arrays by the names that they have in kernels."""
        return self._copy("arrays", self._for_solvers)

    @property
    def certificate_arrays(self) -> dict[str, Any]:
        """As ``arguments``, a copy that no solver can write to."""
        return self._copy("certificate's arrays", self._uploaded)

    def _copy(self, key: str, copied: Callable[[list[str]], Iterable[Any]]) -> dict[str, Any]:
        """The arrays that are kept by ``key``; those that are not yet are ``copied`` together, by their names."""
        arcs, weights = self._arcs.made.get(key, {}), self.made.get(key, {})
        names = ["weights"] * (not weights) + ["indptr", "indices"] * (not arcs)
        if names:
            found = dict(zip(names, copied(names), strict=True))
            weights = self.made[key] = weights or {"weights": found.pop("weights")}
            arcs = self._arcs.made[key] = arcs or found
        return {**arcs, **weights}

    def _uploaded(self, names: list[str]) -> Iterable[Any]:
        return uploaded(self.device, *(getattr(self.graph, name) for name in names))

    def _for_solvers(self, names: list[str]) -> Iterable[Any]:
        if not self.is_certified:
            return self._uploaded(names)
        own = self.certificate_arrays
        return [own[name].copy() for name in names]

    def of_arcs(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What ``make()`` made from the arcs when ``key`` was first asked for."""
        return _remembered(self._arcs.made, key, make)

    def of_weights(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What ``make()`` made from the arcs and the weights when ``key`` was first asked for."""
        return _remembered(self.made, key, make)

    def fact(self, key: Hashable, find: Callable[[], Made]) -> Made:
        """What ``find()`` found when ``key`` was first asked for. It takes no memory of the device, and stays."""
        return _remembered(self._facts, key, find)

    def _forget(self) -> bool:
        """Forget everything that takes memory; whether there was anything."""
        arcs = self._arcs
        had = bool(self.made or arcs.made)
        self.made, arcs.made = {}, {}  # new ones, since another thread may iterate over the old ones
        return had


def _remembered(made: dict[Hashable, Any], key: Hashable, make: Callable[[], Made]) -> Made:
    try:
        return made[key]
    except KeyError:
        found = made[key] = make()
        return found


_residents: "weakref.WeakValueDictionary[tuple[int, int], Resident]" = weakref.WeakValueDictionary()
_arcs: "weakref.WeakValueDictionary[tuple[int, int, int], _Arcs]" = weakref.WeakValueDictionary()


@one_at_a_time
def resident(device: Device, graph: Graph) -> Resident:
    """``graph`` on ``device``: the same object as long as it is in use."""
    found = _residents.get((id(device), id(graph)))
    if found is None:
        key = id(device), id(graph.indptr), id(graph.indices)
        arcs = _arcs.get(key)
        if arcs is None:
            arcs = _arcs[key] = _Arcs(device, graph)
        found = _residents[id(device), id(graph)] = Resident(device, graph, arcs)
    return found


_LATELY_USED_MAX = 4
_lately_used: OrderedDict[tuple[int, int], Resident] = OrderedDict()


@one_at_a_time
def keep_lately_used(used: Resident) -> None:
    """Keep ``used`` until calls have used a few others, so that calls without a solver find it again."""
    key = id(used.device), id(used.graph)
    _lately_used[key] = used
    _lately_used.move_to_end(key)
    while len(_lately_used) > _LATELY_USED_MAX:
        _lately_used.popitem(last=False)


def forget(device: Device) -> bool:
    """Free what is kept about all graphs on ``device``; whether there was anything."""
    on_device = [found for reference in _residents.valuerefs() if (found := reference()) and found.device is device]
    had = [found._forget() for found in on_device]
    return any(had)


def _forget_all() -> None:
    """In a forked process, where a thread of the parent may have been using what is kept."""
    for reference in _residents.valuerefs():
        if found := reference():
            found._forget()


os.register_at_fork(after_in_child=_forget_all)
