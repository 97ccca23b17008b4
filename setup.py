"""What pyproject.toml cannot say: a wheel has the catalog and the works inside the package of the study."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("data/catalog.yaml", "workflow/works", "workflow/suites")


def shipped_files() -> list[Path]:
    """The files of SHIPPED, relative to this folder."""
    files = [file for name in map(Path, SHIPPED) for file in ([name] if name.is_file() else sorted(name.rglob("*")))]
    return [file for file in files if file.is_file() and "__pycache__" not in file.parts]


class BuildWithShippedFiles(build_py):
    """Copies the shipped files into the package; an editable install finds them in the checkout."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for source, target in self._shipped().items():
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target))

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *map(str, shipped_files())]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *map(str, self._shipped().values())]

    def _shipped(self) -> dict[Path, Path]:
        return {file: Path(self.build_lib, "warpath_study", file) for file in shipped_files()}


setup(cmdclass={"build_py": BuildWithShippedFiles})
