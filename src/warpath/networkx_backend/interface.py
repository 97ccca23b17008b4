"""The backend that NetworkX loads: functions, conversions, and the reasons to decline."""

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, Signature, signature
from types import SimpleNamespace
from typing import Any

import networkx as nx

from ..device import has_gpu
from . import functions
from .converted import ConvertedGraph, Weights, convert_from_nx, convert_to_nx, weights_of
from .info import FUNCTIONS, OF_ALL_PAIRS
from .problem import Problem

_ALL_PAIRS = {
    *OF_ALL_PAIRS,
    "johnson",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
}
_OPTIONS = [
    Parameter("device", Parameter.KEYWORD_ONLY, default=None),
    Parameter("certify", Parameter.KEYWORD_ONLY, default=True),
]


def _signature(name: str) -> Signature:
    """The parameters of function ``name``: NetworkX's, and ``device`` and ``certify``."""
    of_networkx = signature(getattr(nx, name).orig_func)
    return of_networkx.replace(parameters=[*of_networkx.parameters.values(), *_OPTIONS])


_SIGNATURES = {name: _signature(name) for name in FUNCTIONS}


def can_run(name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
    """True, or the reason why function ``name`` cannot solve the problem exactly.

    NetworkX logs the reason and solves the problem itself. But to a caller who names this backend it says only that
    this backend cannot run. It shows such a caller the cause of an error of the function, so the call may run then.
    """
    by_priority = "warpath" in nx.config.backend_priority.get(name, nx.config.backend_priority.algos)
    return (_reason(name, _arguments(name, args, kwargs)) if by_priority else None) or True


def should_run(name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
    """True, or the reason why NetworkX is the better choice for a call that does not name this backend."""
    if nx.config.backends.warpath.device != "auto" or _has_gpu():
        return True
    if name in _ALL_PAIRS or _is_all_pairs(name, _arguments(name, args, kwargs)):
        return True
    return "there is no GPU, and for one source NetworkX takes less time than the conversion of the graph"


def _arguments(name: str, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, with defaults. Raises TypeError for what the function does not take."""
    bound = _SIGNATURES[name].bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = bound.arguments
    if "distance" in arguments:  # as closeness_centrality calls the weight
        arguments["weight"] = arguments.pop("distance")
    return arguments


def _is_all_pairs(name: str, arguments: Mapping[str, Any]) -> bool:
    return name.startswith("all_pairs") or arguments.get("source", "") is arguments.get("target", "") is None


_has_gpu = cache(has_gpu)


def _reason(name: str, arguments: Mapping[str, Any]) -> str | None:
    """Why function ``name`` cannot solve the problem exactly, or None if it can."""
    if arguments.get("sp") is not None or arguments.get("e") is not None:
        return "the distances are known already"
    if arguments.get("usebounds"):
        return "with bounds, NetworkX looks at the distances from few sources"
    weight = arguments.get("weight")
    if weight is None:
        return None
    if callable(weight):
        return "a weight function runs in Python, edge by edge"
    weights = _known_weights(arguments["G"], weight)
    if isinstance(weights, str):
        return weights
    if weights.negative and (name in OF_ALL_PAIRS or "dijkstra" in name or arguments.get("method") == "dijkstra"):
        return "with negative weights, NetworkX's Dijkstra has results of its own"
    return None


def _known_weights(graph: Any, attribute: Any) -> Weights | str:
    """The weights of a graph, converted or not, or the reason why they cannot be converted exactly."""
    conversions = [graph]
    if nx.config.cache_converted_graphs:
        cached = getattr(graph, "__networkx_cache__", None) or {}
        conversions.extend(cached.get("backends", {}).get("warpath", {}).values())
    for conversion in conversions:
        if isinstance(conversion, ConvertedGraph) and conversion.attribute == attribute:
            return conversion.weights or conversion.reason
    if isinstance(graph, ConvertedGraph):
        return f"the converted graph does not hold the weight {attribute!r}"
    return weights_of(graph, attribute)


def _as_networkx_calls(name: str) -> Callable:
    """Function ``name`` with the parameters that NetworkX gives it, of which it gets those that its answer needs.

    Raises NotImplementedError with the reason if the function cannot solve the problem exactly.
    """
    function = getattr(functions, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        arguments = _arguments(name, args, kwargs)
        reason = _reason(name, arguments)
        if reason:
            raise NotImplementedError(reason)
        graph, weight, device, certify = (arguments.pop(each, None) for each in ("G", "weight", "device", "certify"))
        device = nx.config.backends.warpath.device if device is None else device
        return function(Problem(graph, None if weight is None else graph.weights, device, certify), **arguments)

    return called


backend = SimpleNamespace(
    convert_from_nx=convert_from_nx,
    convert_to_nx=convert_to_nx,
    can_run=can_run,
    should_run=should_run,
    **{name: _as_networkx_calls(name) for name in FUNCTIONS},
)
