"""Damage to what JSON and YAML hold: keys dropped or doubled, values of other types, huge numbers, odd texts."""

import copy
import random
from typing import Any

_TEXTS = (
    *(
        "",
        " ",
        "x",
        "a b",
        "a\nb",
        "\0",
        "$(touch P)",
        "`touch P`",
        "'",
        '"',
        "$a$b$",
        "../../x",
        "/",
        ".",
        "é",
        "\ud800",
    ),
    *(
        "<b>&amp;</b>",
        "|",
        "nan",
        "1e999",
        "{row}",
        "{",
        "%s",
        "A" * 300,
        "cuda:²",
        "\u2028",
        "\x1b[31m",
        "-",
        "--debug",
    ),
)
_NUMBERS = (
    *(0, 1, -1, 2, 0.5, -0.5, 1e-300, 1e300, 10**30, -(10**30), 2**31, 2**53 + 1, 2**63, 2**64),
    *(float("inf"), float("-inf"), float("nan")),
)


def damaged_tree(tree: Any, chosen: random.Random) -> Any:
    """A copy of ``tree`` in which one to three places are something else."""
    tree = copy.deepcopy(tree)
    for _ in range(chosen.choice((1, 1, 1, 2, 3))):
        places = list(_places(tree))
        if not places:
            return odd(chosen)
        within, key = chosen.choice(places)
        change = chosen.randrange(8)
        if change == 0:
            del within[key]
        elif change == 1 and isinstance(within, dict):
            within[chosen.choice((*_TEXTS[:8], "extra"))] = odd(chosen)
        elif change == 1:
            within.insert(key, copy.deepcopy(within[key]))
        elif change == 2 and isinstance(within[key], int | float):
            within[key] = chosen.choice((within[key] * 100, within[key] / 100, -within[key], within[key] + 1))
        elif change == 3:
            other, name = chosen.choice(places)
            within[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
        elif change == 4 and isinstance(within, dict):
            within[odd_key(key, chosen)] = within.pop(key)
        else:
            within[key] = odd(chosen)
    return odd(chosen) if chosen.random() < 0.02 else tree


def odd(chosen: random.Random) -> Any:
    """A value that is probably not the one expected."""
    values = (None, True, [], {}, [None], {"x": 1}, [[1]])
    return chosen.choice((*values, *(chosen.choice(pool) for pool in (_TEXTS, _TEXTS, _NUMBERS, _NUMBERS))))


def odd_key(key: Any, chosen: random.Random) -> Any:
    """A key beside ``key``, or another kind of thing."""
    return chosen.choice((f"{key} ", str(key).upper(), chosen.choice(_TEXTS), ""))


def _places(tree: Any):
    """Every (container, key) in ``tree``."""
    if isinstance(tree, dict | list):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from _places(tree[key])
