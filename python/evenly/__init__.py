# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices, segments and graphs on all cores, with results that repeat bit by bit.

::

    import evenly as ev

    M = ev.matrix(A)                               # any sparse matrix of SciPy
    y = M @ x                                      # a vector, a dense or a sparse matrix
    ev.segment_reduce(values, offsets, "max")
    levels, parents = ev.bfs(A, 0)
"""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from ._arrays import threads
from ._evenly import schedule_names as _schedule_names
from ._graphs import bfs, bfs_tree, path_tree, sssp
from ._matrix import matrix
from ._segments import expand, segment_reduce, segment_scan, segments
from ._whole_arrays import reduce, reduce_by_key, reduced_runs, scan, select, sort

try:
    __version__ = _version("evenly")
except _PackageNotFoundError:  # from a build tree
    __version__ = "0"


def schedules() -> list[str]:
    """The names that ``schedule=`` takes; ``NAME:KEY=VALUE`` sets a parameter, and "automatic" chooses among all."""
    return ["automatic", *_schedule_names()]


__all__ = [
    "bfs",
    "bfs_tree",
    "expand",
    "matrix",
    "path_tree",
    "reduce",
    "reduce_by_key",
    "reduced_runs",
    "scan",
    "schedules",
    "segment_reduce",
    "segment_scan",
    "segments",
    "select",
    "sort",
    "sssp",
    "threads",
]
