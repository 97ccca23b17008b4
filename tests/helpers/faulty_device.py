"""A simulated GPU of which one call fails: Ctrl-C comes in it, or there is no memory."""

from late_device import LateDevice

# Launches and copies are in "do".
_CALLS = "do download empty kernel mapped pinned pinned_answer set_bytes synchronize upload wait"


class _Context:
    def __init__(self, device):
        self._device = device

    def __enter__(self):
        pass

    def __exit__(self, kind, *_):
        if kind is not None:
            self._device.never_fails()
            self._device.synchronize()


class Faulty:
    """A part of a LateDevice: after ``fails``, the call of that number raises ``error``, before or after its work."""

    def __init__(self, given):
        self.never_fails()
        super().__init__(given)

    def never_fails(self):
        self.fails(0, None)

    def fails(self, number, error, after=False):
        self.calls, self._number, self._error, self._after = 0, number, error, after

    def call_context(self):
        return _Context(self)

    def step(self, work, given, named):
        self.calls += 1
        is_it = self.calls == self._number
        if is_it and not self._after:
            raise self._error
        done = work(*given, **named)
        if is_it:
            raise self._error
        return done


def _failing(name):
    def method(self, *given, **named):
        return self.step(getattr(super(Faulty, self), name), given, named)

    return method


for _name in _CALLS.split():
    setattr(Faulty, _name, _failing(_name))


class FaultyDevice(Faulty, LateDevice):
    pass
