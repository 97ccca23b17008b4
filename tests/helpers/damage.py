"""Damage to the bytes of a file, of the kinds that the fuzz does: bits, lines, numbers, ends cut off, parts twice."""

from fuzz.mutations import damaged

__all__ = ["damaged"]
