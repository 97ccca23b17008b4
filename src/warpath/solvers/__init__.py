"""The algorithms: one folder a family, in it one module a variant, its kernel in the ``.cu`` file beside it."""

from .registry import families, find, variants
from .variant import Configured, Variant

__all__ = ["Configured", "Variant", "families", "find", "variants"]
