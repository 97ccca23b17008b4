"""What the code of a run consists of, and its identity: kernels, their launch shape, and revisions.

Kernels, and functions that Numba compiles, count by their text, with includes and without comments. Host code counts by
revisions of the variant and of the device adapter, which authors increase when an edit changes what is timed. Paths and
names of modules do not count, so code can move. The pipeline repeats runs by ``Sources.parts``, where all files count.

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
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import cpu, cuda, host
from warpath.device.kernel_source import ROOT, expanded_source
from warpath.facts import Code
from warpath.reductions import reductions
from warpath.solvers.auto import candidates
from warpath.solvers.registry import find
from warpath.solvers.variant import Variant

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


@dataclass(frozen=True)
class Sources:
    """What the code of a run consists of; ``code`` is its identity.

    Attributes
    ----------
    kernels : collection of Path
        The files of kernels, without those that they include.
    modules : collection of Path
        The files of the host loop.
    revisions : mapping of str to int
    launch : mapping of str to object
        Sizes of blocks and tiles.
    compiled : mapping of str to str
        Hashes of the functions that Numba compiles.
    solvers : mapping of str to Sources
        Those of the library's solvers that the code calls.
    """

    kernels: Collection[Path]
    modules: Collection[Path]
    revisions: Mapping[str, int]
    launch: Mapping[str, Any] = field(default_factory=dict)
    compiled: Mapping[str, str] = field(default_factory=dict)
    solvers: Mapping[str, "Sources"] = field(default_factory=dict)

    @property
    def code(self) -> Code:
        """The identity."""
        codes = {name: solver.code for name, solver in self.solvers.items()}
        kernels = {file.name: _hash_of_kernel(file) for file in self.kernels} | dict(self.compiled)
        for code in codes.values():
            kernels |= code.kernels
        return Code(
            kernels=kernels,
            launch={**self.launch, **{name: code.launch for name, code in codes.items()}},
            revisions=dict(self.revisions),
            host_loop=_hash(*map(_hash_of_module, self.modules), *(code.host_loop for code in codes.values())),
        )

    @property
    def parts(self) -> dict[str, str]:
        """What an edit can change, with a hash of each: files, functions, revisions, the launch shape.

        Unlike the identity, these change if a file is moved, too.
        """
        revisions = {f"revision of {name}": _hash(str(revision)) for name, revision in self.revisions.items()}
        return {**self._texts, **revisions, "launch": _hash(str(self.code.launch))}

    @property
    def _texts(self) -> dict[str, str]:
        """The hash of each file and of each function that Numba compiles."""
        included = dict.fromkeys(file for kernel in self.kernels for file in _with_included(kernel))
        texts = {_path(file): _hash_of_text(file) for file in included}
        texts |= {_path(file): _hash_of_module(file) for file in self.modules} | dict(self.compiled)
        for solver in self.solvers.values():
            texts |= solver._texts
        return texts


def sources(
    variant: Variant, revisions: Mapping[str, int], modules: Collection[Path] | None = None, trees: bool = True
) -> Sources:
    """What the code of a variant consists of.

    Parameters
    ----------
    variant : Variant
    revisions : mapping of str to int
        The revisions of the device adapter and of the sampling.
    modules : collection of Path, optional
        The files of the host loop. Default: those in the variant's folders that its plan imports.
    trees : bool
        With what the variant uses only for graphs with ``trees_needed``.

    Returns
    -------
    Sources
    """
    compiled: dict[str, str] = {}
    for function in variant.compiled:
        _add_compiled(function, compiled)
    rare = variant.only_for_trees
    return Sources(
        kernels=[file for file in variant.kernels if trees or file not in rare],
        modules=modules if modules is not None else _modules(variant),
        revisions={"variant": variant.revision, **revisions},
        launch={name: value for name, value in _launch(variant).items() if trees or name not in rare},
        compiled=compiled,
    )


def sources_of_library(
    problem: str,
    device_kind: str,
    revisions: Mapping[str, int],
    files: Iterable[Path],
    one_source: bool = False,
    trees: bool = True,
    solvers: Collection[str] | None = None,
) -> Sources:
    """What the library's solvers for "sssp" or "apsp" consist of, and what else it runs.

    Parameters
    ----------
    problem, device_kind : str
    revisions : mapping of str to int
        The revisions of the calling code.
    files : iterable of Path
        The files of the calling code, Python and CUDA.
    one_source : bool
        Each call is from one source to all vertices.
    trees : bool
        As for ``sources``.
    solvers : collection of str, optional
        The names of the solvers that ran. Default: those that the library chooses from.
    """
    adapter = {device_kind: ADAPTERS[device_kind].REVISION}
    chosen_from = (".".join(names) for names in candidates(problem, device_kind, one_source))
    variants = {name: find(*name.split(".")) for name in (chosen_from if solvers is None else solvers)}
    own = list(files)
    return Sources(
        kernels=[file for file in own if file.suffix == ".cu"],
        modules=[file for file in own if file.suffix == ".py"],
        revisions={**revisions, **adapter, **{name: variant.revision for name, variant in variants.items()}},
        solvers={name: sources(variant, adapter, trees=trees) for name, variant in variants.items()},
    )


def sources_of_reductions(device_kind: str) -> Sources:
    """What solves and reduces rows on a device of this kind."""
    files = [reductions.KERNELS, Path(reductions.__file__)]
    return sources_of_library("sssp", device_kind, {"variant": reductions.REVISION}, files)


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
    return _hash(c_form(expanded_source(file, False))) if file.suffix == ".cu" else _hash_of_text(file)


@cache
def _hash_of_text(file: Path) -> str:
    return _hash(c_form(file.read_text(encoding="utf-8")))


@cache
def _with_included(file: Path) -> list[Path]:
    """``file`` and, if it is a ``.cu`` file, all that it includes."""
    begins = re.findall(r'^#line 1 "(.+)"$', expanded_source(file), re.MULTILINE) if file.suffix == ".cu" else [file]
    return [ROOT / name for name in begins]


def _path(file: Path) -> str:
    """The path of a file from the checkout: "src/warpath/code.py"."""
    file = file.resolve()
    return str(file.relative_to(ROOT.parent) if file.is_relative_to(ROOT) else file)


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
    for name, value in ast.iter_fields(node):
        if name in _IGNORED_FIELDS or value is None or value == []:
            continue
        parts.append(f"{name}=")
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
