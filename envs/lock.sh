#!/usr/bin/env bash
# Write the three requirement locks anew from the version ranges in pyproject.toml: envs/lock.sh (or: make lock)
#
# One version of each package for every Python from 3.11 on and every platform, with the hashes of all its files.
# Needs uv and the network. `uv` takes its index from its own settings; none is written into the locks.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() {
    uv pip compile pyproject.toml --extra workflow --extra test "${@:2}" \
        --universal --python-version 3.11 --fork-strategy fewest --upgrade \
        --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links --quiet \
        --custom-compile-command "envs/lock.sh" --output-file "envs/requirements-$1.txt"
}

# What the locks have in common has the same version in all three: each is bound by the one before it.
lock cuda13 --extra cuda13
lock cpu --constraint envs/requirements-cuda13.txt
lock cuda12 --extra cuda12 --constraint envs/requirements-cpu.txt
