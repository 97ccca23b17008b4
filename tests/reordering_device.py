"""A host device whose streams really are side by side: what is enqueued waits, and runs late, in an order drawn by lot.

Only the order within a stream and the events that it waits for are kept, as on a GPU. So a wait that is missing from a
host loop shows in the result for some seed.
"""

import random

from warpath.device.host import HostDevice


class _Event:
    def __init__(self):
        self.passed = False


class _Stream:
    def __init__(self, lot):
        self._lot = lot
        self.queue = []
        lot.streams.append(self)

    def record(self):
        event = _Event()
        self.queue.append(lambda: setattr(event, "passed", True))
        return event

    def wait(self, event):
        self.queue.append(event)

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
        """Run what is enqueued until ``until``, a stream, is empty, or all are."""
        while until.queue if until else any(stream.queue for stream in self.streams):
            ready = [number for number, stream in enumerate(self.streams) if stream.ready()]
            assert ready, "all streams wait for each other"
            chosen = self._random.choices(ready, [self._speeds[number] for number in ready])[0]
            step = self.streams[chosen].queue.pop(0)
            if not isinstance(step, _Event):
                step()


class ReorderingDevice(HostDevice):
    def __init__(self, lot):
        super().__init__()
        self._lot = lot

    def stream(self):
        return _Stream(self._lot)

    def copy(self, source, target, stream=None):
        _do(stream, lambda: HostDevice.copy(self, source, target))

    def kernel(self, file, name, macros=None):
        kernel = super().kernel(file, name, macros)

        def launch(grid, block, args, shared_mem=0, stream=None):
            _do(stream, lambda: kernel(grid, block, args, shared_mem))

        return launch

    def peers(self, count):
        return [self, *(ReorderingDevice(self._lot) for _ in range(1, count))]

    def synchronize(self):
        self._lot.run()


def _do(stream, step):
    step() if stream is None else stream.queue.append(step)
