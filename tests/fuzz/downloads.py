"""Servers that send damaged HTTP: the outcome is the published file or one sentence, in time."""

import os

from raw_server import fetched_or_refused_from_damaged

from fuzz.case import Case, check_sentence, warnings_raised
from warpath_study.datasets.download import MIRROR_VARIABLE


def prepare() -> None:
    """Ask the local server itself, and no other place."""
    os.environ.pop(MIRROR_VARIABLE, None)
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"


def case(case: Case) -> None:
    """One download from a server of its own."""
    with warnings_raised():
        sentence = fetched_or_refused_from_damaged(case.folder / "small.gr.gz", case.random)
    if sentence is not None:
        check_sentence(sentence)
        case.note = sentence
