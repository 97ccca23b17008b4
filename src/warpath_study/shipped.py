"""The files that come with warpath beside its code: the catalog of datasets, and the works.

A checkout has them in ``data`` and ``workflow``. A wheel has the same folders inside this package.
"""

from pathlib import Path

PACKAGE_ROOT = Path(__file__).resolve().parent


def roots() -> tuple[Path, ...]:
    """Where those folders may lie, first choice first: here, in the checkout that warpath runs from, in the package."""
    checkout = (PACKAGE_ROOT.parents[1],) if PACKAGE_ROOT.parent.name == "src" else ()
    return (Path(), *checkout, PACKAGE_ROOT)


def root_with(pattern: str) -> Path | None:
    """The first of ``roots`` that has a file matching the glob ``pattern``; None if there is none."""
    return next((root for root in roots() if any(root.glob(pattern))), None)
