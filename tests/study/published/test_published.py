"""What works print, read with file and line for each fault; what ports use and launch; names and numbers in print."""

import re
import weakref
from functools import partial

import pytest
from report_samples import ROOT
from tiny_graphs import named, scattered_path

from warpath.device.kernel_source import ROOT as PACKAGES
from warpath.device.kernel_source import expanded_source
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import FormatError
from warpath.solvers import variants
from warpath_study.measure.plans import plan_of
from warpath_study.measure.runs import find
from warpath_study.measure.sampling import measure
from warpath_study.record import Settings
from warpath_study.report import labels
from warpath_study.report.published import PublishedClaim, parse_seconds, read_claims, read_lines, read_table

WORKS = ROOT / "workflow" / "works"
BODRA = WORKS / "bodra" / "published"
HEADER = "dataset,nodes,edges,cpu,naive\n"
CLAIMS = "claim,low,high,unit,where\n"


def test_table_1_of_the_paper_is_read_as_printed():
    table = read_table(BODRA / "table1.csv")
    assert table.columns == ["cpu", "naive", "stride", "stride_flag"]
    assert list(table.rows) == ["nyc", "bay", "col", "fla", "ne", "e"]
    assert (table.rows["e"].nodes, table.rows["e"].edges) == (3598623, 8778114)
    assert table.cell("nyc", "cpu") == "1320"
    assert table.cell("ne", "stride") == "214.760"  # with the zero that the paper prints
    assert table.cell("bay", "cpu") == table.cell("bay", "frontier") == table.cell("moon", "naive") == ""
    assert table.cell("nyc", "frontier", "cpu") == "1320"  # the first of these columns that there is
    bound = read_table(BODRA / "table3.csv").cell("gnutella04", "cpu")
    assert bound == ">3600" and [parse_seconds(cell) for cell in (bound, "", "8.58384")] == [None, None, 8.58384]
    sizes = [(264346, 733846), (264346, 733847), (264347, 733846)]
    assert [table.rows["nyc"].has_size(*size) for size in sizes] == [True, False, False]


def test_columns_may_have_other_names_and_edges_may_be_missing():
    rename = {"single_gpu": "blocked", "dual_gpu": "several_devices", "not there": "x"}
    table = read_table(WORKS / "katz_kider" / "published" / "table1.csv", rename)
    assert list(table.rows) == ["64", "128", "256", "512", "1024", "2048", "4096", "9216", "10240", "11264"]
    assert table.rows["11264"].cells == {
        "blocked": "1015.7",
        "several_devices": "353.78",
        "cpu_tuned_authors": "",
        "cpu_tuned_han": "",
    }
    # The first column is the row's name even where it is a count; then the size is told by it.
    assert table.rows["64"].nodes == 64 and table.rows["64"].edges is None
    assert table.rows["64"].has_size(64, 8) and not table.rows["64"].has_size(65, 8)


def test_what_is_no_table_and_no_claim_is_refused_with_its_line(tmp_path):
    path = tmp_path / "table.csv"
    for read, text, line, says in (
        (read_table, "", 1, "nodes and edges"),
        (read_table, "dataset,nodes,edges,cpu,cpu\n", 1, ""),
        (read_table, HEADER + "nyc,1,2,3\n", 2, "4 cells .* 5"),
        (read_table, HEADER + "nyc,1,2,,\nnyc,1,2,,\n", 3, "'nyc'"),
        (read_table, HEADER + "nyc,1.5,2,,\n", 2, "nodes"),
        *((read_table, HEADER + f"nyc,1,2,,{cell}\n", 2, f"'{cell}'") for cell in ("22min", "-3", "0.0", "١")),
        (read_claims, "", 1, "claim,low,high,unit,where"),
        (read_claims, CLAIMS + "a,1,2,x,\nb,few,2,x,\n", 3, "'few'"),
        (read_claims, CLAIMS + "a,1,2,x,\na,1,2,x,\n", 3, "'a'"),
        (read_claims, CLAIMS + "a,nan,2,x,\n", 2, "finite"),
        (read_claims, CLAIMS + "a,2,1,x,\n", 2, "2 .* 1"),
    ):
        path.write_text(text, encoding="utf-8")
        with named(text), pytest.raises(FormatError, match=f"table.csv, line {line}: .*{says}"):
            read(path)


def test_claims_are_read_by_their_sentence(tmp_path):
    claims = read_claims(WORKS / "katz_kider" / "published" / "claims.csv")
    sentence = "speedup over standard GPU (Harish and Narayanan)"
    assert claims[sentence] == PublishedClaim(sentence, 5.0, 6.5, "x", "figure 6")
    file = tmp_path / "claims.csv"
    file.write_text("claim,value,unit,where\na,4.9,s,\nb,>1,x,\nc,<1.1,x,\n")  # a single value may be a bound
    assert [(claim.low, claim.high) for claim in read_claims(file).values()] == [(4.9, 4.9), (1, None), (None, 1.1)]


def test_lines_of_another_shape_have_the_columns_asked_for(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("size,at,left\n3,2.5,x\n", encoding="utf-8")
    assert read_lines(path, {"at": float, "size": int}) == [{"at": 2.5, "size": 3}]
    with pytest.raises(FormatError, match=r"results.csv, line 1: .*weight"):
        read_lines(path, {"weight": float})
    with pytest.raises(FormatError, match=r"results.csv, line 2: .*'x'"):
        read_lines(path, {"left": float})


def test_files_that_are_no_tables(tmp_path):
    for read in (read_table, read_claims, partial(read_lines, columns={"claim": str})):
        path = tmp_path / "table.csv"
        for damage in (b"\xff\xfe", b"a\0b\n", b'"', b'"a"b\r\rc\n', b"a" * 200_000, b"\n\n"):
            path.write_bytes(damage)
            with named(str(damage[:20])), pytest.raises(FormatError, match=r"table\.csv[:,] "):
                read(path)
        for name in (".", "table9.csv"):  # a folder, and nothing
            with pytest.raises(FormatError):
                read(tmp_path / name)


def test_numbers_are_short_on_axes_and_plain_in_files():
    counts = {0: "0", 9999: "9,999", 10876: "11K", 733846: "734K", 999499: "999K", 999500: "1.0M", 3598623: "3.6M"}
    assert {count: labels.short_count(count) for count in counts} == counts
    seconds = {8.583841: "8.58384", 1137.63: "1137.63", 12345678.0: "12345700", 1.25e-05: "0.0000125", 5.0: "5"}
    assert {each: labels.plain_seconds(each) for each in seconds} == seconds


PORTS = PACKAGES / "warpath_study" / "published"


def test_kernels_of_ports_include_no_file_of_warpath():
    for kernel in PORTS.rglob("*.cu"):
        files = re.findall(r'^#line \d+ "(.+)"$', expanded_source(kernel), re.MULTILINE)
        assert {PORTS in (PACKAGES / file).parents for file in files} == {True}, kernel


def test_a_port_opens_no_kernel_of_warpath():
    every = [find(variant.algorithm, variant.name) for variant in variants()]
    ports = [variant for variant in every if variant.kernels and PORTS in variant.kernels[0].parents]
    assert len(ports) > 10
    for variant in ports:
        assert {PORTS in kernel.parents for kernel in variant.kernels} == {True}, variant.name


# Grids, blocks and timed regions, where nothing else is asked for; needs no kernel to run.

SPARSE = scattered_path(5500)  # six blocks of 1024, the last one partly empty
DENSE = scattered_path(2100)  # three of them; 66 tiles of 32


class LaunchLog(SimulatedDevice):
    """Notes every launch as (kernel, grid, block) and runs none."""

    def __init__(self):
        super().__init__()
        self.launches = set()

    def kernel(self, file, name, macros=None):
        log = self

        class Kernel:
            def __call__(self, grid, block, /, **arguments):
                log.launches.add((name, grid, block))

            def bind(self, grid, block, /, **arguments):
                launch = partial(self, grid, block)
                launch.set = lambda **_arguments: None  # no kernel runs, so no argument matters
                return launch

        return Kernel()

    def enqueue(self, launches):
        for launch in launches:
            launch()

    def repeat(self, launches, times):
        self.enqueue(launches)

    def repeat_while(self, rounds, word, times):
        self.enqueue(rounds[0])
        return 1, True


def tiles(block, name, second, third):
    return {(f"{name}1", (1,), block), (f"{name}2", second, block), (f"{name}3", third, block)}


LAUNCHES = {
    "bellman_ford.naive": {("relax", (6,), (1024,)), ("update", (6,), (1024,)), ("claim", (6,), (1024,))},
    "bellman_ford.stride": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "bellman_ford.stride_flag": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "bellman_ford.ell": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "label_correcting.harish": {("relax", (22,), (256,)), ("update", (22,), (256,)), ("claim", (22,), (256,))},
    "label_correcting.locality": {
        ("relax", (11,), (256,)),
        ("relax_and_tell", (11,), (256,)),
        ("claim", (22,), (256,)),
    },
    "dijkstra.naive": {("search", (3,), (1024,))},
    "floyd_warshall.naive": {("relax", (3,), (1024,))},
    "floyd_warshall.super_naive": {("relax", (66, 66), (32, 32))},
    "floyd_warshall.super_naive_shared": {("relax", (3, 2100, 1), (1024,))},
    "floyd_warshall.tiled": tiles((32, 32), "phase", (66, 2), (66, 66)),
    "floyd_warshall.tiled_shared": tiles((32, 32), "phase", (66, 2), (66, 66)),
    "floyd_warshall.branchless": {("relax", (1024,), (256,)), ("claim_rows", (2100, 2), (256,))},
    "floyd_warshall.branching": {("relax", (1024,), (256,)), ("claim_rows", (2100, 2), (256,))},
    "blocked_all_pairs.standard": {("relax", (66, 263), (32, 8)), ("resolve", (66, 263), (32, 8))},
    "blocked_all_pairs.blocked": {*tiles((32, 32), "pass", (65, 2), (65, 65)), ("separate", (66, 263), (32, 8))},
    "transitive_closure.naive": {("join", (66, 263), (32, 8))},
    "transitive_closure.blocked": tiles((32, 32), "pass", (65, 2), (65, 65)),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_the_grids_and_blocks_are_the_published_ones(name):
    variant = find(*name.split("."))
    sparse = variant.problem == "sssp"
    device = LaunchLog()
    plan = plan_of(variant, device, SPARSE if sparse else DENSE, 0 if sparse else None)
    plan.reset()
    plan.upload()
    plan.iterate(0, 1)
    if plan.iterations > 40:
        plan.iterate(40, 41)  # past locality's launches that the host does not read
    plan.finish()
    plan.release()
    assert device.launches == LAUNCHES[name]


def test_a_solve_of_dijkstra_is_timed_in_its_one_launch_however_small_the_budget():
    variant = find("dijkstra", "naive")
    device = LaunchLog()
    device.kind = "cuda"
    plan = plan_of(variant, device, DENSE, None)
    measured = measure(plan, device, variant.same_cost, Settings(budget_s=1e-9))
    assert len(measured.outcome.samples) == 1
    assert measured.outcome.counters["launches"] == 1


@pytest.mark.parametrize("name", ["naive", "stride", "stride_flag"])
def test_the_timed_region_of_bellman_ford_ends_once_its_own_arrays_are_free(name):
    frees = []

    class Freeing(LaunchLog):
        def release(self):
            frees.append([reference() is None for reference in uploaded])

        def upload(self, array):
            copy = super().upload(array)
            uploaded.append(weakref.ref(copy))
            return copy

    uploaded = []
    plan = plan_of(find("bellman_ford", name), Freeing(), SPARSE, 0)
    plan.reset()
    uploaded.clear()
    plan.upload()
    plan.iterate(0, 1)
    plan.finish()
    plan.download()
    # Previous distances, distances, predecessors, and flags if there are.
    assert frees == [[True, False, False, *([True] if name == "stride_flag" else [])]]
