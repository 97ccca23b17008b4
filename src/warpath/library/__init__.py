"""Shortest paths from one source, several or all; closures; certificates of any program's answer."""
