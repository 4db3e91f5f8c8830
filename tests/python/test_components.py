# SPDX-License-Identifier: Apache-2.0
"""Depth-first searches, reachability and components, against scipy.sparse.csgraph."""

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


def test_messages(rng):
    a, out = sparse(rng, 10, 10, 0.2), np.ones(10, int)
    cases = [
        (lambda: ev.dfs(a, 10), ValueError, "source 10 is not a vertex: vertices are numbered from 0 to 9"),
        (lambda: ev.reachable(sparse(rng, 3, 4), 0), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.strong_components(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.connected_components(sparse(rng, 3, 4)), ValueError, "3 rows and 4 columns is not a graph"),
        (lambda: ev.dfs(a, 1, out=np.ones(10, int)), TypeError, "out must be a tuple of two arrays"),
        (lambda: ev.dfs(a, 1, out=(out, out)), ValueError, "parents overlaps an array"),
        (lambda: ev.reachable(a, 1, out=out[:9]), ValueError, "out has shape (9,)"),
        (lambda: ev.strong_components(a, out=np.ones(9, int)), ValueError, "out has shape (9,)"),
    ]
    expect_refusals(cases)
    assert ev.strong_components(sp.csr_array((0, 0))).size == 0
    assert ev.connected_components(sp.csr_array((0, 0))).size == 0
