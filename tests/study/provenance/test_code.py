"""What identifies the code of a run: edits and moves in a copy of the package, and who has to look at them."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_graphs import NEGATIVE, TINY, grid_of

from warpath.device.kernel_source import ROOT
from warpath.device.simulated.device import SimulatedDevice
from warpath.graphs.csr import from_arcs
from warpath.solvers import variants
from warpath.solvers.one_source.borders import _cut
from warpath.solvers.solver import OneSource
from warpath.solvers.trees.predecessors import trees_needed
from warpath_study.matrix_product import matrices as matrix_pair
from warpath_study.measure.plans import plan_of
from warpath_study.measure.runs import code_of, find
from warpath_study.provenance.code import ADAPTERS
from warpath_study.provenance.normal_form import c_form, python_form
from warpath_study.published.shared import predecessors

CODES = """
import json
from warpath.solvers import variants
from warpath.solvers.solver import OneSource
from warpath_study.measure.runs import find, code_of
from warpath_study.measure.plans import plan_of
found = {}
for variant in variants():
    for kind in ["cpu"] if variant.on_cpu else ["cuda", "simulated"]:
        code = code_of(find(variant.algorithm, variant.name), kind)
        found[f"{variant.algorithm}.{variant.name} {kind}"] = code.identity, code.host_loop
print(json.dumps(found))
"""


def names(*wanted, kinds=("cuda", "simulated")):
    return {f"{name} {kind}" for name in wanted for kind in kinds}


def runs(which):
    """Those of the variants for which ``which`` is true."""
    found = [variant for each in variants() if which(variant := find(each.algorithm, each.name))]
    kinds = [("cpu",) if variant.on_cpu else ("cuda", "simulated") for variant in found]
    return set().union(*(names(f"{v.algorithm}.{v.name}", kinds=on) for v, on in zip(found, kinds, strict=True)))


ALL = runs(lambda variant: True)
ONE_SOURCE = runs(lambda variant: isinstance(variant.maker, type) and issubclass(variant.maker, OneSource))
PREDECESSORS = runs(lambda variant: predecessors.KERNEL in variant.kernels)  # solvers of the library have their own
BITSET, CPU = names("transitive_closure.bitset"), names("floyd_warshall.cpu", kinds=["cpu"])
LOCALITIES = names("label_correcting.four_arcs", "label_correcting.locality")  # the same tuning


BODRA, SAFARI = "warpath_study/published/bodra/", "warpath_study/published/safari_ebnenasir/"
# File, text in it, replacement.
HARMLESS = [
    (BODRA + "bellman_ford/relax.cuh", " = ", "   =\n    /* a comment */"),
    (BODRA + "bellman_ford/naive.cu", "{\n", "{  // a comment\n"),
    (BODRA + "bellman_ford/_rounds.py", '"""The host loop', '"""A host loop'),
    (BODRA + "__init__.py", "naive with a grid-stride loop", "a grid-stride loop"),
    ("warpath/solvers/one_source/costs.py", "_VERTICES_OF_PART = 384", "_VERTICES_OF_PART = 385"),
    ("warpath/solvers/one_source/cluster.py", "resident.graph)) is None", "resident.graph)) in (None,)"),
    ("warpath/device/cuda.py", "-std=c++17", "-std=c++20"),
    ("warpath/certificates/certificate.py", "import numpy", "import os\nimport numpy"),
]
# The same, the runs whose identity it changes, and those whose host loop it changes.
DECISIVE = [
    ("warpath_study/published/shared/grid_stride.cuh", "vertex += ", "vertex += 0 + ", PREDECESSORS, set()),
    ("warpath/solvers/solver.py", "(source,) = ", "[source] = ", set(), ONE_SOURCE),
    (BODRA + "floyd_warshall/naive.cu", "{\n", "{ ;\n", names("floyd_warshall.naive"), set()),
    ("warpath/solvers/closure/bitset.py", "BLOCK = (16, 16)", "BLOCK = (32, 4)", *2 * [BITSET]),
    (BODRA + "floyd_warshall/cpu.py", "candidate < distance else", "candidate <= distance else", *2 * [CPU]),
    (SAFARI + "label_correcting/locality.py", "iterations = []", "iterations = [0]", set(), LOCALITIES),
    (BODRA + "dijkstra/naive.py", "    plan=", "    revision=2,\n    plan=", names("dijkstra.naive"), set()),
]


def codes(folder):
    """Identity and host loop of each run, by the packages in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", CODES], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def copied(folder):
    return shutil.copytree(ROOT, folder / "packages")


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return codes(copied(tmp_path_factory.mktemp("before")))


def edit(edits, folder):
    """Make ``edits`` of the packages in ``folder``."""
    for file, text, replacement, *_ in edits:
        source = (folder / file).read_text(encoding="utf-8")
        assert text in source, file
        (folder / file).write_text(source.replace(text, replacement, 1), encoding="utf-8")


def after(edits, folder):
    """The codes after all ``edits``."""
    edit(edits, folder)
    return codes(folder)


def differing(before, after, which):
    return {run for run in ALL if before[run][which] != after[run][which]}


def test_an_edit_changes_the_runs_that_use_it_and_no_other(before, tmp_path):
    edited = after(DECISIVE, copied(tmp_path))
    assert differing(before, edited, which=0) == set().union(*(runs for *_, runs, _ in DECISIVE))
    assert differing(before, edited, which=1) == set().union(*(loops for *_, loops in DECISIVE))


def test_a_revision_of_an_adapter_changes_the_runs_on_its_device(monkeypatch):
    def found():
        wanted = (("bellman_ford.naive", "cuda"), ("bellman_ford.naive", "simulated"), ("floyd_warshall.cpu", "cpu"))
        return {kind: code_of(find(*name.split(".")), kind) for name, kind in wanted}

    unrevised = found()
    for kind in ("simulated", "cpu"):
        monkeypatch.setattr(ADAPTERS[kind], "REVISION", 1000)
    revised = found()
    assert {kind for kind in revised if revised[kind].identity != unrevised[kind].identity} == {"simulated", "cpu"}
    assert all(revised[kind].host_loop == unrevised[kind].host_loop for kind in revised)


def test_comments_moved_files_and_code_without_a_text_of_its_own_change_nothing(before, tmp_path):
    folder = copied(tmp_path)
    edit(HARMLESS, folder)
    library, bodra = folder / "warpath", folder / BODRA
    (library / "solvers/kernels").mkdir()
    (library / "solvers/shared/distances.cuh").rename(library / "solvers/kernels/rows.cuh")
    (bodra / "bellman_ford/_rounds.py").rename(bodra / "bellman_ford/_host_loop.py")
    (library / "device/copies.py").rename(library / "graph_copies.py")
    text = (library / "graph_copies.py").read_text(encoding="utf-8")
    (library / "graph_copies.py").write_text(
        text.replace("from .", "from .device.").replace("from .device..", "from .")
    )
    for file in [*folder.rglob("*.py"), *folder.rglob("*.cu*")]:
        text = file.read_text(encoding="utf-8")
        text = text.replace("._rounds ", "._host_loop ").replace("device.copies ", "graph_copies ")
        text = text.replace("from .copies ", "from ..graph_copies ")
        file.write_text(text.replace("solvers/shared/distances.cuh", "solvers/kernels/rows.cuh"), encoding="utf-8")
    assert codes(folder) == before


class OpeningDevice(SimulatedDevice):
    """Notes which kernels are opened."""

    def __init__(self):
        super().__init__()
        self.opened = set()

    def kernel(self, file, name, macros=None):
        self.opened.add(file)
        return super().kernel(file, name, macros)


UNTIMED = {"settled.cu", "start.cu"}  # between the samples
PATH, WITH_TREES = grid_of(40, 3), TINY["zero weights in a circle"]
NEGATIVE_ARCS = NEGATIVE["circle of weight zero"]
FLOATS = [from_arcs(3, [0, 1], [1, 2], np.array([0.5, 0.25], dtype)) for dtype in (np.float32, np.float64)]


@pytest.mark.parametrize(
    "variant",
    [find(each.algorithm, each.name) for each in variants()],
    ids=lambda variant: f"{variant.algorithm}.{variant.name}",
)
def test_a_variant_names_the_kernels_that_its_solve_opens(variant, monkeypatch):
    for limit in ("PARTS_WITHOUT_REGIONS", "PARTS_A_REGION"):
        monkeypatch.setattr(_cut, limit, 1)
    device = OpeningDevice()
    inputs = [PATH, *(FLOATS if variant.floats else []), WITH_TREES]
    inputs += [NEGATIVE_ARCS] if variant.negative_arcs else []
    if variant.problem == "grid":
        inputs = [matrix_pair.random_matrices(40, 1)]
    else:
        inputs.sort(key=trees_needed)
    for graph in inputs:
        plan_of(variant, device, graph, 0 if variant.problem == "sssp" else None, **variant.smallest).solve()
        assert device.opened.isdisjoint(variant.only_for_trees) or trees_needed(graph)
    assert {file for file in device.opened if file.name not in UNTIMED} <= set(variant.kernels)
    if variant.tune:
        variant.tune(device, PATH, [0], variant.configured().settings)
    names = {file.name for file in variant.kernels}
    assert {file.name for file in device.opened} - UNTIMED == names and len(names) == len(variant.kernels)
    assert {*variant.kernels, *variant.smallest} >= {*variant.only_for_trees}


def test_reading_a_record_imports_no_solver():
    program = (
        "import sys; from warpath_study.record import read_record\n"
        f"read_record({str(next(Path(__file__).resolve().parents[3].glob('results/reference/*/runs/*/*.json')))!r})\n"
        "print([name for name in sys.modules if name.startswith('warpath') and 'VARIANT' in vars(sys.modules[name])])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


EQUAL_C = [
    ("a+b", "a + b"),
    ("a // b\nc", "a c"),
    ("a /* b\n#c */ d", "a d"),
    ("#define F(x) x\n", "# define F( x )  /* y */ x // z\n"),
    ("#define F(x) \\\n  x\n", "#define F(x) x\n"),
    ('"// text" b', '"// text"\nb'),
]
DIFFERENT_C = [
    ("a - -b", "a--b"),
    ("a b", "ab"),
    ("1.5f", "1.5 f"),
    ('"a b"', '"a  b"'),
    ('"/* a */"', '""'),
    ("#define F(x) x\n", "#define F (x) x\n"),
    ("#if A\nb\n#endif\n", "#if A b\n#endif\n"),
    ("x\n#pragma unroll\ny", "x y"),
    ("'\"' + a", "'\"' + b"),
]
EQUAL_PYTHON = [
    ("import a\nfrom b import c\nd = 1", "d = 1"),
    ("def f(a: int) -> int:\n    'What it does.'\n    return a", "def f(a):  # so\n    return (a)"),
    ("if a:\n    raise E('one') from b", "if a:\n    raise E(f'two {a}')"),
    ("assert a, 'one'", "assert a"),
    ("class A:\n    x: int = 3\n    'A docstring.'", "class A:\n    x: str = 3"),
    ("V = Variant(problem='sssp', summary='one', plan=f)", "V = Variant(problem='sssp', summary='two', plan=f)"),
    ("{'a': Parameter('one', 3, low=1)}", "{'a': Parameter('two', 3, low=1)}"),
]
DIFFERENT_PYTHON = [
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
]


def test_equal_and_different_code():
    def form(text):
        return python_form(ast.parse(text))

    for form_of, equal, different in ((c_form, EQUAL_C, DIFFERENT_C), (form, EQUAL_PYTHON, DIFFERENT_PYTHON)):
        for one, other in equal:
            assert form_of(one) == form_of(other), (one, other)
        for one, other in different:
            assert form_of(one) != form_of(other), (one, other)
