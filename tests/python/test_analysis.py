# SPDX-License-Identifier: Apache-2.0
"""PageRank and core numbers, against networkx."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp
from inputs import sparse

networkx = pytest.importorskip("networkx")


def square(rng, size, density, **types):
    a = sparse(rng, size, size, density, **types)
    a.data[:] = np.abs(a.data) + 0.25
    return a


def digraph(a, weighted):
    """The graph of a matrix without parallel entries."""
    made = networkx.DiGraph()
    made.add_nodes_from(range(a.shape[0]))
    coo = a.tocoo()
    made.add_weighted_edges_from(
        (int(u), int(v), float(w) if weighted else 1.0) for u, v, w in zip(coo.row, coo.col, coo.data)
    )
    return made


def in_order(values, size):
    return np.array([values[v] for v in range(size)])


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.002, 0.02, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_pagerank(rng, index, density, weighted):
    size = 200
    a = square(rng, size, density, indices=index, indptr=index)
    narrow = sp.csr_matrix((a.data.astype(float), a.indices.astype(np.int32), a.indptr.astype(np.int32)), a.shape)
    narrow.sum_duplicates()
    graph = digraph(narrow, weighted)
    for personalization in (None, rng.random(size)):
        jumps = None if personalization is None else dict(enumerate(personalization))
        want = networkx.pagerank(graph, 0.85, personalization=jumps, tol=1e-13, max_iter=2000)
        got = ev.pagerank(narrow, weighted=weighted, personalization=personalization, tolerance=1e-11)
        assert got.converged and got.error <= 1e-11 and got.iterations > 0
        np.testing.assert_allclose(got.scores, in_order(want, size), atol=1e-10)
        np.testing.assert_allclose(got.scores.sum(), 1, rtol=1e-12)
        rough = ev.pagerank(narrow, weighted=weighted, personalization=personalization)
        np.testing.assert_allclose(rough.scores, in_order(want, size), atol=1e-5)
    out = np.empty(size)
    assert ev.pagerank(a, weighted=weighted, out=out).scores is out
    np.testing.assert_array_equal(out, ev.pagerank(a, weighted=weighted).scores)


def test_pagerank_of_the_simple_graph(rng):
    a = square(rng, 150, 0.03)
    a.data[:] = 1
    both = a + a.T
    both.setdiag(0)
    both.eliminate_zeros()
    want = networkx.pagerank(digraph(both, False), tol=1e-13, max_iter=2000)
    got = ev.pagerank(a, undirected=True, tolerance=1e-11).scores
    np.testing.assert_allclose(got, in_order(want, 150), atol=1e-10)


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("weighted", [False, True])
def test_pagerank_of_a_symmetric_matrix(rng, index, weighted):
    a = square(rng, 150, 0.03, indices=index, indptr=index)
    both = ev.matrix(sp.csr_matrix(abs(a) + abs(a).T))
    want = ev.pagerank(both, weighted=weighted)
    got = ev.pagerank(both, weighted=weighted, symmetric=True)
    np.testing.assert_array_equal(got.scores, want.scores)
    assert got.iterations == want.iterations


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("density", [0.002, 0.02, 0.2])
def test_core_numbers(rng, index, density):
    size = 200
    a = square(rng, size, density, indices=index, indptr=index)
    graph = networkx.Graph(digraph(sp.csr_matrix(a), False))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    numbers = ev.core_number(a)
    np.testing.assert_array_equal(numbers, in_order(networkx.core_number(graph), size))
    assert numbers.dtype == np.int32
    out = np.empty(size, np.int32)
    assert ev.core_number(ev.matrix(a), out=out) is out


def test_small_graphs():
    for size in (0, 1, 3):
        none = sp.csr_array((size, size))
        np.testing.assert_allclose(ev.pagerank(none).scores, np.full(size, 1 / max(size, 1)))
        np.testing.assert_array_equal(ev.core_number(none), np.zeros(size))
    loop = sp.csr_array(np.ones((1, 1)))
    assert ev.pagerank(loop).scores == [1] and ev.core_number(loop) == [0]


def test_bits_repeat_over_threads(rng):
    a = square(rng, 3000, 0.003)
    with ev.threads(1):
        want = ev.pagerank(a, weighted=True)
    for threads in (2, 3):
        with ev.threads(threads):
            got = ev.pagerank(a, weighted=True)
        assert got[1:] == want[1:]
        np.testing.assert_array_equal(got.scores, want.scores)


def test_no_convergence(rng):
    ranks = ev.pagerank(square(rng, 100, 0.05), tolerance=1e-12, max_iterations=2)
    assert not ranks.converged and ranks.iterations == 2 and ranks.error > 1e-12


def test_messages(rng):
    a = square(rng, 10, 0.2)
    bad = a.copy()
    bad.data[0] = np.nan
    cases = [
        (lambda: ev.pagerank(sparse(rng, 3, 4)), "3 rows and 4 columns is not a graph"),
        (lambda: ev.core_number(sparse(rng, 3, 4)), "3 rows and 4 columns is not a graph"),
        (lambda: ev.pagerank(a, damping=1), "damping = 1: must be at least 0 and less than 1"),
        (lambda: ev.pagerank(a, tolerance=-1), "tolerance = -1: must be finite and not negative"),
        (lambda: ev.pagerank(a, max_iterations=0), "max_iterations = 0: must be at least 1"),
        (lambda: ev.pagerank(bad, weighted=True), "has weight nan: weights must be 0 or greater"),
        (lambda: ev.pagerank(a, personalization=np.zeros(10)), "the personalization is 0 at all vertices"),
        (lambda: ev.pagerank(a, personalization=[1.0]), "personalization has shape (1,): it must be (10,)"),
        (lambda: ev.core_number(a, out=np.ones(9, int)), "out has shape (9,)"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError) as caught:
            call()
        assert message in str(caught.value) and "\n" not in str(caught.value)
