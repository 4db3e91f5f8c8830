# SPDX-License-Identifier: Apache-2.0
"""Neighbor lists of points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_array, as_coordinates


class neighbor_pairs(NamedTuple):
    """What `neighbors` returns: the rows of a sparse matrix.

    ``offsets``: the neighbors of point i are ``indices[offsets[i]:offsets[i + 1]]``, ascending; of one neighbor, by
    shift. ``shifts``: of shape (pairs, 3), how many edges of the box lie between the point and the image of its
    neighbor, ``points[j] + shift @ box``; zeros without a periodic direction.
    """

    offsets: np.ndarray
    indices: np.ndarray
    shifts: np.ndarray

    def to_coo(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The point and the neighbor of each pair, int64, and the shifts."""
        points = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return points, self.indices.astype(np.int64), self.shifts

    def __repr__(self) -> str:
        return f"<evenly.neighbor_pairs: {len(self.offsets) - 1} points, {len(self.indices)} pairs>"


def neighbors(
    points: Any, cutoff: float, box: Any = None, half: bool = False, *, periodic: Any = True
) -> neighbor_pairs:
    """The pairs of points whose distance is less than ``cutoff``, over all images of a periodic box.

    Parameters
    ----------
    points : array of shape (n, 3)
        float32 or float64; others are converted to float64. They may lie outside of the box. n is less than 2^31 - 1.
    cutoff : float
        In the units of the points; positive. A distance equal to it is not below it.
    box : array of shape (3,) or (3, 3), optional
        The lengths of the box, or its edges as rows. Without a box, all directions are open.
    half : bool
        Each pair once: in the row of the point with the lesser number; of a point and its own image, with the greater
        shift. By default, pairs are in the rows of both.
    periodic : bool or three bools
        Along which edges the box is repeated.

    Returns
    -------
    neighbor_pairs
        A point is its own neighbor only through an image.

    Raises
    ------
    ValueError
        For other shapes, a cutoff that is not positive and finite, a point that is not finite, a length that is not
        positive, edges in one plane, and neighbors more than 511 boxes apart.
    TypeError
        For complex coordinates, and for a cutoff or flags of other types.

    Notes
    -----
    O(n + candidates): points are sorted into cells as wide as the cutoff (Quentrec and Brot, 1973). Distances are
    computed in the type of the points, by one rule for (i, j) and (j, i). The result is the same on every run.
    """
    axes = as_coordinates(points)
    if isinstance(cutoff, (bool, np.bool_)) or not isinstance(cutoff, (int, float, np.integer, np.floating)):
        raise TypeError(f"cutoff is {type(cutoff).__name__}: it must be a number")
    flags = list(periodic) if isinstance(periodic, (list, tuple, np.ndarray)) else [periodic] * 3
    if len(flags) != 3 or not all(isinstance(each, (bool, np.bool_)) for each in flags):
        raise TypeError(f"periodic is {type(periodic).__name__}: it must be a bool, or three")
    if not isinstance(half, (bool, np.bool_)):
        raise TypeError(f"half is {type(half).__name__}: it must be a bool")
    edges = [] if box is None else _edges_of(box)
    offsets, indices, shifts = _evenly.neighbors(
        *axes, float(cutoff), edges, [bool(each) for each in flags], bool(half)
    )
    shifts = shifts.reshape(-1, 3) if shifts.size else np.zeros((indices.size, 3), np.int32)
    return neighbor_pairs(offsets, indices, shifts)


def _edges_of(box: Any) -> list[float]:
    """The nine numbers of the edges."""
    array = as_array("box", box)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"box has elements of {array.dtype}: they must be real numbers")
    if array.shape == (3,):
        if not (np.isfinite(array) & (array > 0)).all():
            raise ValueError(f"box = {array.tolist()}: lengths must be positive and finite")
        array = np.diag(array)
    if array.shape != (3, 3):
        raise ValueError(f"box has shape {array.shape}: it must be (3,) or (3, 3)")
    return array.astype(np.float64).ravel().tolist()
