"""warpath without preparation, by its default call: distances and a tree in host memory, certified."""

import warpath

from ._warpath import new_graph, peer

PEER = peer(
    "warpath, unprepared",
    "not prepared; distances and tree, certified",
    lambda graph, device: (new_graph(graph), device),
    lambda form, source: warpath.sssp(form[0], int(source), device=form[1]),
    lambda form: warpath.apsp(form[0], device=form[1]),
)
