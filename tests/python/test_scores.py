# SPDX-License-Identifier: Apache-2.0
"""Triangles and betweenness, against networkx."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp
from inputs import expect_refusals, sparse

nx = pytest.importorskip("networkx")


def undirected(a):
    """The symmetric matrix of ones of the simple graph."""
    both = ((a + a.T) != 0).tolil()
    both.setdiag(0)
    both = sp.csr_matrix(both)
    both.eliminate_zeros()
    return both.astype(float)


def graph_of(a, kind):
    return nx.from_scipy_sparse_array(a, create_using=kind)


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.005, 0.05, 0.3])
def test_triangles(rng, index, density):
    a = sparse(rng, 150, 150, density, indices=index, indptr=index)
    simple = undirected(sp.csr_matrix((np.ones(a.nnz), a.indices.astype(int), a.indptr.astype(int)), a.shape))
    judged = nx.triangles(graph_of(simple, nx.Graph))
    expected = np.array([judged[v] for v in range(150)])
    counts = ev.triangles(a, undirected=True)
    np.testing.assert_array_equal(counts, expected)
    assert counts.dtype == np.int64
    out = np.empty(150, np.int64)
    assert ev.triangles(ev.matrix(simple), out=out) is out
    np.testing.assert_array_equal(out, expected)
    judged = nx.clustering(graph_of(simple, nx.Graph))
    expected = np.array([float(judged[v]) for v in range(150)])
    shares = ev.clustering(a, undirected=True)
    np.testing.assert_array_equal(shares, expected)
    assert shares.dtype == np.float64
    with_loops = sp.csr_array(simple + sp.eye_array(150))
    assert ev.clustering(with_loops, out=shares) is shares
    np.testing.assert_array_equal(shares, expected)


@pytest.mark.parametrize("density", [0.01, 0.1])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_betweenness(rng, density, kind):
    a = sparse(rng, 80, 80, density)
    a.data[:] = 1
    is_undirected = kind is nx.Graph
    judged = graph_of(undirected(a) if is_undirected else a, kind)
    expected = np.array(list(nx.betweenness_centrality(judged).values()))
    means = ev.betweenness(a, normalized=True, undirected=is_undirected)
    np.testing.assert_allclose(means, expected, rtol=1e-12, atol=1e-15)
    sums = np.array(list(nx.betweenness_centrality(judged, normalized=False).values()))
    scores = ev.betweenness(a, undirected=is_undirected)
    np.testing.assert_allclose(scores, sums * (2 if is_undirected else 1), rtol=1e-12, atol=1e-12)
    assert scores.dtype == np.float64
    one_by_one = sum(ev.betweenness(a, [source], undirected=is_undirected) for source in range(80))
    np.testing.assert_allclose(one_by_one, scores, rtol=1e-12, atol=1e-12)
    if is_undirected:
        simple = undirected(a)
        np.testing.assert_array_equal(ev.betweenness(simple, symmetric=True), scores)
        np.testing.assert_array_equal(ev.betweenness(simple), scores)


def test_bits_repeat_for_any_number_of_threads(rng):
    a = sparse(rng, 500, 500, 0.02)
    sources = np.arange(0, 500, 31)
    with ev.threads(1):
        alone = ev.betweenness(a, sources)
    for threads in (2, 5, 32):
        with ev.threads(threads):
            np.testing.assert_array_equal(ev.betweenness(a, sources), alone)


def test_small_graphs():
    for call in (ev.triangles, ev.betweenness):
        assert call(sp.csr_array((0, 0))).size == 0
        np.testing.assert_array_equal(call(sp.csr_array((1, 1))), [0])
        np.testing.assert_array_equal(call(sp.csr_array(np.eye(1))), [0])
        np.testing.assert_array_equal(call(sp.csr_array((5, 5)), undirected=True), np.zeros(5))
    twice = sp.csr_array((np.ones(4), ([0, 0, 1, 1], [1, 1, 0, 0])), (2, 2))
    np.testing.assert_array_equal(ev.triangles(twice, undirected=True), [0, 0])
    np.testing.assert_array_equal(ev.betweenness(sp.csr_array(np.eye(3)), []), np.zeros(3))


def test_more_paths_than_a_double_counts():
    """A chain of 1100 diamonds has 2 ** 1100 shortest paths."""
    first = np.arange(0, 3300, 3)
    sources = np.concatenate([first, first, first + 1, first + 2])
    targets = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    chain = sp.csr_array((np.ones(sources.size), (sources, targets)), (3301, 3301))
    scores = ev.betweenness(chain, [0])
    ends = np.arange(1, 1101)
    np.testing.assert_allclose(scores[first[1:]], 3 * (1100 - ends[:-1]), rtol=1e-12)
    np.testing.assert_allclose(scores[first + 1], (3 * (1100 - ends) + 1) / 2, rtol=1e-12)


def test_messages(rng):
    a = sparse(rng, 10, 10, 0.3)
    directed = sp.csr_array(np.triu(np.ones((3, 3)), 1))
    cases = [
        (lambda: ev.triangles(directed), ValueError, "the graph is directed"),
        (lambda: ev.clustering(directed), ValueError, "the graph is directed"),
        (lambda: ev.triangles(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.betweenness(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.betweenness(a, [10]), ValueError, "source 10 is not a vertex: vertices are numbered from 0 to 9"),
        (lambda: ev.betweenness(a, [-1]), ValueError, "source -1 is not a vertex"),
        (lambda: ev.betweenness(a, [0.5]), TypeError, "sources must be a sequence of vertices"),
        (lambda: ev.betweenness(a, 3), TypeError, "sources must be a sequence of vertices"),
        (lambda: ev.triangles(a, undirected=True, out=np.ones(9, int)), ValueError, "out has shape (9,)"),
    ]
    expect_refusals(cases)
