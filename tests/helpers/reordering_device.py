"""A simulated GPU whose streams are side by side: what is enqueued waits, and runs late, in an order drawn by lot.

Only the order within a stream and the events that it waits for are kept, as on a GPU. So a wait that is missing from a
host loop shows in the result for some seed.
"""

import random
from functools import cached_property

from warpath.device.simulated.device import SimulatedDevice


class _Event:
    def __init__(self):
        self.passed = False


class _Stream:
    def __init__(self, lot, default=None):
        self._lot, self._default = lot, default
        self.queue = []
        lot.streams.append(self)

    def record(self):
        event = _Event()
        self.queue.append(lambda: setattr(event, "passed", True))
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


class Lot:
    """All streams of a test, of all devices; draws whose turn it is."""

    def __init__(self, seed):
        self.streams = []
        self._random = random.Random(seed)
        # Some streams are much faster than others, so that they run far ahead.
        self._speeds = [self._random.choice([1, 1, 30]) for _ in range(64)]

    def run(self, until=None):
        """Run what is enqueued until ``until``, an event, has passed, or ``until``, a stream, is empty, or all are."""
        while self._is_ahead(until):
            ready = [number for number, stream in enumerate(self.streams) if stream.ready()]
            assert ready, "all streams wait for each other"
            speeds = [self._speeds[number % len(self._speeds)] for number in ready]
            chosen = self._random.choices(ready, speeds)[0]
            step = self.streams[chosen].queue.pop(0)
            if not isinstance(step, _Event):
                step()

    def _is_ahead(self, until):
        if isinstance(until, _Event):
            return not until.passed
        return until.queue if until else any(stream.queue for stream in self.streams)


class ReorderingDevice(SimulatedDevice):
    """What is enqueued in the default stream runs at once, after the events that it waits for."""

    def __init__(self, lot):
        super().__init__()
        self._lot = lot

    def stream(self, urgent=False):
        return _Stream(self._lot)

    @cached_property
    def copying(self):
        return self.stream()

    def wait(self, event):
        self._lot.run(event)

    def copy(self, source, target, stream=None):
        _do(stream, lambda: SimulatedDevice.copy(self, source, target))

    def kernel(self, file, name, macros=None):
        kernel = super().kernel(file, name, macros)

        def launch(grid, block, /, *, shared_mem=0, stream=None, **arguments):
            _do(stream, lambda: kernel(grid, block, shared_mem=shared_mem, **arguments))

        return _Kernel(launch)

    def peers(self, count):
        return [self, *(type(self)(self._lot) for _ in range(1, count))]

    def synchronize(self, copies=True):
        if copies:
            self._lot.run()


def _do(stream, step):
    step() if stream is None else stream.queue.append(step)


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

    def bind(self, grid, block, /, **options):
        return _Launch(self, grid, block, options)


class LateDevice(ReorderingDevice):
    """A ReorderingDevice whose default stream is late too."""

    def __init__(self, lot):
        super().__init__(lot)
        self._default = _Stream(lot)

    def kernel(self, file, name, macros=None):
        launch = super().kernel(file, name, macros)
        return _Kernel(
            lambda grid, block, /, stream=None, **options: launch(
                grid, block, stream=stream or self._default, **options
            )
        )

    def stream(self, urgent=False):
        return _Stream(self._lot, self._default)

    def copy(self, source, target, stream=None):
        super().copy(source, target, stream or self._default)

    def record(self):
        return self._default.record()

    def wait(self, event):
        self._default.wait(event)

    def synchronize(self, copies=True):
        self._lot.run(None if copies else self._default)

    def download(self, array, out):
        self.synchronize()
        super().download(array, out)
