"""The first line of what a benchmark prints: the device, the date, the commit, and the identity of the code."""

import ast
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import warpath
from warpath.errors import UsageError
from warpath.solvers.choice.choose import entries_for

from ..provenance.environment import commit_text, now, software_and_machine
from ..provenance.normal_form import c_form, python_form
from .runs import code_of, find

_LIBRARY = Path(warpath.__file__).parent
PARTS = {
    "certificates": ["certificates/*.cu", "certificates/*.cuh"],
    "choice": ["solvers/**/costs.py", "solvers/choice/*.py"],
    "copies": ["device/copies.py"],
}
"""What counts beside variants, by its files in the library."""
_DIGITS = 8
_LINE = re.compile(
    r"(?m)^# (?P<device>.+), (?P<date>\d{4}-\d\d-\d\d), commit (?P<commit>[\w ]+)(?:, code (?P<code>.+))?$"
)


@dataclass(frozen=True)
class Heading:
    """A heading of a text, and the section below it.

    Attributes
    ----------
    device, date, commit : str
    code : mapping of str to str
        The beginnings of identities, by names of ``PARTS`` and of variants; empty if they were not noted.
    section : str
        What was printed, up to the next heading.
    """

    device: str
    date: str
    commit: str
    code: Mapping[str, str]
    section: str

    def __str__(self) -> str:
        code = ", ".join(f"{name} {identity}" for name, identity in self.code.items())
        return f"# {self.device}, {self.date}, commit {self.commit}{', code ' * bool(code)}{code}"

    @property
    def used(self) -> list[str]:
        """The code that the section used: parts, and the variants that it names, or all of them if it names none."""
        variants = self.code.keys() - PARTS
        named = variants & set(re.findall(r"\w+\.\w+", self.section)) or variants
        return [name for name in self.code if name not in variants or name in named]

    def changed(self, device_kind: str = "cuda") -> list[str]:
        """The used code whose identity is not that of today."""
        return [name for name in self.used if self.code[name] != identity_of(name, device_kind)]


def heading(name: str, device_kind: str = "cuda", code: Collection[str] | None = None) -> Heading:
    """The heading for what is measured now.

    Parameters
    ----------
    name : str
        That of the device.
    device_kind : str
    code : collection of str, optional
        Names of ``PARTS`` and of variants. Default: ``code_of_library``.
    """
    code = code_of_library(device_kind) if code is None else code
    commit = commit_text(software_and_machine()) or "unknown"
    return Heading(name, now()[:10], commit, {each: identity_of(each, device_kind) for each in code}, "")


def code_of_library(device_kind: str) -> list[str]:
    """Certificates, and all solvers that the library chooses from."""
    return ["certificates", *(entry.name for entry in entries_for(device_kind, True))]


def headings(text: str) -> list[Heading]:
    """The headings of a text, with their sections."""
    found = list(_LINE.finditer(text))
    ends = [*(each.start() for each in found), len(text)][1:]
    return [
        Heading(
            each["device"],
            each["date"],
            each["commit"],
            dict(part.split(" ") for part in (each["code"] or "").split(", ") if part),
            text[each.end() + 1 : end],
        )
        for each, end in zip(found, ends, strict=True)
    ]


@cache
def identity_of(name: str, device_kind: str) -> str:
    """The beginning of the identity of a part of the library or of a variant; "" if the variant is gone."""
    if name in PARTS:
        identity = _hash_of_texts(sorted(file for pattern in PARTS[name] for file in _LIBRARY.glob(pattern)))
    else:
        try:
            identity = code_of(find(*name.split(".")), device_kind).identity
        except UsageError:
            return ""
    return identity[:_DIGITS]


def _hash_of_texts(files: Iterable[Path]) -> str:
    texts = [(file.suffix == ".py", file.read_text(encoding="utf-8")) for file in files]
    forms = [python_form(ast.parse(text)) if is_python else c_form(text) for is_python, text in texts]
    return hashlib.sha256("\n".join(forms).encode()).hexdigest()
