"""Views: which function makes a target, the files that are written of it, and pages that a browser shows and sorts."""

import html
import html.parser
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from drawings import data_of, drawn, run_line
from report_samples import ROOT, data, keep, written_work

from warpath.errors import FormatError, UsageError
from warpath_study.report import style
from warpath_study.report.charts import bars
from warpath_study.report.page import figure_page, table_page
from warpath_study.report.table import Table, published_table
from warpath_study.report.views import find_view, make, write_target
from warpath_study.works.works import SUFFIXES, load

WORK = """
title: A work
citation: Somebody
runs:
  sizes: {columns: [floyd_warshall.naive, floyd_warshall.tiled], rows: {a: a, b: b}}
targets:
  table1: {kind: table, runs: [sizes], title: Times, options: {published: table1.csv}}
  shared: {kind: figure, view: bars, runs: [sizes], title: Times}
  own: {kind: text, view: own, runs: [sizes], file: words}
  mine: {kind: table, view: table1, runs: [sizes]}
  "row_{row}": {kind: text, view: rows, runs: [sizes]}
  claims: {kind: claims, runs: [sizes], title: Claims}
"""
VIEWS_FILE = """
from warpath_study.report.table import published_table
from warpath_study.works.claims import claim

@claim("tiles help", runs="sizes", setting="each", about=["table1", "shared"])
def _(t):
    return t.seconds("naive") / t.seconds("tiled")

def own(data, *, greeting="runs"):
    return f"{greeting}: {len(data.measured)}"

def rows(data):
    return ", ".join(run.run for run in data.measured) + " on " + data.target.row

def table1(data):
    return published_table(data, columns=["tiled"])

def _hidden(data):
    return ""
"""
PAPER = "dataset,nodes,edges,naive\na,10,20,8.0\nb,10,20,\n"
CLAIMS = "claim,low,high,unit,where\ntiles help,1,,x,text\n"


@pytest.fixture
def work(tmp_path):
    work = written_work(tmp_path / "some_work", WORK, table1=PAPER, claims=CLAIMS)
    (work.path / "views.py").write_text(VIEWS_FILE)
    return work


@pytest.fixture
def records(tmp_path):
    for dataset in "ab":
        for variant, seconds in (("naive", 2.0), ("tiled", 1.0)):
            keep(tmp_path / "runs", dataset, f"floyd_warshall.{variant}", seconds)
    return tmp_path / "runs"


def test_a_view_is_the_works_own_or_one_that_all_share(work):
    assert find_view(work, "bars", "here") is bars
    assert find_view(work, "table", "here") is published_table
    assert find_view(work, "own", "here").__module__ == "warpath_work_some_work.views"
    for name in ("bar", "_hidden", "published_table"):
        with pytest.raises(UsageError, match=f"here.view: .*'{name}'"):
            find_view(work, name, "here")


def test_a_view_is_called_with_its_options(work, records):
    assert make(data(work, "own", records)) == "runs: 4"
    assert make(data(work, "row_b", records)) == "floyd_warshall.naive, floyd_warshall.tiled on b"
    assert isinstance(make(data(work, "table1", records)), Table)
    file = work.path / "work.yaml"
    text = file.read_text()
    file.write_text(text.replace("file: words", "options: {greeting: hello}"))
    assert make(data(load(work.path), "own", records)) == "hello: 4"
    for old, new, says in (("file: words", "options: {greting: x}", "targets.own.options: .*'greting'"),):
        file.write_text(text.replace(old, new))
        with pytest.raises(UsageError, match=says):
            make(data(load(work.path), "own", records))
    file.write_text(text)
    (work.path / "views.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(UsageError, match=r"some_work/views\.py.*ModuleNotFoundError"):
        make(data(load(work.path), "own", records))


def test_a_target_is_written_in_all_its_formats(work, records, tmp_path):
    of_results = [f"results/{name}" for name in ("table1", "claims", "words", "row_a", "runs")]
    for stem in (*of_results, "figures/shared"):
        out = tmp_path / "out" / Path(stem).name
        target = "own" if stem == "results/words" else out.name
        given = data(work, target, records)
        files = write_target(given, out / "results", out / "figures")
        suffixes = SUFFIXES[given.target.fields.kind]
        assert files == [out / f"{stem.replace('/', '/some_work/')}{suffix}" for suffix in suffixes]
        assert sorted(files) == sorted(path for path in out.rglob("*") if path.is_file())
        before = {file: file.read_bytes() for file in files}
        assert all(before.values())
        assert write_target(given, out / "results", out / "figures") == files
        assert {file: file.read_bytes() for file in files} == before  # the same runs make the same files


def test_the_page_of_a_table_has_the_claims_about_it(work, records, tmp_path):
    files = write_target(data(work, "table1", records), tmp_path / "results", tmp_path / "figures")
    page = next(file for file in files if file.suffix == ".html")
    assert "tiles help" in page.read_text()


def test_nothing_is_written_where_making_fails(work, records, tmp_path):
    (work.path / "views.py").write_text(VIEWS_FILE.replace("len(data.measured)", "1 // 0"))
    line = 1 + VIEWS_FILE[: VIEWS_FILE.index("len(data.measured)")].count("\n")
    with pytest.raises(UsageError, match=f"line {line}: ZeroDivisionError"):
        write_target(data(work, "own", records), tmp_path / "out", tmp_path / "out")
    (work.path / "published" / "claims.csv").write_text("claim\n")
    for target in ("table1", "shared", "claims"):
        with pytest.raises(FormatError):
            write_target(data(work, target, records), tmp_path / "out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Pages.

BODRA = load(ROOT / "workflow/works/bodra")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed here")

COLUMNS = {
    "Dataset": ["nyc", "bay", "col", "fla", "e"],
    "Nodes": ["264,346", "321,270", "9,000", "1,070,376", "5"],
    "Naive": ["5.403 s (3)", "~2.10 h", "12.30 µs (5)", "out of memory", "900.0 ms (3)"],
    "Memory": ["32.8 kB", "1.02 GB", "512 B", "2.10 MB", "–"],
    "Speedup": ["2.5x", "10.2x", "2.25x", "–", "1,000x"],
}
SHOWN = [dict(zip(COLUMNS, texts, strict=True)) for texts in zip(*COLUMNS.values(), strict=True)]
CLAIMS_OF_PAGE = [{"Claim": "tiles are faster <here>", "Claimed": "2.5x", "Verdict": "holds"}]


def table(**facts) -> str:
    made = Table("Times & *more*", SHOWN, [], SHOWN, ["A **note**."], ["Dataset"], **facts)
    return table_page(data_of(BODRA, "table1", lambda run: run_line(run, 1.5)), made, CLAIMS_OF_PAGE)


def figure(tmp_path: Path) -> str:
    of_figure = data_of(BODRA, "figure5", lambda run: run_line(run, 1.5))
    drawing = drawn(of_figure)
    style.save(drawing, tmp_path / "figure.svg")
    return figure_page(of_figure, (tmp_path / "figure.svg").read_text(encoding="utf-8"), drawing.get_figwidth(), [])


class Parsed(html.parser.HTMLParser):
    """The elements of a page, and which of them point outside of it."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_a_page_needs_no_other_file(tmp_path):
    for page in (table(), figure(tmp_path)):
        parsed = Parsed(page)
        assert not parsed.of("link") and not parsed.of("img") and not parsed.of("iframe")
        assert not any("src" in attributes for _, attributes in parsed.elements)
        outside = [attributes for _, attributes in parsed.elements if attributes.get("href", "#")[0] != "#"]
        assert not outside and "@import" not in page and not re.search(r"url\((?!#)", page)
    (frame,) = parsed.of("figure")
    assert len(parsed.of("svg")) == 1 and frame["role"] == "img" and frame["aria-label"] == "Table 1: Bellman-Ford"


def test_a_page_holds_caption_notes_claims_citation_and_details(tmp_path):
    page = table(details=["On <some> GPU."])
    for text in (
        "Times &amp; <em>more</em>",
        BODRA.fields.targets["table1"].caption,
        "A <strong>note</strong>.",
        "tiles are faster &lt;here&gt;",
        "D. Bodra, <em>Accelerating Shortest Path Algorithms on the GPU using CUDA</em>",
        BODRA.fields.hardware,
        "<title>Times &amp; more</title>",
        "On &lt;some&gt; GPU.",
    ):
        assert text in page
    assert len(Parsed(page).of("details")) == 1 and not Parsed(table()).of("details")
    heads = Parsed(table()).of("th")
    # Words stand left and numbers right.
    assert [head.get("class") for head in heads] == ["words", None, None, None, None, "words long", None, "words"]
    assert all(head["scope"] == "col" for head in heads)


def browse(page: str, tmp_path: Path, *options: str) -> subprocess.CompletedProcess:
    """Open ``page`` in a browser without a window; what its console says is in stderr."""
    file = tmp_path / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=2000", *options, file.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr, done.stderr
    return done


@pytest.mark.slow
@in_a_browser
def test_a_click_on_a_heading_sorts_and_the_heading_tells_which_way(tmp_path):
    clicks = {
        "Dataset": ["bay", "col", "e", "fla", "nyc"],
        "Nodes": ["e", "col", "nyc", "bay", "fla"],
        "Nodes, downwards": ["fla", "bay", "nyc", "col", "e"],
        "Naive": ["col", "e", "nyc", "bay", "fla"],
        "Naive, downwards": ["bay", "nyc", "e", "col", "fla"],
        "Memory": ["col", "nyc", "fla", "bay", "e"],
        "Speedup": ["col", "nyc", "bay", "e", "fla"],
    }
    script = """
        const cells = () => [...document.querySelectorAll('tbody tr td:first-child')].slice(0, 5);
        const order = () => cells().map(cell => cell.textContent);
        const orders = [order()];
        for (const name of NAMES) {
            const button = [...document.querySelectorAll('th button')].find(b => b.textContent === name);
            button.focus();
            document.activeElement.click();
            orders.push([...order(), button.closest('th').getAttribute('aria-sort')]);
        }
        document.body.dataset.orders = JSON.stringify(orders);
    """.replace("NAMES", json.dumps([name.partition(",")[0] for name in clicks]))
    page = table().replace("</body>", f"<script>{script}</script></body>")
    (found,) = re.findall(r'data-orders="([^"]*)"', browse(page, tmp_path, "--dump-dom").stdout)
    first, *orders = json.loads(html.unescape(found))
    assert first == ["nyc", "bay", "col", "fla", "e"]
    ways = ["descending" if "downwards" in name else "ascending" for name in clicks]
    assert orders == [[*order, way] for order, way in zip(clicks.values(), ways, strict=True)]


@pytest.mark.slow
@in_a_browser
def test_times_are_in_sight_on_a_narrow_page(tmp_path):
    def seen(**facts) -> list[str]:
        """The headings within 390 pixels."""
        script = (
            "const heads = [...this.contentDocument.querySelector('thead').querySelectorAll('th')];"
            "const inside = heads.map(head => [head.textContent.trim(), head.getBoundingClientRect()])"
            ".filter(([, box]) => box.width && box.right <= 390).map(([name]) => name);"
            "document.body.dataset.seen = inside.join(',');"
        )
        frame = f'<iframe style="width: 390px; height: 900px" onload="{script}" srcdoc="{html.escape(table(**facts))}">'
        (found,) = re.findall(
            r'data-seen="([^"]*)"', browse(f"<body>{frame}</iframe></body>", tmp_path, "--dump-dom").stdout
        )
        return found.split(",")

    assert seen()[:2] == ["Dataset", "Nodes"]
    found = seen(side_columns={"Nodes": "nodes"})
    assert found[:2] == ["Dataset", "Naive"] and "Nodes" not in found
    assert 'data-beside="264,346 nodes"' in table(side_columns={"Nodes": "nodes"})
