"""Kernels and headers are laid out as ``clang-format -i`` lays them out."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SUFFIXES = {".cu", ".cuh", ".h", ".cpp"}
FILES = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]


@pytest.fixture(scope="module")
def clang_format():
    found = shutil.which("clang-format", path=Path(sys.executable).parent) or shutil.which("clang-format")
    if found is None:
        pytest.skip("clang-format is not installed")
    return found


def test_every_kernel_and_header_is_formatted(clang_format):
    assert len(FILES) > 50
    looked = subprocess.run([clang_format, "--dry-run", "--Werror", *FILES], capture_output=True, text=True)
    assert looked.returncode == 0, looked.stderr


def test_another_layout_is_noticed(clang_format, tmp_path):
    shutil.copy(ROOT / ".clang-format", tmp_path)
    (tmp_path / "a.cu").write_text("__global__ void f(int* a) {\n  a[0]=1;\n}\n")
    looked = subprocess.run([clang_format, "--dry-run", "--Werror", tmp_path / "a.cu"], capture_output=True, text=True)
    assert looked.returncode != 0
