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
    neighbor, ``points[j] + shift @ box``; zeros without a periodic direction. ``distances`` and ``vectors``, from the
    point to its neighbor, are None unless requested; vectors have the shape (pairs, 3).
    """

    offsets: np.ndarray
    indices: np.ndarray
    shifts: np.ndarray
    distances: np.ndarray | None = None
    vectors: np.ndarray | None = None

    def to_coo(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The point and the neighbor of each pair, int64, and the shifts."""
        points = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return points, self.indices.astype(np.int64), self.shifts

    def __repr__(self) -> str:
        return f"<evenly.neighbor_pairs: {len(self.offsets) - 1} points, {len(self.indices)} pairs>"


def neighbors(
    points: Any, cutoff: float, box: Any = None, half: bool = False, nearest: int | None = None, *,
    periodic: Any = True, distances: bool = False, vectors: bool = False
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
    nearest : int, optional
        At most so many pairs per point, nearest first; of equally near ones the one with the lesser number, then shift.
    periodic : bool or three bools
        Along which edges the box is repeated.
    distances, vectors : bool
        Whether to return the distance and the vector of each pair, in the type of the points.

    Returns
    -------
    neighbor_pairs
        A point is its own neighbor only through an image.

    Raises
    ------
    ValueError
        For other shapes, a cutoff that is not positive and finite, a point that is not finite, a length that is not
        positive, edges in one plane, neighbors more than 511 boxes apart, ``nearest`` below 1, and ``nearest`` with
        ``half``.
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
    for name, flag in (("half", half), ("distances", distances), ("vectors", vectors)):
        if not isinstance(flag, (bool, np.bool_)):
            raise TypeError(f"{name} is {type(flag).__name__}: it must be a bool")
    if nearest is not None:
        if isinstance(nearest, (bool, np.bool_)) or not isinstance(nearest, (int, np.integer)):
            raise TypeError(f"nearest is {type(nearest).__name__}: it must be an integer")
        if not 1 <= nearest < 2**31:
            raise ValueError(f"nearest = {nearest}: it must be from 1 to 2147483647")
    edges = [] if box is None else _edges_of(box)
    offsets, indices, shifts, lengths, arrows = _evenly.neighbors(
        *axes, float(cutoff), edges, [bool(each) for each in flags], bool(half), int(nearest or 0), bool(distances),
        bool(vectors)
    )
    shifts = shifts.reshape(-1, 3) if shifts.size else np.zeros((indices.size, 3), np.int32)
    return neighbor_pairs(offsets, indices, shifts, lengths if distances else None,
                          arrows.reshape(-1, 3) if vectors else None)


def radius_graph(
    x: Any, r: float, batch: Any = None, loop: bool = False, max_num_neighbors: int = 32,
    flow: str = "source_to_target", num_workers: int = 1, batch_size: int | None = None
) -> Any:
    """The edges between points closer than ``r``, with the arguments of torch_cluster's function of this name.

    Parameters
    ----------
    x : array of shape (n, 3)
        As the points of `neighbors`; or a tensor of torch in memory of the CPU.
    r : float
        Edges have a length below it.
    batch : array of shape (n,), optional
        Ascending integers: the system of each point. Only points of one system have edges.
    loop : bool
        Whether each point has an edge to itself.
    max_num_neighbors : int
        Of more neighbors, the nearest are kept; ties go to the lesser number.
    flow : str
        ``"source_to_target"``: the second row has the points, the first row their neighbors. ``"target_to_source"``:
        the other way round.
    num_workers, batch_size
        Have no effect.

    Returns
    -------
    array of shape (2, edges)
        int64; a tensor if ``x`` is one.

    Raises
    ------
    ValueError
        As `neighbors`; for another ``flow``, and for a ``batch`` that is not ascending or has another length.
    TypeError
        As `neighbors`.

    Notes
    -----
    O(n + candidates), and a call of `neighbors` per system.
    """
    if flow not in ("source_to_target", "target_to_source"):
        raise ValueError(f"flow = {flow!r}: it must be 'source_to_target' or 'target_to_source'")
    points = np.stack(as_coordinates(x), axis=1)
    found = [[], []]
    for begin, end in _systems_of(batch, len(points)):
        i, j, _ = neighbors(points[begin:end], r, nearest=max_num_neighbors).to_coo()
        if loop:
            itself = np.arange(end - begin)
            i, j = np.concatenate([i, itself]), np.concatenate([j, itself])
        order = np.lexsort((j, i))
        found[0].append(i[order] + begin)
        found[1].append(j[order] + begin)
    rows = [np.concatenate(each) if each else np.zeros(0, np.int64) for each in found]
    edges = np.stack(rows[::-1] if flow == "source_to_target" else rows)
    return _like(x, edges)


def neighbor_list(
    positions: Any, cutoff: float, cell: Any = None, pbc: Any = None, batch_idx: Any = None, batch_ptr: Any = None,
    half_fill: bool = False, fill_value: int | None = None, return_neighbor_list: bool = False,
    max_neighbors: int | None = None
) -> tuple[Any, Any, Any]:
    """Neighbor lists with the arguments of NVIDIA ALCHEMI's function of this name.

    Parameters
    ----------
    positions : array of shape (n, 3)
        As the points of `neighbors`; or a tensor of torch in memory of the CPU.
    cutoff : float
        As of `neighbors`.
    cell : array of shape (3, 3), (1, 3, 3) or (systems, 3, 3), optional
        The edges of the box, as rows.
    pbc : array of shape (3,), (1, 3) or (systems, 3), optional
        Along which edges the box is repeated; by default, all.
    batch_idx, batch_ptr : array, optional
        The system of each point, ascending; or where the points of each system begin, with their number at the end.
    half_fill : bool
        Each pair once, as ``half`` of `neighbors`.
    fill_value : int, optional
        In the matrix, after the last neighbor; by default n.
    return_neighbor_list : bool
        Whether to return a list instead of a matrix.
    max_neighbors : int, optional
        The columns of the matrix; by default, as many as the longest row has.

    Returns
    -------
    tuple
        Of a list: the points and neighbors of all pairs, of shape (2, pairs); where rows begin, of shape (n + 1,);
        shifts, of shape (pairs, 3). Of a matrix: neighbors, of shape (n, max_neighbors); their numbers, of shape (n,);
        shifts, of shape (n, max_neighbors, 3). All int32; tensors if ``positions`` is one.

    Raises
    ------
    ValueError
        As `neighbors`, if a row has more than ``max_neighbors`` (it names the needed number), and for a list of 2^31
        pairs or more.
    TypeError
        As `neighbors`.

    Notes
    -----
    O(n + candidates), and a call of `neighbors` per system.
    """
    points = np.stack(as_coordinates(positions), axis=1)
    count = len(points)
    if batch_ptr is not None:
        bounds = as_array("batch_ptr", batch_ptr).ravel().tolist()
        if not bounds or bounds[0] != 0 or bounds[-1] != count or sorted(bounds) != bounds:
            raise ValueError(f"batch_ptr must ascend from 0 to {count}, the number of points")
        systems = list(zip(bounds[:-1], bounds[1:]))
    else:
        systems = _systems_of(batch_idx, count)
    cells = None if cell is None else np.asarray(cell).reshape(-1, 3, 3)
    flags = np.ones((1, 3), bool) if pbc is None else np.asarray(pbc, bool).reshape(-1, 3)
    sizes, indices, shifts = [], [], []
    for number, (begin, end) in enumerate(systems):
        box = None if cells is None else cells[min(number, len(cells) - 1)]
        periodic = tuple(bool(each) for each in flags[min(number, len(flags) - 1)])
        near = neighbors(points[begin:end], cutoff, box, half_fill, periodic=periodic)
        sizes.append(np.diff(near.offsets))
        indices.append(near.indices + begin)
        shifts.append(near.shifts)
    numbers = np.concatenate([np.zeros(0, np.int64), *sizes])
    found = np.concatenate([np.zeros(0, np.int32), *indices]).astype(np.int32)
    images = np.concatenate([np.zeros((0, 3), np.int32), *shifts])
    rows = np.repeat(np.arange(count, dtype=np.int32), numbers)
    if return_neighbor_list:
        if found.size >= 2**31:
            raise ValueError(f"{found.size} pairs: int32 offsets have at most 2147483647; use evenly.neighbors")
        offsets = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int32)
        return _like(positions, np.stack([rows, found])), _like(positions, offsets), _like(positions, images)
    longest = int(numbers.max(initial=0))
    width = longest if max_neighbors is None else max_neighbors
    if longest > width:
        raise ValueError(f"max_neighbors = {width}: a point has {longest} neighbors; use at least {longest}")
    matrix = np.full((count, width), count if fill_value is None else fill_value, np.int32)
    of_matrix = np.zeros((count, width, 3), np.int32)
    columns = np.arange(found.size) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    matrix[rows, columns] = found
    of_matrix[rows, columns] = images
    return _like(positions, matrix), _like(positions, numbers.astype(np.int32)), _like(positions, of_matrix)


def _systems_of(batch: Any, count: int) -> list[tuple[int, int]]:
    """The first point of each system, and the one after its last."""
    if batch is None:
        return [(0, count)]
    numbers = as_array("batch", batch)
    if numbers.shape != (count,) or (np.diff(numbers) < 0).any():
        raise ValueError(f"batch must have {count} ascending numbers, the system of each point")
    begins = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()]
    return list(zip(begins, [*begins[1:], count])) if count else []


def _like(given: Any, array: np.ndarray) -> Any:
    """A tensor of torch if ``given`` is one."""
    if type(given).__module__.partition(".")[0] != "torch":
        return array
    import torch

    return torch.from_numpy(array)


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
