#!/usr/bin/env bash
# Write the three requirement locks from the version ranges in pyproject.toml: envs/lock.sh (or: make lock)
# With --upgrade, take the newest versions; without, keep each version that the ranges still allow.
#
# A lock has one version of each package for every platform and, if they all have it, every Python from 3.11 on, with the
# hashes of its files. On Python 3.12 the versions are those of the reference results.
# Needs uv and the network. uv takes its index from its own settings; the locks name none.
set -euo pipefail
cd "$(dirname "$0")/.."

options=("$@")

lock() {
    uv pip compile pyproject.toml --extra study --extra docs --extra test "${@:2}" "${options[@]}" \
        --constraint envs/reference.txt --universal --python-version 3.11 \
        --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links --quiet \
        --custom-compile-command "envs/lock.sh" --output-file "envs/requirements-$1.txt"
}

# Each lock constrains the next, so that a package has the same version in all three.
lock cuda13 --extra cuda13
lock cpu --constraint envs/requirements-cuda13.txt
lock cuda12 --extra cuda12 --constraint envs/requirements-cpu.txt
