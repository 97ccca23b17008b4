"""What the rules of one work ask: which runs it needs and which options its commands get (see ``steps``)."""

from collections.abc import Mapping

from ..algorithms import find
from ..algorithms.parameters import parse
from ..errors import UsageError
from ..report.katz_kider.published import read_table1
from ..report.katz_kider.runs import ALL_PAIRS, CAIDA, CLOSURE, run_file
from .steps import Pipeline, Wildcards, check_known, said_of

NAME = "katz_kider"
# What the name of the graph of the first autonomous systems ends in.
PART = "-part"


class KatzKider:
    """The work's part of a config. Raises UsageError, naming the key, where it asks for what there is not."""

    def __init__(self, pipeline: Pipeline):
        self.pipeline = pipeline
        self.config = pipeline.config[NAME]
        self.published = f"data/published/{NAME}"
        self.results, self.figures = f"{pipeline.results}/{NAME}", f"{pipeline.figures}/{NAME}"
        self.rows = {row: dataset for row, dataset in self.config["rows"].items() if dataset is not None}
        self.caida = f"{self.config['caida']}{PART}" if self.config["caida"] else None
        limit, devices = self.config["device_memory_limit_mib"], self.config["devices"]
        by_key = {
            "all_pairs": [f"{ALL_PAIRS}.{variant}" for variant in self.config["all_pairs"]],
            "device_memory_limit_mib": [f"{ALL_PAIRS}.out_of_core.device_memory_limit_mib={limit}"] if limit else [],
            "devices": [f"{ALL_PAIRS}.several_devices.devices={devices}"] if devices else [],
            "closure": [f"{CLOSURE}.{variant}" for variant in self.config["closure"]],
        }
        self.columns = [column for columns in by_key.values() for column in columns]
        self.caida_columns = [f"{ALL_PAIRS}.{variant}" for variant in self.config["caida_variants"]]
        self.larger = {
            dataset: [f"{ALL_PAIRS}.{run}" for run in asked]
            for dataset, asked in (self.config["larger"] or {}).items()
            if asked
        }
        by_key["caida_variants"] = self.caida_columns
        self._check_names({**by_key, **{f"larger.{dataset}": columns for dataset, columns in self.larger.items()}})

    def records(self, part: str) -> list[str]:
        """The records behind ``part``: "sizes", of the random digraphs, "caida", or "larger", of larger graphs."""
        return [
            str(run_file(f"{self.results}/runs", dataset, column))
            for rows, columns in self._groups(part)
            for dataset in rows.values()
            for column in columns
        ]

    def runs_options(self, *parts: str) -> str:
        """Options of ``warpath katz runs`` for ``parts``, one after the other."""
        groups = [
            f"--rows {' '.join(f'{row}={dataset}' for row, dataset in rows.items())} --columns {' '.join(columns)}"
            for part in parts
            for rows, columns in self._groups(part)
        ]
        return " ".join([f"--records {self.results}/runs", *groups])

    def budget_s(self, wildcards: Wildcards) -> float:
        """Seconds for the timed samples of one run."""
        return self.pipeline.budget_s(wildcards)

    def gpus(self, wildcards: Wildcards) -> int:
        """How many GPUs one run takes; one without a GPU asks for the GPU's machine, as all runs of a table do."""
        asked = wildcards.settings.removeprefix(".")
        variant = find(wildcards.algorithm, wildcards.variant).with_settings(parse(asked) if asked else {})
        return variant.all_settings.get("devices", 1)

    def _groups(self, part: str) -> list[tuple[dict[str, str], list[str]]]:
        """Datasets by row, and the columns that are run on all of them."""
        if part == "sizes":
            return [(self.rows, self.columns)]
        if part == "caida":
            return [({CAIDA: self.caida}, self.caida_columns)] if self.caida else []
        return [
            ({str(self.pipeline.catalog[dataset].vertices): dataset}, columns)
            for dataset, columns in self.larger.items()
        ]

    def _check_names(self, columns: Mapping[str, list[str]]) -> None:
        """``columns`` are those that each key of the config asks for."""
        sizes = [str(nodes) for nodes in read_table1(f"{self.published}/table1.csv")]
        check_known(f"{NAME}.rows", self.config["rows"], sizes)
        for row, dataset in self.rows.items():
            check_known(f"{NAME}.rows.{row}", [dataset], self.pipeline.catalog)
        if not self.rows:
            raise UsageError(f"config: {NAME}.rows: at least one row is needed")
        if self.caida:
            check_known(f"{NAME}.caida", [self.config["caida"]], self.pipeline.catalog)
        check_known(f"{NAME}.larger", self.config["larger"] or {}, self.pipeline.catalog)
        for key, of_key in columns.items():
            with said_of(f"{NAME}.{key}"):
                for column in of_key:
                    algorithm, variant, asked = (*column.split(".", 2), "")[:3]
                    find(algorithm, variant).with_settings(parse(asked) if asked else {})
