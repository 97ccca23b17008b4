"""JSON schemas of work.yaml, config.yaml and the catalog: they are what the types say."""

import runpy

import pytest
from report_samples import ROOT

SCHEMAS = runpy.run_path(str(ROOT / "workflow" / "schemas" / "write.py"))


@pytest.mark.parametrize("name", SCHEMAS["SCHEMAS"])
def test_schemas_are_what_the_types_say(name):
    written = (ROOT / "workflow" / "schemas" / name).read_text(encoding="utf-8")
    assert written == SCHEMAS["text"](name), (
        f"workflow/schemas/{name} is not what the types say; write it again: make schemas"
    )


@pytest.mark.parametrize("name", SCHEMAS["SCHEMAS"])
def test_schemas_describe_every_key(name):
    for type_, definition in SCHEMAS["SCHEMAS"][name]()["$defs"].items():
        for key, fields in definition["properties"].items():
            assert "description" in str(fields) or len(fields.get("enum", ())) == 1, (type_, key)
