# SPDX-License-Identifier: Apache-2.0
"""Depth-first searches, reachability and strong components of graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import require_apart, result
from ._graphs import VERTEX, _graph, any_compiled, as_graph, outputs
from ._matrix import as_matrix


class dfs_tree(NamedTuple):
    """What `dfs` returns."""

    parents: np.ndarray
    order: np.ndarray


def dfs(A: Any, source: int, *, out: Any = None) -> dfs_tree:
    """Unordered depth-first search.

    Parameters
    ----------
    A, source
        As for `bfs`.
    out : (parents, order), optional
        Arrays of shape (vertices,) and int32.

    Returns
    -------
    dfs_tree
        ``parents[v]``: the vertex from which v was discovered, -1 if there is no path; the source's is itself.
        ``order[v]``: the number of vertices discovered before v, -1 if there is no path. Both of shape (vertices,) and
        int32.

    Raises
    ------
    ValueError
        For a matrix that is not square, and a source that is no vertex.

    Notes
    -----
    O(vertices + edges). The reached vertices are the same on every run. With several threads, the tree and the order
    depend on timing; with one they are those of the serial search.
    """
    graph, vertex = _graph(A, source)
    rows = graph._rows()
    vertex_type = rows.indices.dtype
    parents, order = outputs(out, graph, ("parents", "order"), VERTEX, vertex_type, vertex_type)
    _evenly.dfs(any_compiled(rows), vertex, parents.array, order.array)
    return dfs_tree(parents.get(), order.get())


def reachable(A: Any, source: int, *, out: Any = None) -> np.ndarray:
    """The vertices that paths from one vertex lead to.

    Parameters
    ----------
    A, source
        As for `dfs`.
    out : ndarray, optional
        Of shape (vertices,) and bool.

    Returns
    -------
    ndarray of bool, of shape (vertices,)
        Whether there is a path from the source to each vertex.

    Raises
    ------
    ValueError
        As `dfs`.

    Notes
    -----
    O(vertices + edges). Results are the same on every run.
    """
    graph, vertex = _graph(A, source)
    rows = graph._rows()
    reached = result(out, graph.shape[:1], np.dtype(np.bool_), np.dtype(np.uint8))
    require_apart("out", reached.array, rows.indptr, rows.indices, rows.data)
    _evenly.reachable(any_compiled(rows), vertex, reached.array)
    return reached.get()


def strong_components(A: Any, *, out: Any = None) -> np.ndarray:
    """Strongly connected components.

    Parameters
    ----------
    A
        As for `bfs`.
    out : ndarray, optional
        Of shape (vertices,) and int32.

    Returns
    -------
    ndarray of int32, of shape (vertices,)
        The lowest vertex number of each vertex's component. Two vertices are in one component if there are paths both
        ways between them.

    Raises
    ------
    ValueError
        For a matrix that is not square.

    Notes
    -----
    O(vertices + edges) with few threads. Results are the same on every run. Source: Tarjan (1972); Pearce (Information
    Processing Letters, 2016); with many threads Slota, Rajamanickam and Madduri (IPDPS 2014).
    """
    return _labels(_evenly.strong_components, A, out)


def connected_components(A: Any, *, out: Any = None) -> np.ndarray:
    """Connected components: of a directed graph the weakly connected ones, as if each edge led both ways.

    Parameters
    ----------
    A
        As for `bfs`.
    out : ndarray, optional
        Of shape (vertices,) and int32.

    Returns
    -------
    ndarray of int32, of shape (vertices,)
        The lowest vertex number of each vertex's component. Two vertices are in one component if a path of edges, in
        any direction, connects them.

    Raises
    ------
    ValueError
        For a matrix that is not square.

    Notes
    -----
    O(vertices + edges). The same result on every run. Source: Sutton, Ben-Nun and Barak (IPDPS 2018).
    """
    return _labels(_evenly.connected_components, A, out)


def _labels(find: Any, A: Any, out: Any) -> np.ndarray:
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    labels = result(out, graph.shape[:1], VERTEX, rows.indices.dtype)
    require_apart("out", labels.array, rows.indptr, rows.indices, rows.data)
    find(any_compiled(rows), labels.array)
    return labels.get()
