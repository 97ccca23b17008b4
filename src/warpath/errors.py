"""The errors that a user can meet. The message is one sentence: what is wrong, where, and what to do.

The command line prints the message and exits with the class's status. ``--debug`` shows the traceback as well.
"""


class WarpathError(Exception):
    """An error that is not a mistake in warpath; the message is for the user."""

    exit_status = 1


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


class OutOfMemoryError(DeviceError):
    """The problem does not fit into the memory of the device or of the host."""


class DownloadError(WarpathError):
    """A file could not be fetched; the message names each place tried and where to put the file by hand."""


class CertificateError(WarpathError):
    """An answer is wrong; the message names the first witness."""
