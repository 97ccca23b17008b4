"""The NetworkX backend: ``networkx.single_source_dijkstra(G, 0, backend="warpath")`` and the like.

NetworkX finds it by its entry points: ``interface`` is the backend, and ``info`` describes it.
"""
