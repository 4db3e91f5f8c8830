# SPDX-License-Identifier: Apache-2.0
"""Triangles and betweenness of the vertices of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _evenly
from ._arrays import require_apart, result
from ._graphs import any_compiled, as_graph
from ._matrix import as_matrix

COUNT = np.dtype(np.int64)
SCORE = np.dtype(np.float64)


def triangles(A: Any, *, undirected: bool = False, out: Any = None) -> np.ndarray:
    """The triangles of each vertex of an undirected graph.

    Parameters
    ----------
    A
        As for `bfs`; symmetric, and without duplicate entries, unless `undirected` is given. Entries on the diagonal
        have no effect.
    undirected : bool
        Takes the simple undirected graph: each edge in both directions, without parallel edges and self-loops.
    out : ndarray, optional
        Of shape (vertices,) and int64.

    Returns
    -------
    ndarray of int64, of shape (vertices,)
        The number of triangles with each vertex. The graph has a third of their sum.

    Raises
    ------
    ValueError
        For a matrix that is not square, and without `undirected` for an edge without a reverse edge, and for parallel
        edges.

    Notes
    -----
    Each edge is directed to its end of higher degree, and the pairs of edges of each vertex are tested:
    O(edges ** 1.5). Counts are exact. Source: Chiba and Nishizeki (SIAM J. Comput., 1985).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    counts = result(out, graph.shape[:1], COUNT, COUNT)
    require_apart("out", counts.array, rows.indptr, rows.indices, rows.data)
    _evenly.triangles(any_compiled(rows), bool(undirected), counts.array)
    return counts.get()


def betweenness(
    A: Any,
    sources: Any = None,
    *,
    normalized: bool = False,
    undirected: bool = False,
    symmetric: bool = False,
    out: Any = None,
) -> np.ndarray:
    """Betweenness centrality of each vertex.

    Parameters
    ----------
    A
        As for `bfs`. Duplicate entries are different paths.
    sources : sequence of int, optional
        Only shortest paths from these vertices count; one that is listed twice counts twice. By default all vertices
        are sources, and the result is exact.
    normalized : bool
        Divides by the number of pairs of other vertices, for sampled sources by their share: the values of
        ``networkx.betweenness_centrality``.
    undirected : bool
        Takes the simple undirected graph, as for `triangles`.
    symmetric : bool
        States that there is an edge (v, u) for each (u, v), which is not checked, and saves a sort of the edges.
    out : ndarray, optional
        Of shape (vertices,) and float64.

    Returns
    -------
    ndarray of float64, of shape (vertices,)
        For each vertex v the sum, over ordered pairs of other vertices (s, t) with s in `sources`, of the fraction of
        shortest paths from s to t through v. In an undirected graph with all sources this is twice the sum over
        unordered pairs.

    Raises
    ------
    ValueError
        For a matrix that is not square, and a source that is no vertex.

    Notes
    -----
    O(sources * edges). Numbers of paths have exponents of their own and do not overflow. Bits are the same on every run
    and for every number of threads. Source: Brandes (J. Math. Sociol., 2001).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    vertices = graph.shape[0]
    if sources is None:
        chosen = np.arange(vertices, dtype=rows.indices.dtype)
    else:
        given = np.asarray(sources)
        if given.ndim != 1 or (given.size > 0 and given.dtype.kind not in "iu"):
            raise TypeError("sources must be a sequence of vertices")
        wrong = given[(given < 0) | (given >= vertices)] if given.size else given
        if wrong.size:
            numbers = f"vertices are numbered from 0 to {vertices - 1}" if vertices else "the graph has none"
            raise ValueError(f"source {wrong[0]} is not a vertex: {numbers}")
        chosen = np.ascontiguousarray(given, dtype=rows.indices.dtype)
    scores = result(out, graph.shape[:1], SCORE, SCORE)
    require_apart("out", scores.array, rows.indptr, rows.indices, rows.data, chosen)
    _evenly.betweenness(any_compiled(rows), chosen, bool(undirected), bool(symmetric), bool(normalized), scores.array)
    return scores.get()
