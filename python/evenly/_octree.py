# SPDX-License-Identifier: Apache-2.0
"""Octrees of points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_coordinates, as_count


class octree_of_points(NamedTuple):
    """What `octree` returns. Nodes are numbered level by level; the eight children of a node follow each other.

    ``begin``, ``end``: node i has the points ``order[begin[i]:end[i]]``. ``children``: its first child, 0 for a leaf.
    ``order``: numbers of points, by leaves. ``keys``: the Morton keys of ``order``. ``levels``: nodes of depth d are
    ``levels[d]`` to ``levels[d + 1]``. ``corner``, ``side``: the cube.
    """

    begin: np.ndarray
    end: np.ndarray
    children: np.ndarray
    order: np.ndarray
    keys: np.ndarray
    levels: np.ndarray
    corner: np.ndarray
    side: float

    @property
    def leaves(self) -> np.ndarray:
        """The numbers of nodes without children."""
        return np.flatnonzero(self.children == 0)

    def __repr__(self) -> str:
        return (
            f"<evenly.octree_of_points: {len(self.order)} points, {len(self.begin)} nodes, "
            f"{len(self.leaves)} leaves, {len(self.levels) - 1} levels>"
        )


def octree(points: Any, *, max_points: int = 20) -> octree_of_points:
    """An octree: octants of more than ``max_points`` points have eight children.

    Parameters
    ----------
    points : array of shape (n, 3)
        float32 or float64; others are converted to float64. n is less than 2^31.
    max_points : int
        Of a leaf, if it is not one of the 2^63 cells; 1 or more.

    Returns
    -------
    octree_of_points

    Raises
    ------
    ValueError
        For another shape, for coordinates that are NaN or infinite, and for ``max_points`` less than 1.
    TypeError
        For complex coordinates.

    Notes
    -----
    A radix sort of n keys, O(n), and O(nodes) for each level. The result is the same on every run.
    """
    axes = as_coordinates(points)
    limit = min(as_count("max_points", max_points), np.iinfo(np.int32).max)
    if limit < 1:
        raise ValueError(f"max_points = {limit}: a leaf has room for a point")
    begin, end, children, order, keys, levels, corner, side = _evenly.octree(*axes, limit)
    return octree_of_points(begin, end, children, order, keys, np.asarray(levels), np.asarray(corner), side)
