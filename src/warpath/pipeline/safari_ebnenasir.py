"""What the rules of one work ask: which runs it needs and which options its commands get (see ``steps``)."""

from types import SimpleNamespace

from ..algorithms import find
from ..algorithms.parameters import parse
from ..graphs.weights import check_range
from ..report.safari_ebnenasir.published import read_table1
from ..report.safari_ebnenasir.runs import ALGORITHM, BASE, run_file
from .steps import Pipeline, Wildcards, check_known, said_of

NAME = "safari_ebnenasir"
# What the names of graphs with other weights end in.
REVISED = "-revised"


class SafariEbnenasir:
    """The work's part of a config. Raises UsageError, naming the key, where it asks for what there is not."""

    def __init__(self, pipeline: Pipeline):
        self.pipeline = pipeline
        self.config = pipeline.config[NAME]
        self.published = f"data/published/{NAME}"
        self.results, self.figures = f"{pipeline.results}/{NAME}", f"{pipeline.figures}/{NAME}"
        self.rows = {row: dataset for row, dataset in self.config["rows"].items() if dataset is not None}
        self.settings: list[str] = self.config["settings"]
        self.sweep = [
            f"k={k},vertices_per_thread={vertices}"
            for k in self.config["k"]
            for vertices in self.config["vertices_per_thread"]
        ]
        self._check_names()
        self.revised = {row: self.rows[row] + REVISED for row in self.config["revised"]}

    def graphs(self) -> list[str]:
        """The graph files of all rows."""
        return [f"data/graphs/{dataset}.npz" for dataset in self.rows.values()]

    def graph_rows(self) -> str:
        """``--rows`` for Table 1, which reads the graphs themselves."""
        return " ".join(f"'{row}=data/graphs/{dataset}.npz'" for row, dataset in self.rows.items())

    def records(self, part: str) -> list[str]:
        """The records behind ``part``: "runs", of the graphs as they are, or "sweep", of the revised ones."""
        rows, settings = self._part(part)
        files = [
            [run_file(f"{self.results}/runs", dataset, BASE, "")]
            + [run_file(f"{self.results}/runs", dataset, "locality", asked) for asked in settings]
            for dataset in rows.values()
        ]
        return [str(file) for of_row in files for file in of_row]

    def runs_options(self, part: str) -> str:
        """Options of ``warpath safari runs`` for ``part``."""
        rows, settings = self._part(part)
        pairs = " ".join(f"'{row}={dataset}'" for row, dataset in rows.items())
        return f"--records {self.results}/runs --rows {pairs} --settings {' '.join(settings)}"

    def weight_options(self) -> str:
        """Options of ``warpath convert`` for the weights of the revised graphs."""
        low, high = self.config["revised_weight_min"], self.config["revised_weight_max"]
        return f"--seed {self.pipeline.config['weight_seed']} --weight-min {low} --weight-max {high}"

    def run_sources(self, wildcards: Wildcards) -> list[str]:
        """The files that a run of one variant executes."""
        return self.pipeline.run_sources(SimpleNamespace(algorithm=ALGORITHM, variant=wildcards.variant))

    def _part(self, part: str) -> tuple[dict[str, str], list[str]]:
        return {"runs": (self.rows, self.settings), "sweep": (self.revised, self.sweep)}[part]

    def _check_names(self) -> None:
        check_known(f"{NAME}.rows", self.config["rows"], read_table1(f"{self.published}/table1.csv"))
        for row, dataset in self.rows.items():
            check_known(f"{NAME}.rows.{row}", [dataset], self.pipeline.catalog)
        check_known(f"{NAME}.revised", self.config["revised"], self.rows)
        for key, settings in ((f"{NAME}.settings", self.settings), (f"{NAME}.k, vertices_per_thread", self.sweep)):
            with said_of(key):
                for asked in settings:
                    find(ALGORITHM, "locality").with_settings(parse(asked))
        with said_of(f"{NAME}.revised_weight_min, revised_weight_max"):
            check_range(self.config["revised_weight_min"], self.config["revised_weight_max"])
