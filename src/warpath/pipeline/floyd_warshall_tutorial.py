"""What the rules of one work ask: which runs its figure needs and which options its commands get.

See ``steps``, whose rule for a run makes the records.
"""

from ..algorithms import families
from .steps import Pipeline, check_known

NAME = "floyd_warshall_tutorial"
TABLE = "times"
ALGORITHM = "floyd_warshall"


class FloydWarshallTutorial:
    """The work's part of a config. Raises UsageError, naming the key, where it asks for what there is not."""

    def __init__(self, pipeline: Pipeline):
        self.config = pipeline.config[NAME]
        self.published = f"data/published/{NAME}/{TABLE}.csv"
        self.results, self.figures = f"{pipeline.results}/{NAME}", f"{pipeline.figures}/{NAME}"
        self.runs = f"{pipeline.results}/runs"
        self.rows = {row: dataset for row, dataset in self.config["rows"].items() if dataset is not None}
        self.variants: list[str] = self.config["variants"]
        for row, dataset in self.rows.items():
            check_known(f"{NAME}.rows.{row}", [dataset], pipeline.catalog)
        check_known(f"{NAME}.variants", self.variants, families()[ALGORITHM])

    def records(self) -> list[str]:
        """The records of all sizes and variants."""
        return [
            f"{self.runs}/{dataset}/{ALGORITHM}.{variant}.json"
            for dataset in self.rows.values()
            for variant in self.variants
        ]

    def table_options(self) -> str:
        """Options of ``warpath table``."""
        rows = " ".join(f"{row}={dataset}" for row, dataset in self.rows.items())
        return (
            f"{TABLE} --published {self.published} --records {self.runs} --algorithm {ALGORITHM}"
            f" --variants {' '.join(self.variants)} --rows {rows}"
        )
