"""Graphs in files: a module for each format, and what they share."""
