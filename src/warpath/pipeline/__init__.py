"""What the workflow's rules ask of warpath: names, files and options, for the tables of a config and for each work.

Nothing here runs a step, needs the network or imports Snakemake.
"""

from .steps import Pipeline, Wildcards, check_known

__all__ = ["Pipeline", "Wildcards", "check_known"]
