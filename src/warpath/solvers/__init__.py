"""The algorithms: one folder a family, in it one module a variant, its kernel in the ``.cu`` file beside it."""

from .registry import Configured, Variant, families, find, variants

__all__ = ["Configured", "Variant", "families", "find", "variants"]
