"""Who changes what a port's host loop does raises the revision of the variants that reach it."""

import ast
import io
import subprocess
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from warpath.solvers import variants
from warpath_study.measure.runs import find
from warpath_study.provenance.reach import definitions, hash_of, name_of, reached

ROOT = Path(__file__).resolve().parents[3]

# The commit whose host loops were timed, or do the same. After an edit of a host loop, raise the `revision` of the
# variants that the test names; if the edit changes nothing that is timed, name the commit of the edit here instead.
HOST_LOOPS_AS_OF = "968ea3e9"


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
        begins = [name_of(function) for function in (variant.plan, variant.tune) if function]
        if not begins[0][0].startswith("warpath_study.published."):
            continue
        place = f"{variant.algorithm}/{variant.name}.py"
        before = [module for file, module in then.items() if "published" in file.parts and file.match(place)]
        differing = reached(*begins) - known
        if differing and variant.revision in map(revision_of, before):
            unraised[f"{variant.algorithm}.{variant.name}"] = sorted(name for name, _ in differing)
    assert not unraised, f"these differ from {HOST_LOOPS_AS_OF}; raise the revisions, or see HOST_LOOPS_AS_OF"
