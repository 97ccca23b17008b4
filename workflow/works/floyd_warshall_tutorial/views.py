"""The claims of the text.

For "~20 minutes" and "~69.7 hours", published/claims.csv has the intervals that round to them. The tutorial has no
number for what a branch costs, only that GPUs are better off without; so the ratio is at least 1.
"""

from functools import partial

from warpath_study.works.claims import claim

of_sizes = partial(claim, runs="sizes", about=["times", "vertices"])


@of_sizes("GPU about 20 minutes for 32,000 vertices", setting="32,000 vertices", printed="times.csv")
def _(t):
    return t.seconds("branchless").at("32000") / 60


@of_sizes(
    "CPU about 69.7 hours for 32,000 vertices, estimated by its author",
    setting="32,000 vertices, one thread",
    printed="times.csv",
)
def _(t):
    return t.seconds("cpu").at("32000") / 3600


@of_sizes(
    "GPU over CPU at 32,000 vertices, 69.7 hours over 20 minutes",
    setting="32,000 vertices, one thread",
    printed="times.csv",
)
def _(t):
    return (t.seconds("cpu") / t.seconds("branchless")).at("32000")


@of_sizes("GPU up to about 46,000 vertices", setting="the largest graph that the tutorial solved", timing=False)
def _(t):
    return t.fact("vertices", "branchless").at("46000")


@claim(
    "matrix of 46,000 vertices of 8.46 GB",
    runs="sizes",
    setting="four bytes a pair of vertices",
    timing=False,
)
def _(t):
    return 4 * t.fact("vertices", "branchless").at("46000") ** 2 / 10**9


@of_sizes("time on the GPU about n^2 for about a thousand vertices", setting="exponent from 1,000 to 2,000 vertices")
def _(t):
    return t.seconds("branchless").only("1000", "2000").slope()


@of_sizes(
    "no branch on the GPU at least as fast as a branch",
    setting="the same loops and grid with and without the branch, each size",
)
def _(t):
    return t.seconds("branching") / t.seconds("branchless")
