"""What tables of README.md and docs have to say of the reference records; as a program, writes them anew.

    python tests/helpers/quoted_tables.py

A table is quoted if a comment before it says what: ``measured: FOLDER WORK TARGET``, ``claims``,
``peers: FOLDER TARGET``, or ``benchmark: NAME``. Its heading, and the names in its rows, stay as they are. Below the
table, a paragraph says on what, when and at which commit it was measured, and which of this code has changed since. A
table with the comment ``checks: KIND`` has a row for each of the claims of data/claims.yaml of this kind. The comment
``waits: FOLDER WORK TARGET`` is before the note of a table on waits for launches.
"""

import csv
import os
import re
import textwrap
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import quoted_benchmarks
from markdown_page import ROOT, MarkdownTable, tables
from report_samples import data

from warpath_study.data_files import load_yaml
from warpath_study.measure.heading import Heading
from warpath_study.measure.runs import changed_code
from warpath_study.peers import find_peer, peer_names
from warpath_study.record import Record, read_record
from warpath_study.report.cells import Data
from warpath_study.report.claims import claim_results
from warpath_study.report.labels import prose_list, unique
from warpath_study.report.notes import measured_on
from warpath_study.report.table import Table
from warpath_study.report.verdicts import NO_DIFFERENCE
from warpath_study.report.views import make
from warpath_study.works import works

PEERS_IN_C = load_yaml(ROOT / "workflow/suites/reference.yaml")["peers"]
"""Their code is not in the repository."""
PAGES = ("docs/artifact.md", "docs/results.md", *quoted_benchmarks.PAGES)
ORIGIN = "Measured: "
NOTE = re.compile(r"(<!-- (waits: .*) -->\n\n)((?:.+\n)+)")
_OF_CLAIM = ("Claim", "Claimed", "In its own table", "Measured", "Verdict")


@cache
def all_works() -> dict[str, works.Work]:
    return works.load_all()


def reference(folder: str, work: str, target: str) -> Data:
    """A target as the records in ``folder`` have it."""
    return data(all_works()[work], target, Path("results/reference", folder, "runs"), works.Choice("reference"))


def is_quoted(table: MarkdownTable) -> bool:
    return table.comment == "claims" or table.comment.startswith(("measured: ", "peers: ", "benchmark: ", "checks: "))


def rows_of(table: MarkdownTable) -> list[list[str]]:
    """The rows that ``table`` has to have."""
    if table.comment.startswith("benchmark: "):
        return quoted_benchmarks.rows_of(table)
    if table.comment.startswith("peers: "):
        return _rows_of_peers(table)
    if table.comment.startswith("checks: "):
        return _rows_of_checks(table.comment.removeprefix("checks: "))
    return _rows_of_claims(table) if table.comment == "claims" else _rows_of_times(table)


def _rows_of_peers(table: MarkdownTable) -> list[list[str]]:
    """Rows of a graph: the time of warpath's default call, the fastest peer, its time, the ratio, and no difference."""
    folder, target = re.fullmatch(r"peers: ([\w-]+) (\w+)", table.comment).groups()
    with open(ROOT / "results/reference" / folder / "peers" / f"{target}.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    rows = []
    for name, *_ in table.rows:
        timed = {line["solver"]: line for line in lines if line["row"] == name and line["time"]}
        ours = {"kernels", "published", *(solver for solver in timed if solver.startswith("warpath"))}
        peers = {solver: line for solver, line in timed.items() if solver not in ours}
        fastest = min(peers, key=lambda solver: float(peers[solver]["ratio"]))
        times = [
            f"{1000 * float(timed[solver]['time']):#.3g}".removesuffix(".") + " ms" for solver in ("warpath", fastest)
        ]
        ratio = f"{float(peers[fastest]['ratio']):.2g}" + ", no difference" * (
            peers[fastest]["verdict"] == NO_DIFFERENCE
        )
        title = find_peer(fastest).title if fastest in peer_names() else fastest  # or a library in C
        rows.append([name, times[0], title, times[1], ratio])
    return rows


def _rows_of_checks(kind: str) -> list[list[str]]:
    """Rows of the claims ``without a GPU``, ``on a GPU`` or ``not by a command``."""
    claims = quoted_benchmarks.CLAIMS
    if kind == "not by a command":
        return [[claim["claim"], claim["why_not"]] for claim in claims if "why_not" in claim]
    rows = []
    for claim in claims:
        if "command" in claim and ("gpu" in claim) == (kind == "on a GPU"):
            estimate = f"{claim['minutes']} min, estimated" if "minutes" in claim else ""
            rows.append([claim["claim"], claim["where"], f"`{claim['command']}`", claim.get("takes", estimate)])
            if kind == "on a GPU":
                memory = f", {claim['host_gb']} GB of host memory" if "host_gb" in claim else ""
                tolerance = " to ".join(map(str, claim.get("tolerance", [])))
                rows[-1] += [claim["gpu"] + memory, claim.get("reference", ""), tolerance]
    return rows


@cache
def _table(comment: str) -> Table:
    """The table of a comment such as ``measured: FOLDER WORK TARGET``."""
    return make(reference(*comment.split()[1:]))


def _rows_of_times(table: MarkdownTable) -> list[list[str]]:
    lines = {next(iter(line.values())): line for line in _table(table.comment).readable}
    return [
        [name, *(lines.get(name, {}).get(column, "no such cell") for column in table.header[1:])]
        for name, *_ in table.rows
    ]


def note_of(comment: str) -> str:
    """The paragraph that has to follow the comment of a note."""
    (note,) = [note for note in _table(comment).notes if note.startswith("The host waits")]
    return textwrap.fill(note, 140, break_on_hyphens=False)


def _rows_of_claims(table: MarkdownTable) -> list[list[str]]:
    lines = {}
    for name in {work for work, *_ in table.rows}:
        claims = reference("nvidia-h200", name, "claims")
        for result in claim_results(claims, claims.work.claims):
            lines[name, result.claim.claim] = [name, *(result.line[heading] for heading in _OF_CLAIM)]
    return [lines.get((work, claim), [work, claim, "no such claim"]) for work, claim, *_ in table.rows]


def origin_of(table: MarkdownTable) -> str:
    """The paragraph that has to follow a table: devices, dates and commits, and the code that has changed since."""
    kind, _, what = table.comment.partition(": ")
    if kind == "benchmark":
        origins = [
            (_of_records([tuple(re.split(r"[/.]", file)[:-1])]) if found is None else _of_heading(found), file)
            for file, found in quoted_benchmarks.origins_of(table)
        ]
        files: dict[str, list[str]] = {}
        for origin, file in origins:
            files.setdefault(origin, []).append(f"`{file}`")
        text = "; ".join(f"{origin} ({prose_list(unique(names))})" for origin, names in files.items())
    elif kind == "claims":
        text = _of_records(("nvidia-h200", name, "claims") for name in unique(row[0] for row in table.rows))
    else:
        folder, *names = what.split()
        columns = table.header if kind == "measured" else None
        text = _of_records([(folder, *(["peers"] if kind == "peers" else []), *names)], columns)
    return textwrap.fill(f"{ORIGIN}{text}.", 140, break_on_hyphens=False, break_long_words=False)


def _of_heading(heading: Heading) -> str:
    changed = heading.changed() if heading.code else ["unknown parts"]
    older = f", older code of {prose_list(changed)}" if changed else ""
    return f"{heading.device}, {heading.date}, commit {heading.commit}{older}"


@cache
def _record(file: str) -> Record:
    return read_record(Path(file))


def _of_records(targets: Iterable[tuple[str, str, str]], columns: Sequence[str] | None = None) -> str:
    found = (run for target in targets for run in reference(*target).measured)
    runs = {run.record: run for run in found if columns is None or run.label in columns}
    own = [run for run in runs.values() if run.variant not in PEERS_IN_C]
    changed = unique(f"{run.algorithm}.{run.variant}" for run in own if changed_code(_record(run.record)))
    older = f", older code of {prose_list(changed)}" if changed else ""
    return measured_on(runs.values()).removeprefix("Measured on ").removesuffix(".") + older


def written_anew(name: str) -> str:
    """A page with its quoted tables written anew, and, but for the short README.md, with what they were measured on."""
    return quoted_anew((ROOT / name).read_text(encoding="utf-8"), with_origins=name != "README.md")


def quoted_anew(text: str, with_origins: bool = True) -> str:
    """The page ``text`` with the rows of its quoted tables written anew."""
    lines = text.split("\n")
    for table in filter(is_quoted, tables(text)):
        comment = lines.index(f"<!-- {table.comment} -->")
        first = next(number for number in range(comment, len(lines)) if lines[number].startswith("|")) + 2
        end = first + len(table.rows)
        rows = [f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in row)}|" for row in rows_of(table)]
        if with_origins and not table.comment.startswith("checks: "):
            rows += ["", *origin_of(table).split("\n")]
            if "".join(lines[end + 1 : end + 2]).startswith(ORIGIN):
                end = next(number for number in range(end + 1, len(lines)) if not lines[number])
        lines[first:end] = rows
    return NOTE.sub(lambda found: f"{found[1]}{note_of(found[2])}\n", "\n".join(lines))


if __name__ == "__main__":
    os.chdir(ROOT)
    for name in PAGES:
        (ROOT / name).write_text(written_anew(name), encoding="utf-8")
