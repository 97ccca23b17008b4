"""Normal forms of code, in which only what can change a run counts.

Python code loses comments, docstrings, imports, annotations, messages of ``raise`` and ``assert``, and descriptions of
variants. C and CUDA code loses comments and white space between tokens.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

# Calls whose string arguments are descriptions, except these keywords.
_DESCRIBING = {"Variant", "Parameter"}
_NOT_DESCRIPTIONS = {"problem"}

# Annotations, and fields that are redundant or missing in some versions of Python.
_IGNORED_FIELDS = {"annotation", "returns", "ctx", "kind", "type_comment", "type_ignores", "type_params"}

_TOKEN = re.compile(
    r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ ) |
    (?P<gap> (?:[^\S\n]|\\\n)+ ) |
    (?P<line> \n ) |
    (?P<text>
        "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' |  # strings and characters
        \.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])* |  # numbers
        \w+ |
        <<=|>>=|\.\.\.|->\*|\#\#|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|->|:: |
        .
    )
    """,
    re.VERBOSE | re.DOTALL,
)


def python_form(node: ast.AST) -> str:
    """The normal form of ``node``."""
    parts: list[str] = []
    _add_python(node, parts)
    return "".join(parts)


def uses(node: ast.AST) -> Iterator[tuple[str, str | None]]:
    """The names in the normal form of ``node``, each with its attribute if one is taken directly."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            yield name, attribute
        case ast.Name(id=name):
            yield name, None
        case _:
            for _, value in _fields(node):
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        yield from uses(part)


def _add_python(node: object, parts: list[str]) -> None:
    if isinstance(node, ast.Constant):
        parts.append(f"{type(node.value).__name__} {node.value!a} ")
    elif isinstance(node, ast.AST):
        parts.append(f"{type(node).__name__}(")
        for name, value in _fields(node):
            parts.append(f"{name}=")
            if isinstance(value, list):
                for part in value:
                    _add_python(part, parts)
                parts.append(";")
            else:
                _add_python(value, parts)
        parts.append(")")
    else:
        parts.append(f"{node!a} ")


def _fields(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """The fields of ``node`` that count, with what counts of them."""
    match node:
        case ast.Raise(exc=ast.Call(func=exception)):
            node = ast.Raise(exception, None)
        case ast.Assert(test=test):
            node = ast.Assert(test, None)
        case ast.Call(func=ast.Name(id=name)) if name in _DESCRIBING:
            arguments = [argument for argument in node.args if not _is_text(argument)]
            keywords = [word for word in node.keywords if word.arg in _NOT_DESCRIPTIONS or not _is_text(word.value)]
            node = ast.Call(node.func, arguments, keywords)
    for name, value in ast.iter_fields(node):
        if name in _IGNORED_FIELDS or value is None or value == []:
            continue
        yield name, [part for part in value if _counts(part)] if isinstance(value, list) else value


def _counts(part: object) -> bool:
    """Whether a part of a list is neither a docstring nor an import."""
    is_docstring = isinstance(part, ast.Expr) and _is_text(part.value)
    return not (is_docstring or isinstance(part, (ast.Import, ast.ImportFrom)))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def c_form(text: str) -> str:
    """The tokens of C or CUDA ``text``, separated by spaces, with each preprocessor directive on its own line."""
    tokens: list[str] = []
    directive = 0  # tokens of the current directive so far
    line_begins, spaced = True, True
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "text":
            if token == "#" and line_begins:
                tokens.append("\n")
                directive = 1
            elif directive:
                directive += 1
            if directive == 4 and token == "(" and not spaced and tokens[-2] == "define":
                tokens[-1] += token  # '#define NAME(x)' has a parameter, '#define NAME (x)' has none
            else:
                tokens.append(token)
            line_begins, spaced = False, False
        else:
            spaced = True
            if kind == "line":
                if directive:
                    tokens.append("\n")
                line_begins, directive = True, 0
    return " ".join(tokens)
