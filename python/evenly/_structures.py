# SPDX-License-Identifier: Apache-2.0
"""Parts of graphs: spanning forests, colours, independent sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_count, as_text, require_apart, result
from ._graphs import VERTEX, any_compiled, as_graph
from ._matrix import as_matrix


class spanning_forest(NamedTuple):
    """What `minimum_spanning_forest` returns."""

    sources: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


def minimum_spanning_forest(A: Any, *, symmetric: bool = False) -> spanning_forest:
    """In each connected component, the edges of least total weight that connect it.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Each stored entry (u, v) is an edge between u and v, whatever its direction, and its value the weight, which
        may be negative or infinite. Stored zeros are edges too. Entries on the diagonal have no effect.
    symmetric : bool
        States that A equals its transpose, which is not checked. Only entries above the diagonal are used then, and
        the work is halved.

    Returns
    -------
    spanning_forest
        The edges in the order in which A stores them: ``sources`` and ``targets`` of shape (edges,) and int32, and
        ``weights`` of A's type. Of edges of equal weight, those that A stores first are preferred.

    Raises
    ------
    ValueError
        For a matrix that is not square, and a weight that is NaN.
    TypeError
        For complex weights.

    Notes
    -----
    O(edges log(vertices)), usually in few rounds. The same edges on every run. Source: Boruvka (1926); Osipov, Sanders
    and Singler (ALENEX 2009).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    entries = forest_entries(rows, rows.data, symmetric)
    sources = np.searchsorted(rows.indptr, entries, side="right") - 1
    return spanning_forest(sources.astype(VERTEX), rows.indices[entries].astype(VERTEX), rows.data[entries])


def forest_entries(rows: Any, weights: np.ndarray, symmetric: bool) -> np.ndarray:
    """The numbers of the entries that are edges of the forest, in ascending order."""
    if weights.dtype.kind == "c":
        raise TypeError(f"A has weights of {weights.dtype}: they must be real numbers")
    if weights.dtype == np.uint64 and weights.size and weights.max() > np.iinfo(np.int64).max:
        raise ValueError(f"A has the weight {weights.max()}: at most {np.iinfo(np.int64).max} is possible")
    values = np.dtype(np.float64 if weights.dtype.kind == "f" else np.int64)
    if weights is rows.data:
        compiled = rows.compiled(values)
    else:
        compiled = _evenly.csr(*rows.shape, rows.indptr, rows.indices, np.require(weights, values, ["C", "A"]), True)
    entries = np.empty(max(rows.shape[0] - 1, 0), np.int64)
    return entries[: _evenly.spanning_forest(compiled, bool(symmetric), entries)]


def colour(
    A: Any, *, seed: int = 0, order: str = "largest_first", undirected: bool = False, out: Any = None
) -> np.ndarray:
    """A colour for each vertex of an undirected graph: those of adjacent vertices differ.

    Parameters
    ----------
    A
        As for `triangles`; symmetric, unless `undirected` is given. Entries on the diagonal and duplicates count in
        degrees only.
    seed : int
        At least 0 and less than 2^63. Another seed gives other colours.
    order : {"largest_first", "random"}
        Vertices get the least colour that no neighbour before them in this order has. By degree, which needs fewer
        colours, and among equal degrees by a hash of the seed; or by a hash alone.
    undirected : bool
        Takes the simple undirected graph, as for `triangles`.
    out : ndarray, optional
        Of shape (vertices,) and int32.

    Returns
    -------
    ndarray of int32, of shape (vertices,)
        Colours, from 0. Their number is at most one more than the greatest degree.

    Raises
    ------
    ValueError
        For a matrix that is not square, an unknown order, and without `undirected` for an edge without a reverse edge.

    Notes
    -----
    O(vertices + edges), in rounds. For a seed the same on every run and for every number of threads. Source: Jones and
    Plassmann (SIAM J. Sci. Comput., 1993); Hasenplaug, Kaler, Schardl and Leiserson (SPAA 2014).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    chosen = as_text("order", order, "largest_first")
    if chosen not in ("largest_first", "random"):
        raise ValueError(f"order is {chosen!r}: it must be 'largest_first' or 'random'")
    colours = result(out, graph.shape[:1], VERTEX, VERTEX)
    require_apart("out", colours.array, rows.indptr, rows.indices, rows.data)
    by_degree = chosen == "largest_first"
    _evenly.colour(any_compiled(rows), bool(undirected), by_degree, as_count("seed", seed), colours.array)
    return colours.get()


def maximal_independent_set(A: Any, *, seed: int = 0, undirected: bool = False) -> np.ndarray:
    """Vertices of an undirected graph of which no two are adjacent, and to which no other can be added.

    Parameters
    ----------
    A, seed, undirected
        As for `colour`.

    Returns
    -------
    ndarray of int32, of shape (members,)
        The numbers of the vertices, in ascending order.

    Raises
    ------
    ValueError
        As `colour`.

    Notes
    -----
    O(vertices + edges), in rounds. For a seed the same on every run and for every number of threads. Source: Luby (SIAM
    J. Comput., 1986); Blelloch, Fineman and Shun (SPAA 2012).
    """
    graph = as_matrix(as_graph(A))
    rows = graph._rows()
    members = np.empty(graph.shape[0], VERTEX)
    return members[: _evenly.independent_set(any_compiled(rows), bool(undirected), as_count("seed", seed), members)]
