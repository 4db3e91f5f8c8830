# SPDX-License-Identifier: Apache-2.0
"""Searches, against scipy.sparse.csgraph."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
from inputs import expect_refusals, sparse


def of_ints(a):
    """With the index type that old versions of csgraph need."""
    return sp.csr_matrix((a.data.astype(float), a.indices.astype(np.int32), a.indptr.astype(np.int32)), a.shape)


def lowest_parents(a, levels, source):
    parents = np.full(levels.size, -1)
    parents[source] = source
    for v in range(levels.size):
        if levels[v] > 0:
            before = a[:, [v]].nonzero()[0]
            parents[v] = min(u for u in before if levels[u] == levels[v] - 1)
    return parents


INDICES = [("int32", "int32"), ("int32", "int64"), ("int64", "int32"), ("int64", "int64")]  # of columns and of offsets


@pytest.mark.parametrize("indices, indptr", INDICES)
@pytest.mark.parametrize("density", [0.001, 0.02, 0.2])
def test_bfs(rng, indices, indptr, density):
    a = sparse(rng, 120, 120, density, indices=indices, indptr=indptr)
    a.data[:] = 1
    hops = csgraph.shortest_path(of_ints(a), unweighted=True, indices=7)
    levels, parents = ev.bfs(a, 7)
    np.testing.assert_array_equal(levels, np.where(np.isinf(hops), -1, hops))
    assert levels.dtype == np.int32 and parents.dtype == np.int32
    np.testing.assert_array_equal(parents, lowest_parents(sp.csc_matrix(a), levels, 7))
    m = ev.matrix(a)
    m.T @ np.ones(120)  # now there is a transpose
    again = ev.bfs(m, 7)
    np.testing.assert_array_equal(again.levels, levels)
    np.testing.assert_array_equal(again.parents, parents)


def test_bfs_with_any_parent(rng):
    a = sparse(rng, 300, 300, density=0.02)
    a = sp.csr_array(a + a.T)
    levels = ev.bfs(a, 7).levels
    for undirected in (False, True):
        tree = ev.bfs(a, 7, undirected=undirected, parents="any")
        np.testing.assert_array_equal(tree.levels, levels)
        for v in np.flatnonzero(levels > 0):
            assert levels[tree.parents[v]] == levels[v] - 1 and a[tree.parents[v], v] != 0
        assert tree.parents[7] == 7 and (tree.parents[levels < 0] == -1).all()


def test_bfs_of_undirected(rng):
    a = sparse(rng, 500, 500, 0.02)
    both = sp.csr_array(a + a.T)
    both.data[:] = 1
    for source in (0, 499):
        directed, undirected = ev.bfs(both, source), ev.bfs(both, source, undirected=True)
        np.testing.assert_array_equal(directed.levels, undirected.levels)
        np.testing.assert_array_equal(directed.parents, undirected.parents)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("indices, indptr", INDICES)
def test_sssp(rng, dtype, indices, indptr):
    a = sparse(rng, 150, 150, 0.03, indices=indices, indptr=indptr)
    a.data = rng.integers(1, 9, a.data.size).astype(dtype)
    should = csgraph.dijkstra(of_ints(a), indices=3)
    distances, parents = ev.sssp(a, 3)
    assert distances.dtype == (np.dtype(dtype) if np.dtype(dtype).kind == "f" else np.int64)
    unreached = np.isinf(should)
    np.testing.assert_array_equal(distances[~unreached].astype(float), should[~unreached])
    none = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
    assert (distances[unreached] == none).all() and (parents[unreached] == -1).all()
    weights = a.astype(float).toarray()
    for v in np.flatnonzero(~unreached):
        if v != 3:
            assert should[parents[v]] + weights[parents[v], v] == should[v]


def test_out(rng):
    a = sparse(rng, 50, 50, 0.1)
    levels, parents = np.empty(50, np.int32), np.empty(50, np.int32)
    tree = ev.bfs(a, 0, out=(levels, parents))
    assert tree.levels is levels and tree.parents is parents


SCHEDULES = [None, "automatic", "thread_mapped", "warp_mapped", "block_mapped", "merge_path", "nonzero_split"]


@pytest.mark.parametrize("on", ["cpu", "simt"])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_under_every_schedule(rng, schedule, on, index):
    a = sparse(rng, 90, 90, 0.03, indices=index, indptr=index)
    should, found = ev.bfs(a, 5), ev.bfs(a, 5, schedule=schedule, on=on)
    np.testing.assert_array_equal(found.levels, should.levels)
    np.testing.assert_array_equal(found.parents, should.parents)
    for dtype in ("float32", "float64", "int32"):
        a.data = rng.integers(0, 9, a.data.size).astype(dtype)
        should, found = ev.sssp(a, 5), ev.sssp(a, 5, schedule=schedule, on=on)
        assert found.distances.dtype == should.distances.dtype
        np.testing.assert_array_equal(found.distances, should.distances)
        np.testing.assert_array_equal(found.parents, should.parents)


def test_out_does_not_overlap(rng):
    a = sparse(rng, 20, 20, 0.3)
    both = np.empty(20, np.int32)
    for out in ((both, both), (a.indices[:20], None), (None, a.indptr[:20])):
        with pytest.raises(ValueError, match="overlaps an array that the operation reads"):
            ev.bfs(a, 0, out=out)
    with pytest.raises(ValueError, match="overlaps"):
        ev.sssp(a, 0, out=(a.data[:20], None))


def test_one_vertex():
    tree = ev.bfs(np.zeros((1, 1)), 0)
    assert tree.levels.tolist() == [0] and tree.parents.tolist() == [0]


def test_messages(rng):
    a = sparse(rng, 10, 10, 0.2)
    negative = sp.csr_array(np.array([[0, -1.0], [0, 0]]))
    cases = [
        (lambda: ev.bfs(sparse(rng, 3, 4), 0), ValueError, "3 rows and 4 columns is not a graph: the matrix must be"),
        (lambda: ev.bfs(a, 10), ValueError, "source 10 is not a vertex: vertices are numbered from 0 to 9"),
        (lambda: ev.bfs(sp.csr_array((0, 0)), 0), ValueError, "source 0 is not a vertex: the graph has none"),
        (lambda: ev.bfs(a, -1), ValueError, "source = -1: must not be negative"),
        (lambda: ev.bfs(a, 0, parents="lowest"), ValueError, "parents = 'lowest': there are least and any"),
        (lambda: ev.bfs(a, 0.5), TypeError, "source is float: it must be an integer"),
        (lambda: ev.bfs(a, 0, out=np.ones(10)), TypeError, "out must be a tuple of two arrays"),
        (lambda: ev.bfs(a, 0, out=(np.ones(9, int), None)), ValueError, "out has shape (9,)"),
        (lambda: ev.sssp(negative, 0), ValueError, "-1"),
        (lambda: ev.sssp(negative, 0, schedule="merge_path"), ValueError, "-1"),
        (lambda: ev.bfs(a, 0, schedule="binned"), ValueError, "binned is not a schedule of searches; choose"),
        (lambda: ev.bfs(a, 0, schedule="rows"), ValueError, "'rows'"),
        (lambda: ev.bfs(a, 0, on="tpu"), ValueError, "on = 'tpu' is not an executor of this package"),
        (lambda: ev.sssp(a, 0, on=3), TypeError, "on is int: it must be a string"),
        (lambda: ev.sssp(sp.csr_array(np.array([[0, np.nan], [0, 0]])), 0), ValueError, "nan"),
        (lambda: ev.sssp(a.astype(complex), 0), TypeError, "they must be real numbers"),
    ]
    expect_refusals(cases)
