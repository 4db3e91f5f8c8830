# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX. NetworkX loads this module when it first calls evenly (docs/networkx.md).

Functions have the names, arguments, results and errors of NetworkX, and take graphs of the class `graph`. For what
evenly does not compute, `can_run` gives the reason, or the function raises NotImplementedError: NetworkX then runs its
own.
"""

from __future__ import annotations

import codecs
import functools
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from . import _components, _evenly
from ._analysis import betweenness as _betweenness
from ._analysis import pagerank as _pagerank
from ._analysis import triangles as _triangles
from ._graphs import any_compiled, sssp
from ._matrix import _compressed, matrix
from ._structures import forest_entries

# --- graphs ----------------------------------------------------------------------------------------------------------


class graph:
    """A graph of NetworkX as compressed rows, which does not change. Nodes have its names, in its order.

    Made by NetworkX when it calls the backend, and by the backend's constructors. All functions of NetworkX take it;
    those that evenly does not have convert it. `to_networkx` returns the graph with all its attributes.
    """

    __networkx_backend__ = "evenly"

    def __init__(self, names: list, kind: tuple[bool, bool], made: Any):
        """kind: (directed, multigraph). made: the graph of NetworkX, or a function that makes it."""
        self._names, self._kind, self._made = names, kind, made
        self.graph = {} if callable(made) else made.graph
        self.__networkx_cache__: dict = {}
        self._rows: dict[Any, matrix] = {}  # by edge attribute; None: without values
        self._has_attributes = False  # whether rows of any edge attribute may be made
        self._is_bare = False  # whether edges have no attributes

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self._kind[0]

    def is_multigraph(self) -> bool:
        """Whether there may be parallel edges."""
        return self._kind[1]

    def to_networkx(self) -> Any:
        """The graph of NetworkX: the one that this was made of, if there is one."""
        if callable(self._made):
            self._made = self._made()
        return self._made

    def __len__(self) -> int:
        return len(self._names)

    number_of_nodes = order = __len__

    def number_of_edges(self) -> int:
        """The number of edges, parallel ones included."""
        if self._kind[1]:
            return self.to_networkx().number_of_edges()
        entries = self.structure.nnz
        return entries if self._kind[0] else (entries + int(self._is_loop.sum())) // 2

    def __iter__(self) -> Iterator:
        return iter(self._names)

    def __contains__(self, name: Any) -> bool:
        return self.number_of(name) >= 0

    def __repr__(self) -> str:
        kind = "directed" if self._kind[0] else "undirected"
        return f"<evenly graph of NetworkX: {kind}, {len(self)} nodes>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(nx.MultiDiGraph, name):
            raise AttributeError(f"a graph of evenly has no attribute {name!r}")
        raise AttributeError(f"a graph of evenly has no {name}: use to_networkx().{name}")

    # Names and numbers.

    @functools.cached_property
    def _table(self) -> tuple[np.ndarray | None, int]:
        return _evenly.integer_table(self._names) or (None, 0)

    @functools.cached_property
    def _index(self) -> dict:
        return dict(zip(self._names, range(len(self._names))))

    @functools.cached_property
    def _objects(self) -> np.ndarray:
        return np.fromiter(self._names, object, len(self._names))

    def number_of(self, name: Any) -> int:
        """The number of the node, -1 if there is none."""
        table, low = self._table
        if table is not None and type(name) is int:
            return int(table[name - low]) if 0 <= name - low < len(table) else -1
        try:
            return self._index.get(name, -1)
        except TypeError:  # it has no hash
            return -1

    def names_of(self, numbers: np.ndarray) -> list:
        """The names of nodes."""
        return self._objects[numbers].tolist()

    # Rows.

    def _add_rows(self, adjacency: Any, attribute: Any, missing: Any, sums: bool = False) -> None:
        """Reads dictionaries of dictionaries."""
        arguments = (attribute, missing, self._kind[1], sums)
        try:
            try:
                made = _evenly.read_adjacency(adjacency, self._names, *self._table, None, *arguments)
            except KeyError:  # two names have the same hash, or a neighbour is 1.0 and its node 1
                made = _evenly.read_adjacency(adjacency, self._names, *self._table, self._index, *arguments)
        except ValueError as error:
            raise NotImplementedError(f"evenly takes other graphs: {error}") from None
        self._keep((attribute, "sum") if sums else attribute, *made)

    def _keep(self, key: Any, offsets: np.ndarray, columns: np.ndarray, values: np.ndarray | None) -> None:
        values = np.ones(columns.size, np.float32) if values is None else values
        shape = (len(self), len(self))
        self._rows[key] = matrix._of([_compressed(shape, offsets, columns, values), None])

    @property
    def structure(self) -> matrix:
        """Rows with any values."""
        return next(iter(self._rows.values()))

    def weighted(self, attribute: Any, sums: bool = False) -> matrix:
        """Rows with values of the edge attribute. sums: those of parallel edges are added, else the least is taken."""
        key = (attribute, "sum") if sums and self._kind[1] else attribute
        if key not in self._rows and self._is_bare:
            rows = self.structure._rows()
            self._keep(key, rows.indptr, rows.indices, np.ones(rows.indices.size, np.int64))
        if key not in self._rows and self._has_attributes:
            self._add_rows(self.to_networkx()._adj, attribute, 1, sums)
        if key not in self._rows:
            raise NotImplementedError(f"the graph was converted without the edge attribute {attribute!r}")
        return self._rows[key]

    @functools.cached_property
    def _is_loop(self) -> np.ndarray:
        """Of each row, whether it has an edge to itself."""
        rows = self.structure._rows()
        found = np.zeros(len(self), bool)
        found[rows.indices[rows.indices == np.repeat(np.arange(len(self)), np.diff(rows.indptr))]] = True
        return found

    @functools.cached_property
    def simple_degrees(self) -> np.ndarray:
        """The number of other nodes that each node has edges to."""
        return np.diff(self.structure._rows().indptr) - self._is_loop


_KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
_READ = ("__getitem__", "__iter__", "__len__", "neighbors", "adjacency", "is_directed", "is_multigraph")


@functools.lru_cache(maxsize=64)
def _is_plain(kind: type) -> bool:
    """Whether the class reads its edges as those of NetworkX do."""
    return any(all(getattr(kind, name, None) is getattr(each, name) for name in _READ) for each in _KINDS)


def convert_from_nx(
    G: Any,
    edge_attrs: dict | None = None,
    node_attrs: dict | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> graph:
    """Called by NetworkX, which keeps what it returns."""
    if isinstance(G, graph):
        return G
    if not _is_plain(type(G)):
        raise NotImplementedError(f"{type(G).__name__} reads its edges in its own way")
    made = graph(list(G), (G.is_directed(), G.is_multigraph()), G)
    made._has_attributes = preserve_edge_attrs is True
    if not edge_attrs:
        made._add_rows(G._adj, None, 1)
    for attribute, missing in (edge_attrs or {}).items():
        made._add_rows(G._adj, attribute, missing)
        if G.is_multigraph():
            made._add_rows(G._adj, attribute, missing, sums=True)
    return made


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Called by NetworkX with graphs, and in its tests with any result."""
    return result.to_networkx() if isinstance(result, graph) else result


# --- which calls run here --------------------------------------------------------------------------------------------

class _arguments:
    """Arguments of a call, by name."""

    def __init__(self, bound: dict):
        self.__dict__ = bound


class _known(NamedTuple):
    """A function of the backend. Its call costs ``call`` nanoseconds here, and in proportion to the nodes and edges of
    small graphs ``theirs`` in NetworkX and ``ours`` here."""

    signature: inspect.Signature
    names: tuple[str, ...]
    defaults: dict[str, Any]
    refusal: Callable | None  # takes the arguments as attributes, and returns a sentence, or None
    theirs: float
    ours: float
    call: float
    is_search: bool  #: which ends when all nodes are found
    is_small: str  #: the answer for graphs so small that the call alone takes longer than NetworkX

    def bind(self, args: tuple, kwargs: dict) -> _arguments | None:
        """None if the arguments are not those of the function. ``inspect`` does the same in ten times the time."""
        bound = self.defaults.copy()
        bound.update(zip(self.names, args))
        bound.update(kwargs)
        fits = len(args) <= len(self.names) == len(bound) and kwargs.keys().isdisjoint(self.names[: len(args)])
        return _arguments(bound) if fits else None


_functions: dict[str, _known] = {}


def _function(refusal: Callable | None = None, *, theirs: float = 0, ours: float = 0, call: float = 5e5) -> Callable:
    def register(function: Callable) -> Callable:
        signature = inspect.signature(function)
        defaults = {each.name: each.default for each in signature.parameters.values() if each.default is not each.empty}
        names = tuple(signature.parameters)
        name = function.__name__
        is_small = f"{name} of a graph as small as this takes less than the {call / 1e6} ms of a call here"
        if theirs == 0:
            is_small = f"{name} may end early: it is run for backend='evenly' only"
        known = _known(signature, names, defaults, refusal, theirs, ours, call, 0 < theirs <= 130, is_small)
        _functions[name] = known
        return function

    return register


def can_run(name: str, args: tuple, kwargs: dict) -> bool | str:
    """Called by NetworkX. A sentence is a reason not to run."""
    known = _functions[name]
    of = known.bind(args, kwargs)
    if of is None:
        return "evenly has other arguments"
    G = getattr(of, "G", None)
    if G is not None and not isinstance(G, graph) and not _is_plain(type(G)):
        return f"{type(G).__name__} reads its edges in its own way"
    return (known.refusal(of) if known.refusal else None) or True


#: Nanoseconds of a conversion, for each node and edge of the dictionaries, and with an edge attribute.
_CONVERSION, _ATTRIBUTE = 55.0, 35.0

#: A search of NetworkX ends when all nodes are found, and then does not look at the other edges of dense graphs.
_SEARCHED_EDGES = 10

#: Before a graph is converted for a search, this part of its nodes is searched for: the others may not be in reach.
_PROBED = 0.02


def _mean_degree(adjacency: dict) -> float:
    """Of some nodes. Those of highest degree are left out: they often come first."""
    rows = sorted(map(len, itertools.islice(adjacency.values(), 64)))
    rows = rows[: len(rows) - len(rows) // 8]
    return sum(rows) / max(len(rows), 1)


def _reaches(adjacency: dict, source: Any, count: int) -> bool:
    """Whether a search from the node finds so many nodes."""
    found = {source}
    queue = [source]
    for node in queue:
        for other in adjacency[node]:
            if other not in found:
                found.add(other)
                queue.append(other)
        if len(found) >= count:
            return True
    return False


def should_run(name: str, args: tuple, kwargs: dict) -> bool | str:
    """Called by NetworkX. A sentence is a reason not to run: it says what both would take."""
    of = _functions[name].bind(args, kwargs)
    G = getattr(of, "G", None)
    if G is None or isinstance(G, graph):
        return True
    nodes, degree = len(G), _mean_degree(G._adj)
    size = nodes * (1 + degree)
    weight = getattr(of, "weight", None)
    is_by_weights = weight is not None and name.startswith("shortest_path")
    known = _functions["single_source_dijkstra" if is_by_weights else name]
    times = getattr(of, "k", None) or (nodes if name == "betweenness_centrality" else 1)
    searched = nodes * (1 + min(degree, _SEARCHED_EDGES)) if known.is_search and not is_by_weights else size
    there = searched * known.theirs * times
    if there <= known.call:
        return known.is_small
    kept = (getattr(G, "__networkx_cache__", None) or {}).get("backends", {}).get("evenly", {})
    need = frozenset({weight: 1}.items()) if isinstance(weight, str) else None
    is_kept = any(need is None or edges is True or (edges and need <= edges) for edges, _ in kept)
    conversion = 0.0 if is_kept else _CONVERSION + (_ATTRIBUTE if need else 0)
    here = known.call + size * (known.ours * times + conversion)
    if here <= there:
        return True if is_kept else _reason_not_to_convert(name, of)
    return (
        f"{name} of {nodes} nodes takes about {here / 1e6:.1f} ms in evenly"
        f"{'' if is_kept else ' with the conversion'} and {there / 1e6:.1f} ms in NetworkX"
    )


def _reason_not_to_convert(name: str, of: _arguments) -> bool | str:
    """Why NetworkX may end early. True if it does not."""
    if any(getattr(of, limit, None) is not None for limit in ("depth_limit", "cutoff")):
        return f"{name} may end early by its limit, and the graph is not converted yet"
    if name in ("bfs_layers", "is_strongly_connected"):  # of few layers; of a first component that is small
        return f"{name} may end early, and the graph is not converted yet"
    ends = (getattr(of, each, None) for each in ("source", "sources", "n", "target"))
    start = next((each for each in ends if each is not None), None)
    try:
        is_node = start is not None and start in of.G._adj
    except TypeError:  # it has no hash
        is_node = False
    if is_node and not _reaches(of.G._adj, start, int(_PROBED * len(of.G))):
        return f"{name} reaches few nodes, and the graph is not converted yet"
    return True


def _no_multigraph(of: Any) -> str | None:
    return "evenly has it for graphs without parallel edges" if of.G.is_multigraph() else None


def _no_weights(weight: Any) -> str | None:
    if callable(weight):
        return "a function of weights is called for each edge"
    return None if weight is None or isinstance(weight, str) else "the name of an edge attribute is a string in evenly"


# --- breadth-first searches ------------------------------------------------------------------------------------------


def _depth(G: graph, limit: float | None) -> int:
    """Levels below the source, as NetworkX counts them: limits may be fractions."""
    return len(G) if limit is None or limit >= len(G) else max(0, math.ceil(limit))


def _search(G: graph, source: int, limit: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(nodes in the order in which they are found, the parent of each, how many are found up to each depth)."""
    order, parents = np.empty(len(G), np.int32), np.empty(len(G), np.int32)
    rows = any_compiled(G.structure._rows())
    ends = _evenly.bfs_in_order(rows, source, _depth(G, limit), order, parents)
    return order[: ends[-1]], parents[: ends[-1]], np.array(ends)


def _number(G: graph, name: Any) -> int:
    number = G.number_of(name)
    if number < 0:
        raise nx.NetworkXError(f"The node {name} is not in the graph.")
    return number


def _refuse_search(of: Any) -> str | None:
    if getattr(of, "sort_neighbors", None) is not None:
        return "sort_neighbors is called for each node"
    if getattr(of, "reverse", False) and of.G.is_directed():
        return "edges are converted in their own direction"
    return None


@_function(_refuse_search, theirs=110, ours=28)
def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    order, parents, _ = _search(G, _number(G, source), depth_limit)
    yield from zip(G.names_of(parents[1:]), G.names_of(order[1:]))


@_function(_refuse_search, theirs=400, ours=40)
def bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    order, parents, _ = _search(G, _number(G, source), depth_limit)
    places = np.empty(len(G), np.int32)
    places[order] = np.arange(order.size, dtype=np.int32)
    names = G.names_of(order)
    names[0] = source
    return _from_edges(names, places[parents[1:]], places[order[1:]], None, None, nx.DiGraph)


@_function(_refuse_search, theirs=110, ours=30)
def bfs_predecessors(G, source, depth_limit=None, sort_neighbors=None):
    for parent, child in bfs_edges(G, source, depth_limit=depth_limit):
        yield child, parent


@_function(_refuse_search, theirs=130, ours=35)
def bfs_successors(G, source, depth_limit=None, sort_neighbors=None):
    order, parents, _ = _search(G, _number(G, source), depth_limit)
    children, parents = G.names_of(order[1:]), parents[1:]
    begins = np.flatnonzero(np.diff(parents, prepend=-1))
    for parent, begin, end in zip(G.names_of(parents[begins]), begins.tolist(), [*begins[1:].tolist(), len(children)]):
        yield (parent if begin else source), children[begin:end]
    if not children:
        yield source, []


@_function(lambda of: None if of.sources in of.G else "evenly searches from one source", theirs=80, ours=18)
def bfs_layers(G, sources):
    order, _, ends = _search(G, _number(G, sources), None)
    for begin, end in zip([0, *ends], ends):
        yield G.names_of(order[begin:end])


@_function(lambda of: None if isinstance(of.distance, int) else "distance is an integer in evenly")
def descendants_at_distance(G, source, distance):
    order, _, ends = _search(G, _number(G, source), distance)
    if not 0 <= distance < len(ends):
        return set()
    return set(G.names_of(order[ends[distance - 1] if distance else 0 : ends[distance]]))


@_function(theirs=80, ours=20)
def descendants(G, source):
    return set(G.names_of(_search(G, _number(G, source), None)[0][1:]))


def _lengths(G: graph, source: int, cutoff: float | None) -> dict:
    order, _, ends = _search(G, source, cutoff)
    levels = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return dict(zip(G.names_of(order), levels.tolist()))


@_function(theirs=95, ours=18)
def single_source_shortest_path_length(G, source, cutoff=None):
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return _lengths(G, G.number_of(source), cutoff)


def _refuse_directed(of: Any) -> str | None:
    return "edges are converted in their own direction" if of.G.is_directed() else None


@_function(_refuse_directed, theirs=95, ours=18)
def single_target_shortest_path_length(G, target, cutoff=None):
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _lengths(G, G.number_of(target), cutoff)


class paths(MutableMapping):
    """Paths by node, as lists of names from one node to each or, reversed, from each to one. Lists are made when they
    are looked at."""

    def __init__(self, G: graph, order: np.ndarray, parents: np.ndarray, is_reversed: bool = False):
        """order: the nodes that have paths. parents: of all nodes; -1 for those without, and the root's is itself."""
        self._graph, self._order, self._parents, self._is_reversed = G, order, parents, is_reversed
        self._known: dict = {}
        self._is_complete = False

    def _path(self, node: int) -> list:
        numbers = [node]
        while (parent := int(self._parents[node])) != node:
            node = parent
            numbers.append(node)
        return self._graph.names_of(np.array(numbers if self._is_reversed else numbers[::-1]))

    def _complete(self) -> dict:
        if not self._is_complete:
            self._known = {name: self[name] for name in self}
            self._is_complete = True
        return self._known

    def __getitem__(self, name: Any) -> list:
        if name in self._known or self._is_complete:
            return self._known[name]
        node = self._graph.number_of(name)
        if node < 0 or self._parents[node] < 0:
            raise KeyError(name)
        return self._known.setdefault(name, self._path(node))

    def __iter__(self) -> Iterator:
        return iter(self._known) if self._is_complete else iter(self._graph.names_of(self._order))

    def __len__(self) -> int:
        return len(self._known) if self._is_complete else len(self._order)

    def __setitem__(self, name: Any, path: list) -> None:
        self._complete()[name] = path

    def __delitem__(self, name: Any) -> None:
        del self._complete()[name]

    def __repr__(self) -> str:
        return repr(self._complete())

    def __reduce__(self) -> tuple:
        return dict, (self._complete(),)


def _unweighted_paths(G: graph, source: int, cutoff: float | None, is_reversed: bool = False) -> paths:
    order, found, _ = _search(G, source, cutoff)
    parents = np.full(len(G), -1, np.int32)
    parents[order] = found
    return paths(G, order, parents, is_reversed)


@_function(theirs=95, ours=18)
def single_source_shortest_path(G, source, cutoff=None):
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    return _unweighted_paths(G, G.number_of(source), cutoff)


# --- Dijkstra's algorithm --------------------------------------------------------------------------------------------


def _weighted_search(
    G: graph, source: int, weight: str, cutoff: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(nodes in the order of Dijkstra's algorithm, their distances, the parents of all nodes)."""
    A = G.weighted(weight)
    try:
        if A.dtype.kind == "i" and A.nnz and int(A.data.max()) > (1 << 62) // (len(G) + 1):
            raise ValueError("distances may not fit into 64 bits")
        distances = sssp(A, source).distances
    except ValueError as error:
        raise NotImplementedError(f"evenly searches with other weights: {error}") from None
    reached = np.flatnonzero(np.isfinite(distances) if A.dtype.kind == "f" else distances != np.iinfo(np.int64).max)
    order = reached[np.argsort(distances[reached], kind="stable")].astype(np.int32)
    parents = np.empty(len(G), np.int32)
    _evenly.order_paths(any_compiled(A._rows()), distances, order, parents)
    found = distances[order]
    if cutoff is not None:
        count = max(1, int(np.searchsorted(found, cutoff, side="right")))
        parents[order[count:]] = -1
        order, found = order[:count], found[:count]
    return order, found, parents


def _source(G: graph, name: Any) -> int:
    if name not in G:
        raise nx.NodeNotFound(f"Node {name} not found in graph")
    return G.number_of(name)


def _by_name(G: graph, order: np.ndarray, values: np.ndarray) -> dict:
    return dict(zip(G.names_of(order), values.tolist()))


def _refuse_weight(of: Any) -> str | None:
    return _no_weights(of.weight) or (None if of.weight is not None else "Dijkstra's algorithm needs an edge attribute")


@_function(_refuse_weight, theirs=450, ours=50, call=1.5e6)
def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    start = _source(G, source)
    if target is not None and G.number_of(target) == start:
        return 0, [target]
    order, found, parents = _weighted_search(G, start, weight, cutoff)
    made = paths(G, order, parents)
    if target is None:
        return _by_name(G, order, found), made
    if target not in made:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found[order == G.number_of(target)].tolist()[0], made[target]


@_function(_refuse_weight, theirs=450, ours=50, call=1.5e6)
def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return single_source_dijkstra(G, source, cutoff=cutoff, weight=weight)[1]


@_function(_refuse_weight, theirs=450, ours=48, call=1.5e6)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    order, found, _ = _weighted_search(G, _source(G, source), weight, cutoff)
    return _by_name(G, order, found)


@_function(_refuse_weight, theirs=225, ours=50, call=1.5e6)
def dijkstra_path(G, source, target, weight="weight"):
    return single_source_dijkstra(G, source, target=target, weight=weight)[1]


@_function(_refuse_weight, theirs=225, ours=50, call=1.5e6)
def dijkstra_path_length(G, source, target, weight="weight"):
    if G.number_of(target) == _source(G, source):
        return 0
    try:
        return single_source_dijkstra(G, source, target=target, weight=weight)[0]
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}") from None


def _refuse_paths(of: Any) -> str | None:
    if of.method != "dijkstra" and not (of.method == "bellman-ford" and of.weight is None):
        return "evenly has Dijkstra's algorithm only"
    if (of.source is None) == (of.target is None):
        return "evenly searches from one node to all others"
    if of.source is None and of.G.is_directed():
        return "edges are converted in their own direction"
    return _no_weights(of.weight)


@_function(_refuse_paths, theirs=95, ours=18)
def shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    end = source if target is None else target
    if weight is None:
        if end not in G:
            raise nx.NodeNotFound(f"Source {end} not in G")
        return _unweighted_paths(G, G.number_of(end), None, target is not None)
    order, _, parents = _weighted_search(G, _source(G, end), weight)
    return paths(G, order, parents, target is not None)


@_function(_refuse_paths, theirs=95, ours=18)
def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    end = source if target is None else target
    if weight is None:
        return single_source_shortest_path_length(G, end)
    return single_source_dijkstra_path_length(G, end, weight=weight)


# --- components ------------------------------------------------------------------------------------------------------


def _sets(G: graph, labels: np.ndarray) -> Iterator[set]:
    order = np.argsort(labels, kind="stable")
    names = G.names_of(order)
    for begin, end in itertools.pairwise([0, *(np.flatnonzero(np.diff(labels[order])) + 1).tolist(), len(names)]):
        if end > begin:
            yield set(names[begin:end])


def _count(labels: np.ndarray) -> int:
    return int(np.count_nonzero(labels == np.arange(labels.size)))


def _is_one(labels: np.ndarray) -> bool:
    if labels.size == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return not labels.any()


@_function(theirs=80, ours=15)
def connected_components(G):
    yield from _sets(G, _components.connected_components(G.structure))


@_function(theirs=80, ours=12)
def number_connected_components(G):
    return _count(_components.connected_components(G.structure))


@_function(theirs=80, ours=12)
def is_connected(G):
    return _is_one(_components.connected_components(G.structure))


@_function(theirs=80, ours=15)
def node_connected_component(G, n):
    if n not in G:
        raise KeyError(n)
    return set(G.names_of(_search(G, G.number_of(n), None)[0]))


@_function(theirs=130, ours=60)
def weakly_connected_components(G):
    yield from _sets(G, _components.connected_components(G.structure))


@_function(theirs=130, ours=60)
def number_weakly_connected_components(G):
    return _count(_components.connected_components(G.structure))


@_function(theirs=130, ours=60)
def is_weakly_connected(G):
    return _is_one(_components.connected_components(G.structure))


@_function(theirs=300, ours=15)
def number_strongly_connected_components(G):
    return _count(_components.strong_components(G.structure))


@_function(theirs=300, ours=15)
def is_strongly_connected(G):
    return _is_one(_components.strong_components(G.structure))


# --- a value for each node -------------------------------------------------------------------------------------------


def _refuse_pagerank(of: Any) -> str | None:
    if of.nstart is not None or of.dangling is not None:
        return "evenly starts with equal scores, and nodes without edges pass theirs to the nodes that jumps lead to"
    if not 0 <= of.alpha < 1 or not of.tol > 0:
        return "evenly takes 0 <= alpha < 1, and a tol greater than 0"
    if of.G.is_multigraph() and of.weight is None:
        return "evenly counts parallel edges by their weights"
    return _no_weights(of.weight)


@_function(_refuse_pagerank, theirs=700, ours=60)
def pagerank(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None
):
    if len(G) == 0:
        return {}
    jumps = None
    if personalization is not None:
        jumps = np.array([personalization.get(name, 0) for name in G], dtype=float)
        if jumps.sum() == 0:
            raise ZeroDivisionError
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    A = G.structure if weight is None else G.weighted(weight, sums=True)
    is_weighted = weight is not None and bool((A.data != 1).any())
    limit = len(G) * tol
    try:
        found = _pagerank(
            A,
            damping=alpha,
            tolerance=limit,
            max_iterations=max_iter,
            weighted=is_weighted,
            symmetric=not G.is_directed(),
            personalization=jumps,
        )
    except ValueError as error:
        raise NotImplementedError(f"evenly ranks other graphs: {error}") from None
    if not found.converged and not found.error < limit:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G, found.scores.tolist()))


def _refuse_clustering(of: Any) -> str | None:
    if of.G.is_directed():
        return "evenly has it for undirected graphs"
    if getattr(of, "weight", None) is not None:
        return "evenly has it without weights"
    nodes = getattr(of, "nodes", None)
    if not (nodes is None or isinstance(nodes, (list, tuple, set, frozenset, dict)) or nodes in of.G):
        return "nodes are a node or a collection of nodes in evenly"
    return _no_multigraph(of)


def _of_nodes(G: graph, nodes: Any, values: np.ndarray) -> Any:
    """Values of all nodes, of one, or of some. Those that are not in the graph are left out, as NetworkX does."""
    if nodes is None:
        return dict(zip(G, values.tolist()))
    if nodes in G:
        return values[G.number_of(nodes)].item()
    return {name: values[G.number_of(name)].item() for name in nodes if name in G}


@_function(_refuse_clustering, theirs=700, ours=52)
def triangles(G, nodes=None):
    return _of_nodes(G, nodes, _triangles(G.structure))


def _triples(G: graph) -> tuple[np.ndarray, np.ndarray]:
    """(twice the triangles, the ordered pairs of neighbours) of each node."""
    return 2 * _triangles(G.structure), G.simple_degrees * (G.simple_degrees - 1)


@_function(_refuse_clustering, theirs=2500, ours=55)
def clustering(G, nodes=None, weight=None):
    closed, pairs = _triples(G)
    return _of_nodes(G, nodes, closed / np.maximum(pairs, 1))


@_function(_refuse_clustering, theirs=2500, ours=55)
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    found = clustering(G, nodes).values()
    if not count_zeros:
        found = [each for each in found if each > 0]
    return sum(found) / len(found)


@_function(_refuse_clustering, theirs=2500, ours=52)
def transitivity(G):
    closed, pairs = (int(each.sum()) for each in _triples(G))
    return 0 if closed == 0 else closed / pairs


@_function(lambda of: _refuse_directed(of) or _no_multigraph(of), theirs=350, ours=20)
def core_number(G):
    if G._is_loop.any():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    numbers = np.empty(len(G), np.int32)
    _evenly.core_numbers(any_compiled(G.structure._rows()), False, numbers)
    return dict(zip(G, numbers.tolist()))


def _refuse_betweenness(of: Any) -> str | None:
    if of.weight is not None or of.endpoints:
        return "evenly has it without weights and endpoints"
    return None


@_function(_refuse_betweenness, theirs=900, ours=14)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    nodes = len(G)
    chosen = None if k is None or k == nodes else np.array(seed.sample(range(nodes), k), dtype=np.int64)
    if nodes < 3:
        return dict.fromkeys(G, 0.0)
    scores = _betweenness(G.structure, chosen, symmetric=not G.is_directed())
    # The scale for the pairs of a sample: a source has one pair fewer, that of itself.
    sources = nodes - 1 if chosen is None else k
    pairs = nodes - 2 if normalized else (1 if G.is_directed() else 2) / (nodes - 1)
    scale = np.full(nodes, 1 / (sources * pairs))
    if chosen is not None:
        scale[chosen] = 1 / ((sources - 1) * pairs) if sources > 1 else np.nan
    return dict(zip(G, (scores * scale).tolist()))


# --- colours ---------------------------------------------------------------------------------------------------------


def _refuse_colours(of: Any) -> str | None:
    if of.strategy != "largest_first" or of.interchange:
        return "evenly has the strategy largest_first without interchange"
    return _refuse_directed(of) or _no_multigraph(of)


@_function(_refuse_colours, theirs=600, ours=30)
def greedy_color(G, strategy="largest_first", interchange=False):
    degrees = np.diff(G.structure._rows().indptr) + G._is_loop  # a loop counts twice
    order = np.argsort(-degrees, kind="stable").astype(np.int32)
    colours = np.empty(len(G), np.int32)
    _evenly.colour_in_order(any_compiled(G.structure._rows()), order, colours)
    return _by_name(G, order, colours[order])


# --- spanning trees --------------------------------------------------------------------------------------------------


def _refuse_tree(of: Any) -> str | None:
    if of.algorithm != "kruskal":
        return "evenly returns edges in the order of Kruskal's algorithm"
    if of.ignore_nan:
        return "evenly takes weights that are numbers"
    if of.weight is None:
        return "spanning trees need an edge attribute"
    return _refuse_directed(of) or _no_multigraph(of) or _no_weights(of.weight)


def _spanning_edges(G: graph, weight: str, data: bool, is_maximum: bool) -> Iterator[tuple]:
    """In the order of Kruskal's algorithm: by weight, then in that of G.edges."""
    rows = G.weighted(weight)._rows()
    # Integers are complemented, since the least one has no negative.
    order = rows.data if not is_maximum else ~rows.data if rows.data.dtype.kind == "i" else -rows.data
    try:
        found = forest_entries(rows, order, True)
    except ValueError as error:
        raise NotImplementedError(f"evenly takes other weights: {error}") from None
    found = found[np.argsort(order[found], kind="stable")]
    sources = np.searchsorted(rows.indptr, found, side="right") - 1
    ends = zip(G.names_of(sources), G.names_of(rows.indices[found]))
    if not data:
        return ends
    adjacency = G.to_networkx()._adj
    return ((u, v, adjacency[u][v]) for u, v in ends)


def _spanning_tree(G: graph, weight: str, is_maximum: bool) -> Any:
    of = G.to_networkx()
    tree = of.__class__()
    tree.graph.update(of.graph)
    tree.add_nodes_from(of.nodes.items())
    tree.add_edges_from(_spanning_edges(G, weight, True, is_maximum))
    return tree


@_function(_refuse_tree, theirs=1500, ours=120)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    return _spanning_edges(G, weight, data, False)


@_function(_refuse_tree, theirs=1500, ours=120)
def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    return _spanning_edges(G, weight, data, True)


@_function(_refuse_tree, theirs=1500, ours=400)
def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, False)


@_function(_refuse_tree, theirs=1500, ours=400)
def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, True)


# --- constructors ----------------------------------------------------------------------------------------------------


def _from_edges(
    names: list,
    sources: np.ndarray,
    targets: np.ndarray,
    values: np.ndarray | None,
    attribute: Any,
    create_using: Any,
) -> graph:
    """Edges of numbered nodes, in order. The last of several edges between two nodes has the value."""
    kind = create_using or nx.Graph
    is_directed = kind is nx.DiGraph

    def make() -> Any:
        H = kind()
        H.add_nodes_from(names)
        ends = (map(names.__getitem__, each.tolist()) for each in (sources, targets))
        if values is None:
            H.add_edges_from(zip(*ends))
        else:
            H.add_weighted_edges_from(zip(*ends, values.tolist()), weight=attribute)
        return H

    made = graph(names, (is_directed, False), make)
    offsets, columns, last = _evenly.make_rows(
        len(names), sources.astype(np.int32), targets.astype(np.int32), not is_directed
    )
    weights = None
    if values is not None:
        weights = values[last].astype(np.float64 if values.dtype.kind == "f" else np.int64)
    made._keep(None if values is None else attribute, offsets, columns, weights)
    made._is_bare = values is None
    return made


def _refuse_kind(of: Any) -> str | None:
    if of.create_using not in (None, nx.Graph, nx.DiGraph):
        return "evenly makes graphs of the types nx.Graph and nx.DiGraph"
    return None


def _refuse_sparse(of: Any) -> str | None:
    A = of.A
    if getattr(A, "format", None) not in ("csr", "csc", "coo") or A.ndim != 2 or A.dtype.kind not in "iufb":
        return "evenly takes csr, csc and coo with real numbers"
    return _refuse_kind(of)


@_function(_refuse_sparse)
def from_scipy_sparse_array(A, parallel_edges=False, create_using=None, edge_attribute="weight"):
    n, m = A.shape
    if n != m:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    if A.format == "coo":
        sources, targets = A.row, A.col
    else:
        major = np.repeat(np.arange(n), np.diff(A.indptr))
        sources, targets = (major, A.indices) if A.format == "csr" else (A.indices, major)
    return _from_edges(list(range(n)), sources, targets, A.data, edge_attribute, create_using)


def _refuse_frame(of: Any) -> str | None:
    if of.edge_attr is not None and not isinstance(of.edge_attr, str):
        return "evenly makes graphs with one edge attribute or none"
    try:
        ends = of.df[of.source], of.df[of.target]
        values = None if of.edge_attr is None else of.df[of.edge_attr]
        if any(each.isna().any() for each in ends) or (values is not None and values.dtype.kind not in "iuf"):
            return "evenly takes names that are present, and edge attributes that are numbers"
    except (KeyError, TypeError, AttributeError):
        return "evenly takes columns of a DataFrame"
    return _refuse_kind(of)


@_function(_refuse_frame)
def from_pandas_edgelist(
    df, source="source", target="target", edge_attr=None, create_using=None, edge_key=None
):
    import pandas as pd

    ends = [df[source], df[target]]
    kind = np.dtype(np.int64) if all(each.dtype == np.int64 for each in ends) else np.dtype(object)
    both = np.empty(2 * len(df), kind)
    both[0::2], both[1::2] = (each.to_numpy(kind) for each in ends)
    numbers, names = pd.factorize(both)
    values = None if edge_attr is None else df[edge_attr].to_numpy()
    return _from_edges(list(names.tolist()), numbers[0::2], numbers[1::2], values, edge_attr, create_using)


def _refuse_edgelist(of: Any) -> str | None:
    if not (hasattr(of.path, "seekable") and of.path.seekable()):
        return "evenly reads files that it can go back in"
    if of.delimiter is not None and (not isinstance(of.delimiter, str) or not re.fullmatch("[!-~]", of.delimiter)):
        return "evenly takes a delimiter of one character that is ASCII and no white space"
    if of.nodetype not in (None, str, int):
        return "evenly makes names of the types str and int"
    if not isinstance(of.data, bool) and not (len(of.data) == 1 and of.data[0][1] is float):
        return "evenly takes one edge attribute of the type float, or none"
    if codecs.lookup(of.encoding).name not in ("utf-8", "ascii", "iso8859-1"):
        return "evenly reads text with the encoding of ASCII"
    return _refuse_kind(of)


@_function(_refuse_edgelist)
def read_edgelist(
    path, comments="#", delimiter=None, create_using=None, nodetype=None, data=True, edgetype=None, encoding="utf-8"
):
    begin, text = path.tell(), path.read()
    kind = "number" if not isinstance(data, bool) else "none" if data else "ignored"
    try:
        text = text.encode(encoding) if isinstance(text, str) else text
        names, *edges = _evenly.read_edges(text, comments or "", delimiter or "", nodetype is int, kind)
    except ValueError as error:
        path.seek(begin)
        raise NotImplementedError(f"evenly reads other lists of edges: {error}") from None
    return _from_edges(names, *edges, data[0][0] if kind == "number" else None, create_using)
