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
        int32 or int64, from 0 on, which must not change afterwards.

    Notes
    -----
    Results are those of ``x[index]``, bit for bit. The first calls measure whether it pays to go through the indices in
    their order, which takes a sort once; what they may lose is bounded (docs/reorganize.md). Elements of other sizes
    than 4, 8 and 16 bytes are gathered by NumPy. Source: Wu, Zhao, Zhang and Shen (PPoPP 2013).
    """

    def __init__(self, index: Any):
        self.index = as_offsets("index", index)
        self._made: dict[tuple[int, int], Any] = {}
        self._lock = threading.Lock()

    def __call__(self, x: Any, *, out: np.ndarray | None = None) -> np.ndarray:
        """``x[index]``. Raises ValueError for an index that is not one of x, and for an ``out`` that overlaps x."""
        array = as_array("x", x, 1)
        width = array.dtype.itemsize
        to = result(out, self.index.shape, array.dtype, array.dtype)
        if width not in _MOVED:
            return self._by_numpy(array, to)
        key = (array.size, width)
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = _evenly.gather(self.index, array.size, _MOVED[width])
        moved = np.dtype(_MOVED[width])
        made.run(as_computed(array, array.dtype).view(moved), to.array.view(moved))
        return to.get()

    def _by_numpy(self, array: np.ndarray, to: result) -> np.ndarray:
        outside = np.flatnonzero((self.index < 0) | (self.index >= array.size))
        if outside.size:
            raise ValueError(f"index[{outside[0]}] = {self.index[outside[0]]} is no element's: x has {array.size}")
        np.take(array, self.index, out=to.array, mode="clip")
        return to.get()

    def explain(self) -> str:
        """Which order was chosen and why, for each size of x."""
        return "\n".join(made.why() for made in self._made.values())

    def __repr__(self) -> str:
        return f"<evenly.gather_plan: {self.index.size} indices>"
