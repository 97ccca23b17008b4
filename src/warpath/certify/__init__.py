"""Proving answers right: certificates, and the small graphs that are solved before anything is timed."""
