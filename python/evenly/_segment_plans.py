# SPDX-License-Identifier: Apache-2.0
"""Segments of rows of features, by offsets or by the segment of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _evenly
from ._arrays import as_array, as_computed, as_count, as_offsets, as_text, computed_type, result

_OPS = ("sum", "mean", "min", "max", "prod", "argmin", "argmax", "logsumexp")


class segment_plan:
    """Segments of rows, planned once: by offsets, or by an index that is sorted once.

    Parameters
    ----------
    offsets : array of shape (segments + 1,), optional
        Segment ``s`` is ``values[offsets[s]:offsets[s + 1]]``. int32 or int64, not decreasing.
    index : array of shape (n,), optional
        The segment of each row, in any order; either this or ``offsets``. int32 or int64.
    size : int, optional
        The number of segments of an index; by default one more than its maximum.

    Raises
    ------
    ValueError
        For an index out of range, whose position it names; for offsets that decrease or are negative; for both or
        neither of offsets and index.
    TypeError
        For arrays that are not integers.

    Notes
    -----
    O(n + segments log(n)); an index that does not ascend takes in addition a stable radix sort, and 8 bytes per row.
    The bits of results repeat: values are combined in the order of rows. The plan uses as many threads as are set when
    it is made, and serves one thread at a time.
    """

    def __init__(self, offsets: Any = None, *, index: Any = None, size: int | None = None):
        if (offsets is None) == (index is None):
            raise ValueError("segments are given by offsets or by an index: give one of them")
        if index is not None:
            of = as_offsets("index", index)
            if size is None:
                size = max(int(of.max()) + 1, 0) if of.size else 0
            self._compiled = _evenly.row_segments(of, as_count("size", size, (1 << 31) - 2), True)
        else:
            if size is not None:
                raise ValueError("size has no meaning for offsets: it is the number of segments of an index")
            of = as_offsets("offsets", getattr(offsets, "offsets", offsets))
            end = int(of[-1]) if of.size else 0
            self._compiled = _evenly.row_segments(of, max(end, 0), False)
        self._given = (of, index is not None, size)
        self._first = 0 if index is not None else int(of[0])

    def __reduce__(self) -> tuple:
        return _remade, self._given

    def __len__(self) -> int:
        return self._compiled.segments

    def __repr__(self) -> str:
        return f"<evenly.segment_plan: {len(self)} segments of {self._compiled.elements} rows>"

    def _rows(self, values: Any, is_prefix: bool) -> np.ndarray:
        array = as_array("values", values)
        if array.ndim not in (1, 2):
            raise ValueError(f"values has {array.ndim} dimensions: rows of features have 1 or 2")
        rows = self._compiled.elements
        if array.shape[0] != rows and not (is_prefix and array.shape[0] > rows and not self._given[1]):
            raise ValueError(f"values has {array.shape[0]} rows: the segments have {rows}")
        if array.dtype.kind == "c":
            raise TypeError(f"values have elements of {array.dtype}: segments of rows take real numbers")
        return array[:rows]

    def reduce(self, values: Any, op: str = "sum", *, out: np.ndarray | None = None) -> np.ndarray:
        """One row for each segment; see `segment_reduce`. O(n k) for rows of k features."""
        array = self._rows(values, True)
        op = as_text("op", op, "sum")
        if op not in _OPS:
            raise ValueError(f"op = {op!r} is no reduction of rows; there are {', '.join(_OPS)}")
        dtype, computed = _types(op, array.dtype)
        given, is_unsigned = array, array.dtype == np.uint64 and op in ("min", "max", "argmin", "argmax")
        if is_unsigned:  # in the order of signed numbers
            given = (np.ascontiguousarray(array) ^ np.uint64(1 << 63)).view(np.int64)
        if op in ("min", "max") and dtype.kind != "f":
            self._refuse_empty(op)
        made = np.dtype(np.int64) if op.startswith("arg") else computed
        shape = (len(self), *array.shape[1:])
        if is_unsigned and op in ("min", "max"):
            signed = np.empty(shape, np.int64)
            self._compiled.reduce(_two(as_computed(given, computed)), getattr(_evenly.segment_op, op), _two(signed))
            to = result(out, shape, dtype, dtype)
            to.array[...] = signed.view(np.uint64) ^ np.uint64(1 << 63)
            return to.get()
        to = result(out, shape, dtype, made)
        self._compiled.reduce(_two(as_computed(given, computed)), getattr(_evenly.segment_op, op), _two(to.array))
        return to.get()

    def _refuse_empty(self, op: str) -> None:
        of, is_index, _ = self._given
        sizes = np.bincount(of, minlength=len(self)) if is_index else np.diff(of)
        if (empty := np.flatnonzero(sizes == 0)).size:
            raise ValueError(f"segment {empty[0]} is empty, and {op} of integers has no identity")

    def softmax(self, values: Any, *, out: np.ndarray | None = None) -> np.ndarray:
        """The softmax of each column in each segment; see `segment_softmax`. O(n k) for rows of k features."""
        array = self._rows(values, False)
        if self._first != 0:
            raise ValueError(f"offsets begin at {self._first}: for a softmax they begin at 0")
        if array.dtype.kind != "f":
            raise TypeError(f"values have elements of {array.dtype}: softmax takes float16, float32 and float64")
        computed = computed_type("values", array.dtype)
        to = result(out, array.shape, array.dtype, computed)
        self._compiled.softmax(_two(as_computed(array, computed)), _two(to.array))
        return to.get()


def _remade(of: np.ndarray, is_index: bool, size: int | None) -> segment_plan:
    return segment_plan(index=of, size=size) if is_index else segment_plan(of)


def _two(array: np.ndarray) -> np.ndarray:
    """As a matrix; the same memory."""
    return array if array.ndim == 2 else array.reshape(-1, 1)


def _types(op: str, dtype: np.dtype) -> tuple[np.dtype, np.dtype]:
    """The types of the result and of the computation."""
    if dtype.kind != "f" and op in ("mean", "logsumexp"):
        return np.dtype(np.float64), np.dtype(np.float64)
    computed = computed_type("values", dtype) if dtype.kind == "f" else np.dtype(np.int64)
    if op.startswith("arg"):
        return np.dtype(np.int64), computed
    if op in ("sum", "prod") and dtype.kind != "f":
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64), computed
    return dtype, computed


def as_segment_plan(offsets: Any, index: Any, size: int | None) -> segment_plan:
    """A plan itself, as offsets or as an index, or one that is made of them."""
    for given in (offsets, index):
        if isinstance(given, segment_plan):
            if size is not None and size != len(given):
                raise ValueError(f"size = {size}: the plan has {len(given)} segments")
            return given
    return segment_plan(offsets, index=index, size=size)


def segment_softmax(
    values: Any,
    offsets: Any = None,
    *,
    index: Any = None,
    size: int | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """``exp(values)``, divided by its sum in each segment, without overflow.

    Parameters
    ----------
    values : array of shape (n,) or (n, k)
        float16, float32 or float64. Each column is a softmax of its own.
    offsets : array of shape (segments + 1,), `segments` or `segment_plan`, optional
        They go from 0 to ``n``.
    index : array of shape (n,) or `segment_plan`, optional
        The segment of each row, in any order.
    size : int, optional
        The number of segments of an index.
    out : array like values, optional

    Returns
    -------
    array of the shape and type of values

    Raises
    ------
    ValueError
        For an index out of range, whose position it names; for offsets that decrease, or shapes that do not fit.
    TypeError
        For elements that are not floating-point numbers.

    Notes
    -----
    A segment with NaN or inf, or of -inf only, gives NaN in that column. O(n k), and a stable sort of an index that
    does not ascend; a `segment_plan` sorts once. Bits repeat. Source: Milakov and Gimelshein (2018).
    """
    return as_segment_plan(offsets, index, size).softmax(values, out=out)


def scatter(
    values: Any, index: Any, size: int | None = None, op: str = "sum", *, out: np.ndarray | None = None
) -> np.ndarray:
    """Rows of values combined by their index: ``out[s]`` combines ``values[i]`` for all i with ``index[i] == s``.

    Parameters
    ----------
    values : array of shape (n,) or (n, k)
        float16, float32, float64, integers or bool.
    index : array of shape (n,) or `segment_plan`
        In any order. int32 or int64.
    size : int, optional
        The number of results; by default one more than the maximum of the index.
    op : {"sum", "mean", "min", "max", "prod", "argmin", "argmax", "logsumexp"}
    out : array of shape (size,) or (size, k), optional

    Returns
    -------
    array of shape (size,) or (size, k)
        As of `segment_reduce`.

    Raises
    ------
    ValueError
        For an index out of range, whose position it names; for min or max of integers without values; for shapes that
        do not fit.
    TypeError
        For element types that ``op`` does not take.

    Notes
    -----
    The bits repeat, because values are combined in the order of rows; sums by atomics do not. O(n k), and a stable sort
    of an index that does not ascend; a `segment_plan` sorts once.
    """
    return as_segment_plan(None, index, size).reduce(values, op, out=out)
