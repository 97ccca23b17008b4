"""Ports of published kernels, one folder for each work, with one folder for each family of algorithms.

Ports are frozen. They share only stable code with the solvers of warpath: an edit that changes a port makes its records
stale.
"""
