"""What Katz and Kider's own views make of runs: memory beside times, and larger graphs against the first run."""

from report_samples import H200, OUT_OF_MEMORY, SIMULATED, data, estimated, graph, keep, our_work
from tiny_graphs import named

from warpath_study.report.table import markdown
from warpath_study.report.views import make
from warpath_study.works.work_file import RowFields

BLOCKED, TUNED = "blocked_all_pairs.blocked", "blocked_all_pairs.cpu_tuned"
REGISTER, CORE = "blocked_all_pairs.register_blocked", "blocked_all_pairs.out_of_core.device_memory_limit_mib=4096"
ONE, TWO = (f"blocked_all_pairs.several_devices.devices={devices}" for devices in (1, 2))
OURS = "floyd_warshall.shared_rows.devices=4+predecessors=0"


def table1(folder, **rows):
    """Table 1 of these rows, graph by number of vertices."""
    return make(data(our_work("katz_kider", sizes=rows), "table1", folder))


def of_size(nodes, run, seconds, folder, **facts):
    return keep(folder, f"katz-{nodes}", run, seconds, graph=graph(f"katz-{nodes}", nodes, 8 * nodes), **facts)


def test_times_stand_beside_the_published_ones_and_the_memory(tmp_path):
    of_size(64, BLOCKED, 0.0007, tmp_path)
    of_size(64, "blocked_all_pairs.standard", 1.0, tmp_path)
    of_size(64, TUNED, None, tmp_path, **OUT_OF_MEMORY)
    of_size(512, BLOCKED, 1.0, tmp_path)
    table = table1(tmp_path, **{"64": "katz-64", "512": "katz-512"})
    assert "Standard" not in table.readable[0]  # Table 1 has other columns
    first, *_ = [line for line in table.readable if line["Nodes"] == "64"]
    assert first == {
        "Nodes": "64",
        "Memory": "32.8 kB",
        "Blocked": "0.000700 s (0.00140 s, 2.0x)",
        "Register Blocked": "–",
        "Out of Core": "–",
        "CPU, Tuned": "out of memory (0.000290 s)",
        "Han et al.": "0.000210 s",
    }
    assert [line["Memory"] for line in table.readable if line["Nodes"] == "512"] == ["2.10 MB"]
    assert table.readable[-1]["Nodes"] == "11,264"  # every row of the paper, measured or not
    assert table.readable[-1]["Memory"] == "1.02 GB"  # of both matrices, in decimal units
    assert table.notes[-1].startswith("Memory is the size of both matrices. Han et al.")
    lines = {(line["row"], line["variant"]): (line["published_seconds"], line["ratio"]) for line in table.comparison}
    assert lines["64", "blocked"] == ("0.0014", "2") and lines["64", "cpu_tuned"] == ("0.00029", "")


def test_a_graph_of_another_size_has_no_published_time_beside(tmp_path):
    keep(tmp_path, "katz-64", BLOCKED, 1.0, graph=graph("katz-64", 50, 400), device=SIMULATED)
    table = table1(tmp_path, **{"64": "katz-64"})
    assert [line["Blocked"] for line in table.readable if line["Nodes"] == "50"] == ["1.00 s"]
    assert "**Simulation, not GPU times**" in markdown(table)


def test_a_row_of_which_nothing_was_measured_has_its_published_times(tmp_path):
    of_size(64, BLOCKED, 0.0007, tmp_path)
    shown = table1(tmp_path, **{"64": "katz-64", "128": "katz-128"}).readable
    assert {name: shown[1][name] for name in ("Nodes", "Memory", "Blocked", "Han et al.")} == {
        "Nodes": "128",
        "Memory": "131 kB",
        "Blocked": "not measured (0.00250 s)",
        "Han et al.": "0.00150 s",
    }


def larger(folder, *runs, nodes=36682):
    """The table of larger graphs of runs (run, seconds, facts) on one graph."""
    for run, seconds, *facts in runs:
        of_size(nodes, run, seconds, folder, **(facts[0] if facts else {}))
    row = {"dataset": f"katz-{nodes}", "columns": [run for run, *_ in runs]}
    return make(data(with_columns({str(nodes): row}), "larger", folder))


def with_columns(rows):
    return our_work("katz_kider", larger={name: RowFields(**row) for name, row in rows.items()})


def test_larger_graphs_are_compared_with_their_first_run(tmp_path):
    for nodes, run, seconds in ((36682, REGISTER, 26.1), (36682, CORE, 10.0), (36682, TWO, 2e-2), (65536, TWO, 130.5)):
        of_size(nodes, run, seconds, tmp_path)
    rows = {
        "36682": {"dataset": "katz-36682", "columns": [REGISTER, CORE, TWO]},
        "65536": {"dataset": "katz-65536", "columns": [TWO]},
    }
    table = make(data(with_columns(rows), "larger", tmp_path))
    assert [list(line.values()) for line in table.readable] == [
        ["36,682", "10.8 GB", "Register Blocked", "26.1 s", "–"],
        ["36,682", "10.8 GB", "Out of Core, 4096 MiB", "10.0 s", "2.61x"],
        ["36,682", "10.8 GB", "Several Devices, 2 GPUs", "20.0 ms", "1,300x"],
        ["65,536", "34.4 GB", "Several Devices, 2 GPUs", "130 s", "–"],
    ]
    names = ("row", "variant", "asked", "nodes", "seconds", "samples")
    assert [[line[name] for name in names] for line in table.lines] == [
        ["36682", "register_blocked", "", "36682", "26.1", "1"],
        ["36682", "out_of_core", "device_memory_limit_mib=4096", "36682", "10", "1"],
        ["36682", "several_devices", "devices=2", "36682", "0.02", "1"],
        ["65536", "several_devices", "devices=2", "65536", "130.5", "1"],
    ]
    text = markdown(table)
    assert "- Device: NVIDIA H200, " in text and "Every answer was certified." in text
    assert "Estimated" not in text and "Simulation" not in text


def last_cells(table):
    return [[line["Time"], line["Speedup over the first"]] for line in table.readable]


ESTIMATED = estimated(5, 10)


def test_what_cannot_be_compared_has_no_ratio_and_an_estimate_makes_it_one(tmp_path):
    other_gpu = {"device": {**H200, "name": "A"}}
    for number, (first, second, cells) in enumerate(
        (
            ((REGISTER, 8.0), (CORE, 4.0, ESTIMATED), [["8.00 s", "–"], ["~4.00 s", "~2.00x"]]),
            ((CORE, 4.0, ESTIMATED), (REGISTER, 8.0), [["~4.00 s", "–"], ["8.00 s", "~0.500x"]]),
            ((REGISTER, 8.0), (CORE, None, OUT_OF_MEMORY), [["8.00 s", "–"], ["out of memory", "–"]]),
            ((CORE, None, OUT_OF_MEMORY), (REGISTER, 8.0), [["out of memory", "–"], ["8.00 s", "–"]]),
            # Times of two devices are not compared, but for the CPU beside a GPU.
            ((REGISTER, 8.0), (CORE, 4.0, {"device": SIMULATED}), [["8.00 s", "–"], ["4.00 s", "–"]]),
            ((REGISTER, 8.0), (CORE, 4.0, other_gpu), [["8.00 s", "–"], ["4.00 s", "–"]]),
            ((REGISTER, 8.0), (TUNED, 16.0), [["8.00 s", "–"], ["16.0 s", "0.500x"]]),
        )
    ):
        with named(f"{first} and {second}"):
            assert last_cells(larger(tmp_path / str(number), first, second)) == cells


def test_notes_of_larger_graphs(tmp_path):
    table = larger(tmp_path, (REGISTER, 8.0), (CORE, 4.0, ESTIMATED))
    assert "- ~ " in markdown(table)
    table = larger(tmp_path / "simulated", (REGISTER, 8.0, {"device": SIMULATED}), (TWO, 8.0))
    assert "- **Simulation, not GPU times**" in markdown(table)


def test_a_variant_that_is_there_twice_has_its_parameters(tmp_path):
    table = larger(tmp_path, (ONE, 8.0), (TWO, 4.0))
    assert [line["Run"] for line in table.readable] == ["Several Devices, 1 GPU", "Several Devices, 2 GPUs"]
    assert last_cells(table) == [["8.00 s", "–"], ["4.00 s", "2.00x"]]


def test_the_memory_without_predecessors_is_half(tmp_path):
    table = larger(tmp_path, (ONE, 8.0), (OURS, 2.0), (TWO, 4.0))
    assert [[line[name] for name in ("Memory", "Run", "Speedup over the first")] for line in table.readable] == [
        ["10.8 GB", "Several Devices, 1 GPU", "–"],
        ["5.38 GB", "Shared Rows, 4 GPUs", "–"],  # compared with none that finds predecessors
        ["10.8 GB", "Several Devices, 2 GPUs", "2.00x"],
    ]
    assert "or of the distances alone in a run without predecessors" in markdown(table)
