"""The workflow as its user meets it: targets, suites, wrong configs, fetching from a mirror, style, report."""

import gzip
import re
import sys

import pytest

pytestmark = pytest.mark.workflow


def test_a_suite_writes_below_its_own_name(built):
    results = {path.name for path in (built.root / "results").iterdir()}
    assert results <= {"demo", "reference"}
    for table in ("table1", "table2", "table3"):
        for name in (f"{table}.csv", f"{table}.md", f"{table}_comparison.csv"):
            assert (built.root / "results/demo" / name).stat().st_size > 0
    for figure in ("figure5", "figure5_log", "figure6", "figure6_log"):
        for suffix in ("png", "svg", "pdf"):
            assert (built.root / f"figures/demo/{figure}.{suffix}").stat().st_size > 0


def test_a_row_left_out_has_no_time_but_stays_in_the_table(built):
    lines = (built.root / "results/demo/table1.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["demo-nyc", "demo-bay", "col", "fla", "ne", "e"]
    assert lines[3].endswith(",,,,")


@pytest.mark.parametrize(
    ("suite", "table", "kinds"),
    [
        ("paper", "results/table1.csv", {"fetch": 6, "convert": 6, "run": 24, "write": 1}),
        ("standin", "results/standin/table3.csv", {"generate": 3, "run": 18, "write": 1}),
        ("demo", "results/demo/table2.csv", {"generate": 1, "run": 2, "write": 1}),
    ],
)
def test_each_suite_knows_all_its_steps_without_a_network(fresh, suite, table, kinds):
    planned = fresh.planned(table, overlay=f"workflow/suites/{suite}.yaml")
    assert {kind: sum(job.startswith(f"{kind} ") for job in planned) for kind in kinds} == kinds
    assert len(planned) == sum(kinds.values())


def test_published_tables_are_the_default(fresh):
    assert "write table1" in fresh.planned("results/table1.csv", overlay=None)
    assert "draw figure6" in fresh.planned("figures/figure6.pdf", overlay=None)


@pytest.mark.parametrize(
    ("overlay", "sentence"),
    [
        ("budget: 3", "Additional properties are not allowed ('budget' was unexpected)"),
        ("tables: {table1: {rows: {nyc: newyork}}}", "tables.table1.rows.nyc: unknown name 'newyork'"),
    ],
)
def test_a_wrong_config_is_refused_in_one_sentence(fresh, overlay, sentence):
    (fresh.root / "wrong.yaml").write_text(overlay)
    output = fresh.snakemake("--dry-run", status=1, overlay="wrong.yaml")
    assert len([line for line in output.splitlines() if sentence in line]) == 1
    assert "Traceback" not in output and 'File "' not in output


def test_from_a_mirror_to_a_table(fresh, tmp_path):
    """A new published dataset: an entry in the catalog and a row in the config; nothing else."""
    mirror = tmp_path / "a mirror"
    mirror.mkdir()
    arcs = "".join(f"{tail}\t{head}\r\n" for tail in range(40) for head in ((tail + 1) % 40, (tail * 7 + 3) % 40))
    (mirror / "ring.txt.gz").write_bytes(gzip.compress(f"# a ring with chords\r\n{arcs}".encode()))
    fresh.edit(
        "data/catalog.yaml",
        "\nring:\n  kind: snap\n  title: Ring\n  file: ring.txt.gz\n  addresses: [http://127.0.0.1:9/ring.txt.gz]\n"
        "  sha256: null\n  vertices: 40\n  arcs: 80\n  weighted: false\n  licence: none\n  citation: none\n",
    )
    (fresh.root / "ring.yaml").write_text(
        f"suite: ring\ndevice: host\nmirror: {mirror}\nbudget_s: 0.2\ncpu_budget_s: 0.2\nrepeats_max: 3\n"
        "tables: {table2: {rows: {gnutella04: ring}}}\n"
    )
    fresh.snakemake("results/ring/table2.csv", overlay="ring.yaml")
    row = (fresh.root / "results/ring/table2.csv").read_text().splitlines()[1]
    assert re.fullmatch(r"ring,40,80,[0-9.]+,[0-9.]+", row)
    assert fresh.planned("results/ring/table2.csv", overlay="ring.yaml") == set()


def test_a_failed_download_says_what_to_do(fresh):
    output = fresh.snakemake("data/raw/p2p-Gnutella04.txt.gz", status=1, overlay=None)
    assert "p2p-Gnutella04.txt.gz" in output and "put it at data/raw" in output
    assert "Traceback" not in output
    assert not (fresh.root / "data/raw/p2p-Gnutella04.txt.gz").exists()


def test_a_command_that_fails_fails_its_job_at_once_with_its_own_status(fresh):
    """Although ``tee``, which succeeds, comes last, and without the wait for the missing output."""
    fresh.edit("src/warpath/cli/generate.py", "raise SystemExit(3)\n")
    output = fresh.snakemake("data/graphs/demo-nyc.npz", status=1)
    assert "returned non-zero exit status 3." in output
    assert "MissingOutputException" not in output and "missing files" not in output


def test_the_report_shows_tables_and_figures_with_captions(built):
    built.snakemake("--report", "report.html")
    report = (built.root / "report.html").read_text()
    for name in ("table1.csv", "table1_comparison.csv", "table3.csv", "figure5.svg", "figure6_log.svg"):
        assert name in report
    for category in ("Tables", "Figures"):
        assert f'"{category}"' in report
    for words in (
        "This is the suite",
        "Table 1: Bellman-Ford",
        "hollow diamonds",
        "a line for each cell",
        "every sample",
    ):
        assert words in report
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="https?://', report)


def test_one_target_makes_all_works(fresh):
    demo = {"overlay": "workflow/suites/demo.yaml"}
    works = [path.stem for path in (fresh.root / "workflow/rules").glob("*.smk")]
    works = [name for name in works if name not in ("datasets", "runs", "papers")]
    assert len(works) == 5
    each = [fresh.planned(target, **demo) for target in ("all", *works)]
    assert fresh.planned("works", **demo) == set().union(*each)
    assert sum(map(len, each)) > len(set().union(*each)) > max(map(len, each))  # they share graphs and runs


def test_lint_finds_nothing(fresh):
    assert "good condition" in fresh.snakemake("--lint")


def test_rules_are_formatted(fresh):
    done = fresh.run(sys.executable, "-m", "snakefmt", "--check", "Snakefile", "workflow")
    assert done.returncode == 0, done.stdout
