# SPDX-License-Identifier: Apache-2.0
"""Neighbor lists against all pairs over all images, and against SciPy's k-d tree."""
import itertools

import evenly as ev
import numpy as np
import pytest
from scipy.spatial import cKDTree

TRICLINIC = np.array([[9.0, 0, 0], [2, 8, 0], [-1, 3, 10]])


def all_pairs(points, cutoff, box, periodic, half, images=3):
    """(i, j, shift) of each pair, in ascending order, in double precision."""
    edges = np.zeros((3, 3)) if box is None else np.diag(box) if np.ndim(box) == 1 else box
    ranges = [range(-images, images + 1) if box is not None and p else range(1) for p in periodic]
    pairs = []
    for shift in itertools.product(*ranges):
        difference = points[None] - points[:, None] + np.array(shift) @ edges
        for i, j in np.argwhere((difference**2).sum(axis=2) < cutoff**2).tolist():
            itself = i == j and shift <= (0, 0, 0) if half else i == j and shift == (0, 0, 0)
            if not itself and (not half or j >= i):
                pairs.append((i, j, shift))
    return sorted(pairs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("box", [None, [9, 8, 10], TRICLINIC], ids=["open", "lengths", "triclinic"])
@pytest.mark.parametrize("periodic", [True, (False, True, False)], ids=["periodic", "one edge"])
def test_neighbors(rng, dtype, half, box, periodic):
    points = (rng.integers(-40, 120, (60, 3)) / 8).astype(dtype)  # exact in both types, and outside of the box
    found = ev.neighbors(points, 3.05, box, half, periodic=periodic)
    flags = [periodic] * 3 if isinstance(periodic, bool) else periodic
    i, j, shifts = found.to_coo()
    assert list(zip(i.tolist(), j.tolist(), map(tuple, shifts.tolist()))) == \
        all_pairs(points.astype(np.float64), 3.05, box, flags, half, 5)
    assert found.offsets.dtype == np.int64 and found.indices.dtype == np.int32 and shifts.shape == (i.size, 3)
    assert repr(found) == f"<evenly.neighbor_pairs: 60 points, {i.size} pairs>"


def test_as_many_as_scipy(rng):
    points = rng.random((3000, 3))
    pairs = cKDTree(points).query_pairs(0.1, output_type="ndarray")
    i, j, _ = ev.neighbors(points, 0.1, half=True).to_coo()
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    np.testing.assert_array_equal(np.stack([i, j], axis=1), pairs[order])


@pytest.mark.parametrize("box", [None, [6, 7, 8]], ids=["open", "periodic"])
def test_nearest(rng, box):
    points = rng.integers(0, 8, (50, 3)).astype(np.float64)  # many are equally near
    all_of = ev.neighbors(points, 3.05, box, distances=True, vectors=True)
    found = ev.neighbors(points, 3.05, box, nearest=5, distances=True)
    edges = np.zeros(3) if box is None else np.array(box)
    i, j, shifts = all_of.to_coo()
    np.testing.assert_array_equal(all_of.vectors, points[j] - points[i] + shifts * edges)
    np.testing.assert_array_equal(all_of.distances, np.sqrt((all_of.vectors**2).sum(axis=1)))
    for point in range(50):
        row = slice(*all_of.offsets[point:point + 2])
        order = np.argsort(all_of.distances[row], kind="stable")[:5]
        kept = slice(*found.offsets[point:point + 2])
        np.testing.assert_array_equal(found.indices[kept], all_of.indices[row][order])
        np.testing.assert_array_equal(found.shifts[kept], all_of.shifts[row][order])
        np.testing.assert_array_equal(found.distances[kept], all_of.distances[row][order])
    assert found.vectors is None


def test_radius_graph(rng):
    points = rng.random((40, 3))
    batch = np.repeat([0, 3, 4], [15, 20, 5])
    source, target = ev.radius_graph(points, 0.4, batch, max_num_neighbors=100)
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 0.4
    right = np.argwhere(near & (batch[:, None] == batch[None]) & ~np.eye(40, dtype=bool))
    np.testing.assert_array_equal(np.stack([target, source], axis=1), right)
    looped = ev.radius_graph(points, 0.4, batch, True, 100, "target_to_source")
    assert looped.shape[1] == len(right) + 40 and (looped[0] == looped[1]).sum() == 40
    assert np.bincount(ev.radius_graph(points, 2.0, max_num_neighbors=3)[1]).tolist() == [3] * 40
    assert ev.radius_graph(np.zeros((0, 3)), 1.0).shape == (2, 0)


@pytest.mark.parametrize("half", [False, True])
def test_alchemi_names(rng, half):
    points = rng.random((30, 3)) * 6
    cells = np.array([np.diag([6.0, 6, 6]), np.diag([7.0, 7, 7])])
    batch = np.repeat([0, 1], [18, 12])
    pairs, offsets, shifts = ev.neighbor_list(
        points, 2.0, cells, [[True] * 3, [False] * 3], batch, half_fill=half, return_neighbor_list=True)
    first = ev.neighbors(points[:18], 2.0, cells[0], half)
    second = ev.neighbors(points[18:], 2.0, cells[1], half, periodic=False)
    np.testing.assert_array_equal(pairs[1], np.concatenate([first.indices, second.indices + 18]))
    np.testing.assert_array_equal(pairs[0], np.repeat(np.arange(30), np.diff(offsets)))
    np.testing.assert_array_equal(shifts, np.concatenate([first.shifts, second.shifts]))
    matrix, numbers, of_matrix = ev.neighbor_list(
        points, 2.0, cells, [[True] * 3, [False] * 3], batch_ptr=[0, 18, 30], half_fill=half, max_neighbors=40)
    np.testing.assert_array_equal(numbers, np.diff(offsets))
    used = np.arange(40) < numbers[:, None]
    np.testing.assert_array_equal(matrix[used], pairs[1])
    np.testing.assert_array_equal(of_matrix[used], shifts)
    assert (matrix[~used] == 30).all()
    with pytest.raises(ValueError, match=f"use at least {numbers.max()}$"):
        ev.neighbor_list(points, 2.0, cells, [[True] * 3, [False] * 3], batch, half_fill=half, max_neighbors=1)


def test_few_points():
    assert ev.neighbors(np.zeros((0, 3)), 1).offsets.tolist() == [0]
    assert ev.neighbors([[1, 2, 3]], 1.5, [1, 2, 2]).shifts.tolist() == [[-1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda p: ev.neighbors(p[:, :2], 1), ValueError, "points have shape (5, 2): it must be (n, 3)"),
        (lambda p: ev.neighbors(p.astype(complex), 1), TypeError, "they must be real numbers"),
        (lambda p: ev.neighbors(p, 0), ValueError, "cutoff = 0: it and its square must be positive and finite"),
        (lambda p: ev.neighbors(p, "1"), TypeError, "cutoff is str: it must be a number"),
        (lambda p: ev.neighbors(p * np.nan, 1), ValueError, "point 0 has x = nan: coordinates must be finite"),
        (lambda p: ev.neighbors(p, 1, [1, -1, 1]), ValueError, "lengths must be positive and finite"),
        (lambda p: ev.neighbors(p, 1, np.ones((3, 3))), ValueError, "the box has volume 0 and edges"),
        (lambda p: ev.neighbors(p, 1, [1, 1]), ValueError, "box has shape (2,): it must be (3,) or (3, 3)"),
        (lambda p: ev.neighbors(p, 1, periodic=[True, False]), TypeError,
         "periodic is list: it must be a bool, or three"),
        (lambda p: ev.neighbors(p, 1, half=1), TypeError, "half is int: it must be a bool"),
        (lambda p: ev.neighbors(p, 1, nearest=0), ValueError, "nearest = 0: it must be from 1 to 2147483647"),
        (lambda p: ev.neighbors(p, 1, nearest=1.5), TypeError, "nearest is float: it must be an integer"),
        (lambda p: ev.neighbors(p, 1, half=True, nearest=2), ValueError, "rows must be complete to choose from"),
        (lambda p: ev.radius_graph(p, 1, [0, 1, 0, 0, 0]), ValueError, "batch must have 5 ascending numbers"),
        (lambda p: ev.radius_graph(p, 1, flow="up"), ValueError, "flow = 'up': it must be"),
        (lambda p: ev.neighbor_list(p, 1, batch_ptr=[0, 4]), ValueError, "batch_ptr must ascend from 0 to 5"),
    ],
)
def test_what_is_refused(rng, call, error, message):
    with pytest.raises(error) as caught:
        call(rng.random((5, 3)))
    assert message in str(caught.value) and "\n" not in str(caught.value)
