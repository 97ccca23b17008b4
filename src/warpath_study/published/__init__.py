"""Ports of published kernels, one folder for each work, with one folder for each family of algorithms.

Ports are frozen, and so is what several of them share, in ``shared``. They include no kernel of warpath, and call
nothing of its solvers. So solvers may change while records of ports stay current.
"""
