# SPDX-License-Identifier: Apache-2.0
"""One value for each vertex of a graph: PageRank, core numbers, triangles, clustering, betweenness."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_count, require_apart, result
from ._graphs import VERTEX, any_compiled, as_graph
from ._matrix import as_matrix


COUNT = np.dtype(np.int64)  #: of triangles
SCORE = np.dtype(np.float64)  #: of vertices in results


class ranks(NamedTuple):
    """What `pagerank` returns."""

    scores: np.ndarray
    iterations: int
    error: float
    converged: bool


def pagerank(
    A: Any,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    weighted: bool = False,
    personalization: Any = None,
    undirected: bool = False,
    symmetric: bool = False,
    out: Any = None,
) -> ranks:
    """PageRank: the probability of being at each vertex for a walk over random edges.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Each stored entry (u, v) is an edge from u to v.
    damping : float
        The probability of following an edge, at least 0 and less than 1. Otherwise the walk jumps.
    tolerance : float
        Iterations end if the scores change by at most this in total. From 1e-6 on, contributions of edges have the
        precision of float32, below of float64.
    max_iterations : int
        Iterations end after this many, converged or not.
    weighted : bool
        Edges are followed in proportion to their values, which must be finite and not negative. By default all edges of
        a vertex are alike.
    personalization : array_like of shape (vertices,), optional
        The vertices that jumps lead to, by weight. By default all are alike.
    undirected : bool
        Take the simple undirected graph: each edge in both directions, without parallel edges and self-loops. Of
        several weights it has the least.
    symmetric : bool
        States that A equals its transpose, with its values if weighted, which is not checked, and saves a sort of the
        edges.
    out : ndarray, optional
        Of shape (vertices,) and float64.

    Returns
    -------
    ranks
        ``scores``: float64 of shape (vertices,), which sum to 1. ``iterations``: their number. ``error``: the change of
        the scores in the last one in total. ``converged``: whether the error is at most the tolerance.

    Raises
    ------
    ValueError
        For a matrix that is not square, options out of range, weights that are negative or not finite, and a
        personalization that is 0 everywhere.

    Notes
    -----
    O(vertices + edges) per iteration. A vertex without edges, or with weights of 0 only, passes its score on as jumps
    do. The scores are the same bits on every run and for any number of threads. Source: Brin and Page (1998); Del
    Corso, Gulli and Romani (2005).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    scores = result(out, graph.shape[:1], SCORE, SCORE)
    jumps = np.empty(0) if personalization is None else np.ascontiguousarray(personalization, dtype=SCORE)
    if jumps.ndim != 1 or (personalization is not None and jumps.size != graph.shape[0]):
        raise ValueError(f"personalization has shape {jumps.shape}: it must be ({graph.shape[0]},)")
    require_apart("out", scores.array, rows.indptr, rows.indices, rows.data, jumps)
    totals = _evenly.pagerank(
        rows.compiled(SCORE) if weighted else any_compiled(rows),
        float(damping),
        float(tolerance),
        as_count("max_iterations", max_iterations),
        bool(weighted),
        bool(undirected),
        bool(symmetric),
        jumps,
        scores.array,
    )
    return ranks(scores.get(), *totals)


def core_number(A: Any, *, out: Any = None) -> np.ndarray:
    """Core numbers of the simple undirected graph.

    Parameters
    ----------
    A
        As for `pagerank`. Each entry is an edge in both directions. Self-loops and parallel edges have no effect.
    out : ndarray, optional
        Of shape (vertices,) and int32.

    Returns
    -------
    ndarray of int32, of shape (vertices,)
        The greatest k for which a vertex is in the k-core: the largest subgraph in which each vertex has at least k
        neighbours.

    Raises
    ------
    ValueError
        For a matrix that is not square.

    Notes
    -----
    O(vertices + edges), and a pass over the vertices for each different core number. Results are the same on every run.
    Source: Matula and Beck (1983).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    numbers = result(out, graph.shape[:1], VERTEX, rows.indices.dtype)
    require_apart("out", numbers.array, rows.indptr, rows.indices, rows.data)
    _evenly.core_numbers(any_compiled(rows), True, numbers.array)
    return numbers.get()


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


def clustering(A: Any, *, undirected: bool = False, out: Any = None) -> np.ndarray:
    """The clustering coefficient of each vertex: the share of pairs of its neighbours that are adjacent.

    Parameters
    ----------
    A, undirected
        As for `triangles`.
    out : ndarray, optional
        Of shape (vertices,) and float64.

    Returns
    -------
    ndarray of float64, of shape (vertices,)
        Coefficients in [0, 1]; 0 for fewer than two neighbours.

    Raises
    ------
    ValueError
        As `triangles`.

    Notes
    -----
    O(edges ** 1.5), as `triangles`. Each is one division of exact numbers. Source: Watts and Strogatz (Nature, 1998).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    shares = result(out, graph.shape[:1], SCORE, SCORE)
    require_apart("out", shares.array, rows.indptr, rows.indices, rows.data)
    _evenly.clustering(any_compiled(rows), bool(undirected), shares.array)
    return shares.get()


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
        The mean over all pairs of other vertices, which sampled sources estimate: the values of
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
