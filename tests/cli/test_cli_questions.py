"""``warpath pairs`` and ``warpath table``, called as a user calls them."""

import io

import numpy as np
import pandas as pd
import pytest
from tiny_graphs import named

from warpath.__main__ import main

ROADS = "source,target,km\nOslo,Voss,356.5\nVoss,Bergen,107\nOslo,Hamar,125\n"
NUMBERS = "p sp 4 3\na 1 2 5\na 2 3 7\na 1 3 20\n"
TRIPS = "who,target,source\nAda,Bergen,Oslo\nBo,Oslo,Voss\nCy,Bergen,Oslo\n"


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """A function that runs a command line, and returns its status, its output as a data frame or text, and errors."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("roads.csv", ROADS), ("roads.gr", NUMBERS), ("trips.csv", TRIPS)):
        (tmp_path / name).write_text(text)

    def run(line):
        status = main([*line.split(), "--device", "cpu"])
        said = capsys.readouterr()
        return status, said.out if "--output" in line or not said.out else pd.read_csv(io.StringIO(said.out)), said.err

    return run


def test_pairs_are_answered_by_label(ask):
    for line, expected in (
        ("pairs roads.csv --weight km --source Oslo --target Bergen", [["Oslo", "Bergen", 463.5]]),
        ("pairs roads.csv --weight km --source Oslo,Oslo --target Bergen,Voss --cutoff 400", [
            ["Oslo", "Bergen", np.inf], ["Oslo", "Voss", 356.5]]),
        ("pairs roads.gr --source 1,3 --target 3,1 --paths", [[1, 3, 12, "[1, 2, 3]"], [3, 1, np.inf, "[]"]]),
        ("pairs roads.csv --weight km --questions trips.csv --no-certify", [
            ["Ada", "Bergen", "Oslo", 463.5], ["Bo", "Oslo", "Voss", np.inf], ["Cy", "Bergen", "Oslo", 463.5]]),
    ):  # fmt: skip
        with named(line):
            status, frame, errors = ask(line)
            assert (status, errors, frame.to_numpy().tolist()) == (0, "", expected)
    assert frame.columns.tolist() == ["who", "target", "source", "distance"]


def test_questions_may_have_blanks_a_mark_at_the_beginning_and_lines_of_windows(ask, tmp_path):
    (tmp_path / "trips.csv").write_bytes("\ufeffsource , target\r\nOslo , Voss \r\n\r\n".encode())
    status, frame, _ = ask("pairs roads.csv --weight km --questions trips.csv")
    assert status == 0 and frame.to_numpy().tolist() == [["Oslo", "Voss", 356.5]]


def test_tables_have_a_line_for_each_source(ask):
    for line, columns, expected in (
        ("roads.csv --weight km --source Oslo,Voss --target Bergen,Hamar", ["source", "Bergen", "Hamar"], [
            ["Oslo", 463.5, 125], ["Voss", 107, np.inf]]),
        ("roads.csv --weight km --questions trips.csv", ["source", "Bergen", "Oslo"], [
            ["Oslo", 463.5, 0], ["Voss", 107, np.inf]]),
        ("roads.gr --source 2 --cutoff 6", ["source", "1", "2", "3", "4"], [[2, np.inf, 0, np.inf, np.inf]]),
        ("roads.gr --source 1 --nearest 1", ["source", "target", "distance"], [[1, 2, 5]]),
    ):  # fmt: skip
        with named(line):
            status, frame, _ = ask(f"table {line}")
            assert (status, frame.columns.tolist(), frame.to_numpy().tolist()) == (0, columns, expected)


def test_answers_are_written_to_files_that_may_be_asked_again(ask, tmp_path):
    for suffix, read in ((".csv", pd.read_csv), (".parquet", pd.read_parquet)):
        status, summary, _ = ask(f"pairs roads.gr --source 1,3 --target 3,1 --paths --output first{suffix}")
        assert status == 0 and "1 of 2 pairs" in summary and "certificate  exact" in summary
        frame = read(tmp_path / f"first{suffix}")
        assert frame["distance"].tolist() == [12, np.inf] and len(frame["path"][0]) in (3, len("[1, 2, 3]"))
        read(tmp_path / f"first{suffix}").drop(columns=["distance", "path"]).to_parquet(tmp_path / "again.parquet")
        assert ask(f"table roads.gr --questions again.parquet --output table{suffix}")[0] == 0
        assert read(tmp_path / f"table{suffix}").to_numpy().tolist() == [[1, 12, 0], [3, 0, np.inf]]


def test_the_command_solve_takes_a_cutoff(ask):
    assert (
        "reached      2 of 4 vertices"
        in ask("solve roads.csv --weight km --source Oslo --cutoff 200 --output a.npz")[1]
    )


def test_questions_that_are_none_are_refused_with_one_sentence(ask, tmp_path):
    for name, text in (
        ("to.csv", "source,to\nOslo,Bergen\n"),
        ("gap.csv", "source,target\nOslo,Voss\nOslo,\n"),
        ("typo.csv", "source,target\nOslo,Bergn\n"),
        ("taken.csv", "source,target,distance\nOslo,Voss,3\n"),
        ("empty.csv", ""),
        ("bad.parquet", "PAR1"),
        ("long.csv", "source,target\nOslo,Voss,Bergen\n"),
        ("short.csv", "who,source,target\nAda,Oslo\n"),
        ("twice.csv", "source,source,target\nOslo,Oslo,Voss\n"),
        ("quote.csv", 'source,target\n"Oslo"x,Voss\n'),
    ):
        (tmp_path / name).write_text(text)
    for line, says in (
        ("pairs roads.csv --weight km --questions to.csv", "'target'; the columns are source, to"),
        ("pairs roads.csv --weight km --questions gap.csv", "line 2 of the table has no target"),
        ("pairs roads.csv --weight km --questions typo.csv", "'Bergn'; did you mean 'Bergen'"),
        ("pairs roads.csv --weight km --questions taken.csv", "'distance'"),
        ("pairs roads.csv --weight km --questions empty.csv", "empty.csv"),
        ("pairs roads.csv --weight km --questions bad.parquet", "bad.parquet"),
        ("pairs roads.csv --weight km --questions long.csv", "line 2: has 3 cells below 2 headings"),
        ("pairs roads.csv --weight km --questions short.csv", "line 2: has 2 cells below 3 headings"),
        ("pairs roads.csv --weight km --questions twice.csv", "more than one column 'source'"),
        ("pairs roads.csv --weight km --questions quote.csv", "quote.csv"),
        ("table roads.csv --weight km --questions trips.csv --output trips.csv", "trips.csv: is an input"),
        ("pairs roads.csv --weight km --questions none.csv", "no such file"),
        ("pairs roads.csv --weight km --questions trips.txt", "'.txt'"),
        ("pairs roads.csv --weight km --source Oslo,Voss --target Bergen", "as many --target"),
        ("pairs roads.csv --weight km", "--questions"),
        ("pairs roads.csv --weight km --questions trips.csv --source Oslo", "--questions"),
        ("pairs roads.csv --weight km --source Oslo --target Voss --output a.npz", "'.npz'"),
        ("pairs roads.gr --source 1 --target 5", "there is no vertex 5"),
        ("table roads.csv --weight km --target Oslo", "--source"),
        ("table roads.gr --source 1 --nearest 2000", "1,024"),
        ("table roads.gr --source 1 --cutoff nan", "nan"),
    ):
        with named(line):
            status, _, errors = ask(line)
            assert status in (1, 2) and says in errors and errors.count("\n") == 1
