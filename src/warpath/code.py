"""The identity of the code of a run: its kernels, their launch shape, and revisions.

Kernels, and functions that Numba compiles, count by their text, with includes and without comments. Host code counts by
revisions of the variant and of the device adapter, which authors increase when an edit changes what is timed. Paths and
names of modules do not count, so code can move.

Text is compared in a normal form. Python code loses comments, docstrings, imports, annotations, messages of ``raise``
and ``assert``, and descriptions of variants. C and CUDA code loses comments and white space between tokens.

``Code.host_loop`` also changes with the variant's own modules. It is not part of the identity.
"""

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .device import cpu, cuda, host
from .device.kernel_source import ROOT, expanded_source
from .facts import Code
from .reductions import reductions
from .solvers.auto import candidates
from .solvers.registry import Variant, find

ADAPTERS: Mapping[str, Any] = {"cuda": cuda, "host": host, "cpu": cpu}
"""The device adapters by kind; each has a ``REVISION``."""

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


def identity(
    variant: Variant, revisions: Mapping[str, int], modules: Iterable[Path] | None = None, trees: bool = True
) -> Code:
    """The identity of a variant's code.

    Parameters
    ----------
    variant : Variant
    revisions : mapping of str to int
        The revisions of the device adapter and of the sampling.
    modules : iterable of Path, optional
        The files of the host loop. Default: those in the variant's folders that its plan imports.
    trees : bool
        With what the variant uses only for graphs with ``trees_needed``.

    Returns
    -------
    Code
    """
    compiled: dict[str, str] = {}
    for function in variant.compiled:
        _add_compiled(function, compiled)
    rare = variant.only_for_trees
    return Code(
        kernels={file.name: _hash_of_kernel(file) for file in variant.kernels if trees or file not in rare} | compiled,
        launch={name: value for name, value in _launch(variant).items() if trees or name not in rare},
        revisions={"variant": variant.revision, **revisions},
        host_loop=_hash(*map(_hash_of_module, modules if modules is not None else _modules(variant))),
    )


def identity_of_library(
    problem: str,
    device_kind: str,
    revisions: Mapping[str, int],
    modules: Iterable[Path],
    one_source: bool = False,
    trees: bool = True,
    solvers: Collection[str] | None = None,
) -> Code:
    """The identity of the library's solvers for "sssp" or "apsp", and of what else it runs.

    Parameters
    ----------
    problem, device_kind : str
    revisions : mapping of str to int
        The revisions of the calling code.
    modules : iterable of Path
        The files of the calling code, Python and CUDA.
    one_source : bool
        Each call is from one source to all vertices.
    trees : bool
        As for ``identity``.
    solvers : collection of str, optional
        The names of the solvers that ran. Default: those that the library chooses from.
    """
    adapter = {device_kind: ADAPTERS[device_kind].REVISION}
    chosen_from = (".".join(names) for names in candidates(problem, device_kind, one_source))
    variants = {name: find(*name.split(".")) for name in (chosen_from if solvers is None else solvers)}
    codes = {name: identity(variant, adapter, trees=trees) for name, variant in variants.items()}
    files = list(modules)
    return Code(
        kernels={file.name: _hash_of_kernel(file) for file in files if file.suffix == ".cu"}
        | {kernel: hash_ for code in codes.values() for kernel, hash_ in code.kernels.items()},
        launch={name: code.launch for name, code in codes.items()},
        revisions={**revisions, **adapter, **{name: variant.revision for name, variant in variants.items()}},
        host_loop=_hash(
            *(_hash_of_module(file) for file in files if file.suffix == ".py"),
            *(code.host_loop for code in codes.values()),
        ),
    )


def identity_of_reductions(device_kind: str) -> Code:
    """The identity of the code that solves and reduces rows on a device of this kind."""
    files = [reductions.KERNELS, Path(reductions.__file__)]
    return identity_of_library("sssp", device_kind, {"variant": reductions.REVISION}, files)


def parts_of_code(code: Code) -> list[str]:
    """The parts that an edit can change, each with a short hash: kernels, launch, revisions and host loop."""
    others = {"launch": _hash(str(code.launch)), "revisions": _hash(str(code.revisions)), "host_loop": code.host_loop}
    return [f"{name} {hash_[:12]}" for name, hash_ in {**dict(sorted(code.kernels.items())), **others}.items()]


def differing(one: Code, other: Code) -> list[str]:
    """The differences of two identities, sorted: names of kernels, "launch", "revision of variant" and so on."""
    kernels = {name for name, hash_ in one.kernels.items() if hash_ not in other.kernels.values()}
    kernels |= {name for name, hash_ in other.kernels.items() if hash_ not in one.kernels.values()}
    launch = {"launch"} if one.launch != other.launch else set()
    revised = {f"revision of {name}" for name, _ in one.revisions.items() ^ other.revisions.items()}
    return sorted(kernels | launch | revised)


def _launch(variant: Variant) -> dict[str, Any]:
    """The sizes of blocks and tiles: the plan's defaults for the names in ``smallest`` that are not parameters."""
    plan = inspect.signature(variant.plan).parameters
    return {name: _plain(plan[name].default) for name in variant.smallest if name not in variant.parameters}


def _plain(value: Any) -> Any:
    """``value`` with JSON values instead of tuples and dataclasses."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _add_compiled(function: Callable[..., Any], into: dict[str, str]) -> None:
    """Add the hashes of a Numba function and of those it calls, with the numbers from their modules."""
    plain = getattr(function, "py_func", function)
    if plain.__name__ in into:
        return
    named = {name: plain.__globals__[name] for name in sorted(plain.__code__.co_names) if name in plain.__globals__}
    numbers = [f"{name} {int(value)}" for name, value in named.items() if isinstance(value, (int, np.integer))]
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):  # a lock does not change what is timed
            part.decorator_list = [by for by in part.decorator_list if "numba" in ast.dump(by)]
    into[plain.__name__] = _hash(python_form(tree), *numbers)
    for value in named.values():
        if hasattr(value, "py_func"):
            _add_compiled(value, into)


def _modules(variant: Variant) -> list[Path]:
    """The files of the host loop: the modules of the plan and the tuning, and those they import from their family."""
    modules = {function.__module__ for function in (variant.plan, variant.tune) if function}
    family = {module.split(".")[-2] for module in modules if "." in module}
    return import_closure(*modules, within=family) if family else [Path(str(sys.modules[m].__file__)) for m in modules]


@cache
def _hash_of_module(file: Path) -> str:
    return _hash(python_form(ast.parse(file.read_bytes())))


@cache
def _hash_of_kernel(file: Path) -> str:
    return _hash(c_form(expanded_source(file, False) if file.suffix == ".cu" else file.read_text(encoding="utf-8")))


def _hash(*texts: str) -> str:
    """A hash of ``texts`` in any order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def import_closure(*modules: str, within: Collection[str] = (), without: Collection[str] = ()) -> list[Path]:
    """The files of ``modules`` (dotted names) and of all modules that they import, also inside functions, sorted.

    Only modules in packages named in ``within`` count (default: all), except those in ``without``. A package's
    ``__init__`` counts only if a name is imported from it. Raises ModuleNotFoundError if one of ``modules`` is missing.
    """
    files: set[Path] = set()
    visited: set[str] = set(without)

    def visit(module: str) -> None:
        if module in visited or (within and not set(within) & set(module.split(".")[:-1])):
            return
        visited.add(module)
        path = _module_file(module)
        assert path is not None
        files.add(path)
        for imported in _imported(module, path):
            visit(imported)

    for module in modules:
        if _module_file(module) is None:
            raise ModuleNotFoundError(f"no module {module} beside warpath")
        visit(module)
    return sorted(files)


@cache
def _module_file(module: str) -> Path | None:
    """The file of a dotted module name; None if it is not in warpath or warpath_study."""
    base = ROOT.joinpath(*module.split("."))
    if not module.startswith("warpath"):
        return None
    if base.is_dir() and (base / "__init__.py").is_file():
        return base / "__init__.py"
    path = base.with_suffix(".py")
    return path if path.is_file() else None


@cache
def _imported(module: str, path: Path) -> list[str]:
    """The modules of warpath and warpath_study that a module imports."""
    imported: list[str] = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            submodules = [name for name in inside if _module_file(name)]
            imported += submodules
            if len(submodules) < len(inside):
                imported.append(origin)
    return [name for name in imported if _module_file(name)]


def python_form(tree: ast.Module) -> str:
    """The normal form of ``tree``."""
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
            keywords = [word for word in node.keywords if word.arg in _NOT_DESCRIPTIONS or not _is_text(word.value)]
            node = ast.Call(node.func, arguments, keywords)
    if not isinstance(node, ast.AST):
        parts.append(f"{node!a} ")
        return
    parts.append(f"{type(node).__name__}(")
    for field, value in ast.iter_fields(node):
        if field in _IGNORED_FIELDS or value is None or value == []:
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
