#!/usr/bin/env bash
# Write the three requirement locks anew from the version ranges in pyproject.toml: envs/lock.sh (or: make lock)
#
# One version of each package for every Python from 3.11 on and every platform, with the hashes of all its files.
# Needs uv and the network. `uv` takes its index from its own settings; none is written into the locks.
set -euo pipefail
cd "$(dirname "$0")/.."

for kind in cpu cuda12 cuda13; do
    extras=(--extra workflow --extra test)
    if [[ $kind != cpu ]]; then extras+=(--extra "$kind"); fi
    # cpu comes first, and the other two keep its versions: the same numbers on every machine.
    constraints=()
    if [[ $kind != cpu ]]; then constraints=(--constraint envs/requirements-cpu.txt); fi
    uv pip compile pyproject.toml "${extras[@]}" "${constraints[@]}" \
        --universal --python-version 3.11 --fork-strategy fewest --upgrade \
        --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links --quiet \
        --custom-compile-command "envs/lock.sh" --output-file "envs/requirements-$kind.txt"
done
