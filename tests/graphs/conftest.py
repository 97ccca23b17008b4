"""A fixture for tests of text: what is short is read by pandas, too."""

import pytest

from warpath.graphs.files import number_lines


@pytest.fixture(params=["by pandas", "by line"])
def both_ways(request, monkeypatch):
    if request.param == "by pandas":
        monkeypatch.setattr(number_lines, "PLAIN_BYTES_MAX", 0)
