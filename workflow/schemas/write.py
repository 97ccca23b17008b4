"""Write the schemas of work.yaml and config.yaml from the types that read these files: ``make schemas``."""

import json
from pathlib import Path

from warpath.atomic import write_text
from warpath_study.works import settings, work_file

SCHEMAS = {"work.schema.json": work_file.schema, "config.schema.json": settings.schema}


def text(name: str) -> str:
    """The contents of the schema file ``name``."""
    return json.dumps(SCHEMAS[name](), indent=2) + "\n"


if __name__ == "__main__":
    for name in SCHEMAS:
        write_text(Path(__file__).parent / name, text(name))
