"""The errors for users. A message says what is wrong, where, and what to do.

The command line prints the message and exits with the status of the class.
"""

# A long message keeps its beginning (what is wrong) and its end (what to do).
_BEGINNING, _END = 1400, 599


def on_one_line(message: str) -> str:
    """``message`` with control characters escaped, and shortened in the middle if it is long."""
    return _cut("".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in _cut(message)))


def _cut(text: str) -> str:
    return text if len(text) <= _BEGINNING + 1 + _END else f"{text[:_BEGINNING]}…{text[-_END:]}"


class WarpathError(Exception):
    """The base class of errors that are not faults in warpath.

    ``str`` is one line, shortened if it is long; ``args`` has the whole message.
    """

    exit_status = 1

    def __str__(self) -> str:
        return on_one_line(super().__str__())


class UsageError(WarpathError):
    """A request is not valid: an unknown dataset, variant, device or config key, or a source out of range."""

    exit_status = 2


class FormatError(WarpathError):
    """A file is malformed or not the expected one."""


class GraphError(WarpathError):
    """A graph is not valid for an algorithm: no vertices, a forbidden negative arc, sums beyond int32."""


class NegativeCycleError(GraphError):
    """A source reaches a cycle of negative weight: shortest distances do not exist."""


class DeviceError(WarpathError):
    """A device is missing, a kernel does not compile, or a launch failed."""


class NoClustersError(DeviceError):
    """The GPU does not run thread block clusters of the size that a kernel needs."""


class OutOfMemoryError(DeviceError):
    """The problem does not fit into the memory of the device or the host."""


class CertificateError(WarpathError):
    """An answer is wrong; the message names the first violation."""
