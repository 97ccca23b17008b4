"""A simulated GPU whose streams are side by side: what is enqueued runs late, in an order drawn by lot.

Only the order within a stream and the events that it waits for are kept, as on a GPU. So a wait that is missing from a
host loop shows in the result for some seed. Device memory and page-locked memory are of pools: what is enqueued does
not keep an array alive, and memory that is freed is overwritten, and lent again at once.
"""

import ctypes
import random
import weakref
from bisect import bisect, insort
from collections import defaultdict
from functools import cached_property, partial
from math import inf
from threading import RLock
from time import perf_counter

import numpy as np

from warpath.device.simulated.device import SimulatedDevice

_UNIT_BYTES = 512  # sizes in a pool are multiples of this, so that other arrays get memory that was freed
_FREED, _LENT = 0x5A, 0xA5  # what is in memory


class _Event:
    passed, at_s = False, 0.0

    def come(self):
        self.passed, self.at_s = True, perf_counter()


class _Stream:
    def __init__(self, lot, default=None):
        self._lot, self._default = lot, default
        self.queue = []
        lot.streams.append(self)

    def record(self):
        event = _Event()
        self.queue.append(event.come)
        return event

    def wait(self, event):
        self.queue.append(event)

    def follow(self):
        if self._default:
            self.wait(self._default.record())

    def synchronize(self):
        self._lot.run(self)

    def ready(self):
        return self.queue and not (isinstance(self.queue[0], _Event) and not self.queue[0].passed)


class Places:
    """Memory as a GPU knows it, by (first address, size)."""

    def __init__(self):
        self.places = []  # sorted

    def has(self, array):
        return self._place(array) is not None

    def by_address(self, array):
        """The memory of ``array``, which nothing keeps from being lent again; None if it is another's."""
        place = self._place(array)
        if place is None:
            return None
        first, size = place
        block = np.frombuffer((ctypes.c_uint8 * size).from_address(first), np.uint8)
        return np.ndarray(array.shape, array.dtype, block, array.ctypes.data - first, array.strides)

    def _place(self, array):
        begin = np.asarray(array).__array_interface__["data"][0]
        before = self.places[bisect(self.places, (begin, inf)) - 1 :][:1]
        return next((place for place in before if place[0] <= begin < sum(place)), None)


class Pool(Places):
    """Memory for arrays. What nobody refers to any more is freed by a step that ``enqueue`` does."""

    def __init__(self, enqueue):
        super().__init__()
        self._enqueue, self._blocks = enqueue, defaultdict(list)

    def lend(self, shape, dtype):
        dtype = np.dtype(dtype)
        count = int(np.prod(shape))
        size = -(-max(1, count * dtype.itemsize) // _UNIT_BYTES) * _UNIT_BYTES
        try:
            block = self._blocks[size].pop()
        except IndexError:
            block = np.full(size, _LENT, np.uint8)
            insort(self.places, (block.ctypes.data, size))
        lent = (ctypes.c_uint8 * size).from_buffer(block)
        weakref.finalize(lent, self._enqueue, partial(self._free, block)).atexit = False
        return np.frombuffer(lent, dtype, count).reshape(shape)

    def _free(self, block):
        block[:] = _FREED
        self._blocks[block.size].append(block)


class Lot:
    """All streams and pools of a test, of all devices; draws whose turn it is."""

    def __init__(self, seed):
        self.streams, self.pools, self._lock = [], [], RLock()  # for threads
        self._random = random.Random(seed)
        # Some streams are much faster than others, so that they run far ahead.
        self._speeds = [self._random.choice([1, 1, 30]) for _ in range(64)]

    def run(self, until=None):
        """Run what is enqueued until ``until``, an event, has passed, or ``until``, a stream, is empty, or all are."""
        with self._lock:
            while self._is_ahead(until):
                ready = [number for number, stream in enumerate(self.streams) if stream.ready()]
                assert ready, "all streams wait for each other"
                speeds = [self._speeds[number % len(self._speeds)] for number in ready]
                chosen = self._random.choices(ready, speeds)[0]
                step = self.streams[chosen].queue.pop(0)
                if not isinstance(step, _Event):
                    step()

    def known(self, argument):
        """``argument``, but of an array of a pool its memory alone."""
        if not isinstance(argument, np.ndarray) or not argument.size:
            return argument
        found = (pool.by_address(argument) for pool in self.pools)
        return next((memory for memory in found if memory is not None), argument)

    def _is_ahead(self, until):
        if isinstance(until, _Event):
            return not until.passed
        return until.queue if until else any(stream.queue for stream in self.streams)


class _Launch:
    """A launch that is enqueued with the arguments that it has at that moment."""

    def __init__(self, kernel, grid, block, options):
        self._kernel, self._grid, self._block, self._options = kernel, grid, block, options

    def __call__(self, **arguments):
        self._kernel(self._grid, self._block, **self._options | arguments)

    def set(self, **arguments):
        self._options |= arguments


class _Kernel:
    def __init__(self, launch):
        self._launch = launch

    def __call__(self, grid, block, /, **options):
        self._launch(grid, block, **options)

    def allow_large_clusters(self):
        """Do nothing: a cluster is one block."""

    def bind(self, grid, block, /, **options):
        return _Launch(self, grid, block, options)


def _at_once(step):
    step()


def _fill(array, byte):
    array.fill(byte)


class _Array(np.ndarray):
    """Device memory. What NumPy does with it comes after what is in the default stream, for which ``before`` waits."""

    before = None

    def __array_finalize__(self, other):
        self.before = getattr(other, "before", None)

    def __array_ufunc__(self, ufunc, method, *given, **named):
        return self._like(getattr(ufunc, method)(*map(_ready, given), **_all_ready(named)))

    def __array_function__(self, function, types, given, named):
        return self._like(function(*_ready(list(given)), **_all_ready(named)))

    def _like(self, thing):
        return _on_device(thing, self.before)

    def __getitem__(self, place):
        places = place if isinstance(place, tuple) else (place,)
        found = super().__getitem__(place)
        is_view = isinstance(found, np.ndarray) and all(
            each is ... or isinstance(each, (int, slice)) for each in places
        )
        return found if is_view else self._like(_ready(self)[_ready(place)])

    def __setitem__(self, place, value):
        _ready(self)[_ready(place)] = _ready(value)


def _on_device(thing, before):
    """``thing``, where it has arrays, with ``_Array``, which NumPy reads and writes after calling ``before``."""
    if isinstance(thing, tuple):
        return tuple(_on_device(each, before) for each in thing)
    if not isinstance(thing, np.ndarray):
        return thing
    array = thing.view(_Array)
    array.before = before
    return array


def _ready(thing):
    """``thing``, where it has arrays, with ordinary ones, after what was enqueued."""
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(_ready, thing))
    if not isinstance(thing, _Array):
        return thing
    if thing.before:
        thing.before()
    return thing.view(np.ndarray)


def _all_ready(named):
    return {name: _ready(value) for name, value in named.items()}


def _of_numpy(name):
    return lambda array, *given, **named: array._like(
        getattr(_ready(array), name)(*map(_ready, given), **_all_ready(named))
    )


for _name in (
    "all", "any", "argsort", "astype", "copy", "cumsum", "fill", "item", "max", "min", "sort", "sum", "tolist",
):  # fmt: skip
    setattr(_Array, _name, _of_numpy(_name))


class _NumPy:
    """NumPy, whose arrays are device memory, too."""

    def __init__(self, before):
        self._before = before

    def __getattr__(self, name):
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found):
            return found
        if isinstance(found, np.ufunc):  # it may be asked for its methods; arrays see to it that it is late
            return found

        def work(*given, **named):
            self._before()
            return _on_device(found(*_ready(list(given)), **_all_ready(named)), self._before)

        return work


class LateDevice(SimulatedDevice):
    """What is enqueued in a stream runs late, in the default stream too."""

    def __init__(self, lot, **options):
        super().__init__(**options)
        self._lot, self._default = lot, _Stream(lot)
        self._memory, self._locked = Pool(self._default.queue.append), Pool(_at_once)
        lot.pools += [self._memory, self._locked]
        self._before = partial(lot.run, self._default)
        self.xp = _NumPy(self._before)

    def empty(self, shape, dtype):
        return _on_device(self._memory.lend(shape, dtype), self._before)

    def upload(self, array):
        copy = self.empty(array.shape, array.dtype)
        copy.view(np.ndarray)[...] = array  # at once: its memory has been freed
        return copy

    def pinned(self, shape, dtype, pooled=False):
        return self._locked.lend(shape, dtype)

    def is_pinned(self, array):
        return self._locked.has(array)

    def mapped(self, shape, dtype):
        array = self.pinned(shape, dtype)
        array.fill(0)
        return array, array

    def stream(self, urgent=False):
        return _Stream(self._lot, self._default)

    @cached_property
    def copying(self):
        return self.stream()

    def record(self):
        return self._default.record()

    def seconds_between(self, start, stop):
        self._lot.run(start)
        self._lot.run(stop)
        return stop.at_s - start.at_s

    def wait(self, event):
        self._default.wait(event)

    def do(self, stream, work, /, **arguments):
        """Do ``work`` late in ``stream``."""
        known = {name: self._lot.known(value) for name, value in arguments.items()}
        (stream or self._default).queue.append(lambda: work(**known))

    def copy(self, source, target, stream=None):
        self.do(stream, super().copy, source=source, target=target)

    def set_bytes(self, array, byte):
        self.do(None, partial(_fill, byte=byte), array=array.view(np.uint8))

    def kernel(self, file, name, macros=None):
        kernel = super().kernel(file, name, macros)

        def launch(grid, block, /, *, shared_mem=0, stream=None, **arguments):
            self.do(stream, partial(kernel, grid, block, shared_mem=shared_mem), **arguments)

        return _Kernel(launch)

    def peers(self, count):
        return [self, *(type(self)(self._lot) for _ in range(1, count))]

    def repeat(self, launches, times):
        for _ in range(times):
            self.enqueue(launches)
            self.synchronize(copies=False)

    def synchronize(self, copies=True):
        self._lot.run(None if copies else self._default)

    def download(self, array, out):
        self.synchronize(copies=False)
        super().download(array.view(np.ndarray), out)
