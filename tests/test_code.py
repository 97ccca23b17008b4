"""What the identity of the code depends on, and what not: edits of a copy of the package, one file at a time."""

import ast
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from warpath.algorithms import find, variants
from warpath.code import differing, identity
from warpath.normal_text import c_form, python_form
from warpath.package import PACKAGE_ROOT

RUNS = [(variant, kind) for variant in variants() for kind in (["cpu"] if variant.on_cpu else ["cuda", "host"])]


def names(*wanted, kinds=("cuda", "host")):
    return {f"{name} {kind}" for name in wanted for kind in kinds}


def of_kind(*kinds):
    return {f"{variant.algorithm} {variant.name} {kind}" for variant, kind in RUNS if kind in kinds}


ALL = of_kind("cuda", "host", "cpu")
FLOYD_WARSHALL = [
    f"floyd_warshall {variant.name}" for variant in variants("apsp") if variant.algorithm == "floyd_warshall"
]
for other in ("cpu", "lookahead", "narrow", "shared_rows"):  # these share nothing with the rest of the family
    FLOYD_WARSHALL.remove(f"floyd_warshall {other}")
BELLMAN_FORD = [f"bellman_ford {name}" for name in ("ell", "naive", "stride", "stride_flag")]
FIND_PREDECESSORS = [
    "floyd_warshall shared_rows",
    *FLOYD_WARSHALL,
    *BELLMAN_FORD,
    *(
        f"{variant.algorithm} {variant.name}"
        for variant in variants()
        if variant.algorithm
        in ("contraction_hierarchy", "label_correcting", "near_far", "partition", "sparse_all_pairs")
        and not variant.on_cpu
    ),
]
BLOCKED = ["blocked_all_pairs blocked", "transitive_closure blocked"]


# File, text in it, replacement.
HARMLESS = [
    ("algorithms/bellman_ford/relax.cuh", "\n", "  // a comment\n"),  # a comment in a header
    ("algorithms/bellman_ford/relax.cuh", " = ", "   =\n      "),  # white space in a header
    ("algorithms/bellman_ford/naive.cu", "{\n", "{  /* a\n comment */\n"),  # a comment in a kernel
    ("algorithms/plan.py", '"""A variant applied', '"""Any variant, applied'),  # a docstring
    ("algorithms/plan.py", "\nclass Plan", "\n# a comment\nclass Plan"),  # a comment
    ("algorithms/plan.py", " -> None:", ":"),  # an annotation
    ("algorithms/bellman_ford/naive.py", 'summary="', 'summary="all of it: '),  # a summary
    ("measure/sampling.py", "the budget must be", "a budget has to be"),  # a message of the sampling
    ("device/cuda.py", "is out of memory", "has no memory left"),  # a message of the adapter
    ("algorithms/registry.py", "def find(", "def found("),  # the finding of variants
    ("algorithms/parameters.py", "int(value)", "int(value, 0)"),  # the parsing of parameters
    ("algorithms/limits.py", ">= UNREACHABLE", "> UNREACHABLE"),  # what is refused
    ("cli/run.py", "def main", "def other"),  # the command line
    ("certificates/certificate.py", "import numpy", "import os\nimport numpy"),  # certificates
    ("measure/record.py", "FORMAT: Final = 2", "FORMAT: Final = 3"),  # the record
    ("measure/environment.py", "import os", "import os, json"),  # the environment
    ("measure/lock.py", "import os", "import os, json"),  # the lock
    ("atomic.py", "import os", "import os, json"),  # the writing of files
    ("graphs/csr.py", "import os", "import os, json"),  # the graph
    ("errors.py", "exit_status = 1", "exit_status = 3"),  # the errors
    ("device/host_machine.py", "or 1", "or 2"),  # the facts of the machine
    ("code.py", "import hashlib", "import hashlib, os"),  # the identity itself
]

# The same, and the runs that it changes.
DECISIVE = [
    ("algorithms/bellman_ford/naive.cu", "{\n", "{ ;\n", names("bellman_ford naive")),  # a kernel
    ("algorithms/predecessors.cu", "{\n", "{ ;\n", names(*FIND_PREDECESSORS)),  # a kernel that a helper opens
    ("algorithms/grid_stride.cuh", "vertex += ", "vertex += 0 + ", names(*FIND_PREDECESSORS)),  # its include
    ("algorithms/blocked.cuh", "{\n", "{ ;\n", names(*BLOCKED)),  # an include of several families
    ("algorithms/bellman_ford/stride.py", "VARIANT", "X = 2\nVARIANT", names("bellman_ford stride")),  # a host loop
    ("algorithms/bellman_ford/cpu.py", "VARIANT", "X = 2\nVARIANT", names("bellman_ford cpu", kinds=["cpu"])),
    ("algorithms/floyd_warshall/_matrices.py", "VertexPlan(", "VertexPlan_(", names(*FLOYD_WARSHALL)),  # its helper
    ("algorithms/plan.py", "stretch = 0, 64", "stretch = 0, 32", ALL),  # what all host loops share
    ("measure/sampling.py", "WARMUP_ITERATIONS = 10", "WARMUP_ITERATIONS = 9", ALL),  # the sampling
    ("measure/watched.py", "import inf", "import inf, nan", ALL),  # the watched solve
    ("distances.py", "(2**31 - 1)", "(2**30)", ALL),  # what a distance is
    ("device/cuda.py", "-std=c++17", "-std=c++20", of_kind("cuda")),  # the adapter of CUDA
    ("device/cuda_streams.py", "import itertools", "import os", of_kind("cuda")),  # CUDA's streams
    ("device/host.py", "workers < 1", "workers < 2", of_kind("host")),  # the adapter of the host
    ("device/host_compile.py", '"-O2"', '"-O3"', of_kind("host")),  # the host's compiler
    ("device/simt/warp.h", "namespace simt", "namespace simt_", of_kind("host")),  # the SIMT header
    ("measure/serial.py", "perf_counter", "monotonic", of_kind("cpu")),  # the clock of serial variants
]


def changed_by(edits, root):
    """For each edited file the runs whose identity it changes; all ``edits`` are made to one copy of the package."""
    shutil.copytree(PACKAGE_ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, replacement, *_ in edits:
        before = (root / file).read_text(encoding="utf-8")
        assert text in before, file
        (root / file).write_text(before.replace(text, replacement), encoding="utf-8")
    changed = {file: set() for file, *_ in edits}
    for variant, kind in RUNS:
        today, edited = identity(variant, kind), identity(variant, kind, root)
        files = differing(today, edited)
        assert (today.identity == edited.identity) == (not files)
        for file in files:
            changed[file].add(f"{variant.algorithm} {variant.name} {kind}")
    return changed


@pytest.fixture(scope="module")
def changed_by_harmless(tmp_path_factory):
    return changed_by(HARMLESS, tmp_path_factory.mktemp("harmless") / "warpath")


@pytest.fixture(scope="module")
def changed_by_decisive(tmp_path_factory):
    return changed_by(DECISIVE, tmp_path_factory.mktemp("decisive") / "warpath")


@pytest.mark.parametrize("file", sorted({file for file, *_ in HARMLESS}))
def test_comments_messages_and_other_rooms_decide_nothing(changed_by_harmless, file):
    assert changed_by_harmless[file] == set()


@pytest.mark.parametrize("file, expected", [(file, expected) for file, _, _, expected in DECISIVE])
def test_an_edit_decides_the_runs_that_use_the_file(changed_by_decisive, file, expected):
    assert changed_by_decisive[file] == expected


@pytest.mark.parametrize("variant, kind", RUNS)
def test_which_files_count(variant, kind):
    files = set(identity(variant, kind).files)
    assert {file.split("/")[0] for file in files} <= {"algorithms", "device", "measure", "distances.py"}
    assert files.isdisjoint(f"measure/{name}.py" for name in ("run", "record", "lock", "environment", "launch_cost"))
    assert "measure/empty.cu" not in files
    assert f"algorithms/{variant.algorithm}/{variant.name}.py" in files
    assert ("measure/serial.py" in files) == variant.on_cpu
    adapters = {file for file in files if file.startswith(("device/cuda", "device/host", "device/simt/"))}
    adapters -= {"device/simt/dynamic_shared.cuh", "device/simt/cluster.cuh"}  # kernels include them
    assert {file.split("/")[1].partition(".")[0].partition("_")[0] for file in adapters} == {
        "cuda": {"cuda"},
        "host": {"host", "simt"},
        "cpu": set(),
    }[kind]


def test_every_kernel_counts_somewhere():
    counted = {file for variant in variants() for file in identity(variant, "cuda").files}
    kernels = {path.relative_to(PACKAGE_ROOT).as_posix() for path in (PACKAGE_ROOT / "algorithms").rglob("*.cu*")}
    assert kernels <= counted


def test_a_variant_that_is_not_ours_has_no_known_code():
    ours = find("bellman_ford", "naive")
    assert identity(replace(ours, name="mine"), "cuda") is None
    assert identity(replace(ours, kernel=Path("/elsewhere/mine.cu")), "cuda") is None


def test_the_identity_is_the_same_in_another_process_and_from_another_folder(tmp_path):
    shutil.copytree(PACKAGE_ROOT, tmp_path / "warpath", ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from warpath.algorithms import find; from warpath.code import identity\n"
        "print(identity(find('bellman_ford', 'stride'), 'cuda').identity)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stdout.strip() == identity(find("bellman_ford", "stride"), "cuda").identity, done.stderr


@pytest.mark.parametrize(
    "one, other",
    [
        ("a+b", "a + b"),
        ("a // b\nc", "a c"),
        ("a /* b\n#c */ d", "a d"),
        ("#define F(x) x\n", "# define F( x )  /* y */ x // z\n"),
        ("#define F(x) \\\n  x\n", "#define F(x) x\n"),
        ('"// text" b', '"// text"\nb'),
    ],
)
def test_equal_c(one, other):
    assert c_form(one) == c_form(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("a - -b", "a--b"),
        ("a b", "ab"),
        ("1.5f", "1.5 f"),
        ('"a b"', '"a  b"'),
        ('"/* a */"', '""'),
        ("#define F(x) x\n", "#define F (x) x\n"),
        ("#if A\nb\n#endif\n", "#if A b\n#endif\n"),
        ("x\n#pragma unroll\ny", "x y"),
        ("'\"' + a", "'\"' + b"),
    ],
)
def test_different_c(one, other):
    assert c_form(one) != c_form(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("def f(a: int) -> int:\n    'What it does.'\n    return a", "def f(a):  # so\n    return (a)"),
        ("if a:\n    raise E('one') from b", "if a:\n    raise E(f'two {a}')"),
        ("assert a, 'one'", "assert a"),
        ("class A:\n    x: int = 3\n    'A docstring.'", "class A:\n    x: str = 3"),
        ("V = Variant(problem='sssp', summary='one', plan=f)", "V = Variant(problem='sssp', summary='two', plan=f)"),
        ("{'a': Parameter('one', 3, low=1)}", "{'a': Parameter('two', 3, low=1)}"),
    ],
)
def test_equal_python(one, other):
    assert python_form(ast.parse(one)) == python_form(ast.parse(other))


@pytest.mark.parametrize(
    "one, other",
    [
        ("raise E('a')", "raise F('a')"),
        ("a = 1", "a = 1.0"),
        ("a = True", "a = 1"),
        ("a = None", "a = 'None'"),
        ("f('a')", "f('b')"),
        ("f(**a)", "f(a)"),
        ("{**a, 'b': c}", "{'b': c}"),
        ("a[1:]", "a[:1]"),
        ("a[:1:]", "a[::1]"),
        ("def f(*, a, b=1): pass", "def f(*, a=1, b): pass"),
        ("if a:\n    b\nelse:\n    c", "if a:\n    b\n    c"),
        ("a, (b, c)", "(a, b), c"),
        ("f'{a:>3}'", "f'{a}'"),
        ("f'{a!r}'", "f'{a}'"),
        ("V = Variant(problem='sssp')", "V = Variant(problem='apsp')"),
        ("class A:\n    x: int", "class A:\n    pass"),
        ("a: int = 1", "b: int = 1"),
        ("global a, b", "global a"),
    ],
)
def test_different_python(one, other):
    assert python_form(ast.parse(one)) != python_form(ast.parse(other))
