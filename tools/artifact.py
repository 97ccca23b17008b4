"""Write one archive of this repository at a commit: code, records, tables, figures, and the hashes of known graphs.

    python tools/artifact.py [--commit v0.1.0] [--output build]

``inputs.csv`` in the archive has a line for each dataset of the catalog. ``sha256`` is that of the uncompressed file,
or of the arrays of a generated graph; ``measured`` is that of the arrays in the reference records, with random weights.
A field is empty if nothing is known. Edits that are not committed are left out. The same commit gives the same bytes,
with one version of git.
"""

import argparse
import csv
import json
import subprocess
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from warpath_study.datasets.catalog import load_catalog

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ("dataset", "kind", "file", "vertices", "arcs", "sha256", "measured")


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def inputs(commit: str) -> str:
    """The text of inputs.csv."""
    with TemporaryDirectory() as folder:
        files = git("archive", commit, "data/catalog.yaml", "results/reference")
        subprocess.run(["tar", "--extract", "--directory", folder], input=files, check=True)
        catalog = load_catalog(Path(folder, "data/catalog.yaml"))
        records = [json.loads(file.read_bytes()) for file in Path(folder).glob("results/reference/*/runs/*/*.json")]
    measured = {record["dataset"]: record["graph"]["sha256"] for record in records}
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for name, dataset in catalog.items():
        facts = name, dataset.kind, dataset.file, dataset.vertices, dataset.arcs, dataset.sha256, measured.get(name)
        lines.writerow(facts)
    return text.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="HEAD", help="a commit or a tag (default: HEAD)")
    parser.add_argument("--output", type=Path, default=ROOT / "build", metavar="FOLDER", help="default: build")
    arguments = parser.parse_args()
    commit = git("rev-parse", "--verify", "--end-of-options", f"{arguments.commit}^{{commit}}").decode().strip()
    name = f"warpath-{git('describe', '--tags', '--always', '--abbrev=12', commit).decode().strip()}"
    with TemporaryDirectory() as folder:
        listed, written = Path(folder, "inputs.csv"), Path(folder, f"{name}.tar.gz")
        listed.write_text(inputs(commit), encoding="utf-8")
        listed.chmod(0o644)
        git("archive", f"--prefix={name}/", f"--add-file={listed}", f"--output={written}", commit)
        arguments.output.mkdir(parents=True, exist_ok=True)
        target = arguments.output / written.name
        target.write_bytes(written.read_bytes())
    print(target)


if __name__ == "__main__":
    main()
