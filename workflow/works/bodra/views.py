"""The claims of the text.

For a number with "about", published/claims.csv has the interval that rounds to it. For a comparison without a number,
such as "slower", it has a ratio of at least 1.
"""

from functools import partial

from warpath_study.works.claims import claim

of_table1 = partial(
    claim, runs="table1", printed="table1.csv", about=["table1", "figure5", "figure5_log", "figure5_speedup"]
)
of_table3 = partial(
    claim, runs="table3", printed="table3.csv", about=["table3", "figure6", "figure6_log", "figure6_speedup"]
)


@of_table1(
    "stride slower than naive on small graphs",
    setting="the four smaller graphs, on which stride is slower in the work's table",
)
def _(t):
    return (t.seconds("stride") / t.seconds("naive")).only("nyc", "bay", "col", "fla")


@of_table1("stride about 2000 ms faster than naive, on the largest graph", setting="E, the largest graph")
def _(t):
    return 1000 * (t.seconds("naive").at("e") - t.seconds("stride").at("e"))


@of_table1("stride with flag about 2.8 times faster than naive", setting="each graph of Table 1")
def _(t):
    return t.seconds("naive") / t.seconds("stride_flag")


@claim(
    "serial Dijkstra slower than the naive parallel one",
    runs="table2",
    setting="all pairs, the graph of Table 2",
    printed="table2.csv",
    about=["table2"],
)
def _(t):
    return t.seconds("cpu") / t.seconds("naive")


@of_table3(
    "super naive the fastest of the naive implementations",
    setting="each graph of Table 3, against the faster of the other two",
)
def _(t):
    return t.best("naive", "super_naive_shared") / t.seconds("super_naive")


@of_table3("super naive with shared memory no faster than super naive", setting="each graph of Table 3")
def _(t):
    return t.seconds("super_naive_shared") / t.seconds("super_naive")


@of_table3(
    "tiled faster than all of the naive implementations",
    setting="each graph of Table 3, against the fastest of the three",
)
def _(t):
    return t.best("naive", "super_naive", "super_naive_shared") / t.seconds("tiled")


# "Naive" is the variant of this name: against super naive, the paper's table has 1.7 to 2.0.
@of_table3("tiled about 4 to 6 times faster than naive", setting="each graph of Table 3, against the variant naive")
def _(t):
    return t.seconds("naive") / t.seconds("tiled")


@of_table3("tiled with shared memory about 2 times faster than tiled", setting="each graph of Table 3")
def _(t):
    return t.seconds("tiled") / t.seconds("tiled_shared")


# Against super naive, the paper's table has 3.5 to 4.1.
@of_table3(
    "tiled with shared memory about 8 times faster than naive",
    setting="each graph of Table 3, against the variant naive",
)
def _(t):
    return t.seconds("naive") / t.seconds("tiled_shared")
