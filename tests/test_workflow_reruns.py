"""What is made again after a change: all that the change can have an effect on, and nothing else."""

import os

import pytest

pytestmark = pytest.mark.workflow

STRIDE_FLAG = {f"run bellman_ford stride_flag on {dataset}" for dataset in ("demo-nyc", "demo-bay")}
TABLE1 = {"write table1", "draw figure5", "draw figure5_log"}
TABLE2 = {"write table2"}
TABLE3 = {"write table3", "draw figure6", "draw figure6_log"}


def test_nothing_after_a_full_build(built):
    assert built.planned() == set()


def test_nothing_after_touching_every_file(built):
    for folder, _, names in os.walk(built.root):
        if ".snakemake" not in folder:
            for name in names:
                os.utime(os.path.join(folder, name))
    assert built.planned() == set()


def test_only_its_cells_table_and_figure_after_editing_a_kernel(built):
    built.edit("src/warpath/algorithms/bellman_ford/stride_flag.cu", "// a remark\n")
    assert built.planned() == STRIDE_FLAG | TABLE1


def test_the_whole_family_after_editing_what_it_includes(built):
    built.edit("src/warpath/algorithms/bellman_ford/relax.cuh", "// a remark\n")
    family = {
        f"run bellman_ford {variant} on {dataset}"
        for variant in ("naive", "stride", "stride_flag")
        for dataset in ("demo-nyc", "demo-bay")
    }
    assert built.planned() == family | TABLE1


def test_every_run_and_no_graph_after_editing_how_runs_are_timed(built):
    built.edit("src/warpath/measure/sampling.py", "# a remark\n")
    planned = built.planned()
    assert {job for job in planned if job.startswith(("generate", "convert", "fetch"))} == set()
    assert len([job for job in planned if job.startswith("run ")]) == 3 * 2 + 2 + 2


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("figure5_log", {"draw figure5_log"}),
        ("figure6", {"draw figure6", "draw figure6_log"}),
        ("markdown", {"write table1", "write table2", "write table3"}),
    ],
)
def test_only_what_is_drawn_after_editing_a_plot_or_a_table(built, module, jobs):
    built.edit(f"src/warpath/report/{module}.py", "# a remark\n")
    planned = built.planned()
    assert jobs <= planned
    assert {job for job in planned if job.startswith(("run", "generate"))} == set()
    if module != "markdown":
        assert planned == jobs


def test_an_edit_taken_back_leaves_nothing_to_do(built):
    kernel = "src/warpath/algorithms/floyd_warshall/naive.cu"
    before = (built.root / kernel).read_text()
    built.edit(kernel, "// a remark\n")
    assert built.planned() != set()
    (built.root / kernel).write_text(before)
    assert built.planned() == set()


def test_graphs_without_weights_after_changing_the_seed(built):
    runs = {
        f"run {run} on demo-gnutella04"
        for run in ("dijkstra cpu", "dijkstra naive", "floyd_warshall naive", "floyd_warshall tiled_shared")
    }
    expected = {"generate demo-gnutella04"} | runs | TABLE2 | TABLE3
    assert built.planned("--config", "weight_seed=7") == expected


def test_only_cells_that_use_it_after_changing_a_setting(built):
    source = built.planned("--config", "source=3")
    assert {job for job in source if job.startswith("run ") and "bellman_ford" not in job} == set()
    budget = built.planned("--config", "cpu_budget_s=1")
    assert budget == {"run dijkstra cpu on demo-gnutella04"} | TABLE2


def test_only_that_graph_after_editing_its_catalog_entry(built):
    catalog = built.root / "data/catalog.yaml"
    entry = catalog.read_text()
    assert entry.count("title: Small stand-in for New York City") == 1
    catalog.write_text(entry.replace("title: Small stand-in for New York City", "title: Another"))
    assert built.planned() == set()

    catalog.write_text(entry.replace("{vertices: 600, arcs: 1666, seed: 1}", "{vertices: 600, arcs: 1666, seed: 2}"))
    planned = built.planned()
    assert {job for job in planned if job.startswith("generate")} == {"generate demo-nyc"}
    assert {job for job in planned if job.endswith("demo-bay")} == set()


def test_only_the_new_cells_after_adding_a_variant_to_the_config(built):
    overlay = built.root / "small.yaml"
    overlay.write_text(overlay.read_text().replace("[naive, tiled_shared]", "[naive, tiled, tiled_shared]"))
    assert built.planned() == {"run floyd_warshall tiled on demo-gnutella04"} | TABLE3
