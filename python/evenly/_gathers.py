# SPDX-License-Identifier: Apache-2.0
"""Repeated gathers by one index array."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from . import _evenly
from ._arrays import as_array, as_computed, as_offsets, result

_MOVED = {4: "uint32", 8: "uint64", 16: "complex128"}


class gather_plan:
    """``g = gather_plan(index); y = g(x)`` is ``x[index]``, for indices that are used many times.

    Parameters
    ----------
    index : array of shape (n,)
        int32 or int64, not negative. The array must not change afterwards.

    Raises
    ------
    TypeError
        For indices that are not integers.
    ValueError
        For an index with another number of dimensions.

    Notes
    -----
    A call is O(n) and returns the bits of ``x[index]``. The first calls measure whether a sorted order of the indices
    is faster; it needs one sort, O(n). The time that the measurements may lose is bounded (docs/reorganize.md). NumPy
    gathers elements of other sizes than 4, 8 and 16 bytes. Source: Wu, Zhao, Zhang and Shen (PPoPP 2013).
    """

    def __init__(self, index: Any):
        self.index = as_offsets("index", index)
        self._made: dict[tuple[int, int], Any] = {}
        self._lock = threading.Lock()

    def __call__(self, x: Any, *, out: np.ndarray | None = None) -> np.ndarray:
        """``x[index]`` for x of shape (elements,), in ``out`` of shape (n,) if it is given.

        Raises ValueError for an index that x does not have, and for an ``out`` that overlaps x.
        """
        array = as_array("x", x, 1)
        width = array.dtype.itemsize
        to = result(out, self.index.shape, array.dtype, array.dtype)
        if width not in _MOVED:
            return self._by_numpy(array, to)
        key = (array.size, width)
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = self._make(array.size, width)
        moved = np.dtype(_MOVED[width])
        made.run(as_computed(array, array.dtype).view(moved), to.array.view(moved))
        return to.get()

    def _make(self, elements: int, width: int) -> Any:
        try:
            return _evenly.gather(self.index, elements, _MOVED[width])
        except ValueError:
            self._check(elements)
            raise

    def _check(self, elements: int) -> None:
        outside = np.flatnonzero((self.index < 0) | (self.index >= elements))
        if outside.size:
            raise ValueError(f"index[{outside[0]}] = {self.index[outside[0]]} is not an element: x has {elements}")

    def _by_numpy(self, array: np.ndarray, to: result) -> np.ndarray:
        self._check(array.size)
        np.take(array, self.index, out=to.array, mode="clip")
        return to.get()

    def explain(self) -> str:
        """The chosen order and the reason, one line for each size of x."""
        return "\n".join(made.why() for made in self._made.values())

    def __reduce__(self) -> tuple:
        return gather_plan, (self.index,)

    def __repr__(self) -> str:
        return f"<evenly.gather_plan: {self.index.size} indices>"
