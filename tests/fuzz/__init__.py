"""Hostile input for warpath, made at random from a seed: `make fuzz` runs it long, test_fuzz.py a little of it."""
