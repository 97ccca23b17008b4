"""Bellman-Ford, queue: on the CPU, vertices whose distances fell wait in a queue, and a tree shows negative cycles."""

import numba
import numpy as np

from . import CpuVariant
from .rows import CpuRows
from .trees import hang

# The columns of the tree: the vertices after and before a vertex in preorder, the number of arcs from the root (0 if it
# is not reached, below 0 if it has left the tree), and whether the vertex is in the queue.
_AFTER, _BEFORE, _DEPTH, _IS_QUEUED = range(4)


def search(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> int:
    """As ``dijkstra.heap.search``, with weights of any sign. ``source`` -1 starts from every vertex, at 0.

    Returns -1, or if there is no answer because a cycle is negative, a vertex from which steps to predecessors lead
    onto it. Sums of floats are rounded, so that of a cycle may fall from one distance and not from another. A cycle is
    negative at once if its sum falls from every distance of a path; otherwise, rounds decide.
    """
    arcs = indptr, indices, weights
    vertex = search_until_cycle(*arcs, zero, source, distances, predecessors)
    if vertex < 0 or weights.dtype.kind != "f":
        return vertex
    if falls_from_anywhere(*arcs, distances, predecessors, vertex, np.finfo(weights.dtype).eps / 2):
        return vertex
    return search_in_rounds(*arcs, distances, predecessors)


@numba.njit(cache=True, nogil=True)
def search_until_cycle(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    zero: float,
    source: int,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> int:
    """Solve until the sum of a cycle falls. Returns a vertex of it, or -1.

    This is Tarjan's subtree disassembly (Cherkassky and Goldberg, Negative-cycle detection algorithms, 1999). The
    predecessors of vertices in the tree lead to its root, and their distances are the lengths of these paths: if the
    distance of a vertex falls, its descendants leave the tree until an arc gives them their distance again, or less. So
    an arc to an ancestor that would lower its distance closes a cycle whose sum falls. Without such an arc, the search
    ends: each distance is the length of a path, and no arc lowers one. A vertex that is queued in pass k over the queue
    is at least k arcs from the root, so there are at most n passes.
    """
    vertices = len(distances)
    root = vertices
    tree = np.zeros((vertices + 1, 4), np.int32)
    tree[root, _AFTER] = tree[root, _BEFORE] = root
    queue = np.empty(vertices, np.int32)
    first = count = 0
    for vertex in range(vertices) if source < 0 else range(source, source + 1):
        last = tree[root, _BEFORE]
        tree[last, _AFTER] = tree[root, _BEFORE] = vertex
        tree[vertex, _BEFORE], tree[vertex, _AFTER] = last, root
        tree[vertex, _DEPTH] = tree[vertex, _IS_QUEUED] = 1
        distances[vertex] = 0
        queue[count] = vertex
        count += 1
    while count > 0:
        tail = queue[first]
        first = first + 1 if first + 1 < vertices else 0
        count -= 1
        tree[tail, _IS_QUEUED] = 0
        if tree[tail, _DEPTH] < 0:  # it is queued again when it is back in the tree
            continue
        at = zero + distances[tail]
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            total = at + weights[arc]
            if not total <= distances[head]:
                continue
            depth = tree[head, _DEPTH]
            if total == distances[head] and depth >= 0:
                continue
            if depth > 0:
                after = head
                while after == head or tree[after, _DEPTH] > depth:
                    if after == tail:
                        predecessors[head] = tail
                        return head
                    tree[after, _DEPTH] = -1
                    after = tree[after, _AFTER]
                before = tree[head, _BEFORE]
                tree[before, _AFTER], tree[after, _BEFORE] = after, before
            after = tree[tail, _AFTER]
            tree[tail, _AFTER] = tree[after, _BEFORE] = head
            tree[head, _BEFORE], tree[head, _AFTER] = tail, after
            tree[head, _DEPTH] = tree[tail, _DEPTH] + 1
            distances[head] = total
            predecessors[head] = tail
            if not tree[head, _IS_QUEUED]:
                tree[head, _IS_QUEUED] = 1
                place = first + count
                queue[place if place < vertices else place - vertices] = head
                count += 1
    return -1


@numba.njit(cache=True, nogil=True)
def falls_from_anywhere(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray,
    vertex: int,
    unit: float,
) -> bool:
    """Whether the rounded sum of the cycle through ``vertex`` falls, whatever the shortest distance of ``vertex`` is.

    That is at most ``distances[vertex]``, and no less than the sum of the least negative weights into all vertices, so
    at most ``reach`` from 0. On the way around, ``steps`` sums are rounded, by no more than ``unit`` times their size,
    which is at most ``reach + size``. The rest bounds the rounding of ``reach`` and ``total``.
    """
    total = size = 0.0
    steps = 0
    head = vertex
    while steps == 0 or head != vertex:
        tail = predecessors[head]
        weight = np.inf
        for arc in range(indptr[tail], indptr[tail + 1]):
            if indices[arc] == head:
                weight = min(weight, weights[arc])
        total += weight
        size += abs(weight)
        steps += 1
        head = tail
    least = np.zeros(len(distances))
    for arc in range(len(indices)):
        least[indices[arc]] = min(least[indices[arc]], weights[arc])
    reach = max(abs(distances[vertex]), -least.sum())
    return total < -unit * steps * (reach + 2 * size) * np.exp(2 * unit * (len(distances) + steps))


@numba.njit(cache=True, nogil=True)
def search_in_rounds(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray,
) -> int:
    """Solve with floats in n rounds, from ``distances`` that are lengths of paths. Returns as ``search`` does.

    A distance that falls in the last round is less than the length of every path. If none does, the distances are an
    answer if arcs that are tight, d(tail) + weight = d(head), lead to all vertices. The sum of a cycle that falls a few
    times and then stays leaves distances of walks around it, which no tight arc explains.
    """
    vertices = len(distances)
    fallen = np.empty(vertices, np.int32)
    falling = np.empty(vertices, np.int32)
    is_falling = np.zeros(vertices, np.bool_)
    count = 0
    for vertex in range(vertices):
        if distances[vertex] < np.inf:
            fallen[count] = vertex
            count += 1
    rounds = 0
    while count > 0 and rounds < vertices:
        rounds += 1
        following = 0
        for position in range(count):
            tail = fallen[position]
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                total = distances[tail] + weights[arc]
                if total < distances[head]:
                    distances[head] = total
                    predecessors[head] = tail
                    if not is_falling[head]:
                        is_falling[head] = True
                        falling[following] = head
                        following += 1
        is_falling[falling[:following]] = False
        fallen, falling, count = falling, fallen, following
    if count > 0:
        return fallen[0]
    is_explained = is_falling
    for vertex in range(vertices):
        if distances[vertex] < np.inf and predecessors[vertex] < 0:
            is_explained[vertex] = True
            fallen[count] = vertex
            count += 1
    while count > 0:
        count -= 1
        tail = fallen[count]
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if (
                not is_explained[head]
                and distances[tail] + weights[arc] == distances[head]
                and distances[head] < np.inf
            ):
                is_explained[head] = True
                predecessors[head] = tail
                fallen[count] = head
                count += 1
    for vertex in range(vertices):
        if distances[vertex] < np.inf and not is_explained[vertex]:
            return vertex
    return -1


class Queue(CpuRows):
    """A solver that solves from each source on its own."""

    search = staticmethod(search)
    always_hangs = True
    compiled = staticmethod(search_until_cycle)


VARIANT = CpuVariant(solver=Queue, compiled=(search_until_cycle, falls_from_anywhere, search_in_rounds, hang))
