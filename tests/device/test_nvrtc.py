"""Every kernel compiles for GPUs, with the compiler that CuPy uses; needs no GPU, only NVIDIA's package of NVRTC."""

import re

import pytest
from nvrtc import compile_log, machine_code, nvrtc_library, sections

from warpath.device.kernel_source import ROOT, expanded_source, kernel_files

OLDEST = "compute_75"
# Errors are found without optimization, which takes five seconds of a large kernel.
QUICKLY = "--Ofast-compile=max"
# Of the shared memory of a block, since Hopper.
SYSTEM_BYTES = 1024
# Kernels of the study seldom change.
FILES = [pytest.param(file, marks=[pytest.mark.slow] * ("warpath_study" in file.parts)) for file in kernel_files()]


@pytest.fixture(scope="module")
def nvrtc():
    library = nvrtc_library()
    if library is None:
        pytest.skip("the package nvidia-cuda-nvrtc is not installed")
    return library


def registers_a_thread(cubin: bytes) -> list[int]:
    """The register count of each kernel."""
    # Entries of the section .nv.info: format, attribute (0x2f is the register count), size, symbol, count.
    entry = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)
    return [int.from_bytes(count, "little") for count in entry.findall(cubin)]


def frame_bytes_a_thread(cubin: bytes) -> list[int]:
    """The local memory of each kernel: arrays that are not in registers, and what spills."""
    entry = re.compile(rb"\x04\x11\x08\x00.{4}(.{4})", re.DOTALL)
    return [int.from_bytes(size, "little") for size in entry.findall(cubin)]


def shared_bytes_a_block(cubin: bytes) -> dict[str, int]:
    """The static shared memory of each kernel that has any, from the sizes of the sections .nv.shared.<kernel>."""
    prefix = ".nv.shared."
    return {
        name.removeprefix(prefix): len(content) - SYSTEM_BYTES
        for name, content in sections(cubin).items()
        if name.startswith(prefix) and len(content) > SYSTEM_BYTES
    }


@pytest.mark.parametrize(
    ("kernel", "passes", "cell_bytes"),
    [
        ("bodra/floyd_warshall/tiled_shared", "phase", 4),
        ("katz_kider/blocked_all_pairs/blocked", "pass", 8),
        ("katz_kider/transitive_closure/blocked", "pass", 4),
    ],
)
def test_the_blocked_schemes_hold_as_many_tiles_as_published_and_two_blocks_share_a_multiprocessor(
    nvrtc, kernel, passes, cell_bytes
):
    """Blocks of 1024 threads: beyond 32 registers a thread only one fits, which took 1.4 times as long on an H200."""
    file = ROOT / "warpath_study/published" / f"{kernel}.cu"
    cubin = machine_code(nvrtc, expanded_source(file), file.name)
    counts = registers_a_thread(cubin)
    assert len(counts) >= 3 and max(counts) <= 32, counts
    of_predecessors = 4 if passes == "phase" else 0  # phase 1 carries those of its tile along
    tile = 32 * 32
    assert shared_bytes_a_block(cubin) == {
        f"{passes}1": tile * (cell_bytes + of_predecessors),
        f"{passes}2": tile * 2 * cell_bytes,
        f"{passes}3": tile * 3 * cell_bytes,
    }


SLOW_CLUSTERS = [pytest.param(*each, marks=pytest.mark.slow) for each in ((1, 0), (3, 0), (12, 0), (24, 32), (1, 64))]


@pytest.mark.parametrize(("arcs", "float_bits"), [(24, 0), (12, 64), *SLOW_CLUSTERS])
def test_the_arcs_of_a_cluster_are_in_registers(nvrtc, arcs, float_bits):
    """A block of 512 threads has 128 registers a thread."""
    file = ROOT / "warpath/solvers/one_source/cluster.cu"
    macros = f"-DARCS={arcs}", f"-DFLOAT_BITS={float_bits}"
    cubin = machine_code(nvrtc, expanded_source(file), file.name, *macros)
    assert registers_a_thread(cubin)[0] <= 128 and frame_bytes_a_thread(cubin) == [0]
    older = ["--std=c++17", f"--gpu-architecture={OLDEST}", QUICKLY, *macros]
    assert compile_log(nvrtc, expanded_source(file), file.name, older) is None


@pytest.mark.parametrize("architecture", [OLDEST, pytest.param("compute_90", marks=pytest.mark.slow)])
@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}.{f.stem}")
def test_compiles(nvrtc, file, architecture):
    options = ["--std=c++17", f"--gpu-architecture={architecture}", QUICKLY]
    text = expanded_source(file)
    assert compile_log(nvrtc, text, file.name, options) is None
    further = [("NEGATIVE_WEIGHTS", 1), ("VERTEX_BITS", 6), ("CELL_BITS", 16), ("FLOAT_BITS", 32), ("FLOAT_BITS", 64)]
    further += [("GIVEN", 1)]
    for macro, value in further:
        if macro in text:
            assert compile_log(nvrtc, text, file.name, [*options, f"-D{macro}={value}"]) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [file for file in kernel_files() if "FLOAT_BITS" in expanded_source(file)],
    ids=lambda f: f"{f.parent.name}.{f.stem}",
)
def test_denormal_numbers_of_32_bits_count(nvrtc, file):
    """CuPy compiles with ``-ftz=true``; instructions that take denormal numbers for 0 have ``.ftz`` in their names."""
    for negative in (0, 1):
        options = "-ftz=true", QUICKLY, "-DFLOAT_BITS=32", f"-DNEGATIVE_WEIGHTS={negative}"
        code = machine_code(nvrtc, expanded_source(file), file.name, *options, form="PTX")
        assert not re.findall(rb"^.*\.ftz\b.*$", code, re.MULTILINE)


def test_a_broken_kernel_is_noticed(nvrtc):
    log = compile_log(nvrtc, 'extern "C" __global__ void broken(int n) { n = m; }', "broken.cu", [QUICKLY])
    assert "broken.cu(1): error" in log
