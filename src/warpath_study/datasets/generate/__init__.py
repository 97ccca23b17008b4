"""Generated graphs, for machines without the published ones and for sizes that nobody published."""

from .generators import GENERATORS, generate

__all__ = ["GENERATORS", "generate"]
