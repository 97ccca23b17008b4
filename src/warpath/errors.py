"""The errors that a user can meet. The message is one sentence: what is wrong, where, and what to do.

The command line prints the message and exits with the class's status. ``--debug`` shows the traceback as well.
"""

# What is shown of a long message, which begins with what is wrong and ends with what to do.
_BEGINNING, _END = 1400, 599


def on_one_line(message: str) -> str:
    """``message`` with control characters and line ends written out; of a long one, the beginning and the end."""
    line = "".join(map(_written_out, _cut(message)))
    return _cut(line)


def _cut(text: str) -> str:
    return text if len(text) <= _BEGINNING + 1 + _END else f"{text[:_BEGINNING]}…{text[-_END:]}"


def _written_out(letter: str) -> str:
    return letter if letter.isprintable() else repr(letter)[1:-1]


class WarpathError(Exception):
    """An error that is not a mistake in warpath; the message is for the user.

    It may repeat what a file holds, of any length and with any characters; it is one line all the same, and of
    a long one the beginning and the end are shown. ``args`` has it all.
    """

    exit_status = 1

    def __str__(self) -> str:
        return on_one_line(super().__str__())


class UsageError(WarpathError):
    """The request is wrong: an unknown dataset, variant, device or config key, a source out of range."""

    exit_status = 2


class FormatError(WarpathError):
    """A file is malformed or not the expected one; the message names the file and the line, if any."""


class GraphError(WarpathError):
    """The graph does not suit the algorithm: no vertices, a negative arc where none is allowed, sums past int32."""


class NegativeCycleError(GraphError):
    """A source reaches a cycle of negative weight, so shortest distances do not exist."""


class DeviceError(WarpathError):
    """A device is missing, a kernel does not compile, or a launch failed."""


class NoClustersError(DeviceError):
    """The GPU runs no thread block clusters as large as a kernel needs."""


class OutOfMemoryError(DeviceError):
    """The problem does not fit into the memory of the device or of the host."""


class DownloadError(WarpathError):
    """A file could not be fetched; the message names each place tried and where to put the file by hand."""


class CertificateError(WarpathError):
    """An answer is wrong; the message names the first witness."""
