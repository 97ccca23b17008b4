"""A deadline for a whole transfer, which holds in the midst of a header line as well.

A timeout bounds the wait for the next bytes alone: a server that sends one byte now and then keeps a reader for ever.
Here a second thread shuts the connections down when the time is over, and whoever reads from one sees its end.
"""

import contextlib
import http.client
import socket
import threading
import time
from typing import Any

import requests
import urllib3

# A connection that is made at the last moment is shut down this much later.
_REPEAT_S = 0.05


class Deadline:
    """``seconds`` from now, for all connections of its ``session``; a context manager."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []
        self._left = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Deadline":
        self._watcher.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._left.set()
        self._watcher.join()

    @property
    def remaining_s(self) -> float:
        """Seconds left, 0 if it has passed."""
        return max(self._end - time.monotonic(), 0.0)

    def session(self) -> requests.Session:
        """A session of requests whose connections end with the deadline, and which leaves redirects to its user."""
        session = _Session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, _Adapter(self))
        return session

    def add(self, connected: socket.socket) -> None:
        """Shut ``connected`` down when the time is over."""
        self._sockets = [*(known for known in self._sockets if known.fileno() >= 0), connected]

    def _watch(self) -> None:
        self._left.wait(self.remaining_s)
        while not self._left.is_set():
            for connected in self._sockets:
                with contextlib.suppress(OSError):
                    # That of a TLS socket would only forget the encryption.
                    socket.socket.shutdown(connected, socket.SHUT_RDWR)
            self._left.wait(_REPEAT_S)


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        # To find it, requests reads the whole body of the redirect into memory, however long it is.
        return None


class _Adapter(requests.adapters.HTTPAdapter):
    def __init__(self, deadline: Deadline):
        self._pools = {
            "http": _watched(urllib3.HTTPConnectionPool, deadline),
            "https": _watched(urllib3.HTTPSConnectionPool, deadline),
        }
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
        manager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = self._pools
        return manager


class _WithoutCookies(http.client.HTTPResponse):
    """A response whose cookies nobody parses: a download needs none, and odd ones make the parser print tracebacks."""

    def begin(self) -> None:
        super().begin()
        for name in ("Set-Cookie", "Set-Cookie2"):
            del self.headers[name]


def _watched(pool: Any, deadline: Deadline) -> Any:
    """The class ``pool`` of connection pools, whose connections are under ``deadline``."""

    class Connection(pool.ConnectionCls):
        response_class = _WithoutCookies

        def connect(self) -> None:
            super().connect()
            deadline.add(self.sock)

    class Pool(pool):
        ConnectionCls = Connection

    return Pool
