"""Examples in the docstrings of what is public do what they show."""

import doctest

import pytest

import warpath

EXAMPLES = [
    pytest.param(test, id=test.name)
    for thing in [warpath, *(getattr(warpath, name) for name in warpath.__all__ if name[0] != "_")]
    for test in doctest.DocTestFinder(recurse=False).find(thing, getattr(thing, "__name__", "constant"))
    if test.examples
]


def test_functions_of_the_library_have_examples():
    assert {"sssp", "apsp", "closure", "certify", "prepare", "from_arcs"} <= {case.id for case in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples(example):
    assert doctest.DocTestRunner().run(example).failed == 0
