"""What the rules of the main paper's future work ask: its tables with further columns (see ``steps``)."""

from collections.abc import Mapping
from typing import Any

from .steps import Pipeline, check_known

NAME = "future_work"


class FutureWork:
    """The tables of a config, each with the variants that ``future_work`` names for it after its own.

    Raises UsageError, naming the key, where it asks for what there is not.
    """

    def __init__(self, config: Mapping[str, Any], schema_file: str):
        self.further: Mapping[str, list[str]] = config[NAME]
        check_known(NAME, self.further, config["tables"])
        widened = {
            table: {**wanted, "variants": list(dict.fromkeys([*wanted["variants"], *self.further.get(table, [])]))}
            for table, wanted in config["tables"].items()
        }
        self.pipeline = Pipeline({**config, "tables": widened}, schema_file)
        self.results, self.figures = f"{self.pipeline.results}/{NAME}", f"{self.pipeline.figures}/{NAME}"
        # The figures on a logarithmic axis, on which variants far apart can be told from each other.
        self.drawn = {
            figure: table for figure, table in config["figures"].items() if table in self.further and "log" in figure
        }
