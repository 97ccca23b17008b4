#!/usr/bin/env bash
# Print the requirement lock for this machine: cuda13, cuda12 or cpu.
#
# CUDA 13 needs driver 580 or newer, CUDA 12 driver 525 or newer.
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
major=${driver%%.*}

if [[ ! $major =~ ^[0-9]+$ ]]; then
    echo cpu
elif ((major >= 580)); then
    echo cuda13
elif ((major >= 525)); then
    echo cuda12
else
    echo "The GPU driver $driver is older than 525 and cannot run CUDA 12: installing without GPU support." >&2
    echo cpu
fi
