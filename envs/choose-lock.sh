#!/usr/bin/env bash
# Print the requirement lock that fits this machine: cuda13, cuda12 or cpu.
#
# CUDA 13 needs a driver from 580 on, CUDA 12 one from 525 on.
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
