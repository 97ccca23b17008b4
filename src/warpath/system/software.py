"""What is installed: the versions of packages, and what other programs say."""

import contextlib
import importlib.metadata
import subprocess

_PACKAGES = ("numpy", "numba", "scipy", "cupy-cuda12x", "cupy-cuda13x", "cupy")
_TIMEOUT_S = 20


def package_versions() -> dict[str, str]:
    """The versions of the packages that are installed, of those that warpath computes with."""
    versions = {}
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def output_of(*command: str) -> str | None:
    """The output of ``command``; None if it is missing, fails or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
