"""Published tables and the printing of names and numbers."""

import pytest
from report_samples import ROOT, TABLE1, TABLE3

from warpath.errors import FormatError
from warpath.report import labels
from warpath.report.published import read_published, seconds_of

HEADER = "dataset,nodes,edges,cpu,naive\n"


def test_table_1_of_the_paper_is_read_as_printed():
    table = read_published(TABLE1)
    assert table.variants == ["cpu", "naive", "stride", "stride_flag"]
    assert list(table.rows) == ["nyc", "bay", "col", "fla", "ne", "e"]
    assert (table.rows["e"].nodes, table.rows["e"].edges) == (3598623, 8778114)
    assert table.cell("nyc", "cpu") == "1320"
    assert table.cell("ne", "stride") == "214.760"  # with the zero that the paper prints
    assert table.cell("bay", "cpu") == table.cell("bay", "frontier") == table.cell("moon", "naive") == ""


def test_a_bound_is_no_number():
    cell = read_published(TABLE3).cell("gnutella04", "cpu")
    assert cell == ">3600"
    assert seconds_of(cell) is None
    assert seconds_of("") is None
    assert seconds_of("8.58384") == 8.58384


def test_every_table_that_the_pipeline_regenerates_is_readable():
    for number in (1, 2, 3):
        assert read_published(ROOT / f"data/published/bodra/table{number}.csv").rows


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "dataset,nodes,edges"),
        ("dataset,edges,nodes,cpu\n", 1, "dataset,nodes,edges"),
        ("dataset,nodes,edges\n", 1, "each variant once"),
        ("dataset,nodes,edges,cpu,cpu\n", 1, "each variant once"),
        (HEADER + "nyc,1,2,3\n", 2, "4 cells where the header has 5"),
        (HEADER + "nyc,1,2,,\nnyc,1,2,,\n", 3, "'nyc'"),
        (HEADER + "nyc,1.5,2,,\n", 2, "'1.5'"),
        (HEADER + "nyc,1,2,22min,\n", 2, "'22min'"),
        (HEADER + "nyc,1,2,,-3\n", 2, "'-3'"),
    ],
)
def test_what_is_no_published_table_is_refused_with_its_line(tmp_path, text, line, says):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=f"table.csv, line {line}: .*{says}"):
        read_published(path)


def test_no_such_table(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        read_published(tmp_path / "table9.csv")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9999, "9999"), (10876, "10K"), (264346, "264K"), (733846, "733K"), (999999, "999K"), (8778114, "8.7M")],
)
def test_counts_are_cut_as_on_the_published_axes(count, text):
    assert labels.short_count(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(8.583841, "8.58384"), (1137.63, "1137.63"), (12345678.0, "12345700"), (1.25e-05, "0.0000125"), (5.0, "5")],
)
def test_seconds_in_a_csv_file_have_no_exponent(seconds, text):
    assert labels.plain_seconds(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.25e-05, "12.50 µs"),
        (0.000999999, "1.000 ms"),
        (0.0123, "12.30 ms"),
        (0.695, "0.6950 s"),
        (8.58384, "8.584 s"),
        (9.99996, "10.00 s"),
        (1137.63, "1,138 s"),
        (3599.9, "1.00 h"),
        (86400.0, "24.00 h"),
    ],
)
def test_seconds_for_a_person_have_a_unit_and_four_digits(seconds, text):
    assert labels.readable_seconds(seconds) == text


def test_names_for_readers():
    assert labels.spelled("stride_flag") == "Stride with Flag"
    assert labels.spelled("super_naive_shared") == "Super Naive Shared"
    assert labels.heading("table1") == "Table 1"
    assert labels.heading("mine") == "mine"
    assert labels.listed([]) == ""
    assert labels.listed(["a", "b", "c"]) == "a, b and c"
    assert labels.date_range(["2026-03-02", "", "2026-03-01"]) == "2026-03-01 to 2026-03-02"
    assert labels.date_range(["2026-03-02", "2026-03-02"]) == "2026-03-02"
