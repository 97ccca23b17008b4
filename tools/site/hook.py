"""The pages of the site, a hook of MkDocs.

Each page has the path of its file in the repository, so that links between files lead to pages. A link to a folder
leads to the page of the folder, one to a table of reference results to the page of its work, one to another file to a
copy.
The pages of the reference are made from docstrings and from ``--help``, those of works from ``workflow/works``, and
those of tutorials from the notebooks that ``tools/site/tutorials.py`` has executed.
"""

import base64
import contextlib
import io
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

import warpath
from warpath import cli, csgraph
from warpath_study import cli as study_cli
from warpath_study.data_files import load_yaml
from warpath_study.works import works

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "build/tutorials"
TUTORIALS = "docs/tutorials/README.md"
WORKS = "workflow/works/README.md"
SUITE = "reference"

# The pages of the reference, and the packages whose functions and classes they have.
REFERENCE = {
    "library": ("Shortest paths", {"library", "distances"}),
    "answers": ("Solver and answers", {"library", "statistics", "certificates"}),
    "graphs": ("Graphs", {"graphs"}),
    "devices": ("Devices and errors", {"device", "errors"}),
}
TUTORIALS_HEAD = """\
# Tutorials

Each page shows what its code printed, and is a notebook to download. To change one and run it again, install Jupyter
into the environment that has warpath:

```bash
pip install jupyterlab matplotlib
jupyter lab
```

"""
# A fenced block, which has no links, or a link and its fragment.
LINK = re.compile(
    r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)`*$|\]\((?P<target>[^)\s#:]+)(?P<part>#[^)\s]*)?\)", re.M | re.S
)
UNSEARCHED = "---\nsearch: {exclude: true}\n---\n"
UNIT = re.compile(r"(?<=\d) (?=(?:µs|ms|s|h|B|kB|MB|GB)\b)")  # the space between a number and its unit
ROW = re.compile(r"^\|.*$", re.M)
HEADING = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$|^(?P<heading>#+ [^\n]*)$", re.M | re.S)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """The pages, and the files to which they link."""
    kept = [file for file in files if not (file.src_dir and Path(file.src_dir) == Path(config.docs_dir))]
    pages = dict(repository_pages())
    tutorials, pictures = tutorial_pages()
    by_work, elsewhere = work_pages()
    pages |= tutorials | by_work | dict(reference_pages()) | dict(command_pages())
    fill(config.nav, "Tutorials", tutorials)
    fill(config.nav, "Papers", by_work)
    texts, further, copies = followed(pages, elsewhere)
    made = [File.generated(config, path, content=content) for path, content in (texts | pictures).items()]
    unlisted = InclusionLevel.NOT_IN_NAV
    made += [File.generated(config, path, content=text, inclusion=unlisted) for path, text in further.items()]
    made += [File.generated(config, path, abs_src_path=str(ROOT / path), inclusion=unlisted) for path in sorted(copies)]
    for file in made:
        file.dest_uri = address(file.dest_uri)
    return Files([*kept, *made])


def address(path: str) -> str:
    """The place of a file in the site, from its path in the repository. Browsers show .txt, and download sources."""
    path = re.sub(r"^docs/", "", path)
    path = re.sub(r"^workflow/works/(\w+)/FIDELITY.html$", r"works/\1.html", path)
    path = re.sub(r"^workflow/works/index.html$", "works/index.html", path)
    return path if path.endswith((".html", ".png", ".svg", ".ipynb")) else f"{path}.txt"


def fill(nav: list[dict[str, Any]], title: str, pages: dict[str, str]) -> None:
    """Put ``pages`` into the empty list ``title`` of the navigation."""
    next(entry for entry in nav if title in entry)[title] = list(pages)


def followed(pages: dict[str, str], elsewhere: dict[str, str]) -> tuple[dict[str, str], dict[str, str], set[str]]:
    """The pages with links for the site; pages of the folders, and the files, to which they link."""
    folders: dict[str, str] = {}
    copies: set[str] = set()

    def text_of(page: str, text: str) -> str:
        here = posixpath.dirname(page)

        def change(link: re.Match) -> str:
            if not link["target"]:
                return link[0]
            path = posixpath.normpath(posixpath.join(here, link["target"]))
            place, _, part = elsewhere.get(path, path).partition("#")
            if (ROOT / place).is_dir():
                place, folder = f"{place}/README.md", place
                if place not in pages | folders:
                    folders[place] = ""  # it is being made
                    folders[place] = text_of(place, listing(folder))
            elif place not in pages and (ROOT / place).is_file():
                copies.add(place)
            fragment = f"#{part}" if part else link["part"] or ""
            return f"]({posixpath.relpath(place, here)}{fragment})"

        return LINK.sub(change, text)

    return {page: text_of(page, text) for page, text in pages.items()}, folders, copies


def listing(folder: str) -> str:
    """A page of a folder: links to its files."""
    names = sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file())
    return "\n".join([f"{UNSEARCHED}# {folder}\n", *(f"- [{name}]({name})" for name in names)])


# Pages that are in the repository.


def repository_pages() -> Iterator[tuple[str, str]]:
    for path in [*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        yield path.relative_to(ROOT).as_posix(), ROW.sub(unbroken, path.read_text(encoding="utf-8"))
    yield "results/reference/README.md", (ROOT / "results/reference/README.md").read_text(encoding="utf-8")


def unbroken(row: re.Match) -> str:
    """A row of a table whose numbers stay beside their units."""
    return UNIT.sub("\N{NO-BREAK SPACE}", row[0])


def demoted(text: str) -> str:
    """A text whose headings are one level lower."""
    return HEADING.sub(lambda found: f"#{found[0]}" if found["heading"] else found[0], text)


# Tutorials.


def tutorial_pages() -> tuple[dict[str, str], dict[str, bytes]]:
    """The pages by path, their list first, and their notebooks and pictures."""
    rows, pages, files = [], {}, {}
    for source in sorted(ROOT.glob("docs/tutorials/*.md")):
        path = source.relative_to(ROOT).as_posix()
        made = NOTEBOOKS / f"{source.stem}.ipynb"
        if not made.is_file():
            raise PluginError(f"{path} has not been executed; run make docs")
        notebook = nbformat.read(made, 4)
        title, *rest = (text for cell in notebook.cells for text in cell_texts(cell, path.removesuffix(".md"), files))
        download = f"[Download this page as a notebook]({source.stem}.ipynb)"
        heading, _, first = title.partition("\n")
        pages[path] = "\n\n".join([heading, download, first.strip(), *rest])
        files[f"docs/tutorials/{source.stem}.ipynb"] = made.read_bytes()
        rows.append(f"- [{heading.removeprefix('# ')}]({source.name})")
    return {TUTORIALS: TUTORIALS_HEAD + "\n".join(rows)} | pages, files


def cell_texts(cell: Any, stem: str, files: dict[str, bytes]) -> Iterator[str]:
    """The source of a cell and its outputs as Markdown. Adds its pictures to ``files``."""
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield code_block(cell.source)
    printed = ""
    for output in [*cell.outputs, None]:
        if output and output.output_type == "stream":
            printed += output.text
            continue
        if printed:
            yield fenced(printed, "text", "output")
            printed = ""
        data = output.data if output else {}
        if "image/png" in data:
            name = f"{stem}-{sum(path.startswith(f'{stem}-') for path in files) + 1}.png"
            files[name] = base64.b64decode(data["image/png"])
            yield f"![{cell.metadata.get('alt', '')}]({posixpath.basename(name)})"
        elif "text/html" in data:
            table = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)
            yield re.sub(r"\n\s*\n", "\n", re.sub(r' (border|style|class)="[^"]*"', "", table)).strip()
        elif "text/plain" in data:
            yield fenced(data["text/plain"], "text", "output")


def code_block(source: str) -> str:
    """A cell of code; a cell that runs a shell or writes a file as what it runs or writes."""
    first, _, rest = source.partition("\n")
    if first.startswith("%%bash"):
        return fenced(rest, "bash")
    if first.startswith("%%writefile "):
        name = first.removeprefix("%%writefile ")
        return fenced(
            rest, {".cu": "cuda", ".py": "python", ".yaml": "yaml"}.get(Path(name).suffix, "text"), title=name
        )
    return fenced(source, "python")


def fenced(text: str, language: str, style: str = "", title: str = "") -> str:
    options = f" .{style}" * bool(style) + f' title="{title}"' * bool(title)
    head = f"{{ .{language}{options} }}" if options else language
    return f"````{head}\n{text.rstrip()}\n````"


# Works.


def work_pages() -> tuple[dict[str, str], dict[str, str]]:
    """The pages of works by path, their list first, and where the tables of reference results are in them."""
    all_works = works.load_all(ROOT / works.FOLDER)
    rows, pages, elsewhere = [], {}, {}
    for name, work in all_works.items():
        page = f"{works.FOLDER.as_posix()}/{name}/FIDELITY.md"
        made = f"```bash\nsnakemake {' '.join(work.sets)} --cores 1\n```"
        texts = [
            f"# {work.fields.title}",
            f"{work.fields.about[:1].upper()}{work.fields.about[1:]}.",
            work.fields.citation + ".",
        ]
        texts += [made, "[work.yaml](work.yaml) lists its runs and targets."]
        targets = work.targets(works.Choice(SUITE))
        for target in sorted(targets, key=lambda target: target.fields.kind == "runs"):
            found = list(target_texts(work, target, page, elsewhere))
            if found:
                texts += [f"## {target.heading} {{ #{target.name} }}", target.fields.caption, *found]
        fidelity = ROOT / page
        if fidelity.is_file():
            texts.append(demoted(fidelity.read_text(encoding="utf-8")))
        pages[page] = "\n\n".join(texts)
        rows.append(f"| [{work.fields.title}]({name}/FIDELITY.md) | {work.fields.about} |")
    head = (
        "# Papers\n\nThe published works whose tables and figures the pipeline measures, and comparisons of ours.\n\n"
    )
    return {WORKS: head + "\n".join(["| work | what |", "|---|---|", *rows])} | pages, elsewhere


def target_texts(work: works.Work, target: works.Target, page: str, elsewhere: dict[str, str]) -> Iterator[str]:
    """What the reference results have of a target. Another target may have the same stem."""
    folder = posixpath.dirname(page)
    machine = load_yaml(ROOT / f"workflow/suites/{SUITE}.yaml")["reference"]
    stem = f"reference/{machine}/{work.folder}{target.stem}"
    kind = target.fields.kind
    if kind == "figure" and (ROOT / f"figures/{stem}.png").is_file():
        picture = posixpath.relpath(f"figures/{stem}", folder)
        yield f"[![{target.label}]({picture}.png)]({picture}.svg)"
    if kind in ("table", "claims") and (ROOT / f"results/{stem}.md").is_file():
        elsewhere[f"results/{stem}.md"] = f"{page}#{target.name}"
        yield ROW.sub(unbroken, (ROOT / f"results/{stem}.md").read_text(encoding="utf-8").partition("\n")[2].strip())
    if kind == "text" and (ROOT / f"results/{stem}.txt").is_file():
        yield fenced((ROOT / f"results/{stem}.txt").read_text(encoding="utf-8"), "text")
    if kind in ("table", "claims", "runs") and (ROOT / f"results/{stem}.csv").is_file():
        yield f"[As CSV]({posixpath.relpath(f'results/{stem}', folder)}.csv)"


# The reference.


def reference_pages() -> Iterator[tuple[str, str]]:
    """A page for each group of public names, from their docstrings."""
    pages = {page: [f"---\nsearch: {{boost: 2}}\n---\n# {title}"] for page, (title, _) in REFERENCE.items()}
    for name in warpath.__all__:
        if name in ("csgraph", "__version__"):
            continue
        package = warpath._MODULE_OF[name].split(".")[1]
        found = [page for page, (_, packages) in REFERENCE.items() if package in packages]
        is_class = isinstance(getattr(warpath, name), type)
        pages[found[is_class and len(found) > 1]].append(f"::: warpath.{name}")
    # Its NegativeCycleError is SciPy's.
    functions = [f"::: warpath.csgraph.{name}" for name in csgraph.__all__ if name != "NegativeCycleError"]
    about = "::: warpath.csgraph\n    options: {show_root_heading: false, members: false}"
    pages["csgraph"] = ["# csgraph", about, *functions]
    for page, texts in pages.items():
        yield f"docs/reference/{page}.md", "\n\n".join(texts)


def command_pages() -> Iterator[tuple[str, str]]:
    """What ``--help`` prints, of each command."""
    for page, title, package in (("commands", "Commands", cli), ("study_commands", "Commands of the study", study_cli)):
        texts = [f"# {title}"]
        if package is cli:
            texts.append(fenced(help_text(), "text"))
        for command in package.COMMANDS:
            texts += [f"## warpath {command}", fenced(help_text(command), "text")]
        yield f"docs/reference/{page}.md", "\n\n".join(texts)


def help_text(*command: str) -> str:
    os.environ["COLUMNS"] = "100"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli.dispatch([*command, "--help"])
    return printed.getvalue()
