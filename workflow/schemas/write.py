"""Write the schemas of work.yaml, config.yaml and the catalog from the types that read them: ``make schemas``."""

import json
from pathlib import Path

from warpath.system.atomic import write_text
from warpath_study.datasets import catalog
from warpath_study.works import settings, work_file

SCHEMAS = {
    "work.schema.json": work_file.schema,
    "config.schema.json": settings.schema,
    "catalog.schema.json": catalog.schema,
}


def text(name: str) -> str:
    """The contents of the schema file ``name``."""
    return json.dumps(SCHEMAS[name](), indent=2) + "\n"


if __name__ == "__main__":
    for name in SCHEMAS:
        write_text(Path(__file__).parent / name, text(name))
