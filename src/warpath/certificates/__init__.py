"""Certificates of answers, and the small graphs that are solved and certified before anything is timed."""
