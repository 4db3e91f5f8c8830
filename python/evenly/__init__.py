# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices, segments and graphs on all cores, with results that repeat bit by bit.

::

    import evenly as ev

    M = ev.matrix(A)                               # any sparse matrix of SciPy
    y = M @ x                                      # a vector, a dense or a sparse matrix
    ev.segment_reduce(values, offsets, "max")
    levels, parents = ev.bfs(A, 0)
"""

from . import io
from ._arrays import threads
from ._device import gpu_matrix, gpu_segments
from ._device_arrays import device_array
from ._evenly import schedule_names as _schedule_names
from ._analysis import betweenness, clustering, core_number, pagerank, ranks, triangles
from ._attention import gat_attention, gat_attention_gradients
from ._components import connected_components, dfs, dfs_tree, reachable, strong_components
from ._gathers import gather_plan
from ._graphs import bfs, bfs_tree, path_tree, sssp
from ._matrix import matrix
from ._neighbors import neighbor_list, neighbor_pairs, neighbors, radius_graph
from ._octree import octree, octree_of_points
from ._segment_plans import scatter, segment_plan, segment_softmax
from ._segments import expand, segment_reduce, segment_scan, segments
from ._solvers import aslinearoperator, bicgstab, cg, ic0, ilu0, incomplete_factors, solution
from ._structures import colour, maximal_independent_set, minimum_spanning_forest, spanning_forest
from ._studies import comparison, compare, draw, explain, explanation, finding, picture
from ._whole_arrays import reduce, reduce_by_index, reduce_by_key, reduced_runs, scan, select, sort
from ._worlds import distributed_graph, distributed_matrix, ranked_solution, world


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module 'evenly' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version  # which takes long to load

    try:
        return version("evenly")
    except PackageNotFoundError:  # from a build tree
        return "0"


def schedules() -> list[str]:
    """The names that ``schedule=`` takes.

    ``NAME:KEY=VALUE`` sets a parameter; "automatic" chooses among all.

    Returns
    -------
    list of str

    Notes
    -----
    O(1). docs/schedules.md describes the schedules and their parameters.
    """
    return ["automatic", *_schedule_names()]


__all__ = [
    "aslinearoperator",
    "betweenness",
    "bfs",
    "bfs_tree",
    "bicgstab",
    "cg",
    "clustering",
    "colour",
    "compare",
    "comparison",
    "connected_components",
    "core_number",
    "device_array",
    "dfs",
    "dfs_tree",
    "distributed_graph",
    "distributed_matrix",
    "draw",
    "expand",
    "explain",
    "explanation",
    "finding",
    "gat_attention",
    "gat_attention_gradients",
    "gather_plan",
    "gpu_matrix",
    "gpu_segments",
    "ic0",
    "ilu0",
    "incomplete_factors",
    "io",
    "matrix",
    "maximal_independent_set",
    "minimum_spanning_forest",
    "neighbor_list",
    "neighbor_pairs",
    "neighbors",
    "octree",
    "octree_of_points",
    "pagerank",
    "path_tree",
    "picture",
    "radius_graph",
    "ranked_solution",
    "ranks",
    "reachable",
    "reduce",
    "reduce_by_index",
    "reduce_by_key",
    "reduced_runs",
    "scan",
    "scatter",
    "schedules",
    "segment_plan",
    "segment_reduce",
    "segment_scan",
    "segment_softmax",
    "segments",
    "select",
    "solution",
    "sort",
    "spanning_forest",
    "sssp",
    "strong_components",
    "threads",
    "triangles",
    "world",
]
