"""Execute the tutorials of docs/tutorials, and write them to build/tutorials as notebooks with their outputs.

Each runs in a folder that is empty, but for New York's roads if data/raw has them, or in a clone of this repository if
its metadata say so. A cell that fails ends the program.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 600


def main() -> None:
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # cells call warpath
    os.environ["TQDM_DISABLE"] = "1"  # a bar of progress on a slow machine is no output
    folder = ROOT / "build/tutorials"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(ROOT.glob("docs/tutorials/*.md")):
        notebook = jupytext.read(source)
        with tempfile.TemporaryDirectory() as empty:
            if notebook.metadata.get("clone"):
                subprocess.run(["git", "clone", "--quiet", ROOT, empty], check=True)
                os.environ["PYTHONPATH"] = f"{empty}/src"
            else:
                for file in ROOT.glob("data/raw/USA-road-*.NY.*"):
                    Path(empty, file.name).symlink_to(file)
            try:
                NotebookClient(
                    notebook,
                    timeout=SECONDS_MAX,
                    coalesce_streams=True,
                    kernel_name="python3",
                    resources={"metadata": {"path": empty}},
                    extra_arguments=["--log-level=ERROR"],
                ).execute()
            except CellExecutionError as error:
                sys.exit(f"{source.relative_to(ROOT)}: a cell failed\n{error}")
        nbformat.write(notebook, folder / f"{source.stem}.ipynb")


if __name__ == "__main__":
    main()
