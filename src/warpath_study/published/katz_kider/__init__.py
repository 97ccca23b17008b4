"""Katz and Kider: all pairs and transitive closure in blocks."""
