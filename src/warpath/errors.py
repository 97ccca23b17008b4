"""The errors a user can meet, each one sentence: what is wrong, where, and what to do.

The command line prints the sentence and leaves with the class's exit status; a traceback is for our own mistakes only.
"""


class WarpathError(Exception):
    """Something went wrong that is not a fault of the program; the message is for the user."""

    exit_status = 1


class UsageError(WarpathError):
    """The request itself is off: an unknown dataset, variant, device or config key, a source out of range."""

    exit_status = 2


class FormatError(WarpathError):
    """A file is not what it should be; the message names the file and, where there is one, the line."""


class GraphError(WarpathError):
    """The graph does not suit the algorithm: no vertices, a negative arc where none is allowed, sums past int32."""


class NegativeCycleError(GraphError):
    """A cycle of negative total weight can be reached, so shortest distances do not exist."""


class DeviceError(WarpathError):
    """No such device here, a kernel that does not compile, or a launch that failed."""


class OutOfMemoryError(DeviceError):
    """The device, or the host, does not hold the problem."""


class DownloadError(WarpathError):
    """No address gave the file; the message names each one tried and where to put the file by hand."""


class CertificateError(WarpathError):
    """A result is not a shortest-path solution; the message names the first witness."""
