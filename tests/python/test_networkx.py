# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX: results, their order and errors are those of NetworkX's own functions."""
import inspect
import itertools
import json
import pathlib
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

nx = pytest.importorskip("networkx", minversion="3.4")

import evenly_networkx  # noqa: E402
from evenly import _networkx as backend  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


class odd_name:
    """Neither ordered, nor a string, nor a number; compared and hashed by Python."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, odd_name) and other.value == self.value

    def __hash__(self):
        return hash(self.value)


def edges_of(nodes, edges, seed):
    source = random.Random(seed)
    return [(source.randrange(nodes), source.randrange(nodes)) for _ in range(edges)]


NAMES = {
    "numbers": lambda i: i,
    "sparse numbers": lambda i: i * 10**12 - 5,
    "strings": lambda i: f"node {i}",
    "mixed": lambda i: [i, f"n{i}", (i, i + 1), float(i) + 0.5, odd_name(i)][i % 5],
}


def make(kind, name="numbers", *, weights=None, loops=True, nodes=60, edges=150, seed=1):
    """A graph in the order of its edges, with isolated nodes, loops and edges that occur twice."""
    G = kind()
    values = random.Random(seed + 1)
    for u, v in edges_of(nodes, edges, seed):
        if loops or u != v:
            G.add_edge(NAMES[name](u), NAMES[name](v), **({} if weights is None else weights(values)))
    G.add_nodes_from(NAMES[name](i) for i in range(nodes + 3))
    return G


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
SIMPLE = [nx.Graph, nx.DiGraph]
WEIGHTS = {
    "none": None,
    "integers": lambda r: {"weight": r.randrange(4)},  # with zeros and many paths of equal length
    "floats": lambda r: {"weight": r.random()},
    "some": lambda r: {"weight": r.choice([0.5, 2])} if r.random() < 0.5 else {},
}


def theirs(name, *args, **kwargs):
    return getattr(nx, name).orig_func(*args, **kwargs)


def ours(name, G, *args, **kwargs):
    """The backend as NetworkX calls it, without a way back to NetworkX."""
    nx.config.warnings_to_ignore.add("cache")
    return getattr(nx, name)(G, *args, **kwargs, backend="evenly")


def equal_in_order(a, b):
    """Also the order of dictionaries and iterators."""
    if hasattr(b, "items"):
        assert a == b and b == a
        assert list(a.items()) == list(b.items())
    elif hasattr(b, "__next__"):
        assert list(a) == list(b)
    else:
        assert a == b


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_searches(kind, name):
    G = make(kind, name)
    source = next(iter(G))
    for call in ("bfs_edges", "bfs_predecessors", "bfs_successors", "bfs_layers", "descendants",
                 "single_source_shortest_path_length", "single_source_shortest_path"):
        equal_in_order(ours(call, G, source), theirs(call, G, source))
    for limit in (0, 1, 1.5, 3, 1000):
        found, expected = (call("bfs_edges", G, source, depth_limit=limit) for call in (ours, theirs))
        equal_in_order(found, expected)
        for call in ("single_source_shortest_path_length", "single_source_shortest_path"):
            equal_in_order(ours(call, G, source, cutoff=limit), theirs(call, G, source, cutoff=limit))
    for distance in (0, 1, 2, 50, -1):
        found, expected = (call("descendants_at_distance", G, source, distance) for call in (ours, theirs))
        assert found == expected
    tree = ours("bfs_tree", G, source)
    lengths = ours("single_source_dijkstra_path_length", tree, source)  # of edges without attributes
    assert lengths == theirs("single_source_shortest_path_length", G, source)
    assert all(type(each) is int for each in lengths.values())
    tree = tree.to_networkx()
    assert list(tree.edges) == list(theirs("bfs_tree", G, source).edges) and tree.nodes == nx.bfs_tree(G, source).nodes
    equal_in_order(ours("shortest_path", G, source), theirs("shortest_path", G, source))
    equal_in_order(ours("shortest_path_length", G, source), theirs("shortest_path_length", G, source))
    if not G.is_directed():
        equal_in_order(ours("shortest_path", G, target=source), theirs("shortest_path", G, target=source))
        call = "single_target_shortest_path_length"
        equal_in_order(ours(call, G, source), theirs(call, G, source))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", ["numbers", "mixed"])
def test_dijkstra(kind, weights, name):
    for seed in range(5):
        G = make(kind, name, weights=WEIGHTS[weights], seed=seed)
        source = next(iter(G))
        for cutoff in (None, 0, 2.5):
            lengths, paths = ours("single_source_dijkstra", G, source, cutoff=cutoff)
            expected = theirs("single_source_dijkstra", G, source, cutoff=cutoff)
            equal_in_order(lengths, expected[0])
            assert paths == expected[1]
            call = "single_source_dijkstra_path_length"
            equal_in_order(ours(call, G, source, cutoff=cutoff), theirs(call, G, source, cutoff=cutoff))
            assert ours("single_source_dijkstra_path", G, source, cutoff=cutoff) == expected[1]
        for target in list(expected[1])[::5]:
            assert ours("dijkstra_path", G, source, target) == theirs("dijkstra_path", G, source, target)
            assert ours("dijkstra_path_length", G, source, target) == theirs("dijkstra_path_length", G, source, target)
        assert ours("shortest_path", G, source, weight="weight") == theirs("shortest_path", G, source, weight="weight")


def test_attributes_of_other_names():
    G = make(nx.Graph, weights=lambda r: {"length": r.randrange(9), "weight": -1})
    equal_in_order(
        ours("single_source_dijkstra_path_length", G, 3, weight="length"),
        theirs("single_source_dijkstra_path_length", G, 3, weight="length"),
    )


@pytest.mark.parametrize("name", ["numbers", "mixed"])
@pytest.mark.parametrize("kind", KINDS)
def test_components(kind, name):
    G = make(kind, name, edges=50)
    if G.is_directed():
        assert list(ours("weakly_connected_components", G)) == list(nx.weakly_connected_components(G))
        calls = ["number_weakly_connected_components", "is_weakly_connected", "number_strongly_connected_components",
                 "is_strongly_connected"]
        whole = [nx.DiGraph([(0, 1), (1, 2), (2, 0)]), nx.DiGraph([(0, 1)])]
    else:
        assert list(ours("connected_components", G)) == list(nx.connected_components(G))
        assert ours("node_connected_component", G, next(iter(G))) == nx.node_connected_component(G, next(iter(G)))
        with pytest.raises(KeyError):
            ours("node_connected_component", G, "nowhere")
        calls = ["number_connected_components", "is_connected"]
        whole = [nx.path_graph(4)]
    for call, graph in itertools.product(calls, [G, *whole]):
        assert ours(call, graph) == getattr(nx, call)(graph)
    empty = kind()
    for call in calls:
        if call.startswith("is_"):
            with pytest.raises(nx.NetworkXPointlessConcept):
                ours(call, empty)
        else:
            assert ours(call, empty) == 0


@pytest.mark.parametrize("name", ["numbers", "mixed"])
def test_clustering(name):
    G = make(nx.Graph, name, edges=400)
    some = list(G)[:7]
    for call in ("triangles", "clustering"):
        equal_in_order(ours(call, G), {each: theirs(call, G)[each] for each in G})
        equal_in_order(ours(call, G, some + ["nowhere"]), theirs(call, G, some))
        assert ours(call, G, some[0]) == theirs(call, G, some[0])
    for call in ("transitivity", "average_clustering"):
        assert ours(call, G) == theirs(call, G)
        assert ours(call, nx.path_graph(3)) == 0
    assert ours("average_clustering", G, count_zeros=False) == theirs("average_clustering", G, count_zeros=False)
    assert ours("transitivity", nx.Graph()) == 0


@pytest.mark.parametrize("name", ["numbers", "mixed"])
def test_core_number(name):
    G = make(nx.Graph, name, loops=False, edges=300)
    equal_in_order(ours("core_number", G), theirs("core_number", G))
    G.add_edge("a", "a")
    with pytest.raises(nx.NetworkXNotImplemented, match="self loops"):
        ours("core_number", G)


@pytest.mark.parametrize("name", ["numbers", "mixed"])
def test_colours(name):
    for seed in range(4):
        G = make(nx.Graph, name, seed=seed, edges=400)
        equal_in_order(ours("greedy_color", G), theirs("greedy_color", G))
    assert ours("greedy_color", nx.Graph()) == {}
    assert isinstance(backend.can_run("greedy_color", (G, "smallest_last"), {}), str)
    assert isinstance(backend.can_run("greedy_color", (nx.DiGraph(),), {}), str)


@pytest.mark.parametrize("name", ["numbers", "mixed"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_spanning_trees(name, weights):
    for seed in range(4):
        G = make(nx.Graph, name, weights=WEIGHTS[weights], seed=seed)
        for which in ("minimum", "maximum"):
            call = f"{which}_spanning_edges"
            equal_in_order(ours(call, G), theirs(call, G))
            equal_in_order(ours(call, G, data=False), theirs(call, G, data=False))
            u, v, attributes = next(ours(call, G))
            assert attributes is G[u][v]
            call = f"{which}_spanning_tree"
            found, expected = ours(call, G), theirs(call, G)
            assert list(found.edges(data=True)) == list(expected.edges(data=True))
            assert list(found.nodes(data=True)) == list(expected.nodes(data=True))
    assert list(ours("minimum_spanning_edges", nx.Graph())) == []
    for u, v in G.edges:
        G[u][v]["length"] = str(u)
    with pytest.raises(NotImplementedError):
        ours("minimum_spanning_tree", G, weight="length")
    assert isinstance(backend.can_run("minimum_spanning_edges", (G, "prim"), {}), str)
    assert isinstance(backend.can_run("minimum_spanning_tree", (nx.MultiGraph(),), {}), str)


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_pagerank(kind, weights):
    G = make(kind, "mixed", weights=WEIGHTS[weights])
    some = {node: value for value, node in enumerate(list(G)[:5])}
    for options in ({}, {"alpha": 0.5}, {"personalization": some}, {"weight": None}):
        found = ours("pagerank", G, **options)
        assert list(found) == list(G) and sum(found.values()) == pytest.approx(1)
        assert found == pytest.approx(theirs("pagerank", G, tol=1e-10, **options), abs=1e-4)
        close = ours("pagerank", G, tol=1e-10, max_iter=500, **options)
        assert close == pytest.approx(theirs("pagerank", G, tol=1e-12, max_iter=500, **options), abs=1e-7)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        ours("pagerank", G, max_iter=0)
    with pytest.raises(ZeroDivisionError):
        ours("pagerank", G, personalization={"nowhere": 1})
    assert ours("pagerank", kind()) == {}


@pytest.mark.parametrize("directed", [False, True])
def test_pagerank_ends_where_networkx_ends(directed):
    G = nx.gnm_random_graph(3000, 9000, seed=3, directed=directed)  # some nodes have no edges
    limit = len(G) * 1e-6
    found, expected = ours("pagerank", G), theirs("pagerank", G)
    # Where nodes lead nowhere iterations differ, but not by more than the last one may change scores.
    assert sum(abs(found[node] - expected[node]) for node in G) < (limit if directed else limit / 20)


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_pagerank_adds_parallel_edges(kind):
    G = make(kind, weights=WEIGHTS["integers"], nodes=10)
    assert ours("pagerank", G) == pytest.approx(theirs("pagerank", G, tol=1e-10), abs=1e-4)
    assert ours("single_source_dijkstra_path_length", G, 1) == theirs("single_source_dijkstra_path_length", G, 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("normalized", [False, True])
def test_betweenness(kind, normalized):
    G = make(kind, "mixed")
    for k in (None, len(G), 1, 10):
        found = ours("betweenness_centrality", G, k=k, normalized=normalized, seed=5)
        expected = theirs("betweenness_centrality", G, k=k, normalized=normalized, seed=random.Random(5))
        assert list(found) == list(expected)
        assert found == pytest.approx(expected, nan_ok=True)
    for small in (kind(), nx.path_graph(2, kind)):
        assert ours("betweenness_centrality", small) == nx.betweenness_centrality(small)


def test_paths_behave_as_dictionaries():
    G = make(nx.Graph)
    paths, expected = ours("single_source_shortest_path", G, 5), theirs("single_source_shortest_path", G, 5)
    assert paths[7] == expected[7] and len(paths) == len(expected) and 7 in paths and "nowhere" not in paths
    assert paths.get("nowhere") is None and dict(paths) == expected and repr(paths) == repr(expected)
    paths[7].append("seen")
    assert paths[7][-1] == "seen"
    del paths[7]
    assert 7 not in paths and len(paths) == len(expected) - 1
    paths["new"] = [1]
    assert list(paths)[-1] == "new"
    assert pickle.loads(pickle.dumps(paths)) == dict(paths)
    with pytest.raises(KeyError):
        paths[62]
    assert json.loads(json.dumps(ours("pagerank", G)))  # plain numbers in a dictionary


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?"])
def test_graphs_from_scipy(kind, format, dtype, rng):
    A = sp.random_array((30, 30), density=0.1, format=format, rng=rng).astype(dtype)
    G = nx.from_scipy_sparse_array(A, create_using=kind, backend="evenly")
    expected = nx.from_scipy_sparse_array(A, create_using=kind)
    check_made(G, expected)
    equal_in_order(ours("bfs_edges", G, 0), theirs("bfs_edges", expected, 0))
    equal_in_order(
        ours("single_source_dijkstra_path_length", G, 0), theirs("single_source_dijkstra_path_length", expected, 0)
    )
    with pytest.raises(nx.NetworkXError, match="not square"):
        nx.from_scipy_sparse_array(sp.csr_array((2, 3)), backend="evenly")


def check_made(G, expected):
    assert isinstance(G, backend.graph) and len(G) == len(expected) and list(G) == list(expected)
    assert G.number_of_edges() == expected.number_of_edges() and G.is_directed() == expected.is_directed()
    H = G.to_networkx()
    assert H._adj == expected._adj and [*map(list, H._adj.values())] == [*map(list, expected._adj.values())]
    assert nx.degree_centrality(H) == nx.degree_centrality(expected)
    with pytest.raises(AttributeError, match=r"to_networkx\(\).edges"):
        G.edges


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize("name", ["numbers", "sparse numbers", "strings", "mixed"])
@pytest.mark.parametrize("attribute", [None, "cost"])
def test_graphs_from_pandas(kind, name, attribute):
    pd = pytest.importorskip("pandas")
    ends = [[NAMES[name](i) for i in side] for side in zip(*edges_of(30, 80, 3))]
    df = pd.DataFrame({"source": ends[0], "target": ends[1], "cost": np.arange(80) * 0.5})
    G = nx.from_pandas_edgelist(df, edge_attr=attribute, create_using=kind, backend="evenly")
    expected = nx.from_pandas_edgelist(df, edge_attr=attribute, create_using=kind)
    check_made(G, expected)
    source = ends[0][0]
    equal_in_order(ours("bfs_edges", G, source), theirs("bfs_edges", expected, source))
    if attribute:
        equal_in_order(
            ours("single_source_dijkstra_path_length", G, source, weight="cost"),
            theirs("single_source_dijkstra_path_length", expected, source, weight="cost"),
        )


@pytest.mark.parametrize("kind", SIMPLE)
@pytest.mark.parametrize(
    "text, options",
    [("1 2\n2 3 # comment\n\n# 4 5\n3 1 {}\n1 1", {}), ("1 2\n +2 3\r\n2 1", {"nodetype": int}),
     ("a,b,1.5\nb,c, 2\na,b,3", {"delimiter": ",", "data": [("cost", float)]}),
     ("a b rest of it\nc a\nalone\n", {"data": False, "comments": "%"}), ("", {})],
)  # fmt: skip
def test_graphs_from_edge_lists(kind, text, options, tmp_path):
    (tmp_path / "edges").write_text(text, newline="")
    G, expected = (
        nx.read_edgelist(tmp_path / "edges", create_using=kind, **options, backend=on) for on in ("evenly", "networkx")
    )
    check_made(G, expected)


@pytest.mark.parametrize(
    "text, options",
    [("1 2\nx 3", {"nodetype": int}), ("1 2\n1 3 {'a': 1}", {}), ("1 2 3\n1 2", {"data": [("cost", float)]}),
     ("1 2\n\u00e4 b", {}), ("1 1_0", {"nodetype": int})],
)  # fmt: skip
def test_edge_lists_that_evenly_does_not_read(text, options, tmp_path):
    (tmp_path / "edges").write_text(text, encoding="utf-8")
    with open(tmp_path / "edges", "rb") as file, pytest.raises(NotImplementedError, match="line [12]: "):
        backend.read_edgelist(file, **options)
    if "x 3" not in text:
        with nx.config(fallback_to_nx=True), nx.config.backend_priority(generators=["evenly"]):
            G = nx.read_edgelist(tmp_path / "edges", **options)
        assert G._adj == nx.read_edgelist(tmp_path / "edges", **options)._adj


def test_names_that_are_equal_or_have_the_same_hash():
    """-1 and -2 have the same hash; 1.0 and True are names of the node 1."""
    for names in ([-1, -2, "a"], [0, 1, 2]):
        G = nx.path_graph(3)
        G = nx.relabel_nodes(G, dict(enumerate(names)))
        equal_in_order(ours("bfs_edges", G, names[0]), theirs("bfs_edges", G, names[0]))
    G.add_edge(2, 1.0)
    G.add_edge(True, 3)
    equal_in_order(ours("bfs_edges", G, 2), theirs("bfs_edges", G, 2))
    assert ours("triangles", G, 1.0) == 0 and ours("descendants", G, False) == {1, 2, 3}


def test_views_and_other_classes():
    G = make(nx.DiGraph, "strings")
    for view in (G.reverse(copy=False), nx.subgraph_view(G, filter_node=lambda n: n != "node 3"), G.to_undirected()):
        source = next(iter(view))
        equal_in_order(ours("bfs_edges", view, source), theirs("bfs_edges", view, source))

    class own(nx.Graph):
        pass

    class complement(nx.Graph):
        def neighbors(self, n):
            return iter(set(self) - set(self._adj[n]))

    assert list(ours("bfs_edges", own(G), "node 1")) == list(theirs("bfs_edges", own(G), "node 1"))
    with pytest.raises(NotImplementedError):
        ours("bfs_edges", complement(G), "node 1")
    with nx.config(fallback_to_nx=True):
        assert list(nx.bfs_edges(complement(G), "node 1")) == list(theirs("bfs_edges", complement(G), "node 1"))


def test_missing_nodes():
    G = make(nx.Graph)
    for call, error in (("single_source_shortest_path", nx.NodeNotFound), ("single_source_dijkstra", nx.NodeNotFound),
                        ("bfs_edges", nx.NetworkXError), ("shortest_path", nx.NodeNotFound)):
        with pytest.raises(error) as found:
            list(ours(call, G, "nowhere"))
        with pytest.raises(error) as expected:
            list(theirs(call, G, "nowhere"))
        assert str(found.value) == str(expected.value)
    for call in ("dijkstra_path", "dijkstra_path_length", "single_source_dijkstra"):
        with pytest.raises(nx.NetworkXNoPath) as found:
            ours(call, G, 0, 62)
        with pytest.raises(nx.NetworkXNoPath) as expected:
            theirs(call, G, 0, 62)
        assert str(found.value) == str(expected.value)
    assert not G.has_node([]) and [] not in backend.convert_from_nx(G)


@pytest.mark.parametrize(
    "weight, reason",
    [(-1, "-1"), (float("nan"), "nan"), (float("inf"), "inf"), (None, "neither"), ("4", "neither"),
     (1 << 70, "64 bits"), (1 << 61, "64 bits")],
)  # fmt: skip
def test_weights_that_evenly_does_not_take(weight, reason):
    G = make(nx.Graph)
    G.add_edge(0, 1, weight=weight)
    with pytest.raises(NotImplementedError, match=reason):
        backend.single_source_dijkstra(backend.convert_from_nx(G, {"weight": 1}), 0)
    G.add_edge(0, 1, weight=3)
    with nx.config(backend_priority=["evenly"]):
        G.add_edge(2, 3, weight=-1)
        assert nx.has_path(G, 0, 1)  # a call that falls back


def test_a_change_is_seen():
    G = nx.path_graph(4)
    assert ours("number_connected_components", G) == 1
    assert "evenly" in G.__networkx_cache__["backends"]
    G.remove_edge(1, 2)
    assert ours("number_connected_components", G) == 2


def test_choice():
    """NetworkX runs small graphs itself, for a reason that it logs."""
    small, large = nx.path_graph(3), nx.gnm_random_graph(3000, 30000, seed=1)
    assert "as small as this" in backend.should_run("pagerank", (small,), {})
    middle = nx.gnm_random_graph(1500, 3000, seed=1)
    assert "ms in NetworkX" in backend.should_run("bfs_edges", (middle, 0), {})
    assert backend.should_run("betweenness_centrality", (large,), {}) is True
    assert "sort_neighbors" in backend.can_run("bfs_edges", (small, 0), {"sort_neighbors": sorted})
    for name, args in [("pagerank", (large, 1.5)), ("clustering", (nx.DiGraph(),)), ("shortest_path", (large, 0, 1)),
                       ("core_number", (nx.MultiGraph(),)), ("bfs_edges", (large,)),
                       ("single_source_dijkstra", (large, 0, None, None, lambda *_: 1))]:
        assert isinstance(backend.can_run(name, args, {}), str), name
    assert backend.should_run("shortest_path", (large, 0), {"weight": "weight"}) is True
    # What NetworkX ends early is no reason to convert a graph.
    wide = nx.gnm_random_graph(20_000, 80_000, seed=1)
    nx.add_path(wide, range(-9, 0))
    assert "few nodes" in backend.should_run("bfs_edges", (wide, -5), {})
    assert backend.should_run("bfs_edges", (wide, 0), {}) is True
    assert "limit" in backend.should_run("bfs_edges", (wide, 0), {"depth_limit": 2})
    assert "limit" in backend.should_run("single_source_dijkstra", (wide, 0), {"cutoff": 2})
    assert "early" in backend.should_run("descendants_at_distance", (large, 0, 1), {})
    # Nor are a node of high degree among the first, and the many edges of a dense graph.
    assert backend.should_run("is_connected", (nx.star_graph(2999),), {}) is not True
    assert backend.should_run("bfs_successors", (nx.complete_graph(120), 0), {}) is not True
    conversion = backend.should_run("number_connected_components", (large,), {})
    ours("number_connected_components", large)
    assert backend.should_run("number_connected_components", (large,), {}) is True
    assert conversion is True or "with the conversion" in conversion


def test_list_of_functions():
    info = evenly_networkx.get_info()
    assert set(info["functions"]) == set(backend._functions) == set(evenly_networkx.FUNCTIONS)
    assert list(evenly_networkx.FUNCTIONS) == sorted(evenly_networkx.FUNCTIONS)
    for name, (signature, *_) in backend._functions.items():
        expected = inspect.signature(nx.utils.backends._registered_algorithms[name].orig_func)
        taken = [[(each.name, each.default) for each in of.parameters.values()] for of in (signature, expected)]
        assert taken[0] == taken[1], name
    page = (ROOT / "docs/networkx.md").read_text(encoding="utf-8")
    for name in evenly_networkx.FUNCTIONS:
        assert f"`{name}`" in page, name


def test_entry_points():
    """NetworkX finds the backend, and importing NetworkX imports neither evenly nor NumPy."""
    tomllib = pytest.importorskip("tomllib")
    from importlib.metadata import entry_points

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    for group, points in project.items():
        assert {each.name: each.value for each in entry_points(group=group) if each.name == "evenly"} == points
    code = "import networkx, sys; assert 'evenly' in networkx.config.backends, 1; assert 'evenly' not in sys.modules, 2"
    subprocess.run([sys.executable, "-c", code], check=True)
