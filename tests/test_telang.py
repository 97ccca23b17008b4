"""From a path over a matrix product to its record, table and pictures."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from warpath.__main__ import main
from warpath.grid.measure import moves
from warpath.grid.record import cells_of, read_grid_record
from warpath.report import style
from warpath.report.telang_grid.table import Result, read_published, result_of

PUBLISHED = Path(__file__).parent.parent / "data/published/telang_grid/results.csv"


@pytest.fixture(scope="module")
def record_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("grid") / "24.json"
    assert (
        main(["grid", "--size", "24", "--seed", "4", "--device", "host", "--repeats", "2", "--output", str(path)]) == 0
    )
    return path


def test_the_record_holds_the_path(record_file):
    record = read_grid_record(record_file)
    cells = cells_of(record["path"])
    assert moves(cells) == record["path"]["moves"]
    assert list(cells[0]) == [record["minimum"]["row"], record["minimum"]["column"]]
    assert list(cells[-1]) == [record["second_minimum"]["row"], record["second_minimum"]["column"]]
    assert len(record["samples"]) == 2 and record["certificate"]["cells_checked"] == 24 * 24
    assert {name.rpartition("/")[2] for name in record["sources"]} >= {
        "product.cu",
        "minimum.cu",
        "path.cu",
        "solve.py",
    }


def test_the_same_request_gives_the_same_answer(record_file, tmp_path):
    again = tmp_path / "again.json"
    main(["grid", "--size", "24", "--seed", "4", "--device", "host", "--repeats", "1", "--output", str(again)])
    for key in ("minimum", "second_minimum", "size", "matrices"):
        assert read_grid_record(again)[key] == read_grid_record(record_file)[key]
    assert read_grid_record(again)["path"]["weight"] == read_grid_record(record_file)["path"]["weight"]


def test_prints_as_the_work_does(record_file, capsys):
    record = read_grid_record(record_file)
    main(["telang", str(record_file), "--format", "printed"])
    lines = capsys.readouterr().out.splitlines()
    minimum = record["minimum"]
    assert lines[0] == "The input size is 24"
    assert lines[1] == f"The minimum Value is {minimum['value']:.6f} at index {minimum['row']}, {minimum['column']}"
    assert lines[3].startswith("The weight of the path to get to the second min value from the first min value is ")
    assert lines[3].endswith(f"{record['path']['weight']:.6f}.")


def test_the_published_row_is_read_and_has_its_own_scale_free_numbers():
    published = read_published(PUBLISHED)[1024]
    assert published == Result(1024, 790.078186, 407, 976, 791.253235, 403, 289, 582969.8125)
    assert published.cells_apart == 691
    assert published.step_over_minimum == pytest.approx(1.0678, abs=1e-4)


def test_the_table_has_the_published_columns(record_file, capsys):
    main(["telang", str(record_file)])
    header, line = capsys.readouterr().out.splitlines()
    assert header == PUBLISHED.read_text().splitlines()[0]
    assert (
        line.split(",")[0] == "24" and line.split(",")[1] == f"{result_of(read_grid_record(record_file)).minimum:.6f}"
    )


def test_the_comparison_says_what_can_be_compared(record_file, capsys, tmp_path):
    published = tmp_path / "published.csv"
    published.write_text(PUBLISHED.read_text().replace("1024", "24"))
    main(["telang", str(record_file), "--format", "comparison", "--published", str(published)])
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    assert {row[1]: row[4] for row in rows}["step_over_minimum"] == "yes"
    assert {row[1]: row[4] for row in rows}["path_weight"] == "no"
    assert {row[1]: row[2] for row in rows}["cells_apart"] == "691"
    main(["telang", str(record_file), "--format", "markdown"])
    text = capsys.readouterr().out
    assert "Host simulation, not GPU times." in text and "1,024 (published)" in text


@pytest.mark.parametrize("figure", ["figure_path", "figure_heat"])
def test_pictures_show_the_path_between_a_red_and_a_white_cell(figure, record_file, tmp_path):
    module = __import__(f"warpath.report.telang_grid.{figure}", fromlist=["draw"])
    record = module.read(record_file)
    with style.applied():
        drawing = module.draw(record)
    axes = drawing.axes[0]
    line, source, destination = axes.lines
    assert line.get_color() == "#ffa500"
    assert list(zip(line.get_ydata(), line.get_xdata(), strict=True)) == cells_of(record["path"])
    assert (source.get_color(), destination.get_color()) == ("#ff0000", "#ffffff")
    assert [source.get_ydata()[0], source.get_xdata()[0]] == record["path"]["source"]
    assert axes.get_ylim() == (23.5, -0.5)
    if figure == "figure_path":
        assert axes.get_facecolor() == (0, 0, 0, 1)
    else:
        np.testing.assert_allclose(axes.images[0].get_array().min(), record["minimum"]["value"], rtol=1e-5)
    renderer = FigureCanvasAgg(drawing).get_renderer()
    for text in drawing.texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0 and box.x1 <= drawing.bbox.width and box.y0 >= 0
    for suffix in ("png", "svg"):
        output = tmp_path / f"picture.{suffix}"
        assert main(["plot", f"telang_grid.{figure}", "--table", str(record_file), "--output", str(output)]) == 0


def test_own_matrices_and_ends(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.arange(1, 17).reshape(4, 4))
    np.save(tmp_path / "b.npy", np.eye(4))
    output = tmp_path / "own.json"
    own = ["grid", "--left", str(tmp_path / "a.npy"), "--right", str(tmp_path / "b.npy"), "--device", "host"]
    main([*own, "--source", "0,0", "--destination", "1,1", "--output", str(output)])
    assert "The weight of the path from 0, 0 to 1, 1 is 3.000000." in capsys.readouterr().out
    assert read_grid_record(output)["path"]["moves"] == "RD"
    assert main(["plot", "telang_grid.figure_heat", "--table", str(output), "--output", str(tmp_path / "h.png")]) == 2
    assert "came from files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--size", "8", "--source", "2,2", "--destination", "2,2"],
            "source and destination are the same cell, (2, 2)",
        ),
        (["--size", "8", "--destination", "2,8"], "the destination (2, 8) is no cell"),
        (["--size", "1"], "a matrix size of 1 is not between 2"),
        (["--size", "8", "--repeats", "0"], "at least one repeat"),
        ([], "give --size for random matrices"),
        (["--left", "nan.npy"], "both --left and --right"),
        (["--left", "nan.npy", "--right", "nan.npy"], "entry (1, 0) of the left matrix is nan"),
        (["--left", "none.npy", "--right", "nan.npy"], "none.npy: no such file"),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("nan.npy", np.array([[1.0, 2.0], [np.nan, 4.0]]))
    assert main(["grid", *arguments, "--device", "host", "--output", "record.json"]) in (1, 2)
    error = capsys.readouterr().err
    assert words in error and len(error.strip().splitlines()) == 1
    assert not (tmp_path / "record.json").exists()


def test_a_damaged_record_is_named(record_file, tmp_path, capsys):
    damaged = tmp_path / "damaged.json"
    record = json.loads(record_file.read_text())
    record["path"]["moves"] = "RX"
    damaged.write_text(json.dumps(record))
    assert main(["telang", str(damaged)]) == 1
    assert f"{damaged}: not a record of 'warpath grid': path.moves" in capsys.readouterr().err
