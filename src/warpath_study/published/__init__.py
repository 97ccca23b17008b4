"""Ports of published kernels, one folder for each work, with one folder for each family of algorithms.

Ports are frozen. They share only stable code with the solvers of warpath: an edit that changes a port makes its records
stale.
"""

from functools import cache
from pathlib import Path


@cache
def packages() -> tuple[str, ...]:
    """The packages with families of variants: one for each work, and ``experiments``."""
    works = sorted(file.parent.name for file in Path(__file__).parent.glob("*/__init__.py"))
    return (*(f"{__name__}.{work}" for work in works), "warpath_study.experiments")
