"""Expressions over runs: ``seconds("naive") / seconds("stride_flag")`` says in ``work.yaml`` what a claim is about.

An expression consists of numbers, ``+ - * / **``, brackets and these functions. It is parsed, not executed as code.

    seconds("naive")                  the time of a column in each row, in seconds
    fact("iterations_min", "harish")  another fact of the table of runs, in each row
    best("locality", "harish")        the least time of the columns named, in each row
    first("cluster", "whole_grid")    the time of the first of them, in each row; one that is not available on the
                                      machine leaves it to the next
    only(x, "nyc", "bay")             x at these keys alone
    at(x, "nyc")                      x at one key
    largest(x), smallest(x)           x in the row with the most, or the fewest, vertices
    min(x), max(x), mean(x)           minimum, maximum and mean over all keys of x
    slope(x)                          the exponent p if x grows as vertices ** p
    by("k", "locality", "harish")     for each k: time of locality over that of harish, mean of the rows, with the other
                                      parameters at their best, or as given: by(..., vertices_per_thread=2)
    least_at(x)                       the key with the least x; keys must be numbers

A column has its name in ``work.yaml``, or that name without the algorithm, or the name of its variant if each row has
only one run of it. ``best`` and ``first`` take all columns of a variant.
"""

import ast
import inspect
import operator
from collections.abc import Callable

from warpath.errors import UsageError
from warpath.names import check_known

from ..works.works import PAPER, Choice, Work
from .expression_functions import FUNCTIONS, Scope
from .labels import plain_number
from .quantities import ROW, Number, Quantity, Series, calculated

_LONGEST = 1000  # characters: more than any claim needs, fewer than overflow the parser's stack
_OF_ONE_SIZE = ("largest", "smallest")
_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def evaluate(text: str, scope: Scope) -> Quantity:
    """The value of an expression. Raises UsageError, which quotes the expression, if it is faulty."""
    try:
        if len(text) > _LONGEST:
            raise ValueError(f"longer than {_LONGEST} characters")
        body = ast.parse(text.strip(), mode="eval").body
        return _with_range(body, _Evaluation(scope))
    except SyntaxError as error:
        raise UsageError(f"expression {text!r}: cannot be read ({error.msg})") from None
    except (ValueError, UsageError, RecursionError) as error:
        raise UsageError(f"expression {text!r}: {error}") from None


def _with_range(body: ast.expr, evaluation: "_Evaluation") -> Quantity:
    """The value. If it is the value at one size, a note gives the range over all rows."""
    value = evaluation.quantity(body)
    if not isinstance(value, Number) or value.value is None:
        return value
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Name) and body.func.id in _OF_ONE_SIZE:
        rows = evaluation.value(body.args[0])
        if isinstance(rows, Series) and rows.of == ROW and rows.complete and len(rows.values) > 1:
            least, most = (plain_number(pick(rows.values.values()), 4) for pick in (min, max))
            return value.noted(f"{least} to {most} over {len(rows.values)} rows")
    return value


class _Evaluation:
    """Walks the tree of an expression."""

    def __init__(self, scope: Scope):
        self.scope = scope

    def value(self, node: ast.expr) -> Quantity | str:
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=str() as name):
                return name
            case ast.Constant(value=int() | float() as number):
                return Number(float(number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return calculated(operator.neg, self.quantity(operand))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
                return calculated(_OPERATORS[type(sign)], self.quantity(left), self.quantity(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self.call(name, args, keywords)
        raise ValueError(
            f"{ast.unparse(node)!r} is not part of the language, which has numbers, + - * / ** and functions"
        )

    def quantity(self, node: ast.expr) -> Quantity:
        value = self.value(node)
        if isinstance(value, str):
            raise ValueError(f"{value!r} is a name where a quantity belongs")
        return value

    def call(self, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Quantity:
        check_known("function", [name], FUNCTIONS)
        function = FUNCTIONS[name]
        given = [self.value(arg) for arg in args]
        named = {str(keyword.arg): self.value(keyword.value) for keyword in keywords}
        try:
            bound = inspect.signature(function).bind(self.scope, *given, **named)
        except TypeError as error:
            raise ValueError(f"{name}(): {error}") from None
        for parameter, value in bound.arguments.items():
            kind = inspect.signature(function).parameters[parameter].annotation
            values = value if isinstance(value, tuple) else value.values() if isinstance(value, dict) else (value,)
            for each in values:
                if not isinstance(each, kind):
                    wanted = {str: "a name in quotes", Series: "a quantity with several values", Number: "a number"}
                    raise ValueError(f"{name}(): expected {wanted[kind]} for {parameter}")
        return function(*bound.args, **bound.kwargs)


def scope_of(work: Work, group: str, suite: str | None = None) -> Scope:
    """The scope of an expression over ``group``: the names of all suites, and the runs of ``suite`` if given."""
    suites = [PAPER, *work.fields.runs[group].suites]
    every = [run for each in suites for run in work.asked([group], Choice(each))]
    rows = dict.fromkeys(row for each in suites for row in work.group(group, each).rows)
    asked = [] if suite is None else work.asked([group], Choice(suite))
    return Scope(list(rows), list(dict.fromkeys(run.column for run in every)), asked)


def check_claims(work: Work) -> None:
    """Raise UsageError, naming work.yaml and a claim, for an unknown group or a faulty expression."""
    for claim in work.fields.claims:
        place = f"{work.path / 'work.yaml'}: claims: {claim.claim}"
        for key, group in (("quantity", claim.runs), ("best", claim.best_runs or claim.runs)):
            check_known(f"{place}: runs", [group], work.fields.runs)
            try:
                evaluate(getattr(claim, key) or claim.quantity, scope_of(work, group))
            except UsageError as error:
                raise UsageError(f"{place}: {key}: {error}") from None
