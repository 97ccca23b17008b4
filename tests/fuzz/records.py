"""Records of runs: damaged ones, and ones that contradict themselves, are refused in one sentence by every command."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.case import Case, FindingError
from fuzz.mutations import damaged, damaged_bytes, damaged_tree
from warpath.errors import WarpathError
from warpath_study.record import read_record

_RECORDS = Path(__file__).resolve().parents[2] / "results" / "reference" / "nvidia-h200" / "runs"


def case(case: Case) -> None:
    """One damaged record among good ones, through one command; or one that lies."""
    chosen = case.random
    file = chosen.choice(_files())
    record = json.loads(file.read_bytes())
    if case.chance(0.2):
        _lie(case, record)
        return
    kind = chosen.choice(("tree", "tree", "tree", "text", "bytes"))
    if kind == "tree":
        record = damaged_tree(record, chosen)
        try:
            content = json.dumps(record, indent=2).encode()
        except ValueError:
            content = b"NaN"
        if case.chance(0.3):
            content = json.dumps(record, ensure_ascii=False).encode(errors="surrogatepass")
    else:
        content = (damaged if kind == "text" else damaged_bytes)(file.read_bytes(), chosen)
    folder = f"runs/{file.parent.name}"
    path = case.write(f"{folder}/{file.name}", content)
    good = case.write(f"good/{file.parent.name}/{file.name}", file.read_bytes())
    command = chosen.randrange(14)
    if command < 4:
        case.command(
            "records", "runs", *chosen.choice(((), ("--stale",), ("--format", "csv"), ("--format", "summary")))
        )
    elif command < 8:
        pairs = ((path, good), (good, path), (path, path), ("runs", "good"), ("good", "runs"))
        form = chosen.choice(("text", "csv", "markdown"))
        case.command("compare", *chosen.choice(pairs), "--format", form)
    elif command < 10:
        case.command("claims", "--records", "runs")
    elif command < 13:
        work = chosen.choice(("bodra", "katz_kider", "safari_ebnenasir", "telang_grid"))
        case.command("report", work, "--records", "runs", "--results", "r", "--figures", "f", *_targets(work, chosen))
    else:
        case.attempt(lambda: read_record(path))


def _targets(work: str, chosen: Any) -> list[str]:
    """Mostly targets without a figure, which take long to draw."""
    return ["table1"] if work == "bodra" and chosen.random() < 0.8 else []


def _lie(case: Case, record: dict[str, Any]) -> None:
    """Change one fact that other facts of the record contradict; FindingError if it is read all the same."""
    chosen = case.random
    lies = ["finished"]
    if record["certificate"]:
        lies.append("sources")
        if record["certificate"]["scope"] == "full" and record["graph"]["vertices"] > 1:
            lies += ["certificate", "reached"]
    lie = chosen.choice(lies)
    if lie == "finished":
        record["finished"] = "2001-01-01T00:00:00+00:00"
    elif lie == "sources":
        record["certificate"]["sources"] = 10**12
    elif lie == "certificate":
        record["certificate"]["vertices"] = 1
    else:
        record["certificate"]["reached"] = record["certificate"]["vertices"] ** 2 * 10
    path = case.write("lie.json", json.dumps(record, indent=2))
    try:
        read_record(path)
    except WarpathError as error:
        case.note = str(error)
        return
    raise FindingError(f"a record was believed whose {lie} other facts contradict")


@cache
def _files() -> list[Path]:
    """One record of each variant, and of each dataset the smallest."""
    files = sorted(_RECORDS.glob("*/*.json"))
    return sorted({file.name: file for file in files if file.stat().st_size < 30_000}.values())
