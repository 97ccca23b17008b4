"""Published kernels as they were published: frozen, a folder a work, in it one a family of algorithms.

What they share with the solvers of warpath is stable: an edit that changes what a port does makes its records stale.
"""

from functools import cache
from pathlib import Path


@cache
def packages() -> tuple[str, ...]:
    """The packages that have families of variants: of each work, and ``experiments``."""
    works = sorted(file.parent.name for file in Path(__file__).parent.glob("*/__init__.py"))
    return (*(f"{__name__}.{work}" for work in works), "warpath_study.experiments")
