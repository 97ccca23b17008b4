"""Does a kernel of an earlier commit compile to the machine code of today's?

    python tests/helpers/same_machine_code.py COMMIT FILE [MACRO=VALUE ...]

FILE is a name such as pages.cu. NVRTC compiles both texts for compute capability 9.0. Prints each section of machine
code, shared memory and arguments; the exit status is 1 if one differs. Then records of that commit are of today's code,
though its text differs.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from markdown_page import ROOT
from nvrtc import machine_code, nvrtc_library, sections

COMPARED = (".text.", ".nv.shared.", ".nv.constant")
EXPAND = "import sys; from pathlib import Path; from warpath.device.kernel_source import expanded_source; "
EXPAND += "sys.stdout.write(expanded_source(Path(sys.argv[1])))"


def main() -> None:
    commit, name, *macros = sys.argv[1:]
    library = nvrtc_library()
    if library is None:
        sys.exit("needs the package nvidia-cuda-nvrtc")
    options = [f"-D{macro}" for macro in macros]
    with tempfile.TemporaryDirectory() as earlier:
        archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(earlier, filter="data")
        one, other = (
            {
                section: content
                for section, content in sections(machine_code(library, expanded(tree, name), name, *options)).items()
                if section.startswith(COMPARED)
            }
            for tree in (Path(earlier), ROOT)
        )
    differing = 0
    for section in sorted({*one, *other}):
        is_same = one.get(section) == other.get(section)
        differing += not is_same
        print(f"{name} {section}: {'the same' if is_same else 'DIFFERENT'}, {len(other.get(section, b''))} bytes")
    sys.exit(differing > 0)


def expanded(tree: Path, name: str) -> str:
    """The text of a kernel with its includes, as the code of ``tree`` expands it."""
    (file,) = (tree / "src").rglob(name)
    command = [sys.executable, "-c", EXPAND, str(file)]
    environment = {"PYTHONPATH": str(tree / "src")}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
