"""What Telang's own views make of a path over a matrix product: its results, the printed text and the pictures."""

from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from report_samples import data, our_work

from warpath.__main__ import main
from warpath_study.matrix_product.product_path import path_cells
from warpath_study.record import Record, read_record, write_record
from warpath_study.report import style
from warpath_study.report.table import markdown
from warpath_study.report.views import make

RUN = "matrix_path.frontier"
PUBLISHED = our_work("telang_grid").published_file("results.csv")


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> Path:
    """A record of matrices of 24 rows, made on the host."""
    folder = tmp_path_factory.mktemp("records")
    matrices = str(folder / "matrices-24.npz")
    assert main(["generate", "--kind", "matrices", "--size", "24", "--seed", "4", "--output", matrices]) == 0
    output = str(folder / "matrices-24" / f"{RUN}.json")
    assert main(["run", matrices, RUN, "--device", "simulated", "--budget-s", "1", "--output", output]) == 0
    return folder


@pytest.fixture(scope="module")
def record(records) -> Record:
    return read_record(records / "matrices-24" / f"{RUN}.json")


@pytest.fixture
def made(records):
    """A function that makes a target of these rows."""

    def of(target, rows=None):
        with style.style_context():
            return make(data(our_work("telang_grid", sizes=rows or {"24": "matrices-24"}), target, records))

    return of


def test_the_results_have_the_published_columns_and_then_what_they_are(made, record):
    table = made("results")
    published = PUBLISHED.read_text().splitlines()[0].split(",")
    assert list(table.lines[0]) == [*published, "seconds", "status", "samples", "min_s", "max_s"]
    (line,) = table.lines
    answer = record.answer
    assert (line["size"], line["status"], line["samples"]) == ("24", "simulated", str(len(record.samples)))
    assert line["minimum"] == f"{answer['minimum']['value']:f}"
    assert (line["minimum_row"], line["minimum_col"]) == tuple(str(answer["minimum"][at]) for at in ("row", "column"))
    assert line["second_minimum"] == f"{answer['second_minimum']['value']:f}"
    assert line["path_weight"] == f"{answer['path']['weight']:f}"
    assert float(line["min_s"]) <= float(line["seconds"]) <= float(line["max_s"])


def test_the_published_row_stands_below_with_its_own_scale_free_numbers(made):
    shown = made("results").readable
    assert [line["Size"] for line in shown] == ["24", "1,024 (published)"]
    assert shown[1]["Smallest entry"] == "790.078186" and shown[1]["Row, column"] == "407, 976"
    assert shown[1]["Second smallest"] == "791.253235" and shown[1]["Path weight"] == "582,969.8125"
    assert shown[1]["Steps"] == shown[1]["Product"] == ""


def test_times_are_of_each_part_and_in_a_simulation_said_to_be(made, record):
    table = made("results")
    (middle,) = [sample for sample in record.samples if sample.total_s == sorted(s.total_s for s in record.samples)[
        len(record.samples) // 2
    ]][:1]  # fmt: skip
    assert {"product_s", "minima_s", "path_s"} <= set(middle.phases)
    assert all(table.readable[0][part].endswith(("s", "h")) for part in ("Product", "Minima", "Path"))
    text = markdown(table)
    assert "Simulation, not GPU times" in text
    assert "exact in float32, and the path's weight is within" in text


def test_only_what_does_not_depend_on_the_matrices_is_compared(records, record, tmp_path):
    answer = record.answer
    for name, size in (("matrices-24", "24"), ("matrices-1024", "1024")):
        # As if the matrices had been of the published size.
        vertices, arcs = int(size) ** 2, 4 * int(size) * (int(size) - 1)
        changed = msgspec.structs.replace(
            record,
            dataset=name,
            graph=msgspec.structs.replace(record.graph, vertices=vertices, arcs=arcs),
            certificate=msgspec.structs.replace(
                record.certificate, vertices=vertices, arcs_checked=arcs, reached=vertices
            ),
        )
        write_record(tmp_path / name / f"{RUN}.json", changed)
    work = our_work("telang_grid", sizes={"24": "matrices-24", "1024": "matrices-1024"})
    lines = pd.DataFrame(make(data(work, "results", tmp_path)).comparison).set_index(["size", "quantity"])
    assert set(lines.loc["24", "published"]) == {""} and set(lines.loc["24", "comparable"]) == {"no"}
    published = lines.loc["1024", "published"].to_dict()
    assert published == {
        "minimum": "790.078",
        "second_minimum": "791.253",
        "cells_apart": "691",
        "path_weight": "582970",
        "second_over_minimum": "1.00149",
        "step_over_minimum": "1.06782",
    }
    assert lines.loc["1024", "comparable"].to_dict() == {
        **dict.fromkeys(published, "no"),
        "second_over_minimum": "yes",
        "step_over_minimum": "yes",
    }
    second = answer["second_minimum"]["value"] / answer["minimum"]["value"]
    assert float(lines.loc[("1024", "second_over_minimum"), "measured"]) == pytest.approx(second, rel=1e-5)


def test_the_text_is_as_the_works_program_prints_it(made, record):
    lines = made("printed").splitlines()
    minimum, second = record.answer["minimum"], record.answer["second_minimum"]
    assert lines[0] == "The input size is 24"
    assert lines[1] == f"The minimum Value is {minimum['value']:.6f} at index {minimum['row']}, {minimum['column']}"
    assert f"{second['value']:.6f} at index {second['row']}, {second['column']}" in lines[2]
    assert lines[3].startswith("The weight of the path to get to the second min value from the first min value is ")
    assert lines[3].endswith(f"{record.answer['path']['weight']:.6f}.")


@pytest.mark.parametrize("picture", ["path", "heat"])
def test_pictures_show_the_path_between_a_red_and_a_white_cell(made, record, picture):
    drawing = made(f"{picture}_24")
    axes = drawing.axes[0]
    line, source, destination = axes.lines
    found = record.answer["path"]
    assert line.get_color() == "#ffa500"
    assert list(zip(line.get_ydata(), line.get_xdata(), strict=True)) == path_cells(found)
    assert (source.get_color(), destination.get_color()) == ("#ff0000", "#ffffff")
    assert [source.get_ydata()[0], source.get_xdata()[0]] == list(found["source"])
    assert [destination.get_ydata()[0], destination.get_xdata()[0]] == list(found["destination"])
    assert axes.get_ylim() == (23.5, -0.5)
    if picture == "path":
        assert axes.get_facecolor() == (0, 0, 0, 1)
    else:
        np.testing.assert_allclose(axes.images[0].get_array().min(), record.answer["minimum"]["value"], rtol=1e-5)
    assert "{row}" not in drawing.get_suptitle() and "24" in drawing.get_suptitle()
    renderer = FigureCanvasAgg(drawing).get_renderer()
    for text in drawing.texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0 and box.x1 <= drawing.bbox.width and box.y0 >= 0
    (caption,) = [text.get_text() for text in drawing.texts if "weight" in text.get_text()]
    assert f"in {len(found['moves'])} steps" in " ".join(caption.split()) and "Simulation" in caption
