"""JSON schemas of work.yaml and config.yaml: they are what the types say, and our files meet them."""

import runpy

import jsonschema
import pytest
from report_samples import ROOT

from warpath_study.works import settings, work_file
from warpath_study.yaml_file import load_yaml

SCHEMAS = runpy.run_path(str(ROOT / "workflow" / "schemas" / "write.py"))


@pytest.mark.parametrize("name", ["work.schema.json", "config.schema.json"])
def test_schemas_are_what_the_types_say(name):
    written = (ROOT / "workflow" / "schemas" / name).read_text(encoding="utf-8")
    assert written == SCHEMAS["text"](name), (
        f"workflow/schemas/{name} is not what the types say; write it again: make schemas"
    )


@pytest.mark.parametrize("schema", [work_file.schema(), settings.schema()], ids=["work", "config"])
def test_schemas_describe_every_key(schema):
    for type_, definition in schema["$defs"].items():
        for key, fields in definition["properties"].items():
            assert "description" in str(fields), (type_, key)


@pytest.mark.parametrize("path", sorted(ROOT.glob("workflow/works/*/work.yaml")), ids=lambda path: path.parent.name)
def test_schemas_are_met_by_our_works(path):
    jsonschema.validate(load_yaml(path), work_file.schema())
    with pytest.raises(jsonschema.ValidationError, match="'titel' was unexpected"):
        jsonschema.validate({**load_yaml(path), "titel": ""}, work_file.schema())


def test_the_schema_is_met_by_our_config():
    jsonschema.validate(load_yaml(ROOT / "config.yaml"), settings.schema())
