"""Source text in a normal form: code that does the same compares equal.

Python code loses comments, docstrings, imports, annotations, the messages of ``raise`` and ``assert``, and the
descriptions of variants. C and CUDA code loses comments and white space between tokens.
"""

import ast
import re

# Calls whose text arguments describe a variant or a parameter to readers, and the text arguments that do not.
_DESCRIBING = {"Variant", "Parameter"}
_NOT_PROSE = {"problem"}

# Annotations, and fields of the syntax tree that are redundant or missing in some versions of Python.
_LEFT_OUT = {"annotation", "returns", "ctx", "kind", "type_comment", "type_ignores", "type_params"}

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


def python_form(tree: ast.Module) -> str:
    """The normal form of ``tree``, as text."""
    parts: list[str] = []
    _add_python(tree, parts)
    return "".join(parts)


def _add_python(node: object, parts: list[str]) -> None:
    match node:
        case ast.Constant(value=value):
            parts.append(f"{type(value).__name__} {value!a} ")
            return
        case ast.Raise(exc=ast.Call(func=exception)):
            node = ast.Raise(exception, None)
        case ast.Assert(test=test):
            node = ast.Assert(test, None)
        case ast.Call(func=ast.Name(id=name)) if name in _DESCRIBING:
            arguments = [argument for argument in node.args if not _is_text(argument)]
            keywords = [word for word in node.keywords if word.arg in _NOT_PROSE or not _is_text(word.value)]
            node = ast.Call(node.func, arguments, keywords)
    if not isinstance(node, ast.AST):
        parts.append(f"{node!a} ")
        return
    parts.append(f"{type(node).__name__}(")
    for field, value in ast.iter_fields(node):
        if field in _LEFT_OUT or value is None or value == []:
            continue
        parts.append(f"{field}=")
        if isinstance(value, list):
            for part in value:
                is_docstring = isinstance(part, ast.Expr) and _is_text(part.value)
                if not (is_docstring or isinstance(part, (ast.Import, ast.ImportFrom))):
                    _add_python(part, parts)
            parts.append(";")
        else:
            _add_python(value, parts)
    parts.append(")")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def c_form(text: str) -> str:
    """The tokens of C or CUDA ``text``, separated by one space; each preprocessor directive is on its own line."""
    tokens: list[str] = []
    directive = 0  # number of tokens of the current directive so far
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
