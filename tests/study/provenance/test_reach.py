"""What the host code of a variant reaches, and that who changes what a port reaches raises its revision."""

import ast
import importlib
import io
import subprocess
import tarfile
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath

import pytest

from warpath.solvers import variants
from warpath.solvers.variant import Parameter
from warpath_study.measure.runs import find
from warpath_study.provenance.code import sources
from warpath_study.provenance.reach import definitions, hash_of, name_of, reached
from warpath_study.published.shared.plan import PlanVariant

PLAN = '''
"""A plan."""

from dataclasses import dataclass

import numpy as np

from . import helpers
from .base import BLOCK, BasePlan
from .base import grown as larger

LIMIT = 3
TABLE = {}
TABLE["a"] = 1
UNUSED = 4


class FastPlan(BasePlan):
    """The plan."""

    def iterate(self, first, last):
        if last > LIMIT:
            raise ValueError("too many")
        return helpers.step(first, larger(last)), TABLE, np.empty(BLOCK)


class OtherPlan(BasePlan):
    other = True


def make(device, graph, source, block=(32,)):
    return FastPlan(device, graph, source, block)


def tuned(device, graph, sources, settings):
    from .late import trials

    return {"k": trials(2)}


def cost(facts):
    return 5.0 * facts.arcs
'''
BASE = """
BLOCK = 256


class BasePlan:
    def run(self):
        return size()


def size():
    return 7


def grown(n):
    return n + 1


def other():
    return 8
"""
FILES = {
    "__init__": "",
    "plan": PLAN,
    "base": BASE,
    "helpers": "from .inner import half as step\nfrom .inner import other\n",
    "inner": "def half(a, b):\n    return a // 2 + b\n\n\ndef other():\n    return 9\n",
    "late": "def trials(n):\n    return n + 3\n",
}
_NUMBERS = count()


@pytest.fixture
def parts_after(tmp_path, monkeypatch):
    """From an edit (file, text, replacement), the parts of the variant in a package of its own."""
    monkeypatch.syspath_prepend(tmp_path)

    def parts(file="plan", text="", replacement="", **changes):
        name = f"reached{next(_NUMBERS)}"
        (tmp_path / name).mkdir()
        for module, code in FILES.items():
            assert module != file or text in code
            edited = code.replace(text, replacement, 1) if module == file and text else code
            (tmp_path / name / f"{module}.py").write_text(edited)
        plan = importlib.import_module(f"{name}.plan")
        given = {"problem": "sssp", "summary": "", "plan": plan.make, "tune": plan.tuned} | changes
        return sources(PlanVariant(**given), {}).parts

    return parts


# File, text in it, replacement; and the part that it changes.
DECISIVE = [
    ("plan", "last > LIMIT", "last >= LIMIT", "FastPlan"),
    ("plan", "LIMIT = 3", "LIMIT = 4", "LIMIT"),
    ("plan", 'TABLE["a"] = 1', 'TABLE["a"] = 2', "TABLE"),
    ("plan", "source, block)", "source)", "make"),
    ("plan", "trials(2)", "trials(3)", "tuned"),
    ("base", "BLOCK = 256", "BLOCK = 512", "BLOCK"),
    ("base", "return size()", "return -size()", "BasePlan"),
    ("base", "return 7", "return 6", "size"),
    ("base", "return n + 1", "return n + 2", "grown"),
    ("inner", "a // 2", "a // 3", "half"),
    ("late", "n + 3", "n + 4", "trials"),
]
HARMLESS = [
    ("plan", '"""The plan."""', '"""Another plan."""  # a remark'),
    ("plan", '"too many"', 'f"too many: {cost(1)}"'),
    ("plan", "(self, first, last)", "(self, first: int, last: 'OtherPlan') -> UNUSED"),
    ("plan", "5.0 *", "6.0 *"),
    ("plan", "UNUSED = 4", "UNUSED = 5"),
    ("plan", "other = True", "other = False"),
    ("plan", "import numpy as np", "import os\nimport numpy as np"),
    ("base", "return 8", "return 9"),
    ("inner", "return 9", "return 8"),
]


def test_an_edit_of_what_is_reached_changes_it_alone(parts_after):
    before = parts_after()
    for file, text, replacement, name in DECISIVE:
        after = parts_after(file, text, replacement)
        assert before.keys() == after.keys(), text
        assert {part for part in before if before[part] != after[part]} == {name}, text


def test_an_edit_of_anything_else_changes_nothing(parts_after):
    before = parts_after()
    for file, text, replacement in HARMLESS:
        assert parts_after(file, text, replacement) == before, text


def test_what_is_used_after_an_edit_is_reached(parts_after):
    after = parts_after("plan", "larger(last)", "larger(cost(last)), helpers.other()")
    assert after.keys() - parts_after().keys() == {"cost", "other"}


def test_a_default_and_how_a_run_is_timed_are_parts(parts_after):
    four, five = (parts_after(parameters={"k": Parameter("steps", default, 1)}) for default in (4, 5))
    assert {part for part in four if four[part] != five[part]} == {"settings"}
    assert parts_after(same_cost=False) != parts_after()
    two, three = (parts_after(plan=partial(sources, trees=number)) for number in (2, 3))
    assert {part for part in two if two[part] != three[part]} == {"settings"}


ROOT = Path(__file__).resolve().parents[3]

# The commit whose host loops were timed, or do the same. After an edit of a host loop, raise the `revision` of the
# variants that the test names; if the edit changes nothing that is timed, name the commit of the edit here instead.
HOST_LOOPS_AS_OF = "ae3db605"


@pytest.fixture(scope="module")
def then():
    """The modules of that commit, by path."""
    command = ["git", "archive", HOST_LOOPS_AS_OF, "src"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip(f"{' '.join(command)}: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        files = [file for file in archive if file.name.endswith(".py")]
        return {PurePosixPath(file.name): ast.parse(archive.extractfile(file).read()) for file in files}


def revision_of(module):
    """The revision in the definition of a variant."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    given = [word.value.value for call in calls for word in call.keywords if word.arg == "revision"]
    return given[0] if given else 1


def test_a_port_whose_host_loop_differs_has_another_revision(then):
    known = {(name, hash_of(each)) for module in then.values() for name, each in definitions(module).items()}
    unraised = {}
    for variant in (find(each.algorithm, each.name) for each in variants()):
        begins = [name_of(function) for function in (variant.maker, variant.tune) if function]
        if not begins[0][0].startswith("warpath_study.published."):
            continue
        place = f"{variant.algorithm}/{variant.name}.py"
        before = [module for file, module in then.items() if "published" in file.parts and file.match(place)]
        differing = reached(*begins) - known
        if differing and variant.revision in map(revision_of, before):
            unraised[f"{variant.algorithm}.{variant.name}"] = sorted(name for name, _ in differing)
    assert not unraised, f"these differ from {HOST_LOOPS_AS_OF}; raise the revisions, or see HOST_LOOPS_AS_OF"
