"""Pages: one file with everything in it, and in a browser a table that can be read and sorts."""

import html
import html.parser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from drawings import data_of, drawn, run_line

from warpath_study.report import style
from warpath_study.report.page import figure_page, table_page
from warpath_study.report.table import Table
from warpath_study.works.works import load

BODRA = load(Path(__file__).resolve().parents[3] / "workflow/works/bodra")
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
CLAIMS = [{"Claim": "tiles are faster <here>", "Claimed": "2.5x", "Verdict": "holds"}]


def data(name: str = "table1"):
    return data_of(BODRA, name, lambda run: run_line(run, 1.5))


def table(**facts) -> str:
    made = Table("Times & *more*", SHOWN, [], SHOWN, ["A **note**."], ["Dataset"], **facts)
    return table_page(data(), made, CLAIMS)


def figure(tmp_path: Path) -> str:
    of_figure = data("figure5")
    drawing = drawn(of_figure)
    style.save(drawing, tmp_path / "figure.svg")
    return figure_page(of_figure, (tmp_path / "figure.svg").read_text(encoding="utf-8"), drawing.get_figwidth(), [])


class Parsed(html.parser.HTMLParser):
    """The elements of a page, and which of them point outside of it."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("kind", ["table", "figure"])
def test_a_page_needs_no_other_file(kind, tmp_path):
    page = table() if kind == "table" else figure(tmp_path)
    parsed = Parsed(page)
    assert not parsed.of("link") and not parsed.of("img") and not parsed.of("iframe")
    assert not any("src" in attributes for _, attributes in parsed.elements)
    outside = [attributes for _, attributes in parsed.elements if attributes.get("href", "#")[0] != "#"]
    assert not outside and "@import" not in page and not re.search(r"url\((?!#)", page)


def test_a_page_holds_caption_notes_claims_and_citation():
    page = table()
    for text in (
        "Times &amp; <em>more</em>",
        BODRA.fields.targets["table1"].caption,
        "A <strong>note</strong>.",
        "tiles are faster &lt;here&gt;",
        "D. Bodra, <em>Accelerating Shortest Path Algorithms on the GPU using CUDA</em>",
        BODRA.fields.hardware,
    ):
        assert text in page
    assert "<title>Times &amp; more</title>" in page


def test_a_page_without_claims_has_no_heading_for_them(tmp_path):
    assert "What the work claims" in table() and "What the work claims" not in figure(tmp_path)


def test_details_unfold():
    page = table(details=["On <some> GPU."])
    assert len(Parsed(page).of("details")) == 1 and "On &lt;some&gt; GPU." in page
    assert not Parsed(table()).of("details")


def test_words_stand_left_and_numbers_right():
    heads = Parsed(table()).of("th")
    assert [head.get("class") for head in heads] == ["words", None, None, None, None, "words long", None, "words"]
    assert all(head["scope"] == "col" for head in heads)


def test_a_figure_is_a_named_drawing_as_wide_as_its_letters_want(tmp_path):
    parsed = Parsed(figure(tmp_path))
    (frame,) = parsed.of("figure")
    assert len(parsed.of("svg")) == 1 and frame["role"] == "img" and frame["aria-label"] == "Table 1: Bellman-Ford"
    assert 30 <= float(re.search(r"max-width: ([\d.]+)rem", frame["style"])[1]) <= 80


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


def rows_after(clicks: list[str], tmp_path: Path) -> list[str]:
    """The first column after these headings were clicked, in this order."""
    script = "".join(
        f"[...document.querySelectorAll('th button')].find(b => b.textContent === '{name}').click();" for name in clicks
    )
    page = table().replace("</body>", f"<script>{script}</script></body>")
    shown = browse(page, tmp_path, "--dump-dom").stdout
    return re.findall(r'<tr><td class="words">(\w+)</td>', shown)[: len(SHOWN)]


@in_a_browser
@pytest.mark.parametrize(
    ("clicks", "order"),
    [
        ([], ["nyc", "bay", "col", "fla", "e"]),
        (["Dataset"], ["bay", "col", "e", "fla", "nyc"]),
        (["Nodes"], ["e", "col", "nyc", "bay", "fla"]),
        (["Nodes", "Nodes"], ["fla", "bay", "nyc", "col", "e"]),
        (["Naive"], ["col", "e", "nyc", "bay", "fla"]),
        (["Naive", "Naive"], ["bay", "nyc", "e", "col", "fla"]),
        (["Memory"], ["col", "nyc", "fla", "bay", "e"]),
        (["Speedup"], ["col", "nyc", "bay", "e", "fla"]),
    ],
    ids=["as given", "words", "numbers", "downwards", "units", "units downwards", "bytes", "factors"],
)
def test_a_click_on_a_heading_sorts(clicks, order, tmp_path):
    assert rows_after(clicks, tmp_path) == order


@in_a_browser
def test_a_heading_is_a_button_that_tells_which_way_it_sorts(tmp_path):
    script = "document.querySelectorAll('th button')[1].focus(); document.activeElement.click();"
    page = table().replace("</body>", f"<script>{script}</script></body>")
    heads = Parsed(browse(page, tmp_path, "--dump-dom").stdout).of("th")
    assert [head.get("aria-sort") for head in heads[:3]] == [None, "ascending", None]


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
