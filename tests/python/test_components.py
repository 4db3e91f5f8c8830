# SPDX-License-Identifier: Apache-2.0
"""Depth-first searches, reachability, components, spanning forests and colours, against scipy.sparse.csgraph."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
from inputs import expect_refusals, sparse


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.002, 0.01, 0.1])
def test_components_and_reachability(rng, index, density):
    a = sparse(rng, 200, 200, density, indices=index, indptr=index)
    a.data[:] = 1
    narrow = sp.csr_matrix((a.data.astype(float), a.indices.astype(np.int32), a.indptr.astype(np.int32)), a.shape)
    _, groups = csgraph.connected_components(narrow, connection="strong")
    least = np.array([np.flatnonzero(groups == each)[0] for each in groups])
    labels = ev.strong_components(a)
    np.testing.assert_array_equal(labels, least)
    assert labels.dtype == np.int32
    out = np.empty(200, np.int32)
    assert ev.strong_components(ev.matrix(a), out=out) is out
    np.testing.assert_array_equal(out, least)

    _, groups = csgraph.connected_components(narrow, connection="weak")
    least = np.array([np.flatnonzero(groups == each)[0] for each in groups])
    np.testing.assert_array_equal(ev.connected_components(a), least)
    assert ev.connected_components(ev.matrix(a), out=out) is out
    np.testing.assert_array_equal(out, least)

    hops = csgraph.shortest_path(narrow, unweighted=True, indices=7)
    reached = ev.reachable(a, 7)
    assert reached.dtype == np.bool_
    np.testing.assert_array_equal(reached, np.isfinite(hops))
    flags = np.zeros(200, np.bool_)
    assert ev.reachable(a, 7, out=flags) is flags
    np.testing.assert_array_equal(flags, reached)

    parents, order = ev.dfs(a, 7)
    np.testing.assert_array_equal(parents >= 0, reached)
    np.testing.assert_array_equal(np.sort(order[reached]), np.arange(reached.sum()))
    assert parents[7] == 7 and order[7] == 0
    with ev.threads(1):
        serial, outs = ev.dfs(a, 7), (np.empty(200, np.int32), np.empty(400, np.int64)[::2])
        assert all(found is out for found, out in zip(ev.dfs(a, 7, out=outs), outs))
    for found, should in zip(outs, serial):
        np.testing.assert_array_equal(found, should)
    for v in np.flatnonzero(reached):
        assert v == 7 or (narrow[parents[v], v] != 0 and order[parents[v]] < order[v])


def forest_by_kruskal(a):
    """Of edges of equal weight the first; a has canonical rows."""
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    trees, chosen = list(range(a.shape[0])), []
    for e in np.argsort(a.data, kind="stable"):
        u, v = trees[rows[e]], trees[a.indices[e]]
        if u != v:
            trees = [u if each == v else each for each in trees]
            chosen.append(e)
    chosen.sort()
    return rows[chosen], a.indices[chosen], a.data[chosen]


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
def test_spanning_forests(rng, index, dtype):
    a = sparse(rng, 80, 80, 0.03, indices=index, indptr=index)
    a.data = rng.integers(0 if dtype == "bool" else -5, 5, a.nnz).astype(dtype)
    for found in (ev.minimum_spanning_forest(a), ev.minimum_spanning_forest(ev.matrix(a))):
        for each, should in zip(found, forest_by_kruskal(a)):
            np.testing.assert_array_equal(each, should)
        assert found.sources.dtype == found.targets.dtype == np.int32 and found.weights.dtype == a.dtype
    both = sp.csr_array(a + a.T)
    both.sort_indices()
    upper = sp.csr_array(sp.triu(both, 1))
    for each, should in zip(ev.minimum_spanning_forest(both, symmetric=True), forest_by_kruskal(upper)):
        np.testing.assert_array_equal(each, should)
    if dtype == "float64":
        narrow = a.indices.astype(np.int32), a.indptr.astype(np.int32)
        positive = sp.csr_matrix((rng.random(a.nnz) + 1, *narrow), a.shape)
        tree = csgraph.minimum_spanning_tree(positive)
        assert ev.minimum_spanning_forest(positive).weights.sum() == pytest.approx(tree.sum())


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("order", ["largest_first", "random"])
def test_colours(rng, index, order):
    a = sparse(rng, 150, 150, 0.05, indices=index, indptr=index)
    a.data[:] = 1
    both = sp.csr_array(a + a.T)
    both.setdiag(0)
    both.eliminate_zeros()
    rows, columns = both.nonzero()
    colours = ev.colour(a, seed=7, order=order, undirected=True)
    assert colours.dtype == np.int32 and (colours[rows] != colours[columns]).all()
    for v in range(150):  # no vertex can have a lower colour
        assert set(range(colours[v])) <= set(colours[columns[rows == v]])
    out = np.empty(150, np.int32)
    assert ev.colour(ev.matrix(both), seed=7, order=order, out=out) is out
    np.testing.assert_array_equal(out, colours)
    with ev.threads(1):
        np.testing.assert_array_equal(ev.colour(a, seed=7, order=order, undirected=True), colours)
    assert (ev.colour(both, seed=8, order=order) != colours).any()
    members = ev.maximal_independent_set(a, seed=7, undirected=True)
    np.testing.assert_array_equal(members, np.flatnonzero(ev.colour(both, seed=7, order="random") == 0))
    assert members.dtype == np.int32


def test_messages(rng):
    a, out = sparse(rng, 10, 10, 0.2), np.ones(10, int)
    one_way = sp.csr_array(sp.triu(np.ones((3, 3)), 1))
    wide = sp.csr_array((np.full(a.nnz, (1 << 64) - 1, np.uint64), a.indices, a.indptr), a.shape)
    cases = [
        (lambda: ev.dfs(a, 10), ValueError, "source 10 is not a vertex: vertices are numbered from 0 to 9"),
        (lambda: ev.reachable(sparse(rng, 3, 4), 0), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.strong_components(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.connected_components(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.dfs(a, 1, out=np.ones(10, int)), TypeError, "out must be a tuple of two arrays"),
        (lambda: ev.dfs(a, 1, out=(out, out)), ValueError, "parents overlaps an array"),
        (lambda: ev.reachable(a, 1, out=out[:9]), ValueError, "out has shape (9,)"),
        (lambda: ev.strong_components(a, out=np.ones(9, int)), ValueError, "out has shape (9,)"),
        (lambda: ev.colour(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.colour(a, order="x"), ValueError, "order is 'x': it must be 'largest_first' or 'random'"),
        (lambda: ev.colour(a, seed=-1), ValueError, "seed"),
        (lambda: ev.colour(a, seed=1 << 64), ValueError, "seed = 18446744073709551616: must be at most"),
        (lambda: ev.colour(a, undirected=True, out=np.ones(9, int)), ValueError, "out has shape (9,)"),
        (lambda: ev.colour(one_way), ValueError, "the graph is directed: an edge has no reverse edge"),
        (lambda: ev.maximal_independent_set(one_way), ValueError, "the graph is directed: an edge has no reverse edge"),
        (lambda: ev.minimum_spanning_forest(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.minimum_spanning_forest(a * 1j), TypeError, "weights of complex128: they must be real numbers"),
        (lambda: ev.minimum_spanning_forest(a * np.nan), ValueError, "has weight NaN"),
        (lambda: ev.minimum_spanning_forest(wide), ValueError, "A has the weight 18446744073709551615: at most"),
    ]
    expect_refusals(cases)
    assert ev.colour(sp.csr_array((0, 0))).size == ev.maximal_independent_set(sp.csr_array((0, 0))).size == 0
    assert all(each.size == 0 for each in ev.minimum_spanning_forest(sp.csr_array((0, 0))))
    assert ev.strong_components(sp.csr_array((0, 0))).size == 0
    assert ev.connected_components(sp.csr_array((0, 0))).size == 0
