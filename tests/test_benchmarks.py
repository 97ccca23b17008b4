"""The benchmarks run; what they measure here says nothing, since the host device is no GPU."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        ("kernels", "standard / register_blocked: "),
        ("out-of-core", "out of core / in core: "),
        ("devices", "1 device / 4 devices: "),
    ],
)
def test_blocked_all_pairs_comes_to_its_verdict(what, verdict):
    command = [sys.executable, BENCHMARKS / "blocked_all_pairs.py", what, "--vertices", "70", "--device", "host"]
    done = subprocess.run([*command, "--limit-mib", "1", "--certify"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert verdict in done.stdout
    assert "exact" in done.stdout


def test_certificates_come_to_their_verdicts():
    command = [sys.executable, BENCHMARKS / "certificates.py", "--small", "--device", "host", "--with-host"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "one source, ms: " in done.stdout and "all pairs, certify / solve: " in done.stdout
