"""What works print, read with file and line for each fault; the printing of names and numbers; and what ports use."""

import re
from functools import partial
from random import Random

import pytest
from damage import damaged
from report_samples import ROOT

from warpath.device.kernel_source import ROOT as PACKAGES
from warpath.device.kernel_source import expanded_source
from warpath.errors import FormatError
from warpath.solvers import variants
from warpath_study.measure.runs import find
from warpath_study.report import labels
from warpath_study.report.published import PublishedClaim, parse_seconds, read_claims, read_lines, read_table
from warpath_study.works.works import Choice, load_all

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


def test_a_bound_is_no_number():
    cell = read_table(BODRA / "table3.csv").cell("gnutella04", "cpu")
    assert cell == ">3600"
    assert parse_seconds(cell) is None
    assert parse_seconds("") is None
    assert parse_seconds("8.58384") == 8.58384


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


@pytest.mark.parametrize(
    ("work", "target"),
    [(work, target) for work in load_all().values() for target in work.targets(Choice("paper"))],
    ids=lambda value: value.name,
)
def test_rows_that_a_work_does_not_print_keep_their_places(work, target):
    """A table has the rows of the published one first, and others behind them."""
    options = target.fields.options
    if options.get("published"):
        printed = read_table(work.published_file(options["published"])).rows
        measured = list(dict.fromkeys(run.row for run in work.requests(work.needs(target), Choice("paper"))))
        shown = dict.fromkeys([*printed, *measured])
        assert [row for row in shown if row in measured] == measured


def test_a_graph_has_the_works_size_where_all_its_counts_agree():
    nyc = read_table(BODRA / "table1.csv").rows["nyc"]
    assert nyc.has_size(264346, 733846)
    assert not nyc.has_size(264346, 733847) and not nyc.has_size(264347, 733846)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "expected the name of the row, nodes and edges"),
        ("dataset,nodes,edges\n", 1, "each variant once"),
        ("dataset,nodes,edges,cpu,cpu\n", 1, "each variant once"),
        (HEADER + "nyc,1,2,3\n", 2, "4 cells where the header has 5"),
        (HEADER + "nyc,1,2,,\nnyc,1,2,,\n", 3, "'nyc'"),
        (HEADER + ",1,2,,\n", 2, "the row '' is empty"),
        (HEADER + "nyc,1.5,2,,\n", 2, "nodes and edges must be whole numbers"),
        (HEADER + "nyc,1,2,22min,\n", 2, "'22min' is neither seconds, nor a bound like >3600"),
        (HEADER + "nyc,1,2,,-3\n", 2, "'-3'"),
        (HEADER + "nyc,1,2,,1e3\n", 2, "'1e3'"),
        (HEADER + "nyc,1,2,,0.0\n", 2, "'0.0'"),
        (HEADER + "nyc,1,2,,١\n", 2, "'١'"),
        (HEADER + "nyc,²,2,,\n", 2, "nodes and edges must be whole numbers"),
        (HEADER + "nyc," + "9" * 5000 + ",2,,\n", 2, "nodes and edges must be whole numbers"),
    ],
)
def test_what_is_no_published_table_is_refused_with_its_line(tmp_path, text, line, says):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=f"table.csv, line {line}: .*{says}"):
        read_table(path)


def test_claims_are_read_by_their_sentence():
    claims = read_claims(WORKS / "katz_kider" / "published" / "claims.csv")
    sentence = "speedup over standard GPU (Harish and Narayanan)"
    assert claims[sentence] == PublishedClaim(sentence, 5.0, 6.5, "x", "figure 6")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "expected the columns claim,low,high,unit,where"),
        ("claim,unit\n", 1, "expected the columns claim,low,high,unit,where"),
        (CLAIMS + "a,1,2,x\n", 2, "4 cells where the header has 5"),
        (CLAIMS + "a,1,2,x,\nb,few,2,x,\n", 3, "could not convert string to float: 'few'"),
        (CLAIMS + "a,1,2,x,\na,1,2,x,\n", 3, "the claim 'a' is empty or appears twice"),
        (CLAIMS + ",1,2,x,\n", 2, "the claim '' is empty"),
        (CLAIMS + "a,1,inf,x,\n", 2, "a bound must be a finite number"),
        (CLAIMS + "a,nan,2,x,\n", 2, "a bound must be a finite number"),
        (CLAIMS + "a,2,1,x,\n", 2, "the lower bound 2 is above the upper bound 1"),
        ("claim,value,unit,where\na,=3,x,\n", 2, "could not convert string to float: '=3'"),
    ],
)
def test_what_are_no_claims_is_refused_with_its_line(tmp_path, text, line, says):
    path = tmp_path / "claims.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=f"claims.csv, line {line}: {says}"):
        read_claims(path)


def test_lines_of_another_shape_have_the_columns_asked_for(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("size,at,left\n3,2.5,x\n", encoding="utf-8")
    assert read_lines(path, {"at": float, "size": int}) == [{"at": 2.5, "size": 3}]
    with pytest.raises(FormatError, match=r"results.csv, line 1: expected the column weight once"):
        read_lines(path, {"weight": float})
    with pytest.raises(FormatError, match=r"results.csv, line 2: .*'x'"):
        read_lines(path, {"left": float})


READERS = [read_table, read_claims, partial(read_lines, columns={"claim": str})]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("damage", [b"\xff\xfe", b"a\0b\n", b'"', b'"a"b\r\rc\n', b"a" * 200_000, b"\n\n", None])
def test_files_that_are_no_tables(tmp_path, read, damage):
    path = tmp_path / "table.csv"
    path.mkdir() if damage is None else path.write_bytes(damage)
    with pytest.raises(FormatError, match=r"table\.csv[:,] "):
        read(path)


@pytest.mark.parametrize("name", ["bodra/published/table1.csv", "katz_kider/published/claims.csv"])
def test_a_damaged_file_is_refused_or_read(tmp_path, name):
    text = (WORKS / name).read_bytes()
    path, random = tmp_path / "damaged.csv", Random(1)
    refused = 0
    for _ in range(1000):
        path.write_bytes(damaged(text, random))
        try:
            (read_claims if "claims" in name else read_table)(path)
        except FormatError as error:
            refused += 1
            assert str(error).startswith(str(path)) and "\n" not in str(error)
    assert 0 < refused < 1000


@pytest.mark.parametrize("read", [read_table, read_claims])
def test_no_such_file(tmp_path, read):
    with pytest.raises(FormatError, match=r"table9\.csv: no such file"):
        read(tmp_path / "table9.csv")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (9999, "9,999"),
        (10876, "11K"),
        (733846, "734K"),
        (999499, "999K"),
        (999500, "1.0M"),
        (3598623, "3.6M"),
    ],
)
def test_counts_on_axes_are_short_and_rounded(count, text):
    assert labels.short_count(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(8.583841, "8.58384"), (1137.63, "1137.63"), (12345678.0, "12345700"), (1.25e-05, "0.0000125"), (5.0, "5")],
)
def test_seconds_in_a_csv_file_have_no_exponent(seconds, text):
    assert labels.plain_seconds(seconds) == text


def test_names_for_readers():
    assert labels.algorithm_label("stride_flag") == "Stride with Flag"
    assert labels.algorithm_label("super_naive_shared") == "Super Naive Shared"
    assert labels.prose_list([]) == ""
    assert labels.prose_list(["a", "b", "c"]) == "a, b and c"
    assert labels.date_range(["2026-03-02", "", "2026-03-01"]) == "2026-03-01 to 2026-03-02"
    assert labels.date_range(["2026-03-02", "2026-03-02"]) == "2026-03-02"


PORTS = PACKAGES / "warpath_study" / "published"


@pytest.mark.parametrize("kernel", sorted(PORTS.rglob("*.cu")), ids=lambda file: f"{file.parent.name}.{file.stem}")
def test_a_kernel_of_ports_includes_no_file_of_warpath(kernel):
    files = re.findall(r'^#line \d+ "(.+)"$', expanded_source(kernel), re.MULTILINE)
    assert {PORTS in (PACKAGES / file).parents for file in files} == {True}


def test_a_port_opens_no_kernel_of_warpath():
    every = [find(variant.algorithm, variant.name) for variant in variants()]
    ports = [variant for variant in every if variant.kernels and PORTS in variant.kernels[0].parents]
    assert len(ports) > 10
    for variant in ports:
        assert {PORTS in kernel.parents for kernel in variant.kernels} == {True}, variant.name
