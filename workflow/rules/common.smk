# What the rules know of the graphs, runs and targets that are planned.

import hashlib
import re
from functools import cache

from warpath_study.works.planned import PlannedTarget, is_large, items_read, megabytes, minutes, planned_run
from warpath_study.works.works import SUFFIXES

TARGETS = {
    (planned.kind, planned.stem): planned
    for work in works.values()
    for planned in (PlannedTarget(work, target, settings) for target in work.targets(settings.choice))
}


@cache
def planned(dataset, run):
    return planned_run(catalog[dataset], run, settings)


def of_run(attribute):
    """For `params`: a fact about the run of a job."""
    return lambda wildcards: getattr(planned(wildcards.dataset, wildcards.run), attribute)


def resource(attribute):
    """For `resources`: what the run of a job asks for. Each further attempt asks for twice as much."""
    return lambda wildcards, attempt: of_run(attribute)(wildcards) * 2 ** (attempt - 1)


def of_target(kind, attribute):
    """For `input` and `params`: a fact about the target of a job."""
    return lambda wildcards: getattr(TARGETS[kind, wildcards.stem], attribute)


def measurements(kind):
    """A hash of how the runs of a target are measured; None for a reference.

    After an edit that makes a run fail, its record is gone. Snakemake does not ask for what a finished target has read, so
    without this parameter it would take the old target for up to date.
    """

    def of_target(wildcards):
        if settings.reference:
            return None
        runs = [planned(run.dataset, run.run) for run in TARGETS[kind, wildcards.stem].runs]
        facts = [(run.dataset.name, run.name, run.code, settings.device, run.options) for run in runs]
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    return of_target


def one_of(names):
    """A pattern for ``names``."""
    return "|".join(map(re.escape, sorted(names))) or "none"
