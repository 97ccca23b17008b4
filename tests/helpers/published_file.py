"""A small dataset, and what is published of it."""

import gzip
import hashlib

from warpath_study.datasets.catalog import Dataset

ARCS = 40_000
CONTENT = b"c small\np sp 5 %d\n" % ARCS + b"".join(b"a 1 2 %d\n" % (i * i % 99_991) for i in range(ARCS))
PUBLISHED = gzip.compress(CONTENT, mtime=0)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def small_dataset(*addresses, sha256=SHA256):
    return Dataset(
        name="small",
        kind="gr",
        title="Small",
        vertices=5,
        arcs=ARCS,
        weighted=True,
        file="small.gr.gz",
        addresses=addresses,
        licence="none",
        citation="none",
        sha256=sha256,
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_fetched(output):
    assert output.read_bytes() == PUBLISHED
    assert names(output.parent) == [output.name]
