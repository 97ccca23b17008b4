"""Hostile input for warpath, made at random from a seed: `make fuzz` runs it long, test_fuzz.py a little of it."""

# What is fed, by name. Its module has ``case(case)``, and ``prepare()`` if its cases share something.
SUBJECTS = {
    "text": "graphs as text, valid and damaged, against plain parsers",
    "arrays": "graphs as .npz, damaged",
    "answers": "answers of other programs, changed, through warpath certify",
    "commands": "random options and values for every command",
    "solvers": "random small graphs, variants and options, against scipy",
}
