# SPDX-License-Identifier: Apache-2.0
"""Searches of graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._arrays import as_count, as_text, computed_type, require_apart, result
from ._device import gpu_matrix
from ._matrix import as_matrix, matrix


class bfs_tree(NamedTuple):
    """What `bfs` returns."""

    levels: np.ndarray
    parents: np.ndarray


class path_tree(NamedTuple):
    """What `sssp` returns."""

    distances: np.ndarray
    parents: np.ndarray


def as_graph(A: Any) -> matrix:
    """A as a square matrix."""
    graph = A if type(A) is gpu_matrix else as_matrix(A)
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            f"a matrix of {graph.shape[0]} rows and {graph.shape[1]} columns is not a graph: the matrix must be "
            "square"
        )
    return graph


def _graph(A: Any, source: Any) -> tuple[matrix, int]:
    graph = as_graph(A)
    vertex = as_count("source", source)
    if vertex >= graph.shape[0]:
        numbers = f"vertices are numbered from 0 to {graph.shape[0] - 1}" if graph.shape[0] else "the graph has none"
        raise ValueError(f"source {vertex} is not a vertex: {numbers}")
    return graph, vertex


VERTEX = np.dtype(np.int32)  #: of vertices in results


def outputs(
    out: Any, graph: matrix, names: tuple[str, str], dtype: np.dtype, computed: np.dtype, vertex: np.dtype
) -> tuple[result, result]:
    """Where a search writes two values for each vertex. The second is a vertex, computed as ``vertex``."""
    outs = (None, None) if out is None else out
    if not isinstance(outs, tuple) or len(outs) != 2:
        raise TypeError("out must be a tuple of two arrays")
    vertices = (graph.shape[0],)
    first = result(outs[0], vertices, dtype, computed)
    second = result(outs[1], vertices, VERTEX, vertex)
    rows = graph._rows()
    read = (rows.indptr, rows.indices, rows.data)
    if first.out is not None:
        require_apart(names[0], first.out, *read, *([] if second.out is None else [second.out]))
    if second.out is not None:
        require_apart(names[1], second.out, *read)
    return first, second


def bfs(
    A: Any,
    source: int,
    *,
    undirected: bool = False,
    parents: str = "least",
    out: Any = None,
    schedule: str | None = None,
    on: str | None = None,
) -> bfs_tree:
    """Breadth-first search.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Each stored entry (u, v) is an edge from u to v, whatever its value.
    source : int
        The vertex to start at, from 0.
    undirected : bool
        States that there is an edge (v, u) for each (u, v), which is not checked: large levels are then searched from
        vertices that are not visited yet, which is faster. Where A is a `matrix` whose transpose was used, with column
        indices of the same type, that is done for directed graphs too.
    parents : {"least", "any"}
        "any" is faster on cpu: a parent is then any neighbour on the previous level, and depends on timing. With a
        schedule, on simt and on a GPU it has no effect.
    out : (levels, parents), optional
        Arrays of shape (vertices,) and int32.
    schedule : str, optional
        thread_mapped, warp_mapped, block_mapped, merge_path or nonzero_split: the search then goes level by level, and
        the schedule distributes the edges of each level. By default one launch does all levels.
    on : {"cpu", "simt"}, optional
        "simt" is the simulated GPU; there the default schedule is merge_path.

    Returns
    -------
    bfs_tree
        ``levels[v]``: the fewest edges from the source to v, -1 if there is no way. ``parents[v]``: of the neighbours
        before v on such ways the one of lowest number; -1 if there is no way; the source's is itself.

    Raises
    ------
    ValueError
        For a matrix that is not square, a source that is no vertex, another ``parents``, and a schedule that searches
        do not take.

    Notes
    -----
    O(vertices + edges). Results are the same on every run, except parents with ``parents="any"``. Source: Beamer,
    Asanovic and Patterson (SC 2012). Column
    indices of int64 are read in place; under a schedule and on simt the search copies them as int32, 4 bytes per edge,
    and frees the copy at its end.
    """
    graph, vertex = _graph(A, source)
    rule = as_text("parents", parents, "least")
    if rule not in ("least", "any"):
        raise ValueError(f"parents = {rule!r}: there are least and any")
    if type(graph) is gpu_matrix:
        return bfs_tree(*graph.bfs(vertex, bool(undirected), out))
    rows = graph._rows()
    place = _place(schedule, on)
    vertices = _vertex_type(rows, place)
    levels, found = outputs(out, graph, ("levels", "parents"), VERTEX, vertices, vertices)
    other = graph._sides[1 - int(graph._turned)]
    compiled = any_compiled(rows)
    transposed = None if undirected or other is None else any_compiled(other)
    compiled.bfs(transposed, bool(undirected), vertex, rule == "any", levels.array, found.array, *place)
    return bfs_tree(levels.get(), found.get())


def _place(schedule: str | None, on: str | None) -> tuple[str, str]:
    where = as_text("on", on, "cpu")
    given = as_text("schedule", schedule, "automatic")
    return "merge_path" if where == "simt" and given == "automatic" else given, where


def _vertex_type(rows: Any, place: tuple[str, str]) -> np.dtype:
    """The type that a search computes vertices in. Level by level they are int32."""
    return rows.indices.dtype if place == ("automatic", "cpu") else VERTEX


def any_compiled(rows: Any) -> Any:
    """The compiled matrix with values of any type."""
    return rows.compiled(computed_type("A", rows.data.dtype))


def sssp(
    A: Any, source: int, *, out: Any = None, schedule: str | None = None, on: str | None = None
) -> path_tree:
    """Shortest paths from one vertex to all others.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Each stored entry (u, v) is an edge from u to v, and its value the weight: not negative, and finite.
    source : int
        The vertex to start at, from 0.
    out : (distances, parents), optional
        Arrays of shape (vertices,); parents of int32.
    schedule, on
        As for `bfs`.

    Returns
    -------
    path_tree
        ``distances[v]``: the least sum of weights from the source to v, inf if there is no way; float32 or float64 as
        the weights, int64 for integers, whose greatest number then stands for no way. ``parents[v]``: the neighbour
        before v on a shortest way, of lowest number where several are nearer than v; -1 if there is no way; the
        source's is itself.

    Raises
    ------
    ValueError
        As `bfs`; for weights that are negative, NaN or infinite; for a distance that int64 does not hold.

    Notes
    -----
    O(vertices + edges) for each time that the distance of a vertex falls. Results are the same on every run. Source:
    Davidson, Baxter, Garland and Owens (IPDPS 2014), vertices in buckets of distances. For column indices of int64 see
    `bfs`.
    """
    graph, vertex = _graph(A, source)
    if type(graph) is gpu_matrix:
        raise TypeError("A is on a GPU: sssp runs on cpu")
    if graph.dtype.kind == "c":
        raise TypeError(f"A has weights of {graph.dtype}: they must be real numbers")
    computed = computed_type("A", graph.dtype)
    dtype = graph.dtype if graph.dtype.kind == "f" else np.dtype(np.int64)
    rows, place = graph._rows(), _place(schedule, on)
    distances, parents = outputs(out, graph, ("distances", "parents"), dtype, computed, _vertex_type(rows, place))
    rows.compiled(computed).sssp(vertex, distances.array, parents.array, *place)
    return path_tree(distances.get(), parents.get())
