"""What a work runs: its runs, rows, targets and suites, read from ``work.yaml``."""
