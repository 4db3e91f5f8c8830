# SPDX-License-Identifier: Apache-2.0
"""Segments of an array: reduce or scan each, or write down each element's segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _device, _evenly
from ._arrays import as_array, as_computed, as_initial, as_offsets, as_text, computed_type, result
from ._segment_plans import as_segment_plan, segment_plan

_COMBINE = {name: getattr(_evenly.combine, name) for name in ("sum", "min", "max", "prod")}
_REDUCTIONS = ("sum", "mean", "min", "max", "prod", "any", "all", "count")
_ONE_RUN = "automatic:expected_runs=1"


class segments:
    """Segments that keep their plans. If you use the same offsets several times, this is faster.

    Every function of this package that takes offsets also takes ``segments``.

    Parameters
    ----------
    offsets : array of shape (segments + 1,)
        int32 or int64. Offsets do not decrease, and must not change afterwards.

    Raises
    ------
    ValueError
        For an empty array; at the first use also for offsets that decrease or are negative.
    TypeError
        For offsets that are not integers.

    Notes
    -----
    The first operation under a schedule makes a plan, in O(segments). Several threads may use the same object; a plan
    serves one of them at a time.
    """

    def __new__(cls, offsets: Any) -> Any:
        return object.__new__(cls) if _device.library_of(offsets) is None else _device.gpu_segments(offsets)

    def __init__(self, offsets: Any):
        self.offsets = as_offsets("offsets", offsets)
        if self.offsets.size == 0:
            raise ValueError("offsets is empty: it must have one more element than there are segments")
        self._compiled = _evenly.segments(self.offsets)

    def __reduce__(self) -> tuple:
        return segments, (self.offsets,)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __repr__(self) -> str:
        return f"<evenly.segments: {len(self)} segments of {int(self.offsets[-1] - self.offsets[0])} elements>"


def _segments_of(offsets: Any) -> tuple[segments, str]:
    """The segments, and the schedule that suits by default."""
    return (offsets, "automatic") if isinstance(offsets, segments) else (segments(offsets), _ONE_RUN)


def ordered_bits(values: np.ndarray) -> np.ndarray:
    """uint64 as int64, in the same order; its own inverse."""
    other = np.int64 if values.dtype == np.uint64 else np.uint64
    return (np.ascontiguousarray(values).view(np.uint64) ^ np.uint64(1 << 63)).view(other)


def sum_type(dtype: np.dtype) -> np.dtype:
    """The type of a sum or a product, as NumPy has it."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def types_of(op: str, dtype: np.dtype) -> tuple[np.dtype, np.dtype, np.dtype]:
    """The types of the values that are read, of those that are computed, and of the result."""
    if op in ("min", "max"):
        if dtype.kind in "bui" and dtype.itemsize < 4 or dtype == np.int32:
            computed = np.dtype(np.uint8 if dtype in (np.dtype(np.uint8), np.dtype(np.bool_)) else np.int32)
        else:
            computed = computed_type("values", dtype)
        return computed, computed, dtype
    total = sum_type(dtype)
    computed = computed_type("values", total)
    if dtype == np.int32:
        return dtype, computed, total
    return computed, computed, total


def segment_reduce(
    values: Any,
    offsets: Any = None,
    op: str = "sum",
    *,
    index: Any = None,
    size: int | None = None,
    initial: Any = None,
    out: np.ndarray | None = None,
    schedule: str | None = None,
    on: str | None = None,
) -> np.ndarray:
    """One value for each segment of ``values``.

    Parameters
    ----------
    values : array of shape (n,) or (n, k)
        float16, float32, float64, complex64, complex128 (sum, mean), integers or bool.
    offsets : array of shape (segments + 1,), `segments` or `segment_plan`
        Segment ``s`` is ``values[offsets[s]:offsets[s + 1]]``. int32 or int64, not decreasing, at most ``n``.
    op : {"sum", "mean", "min", "max", "prod", "any", "all", "count", "argmin", "argmax", "logsumexp"}
        ``count`` is the number of elements. argmin and argmax are rows of ``values``, the first of equal ones.
    index : array of shape (n,) or `segment_plan`, optional
        Instead of offsets: the segment of each row, in any order.
    size : int, optional
        The number of segments of an index; by default one more than its maximum.
    initial : number, optional
        Combined with every segment, for sum, min, max and prod.
    out : array of shape (segments,), optional
    schedule : str, optional
        A name of `schedules`; by default one that suits the segments.
    on : {"cpu", "simt", "cuda"}, optional
        "simt" is the simulated GPU; values are real numbers there. "cuda" copies values and result, for sums, minima
        and maxima of float32 and float64.

    Returns
    -------
    array of shape (segments,) or (segments, k)
        Of the type that NumPy's reduction has. An empty segment gives the identity: 0 for sum and count, 1 for prod,
        NaN for mean, inf and -inf for min and max of floating-point numbers, False for any, True for all, -1 for argmin
        and argmax, -inf for logsumexp.

    Raises
    ------
    ValueError
        For offsets that decrease or are beyond ``values``; for an empty segment under min or max of integers without
        ``initial``; for a shape of ``out`` that does not fit; for an index out of range, whose position it names. For
        rows of features and with an index, for ``initial``, ``schedule``, ``on``, any, all and count.
    TypeError
        For element types that ``op`` does not take.

    Notes
    -----
    O(n k + segments), and a stable sort of an index that does not ascend; a `segment_plan` sorts once. The result has
    the same bits on every run with the same schedule and number of threads. Elements
    are converted, by a copy, unless they are float32, float64, int32, int64 or complex (min, max: also uint8 and bool).
    Schedules: Merrill and Garland (PPoPP 2016) for ``merge_path``; the others name theirs in docs/schedules.md.
    """
    if type(values) is not np.ndarray and (gpu := _device.library_of(values)) is not None:
        if index is not None or size is not None:
            raise ValueError("an index is for arrays on the CPU: give offsets")
        return _device.segment_reduce(gpu, values, offsets, op, initial, out)
    if _is_of_rows(values, offsets, op, index):
        if not (initial is None and schedule is None and on in (None, "cpu")):
            raise ValueError("with an index, rows of features, argmin, argmax and logsumexp, there is no initial, no "
                             "schedule, and on is cpu")
        return as_segment_plan(offsets, index, size).reduce(values, op, out=out)
    if size is not None:
        raise ValueError("size has no meaning for offsets: it is the number of segments of an index")
    if on == "cuda":
        return _device.segment_reduce_of_host(values, offsets, op, initial, out)
    of, default = _segments_of(offsets)
    array = as_array("values", values, 1)
    op = as_text("op", op, "sum")
    if op not in _REDUCTIONS:
        raise ValueError(f"op = {op!r} is no reduction; there are {', '.join(_REDUCTIONS)}")
    if initial is not None and op not in _COMBINE:
        raise ValueError(f"initial has no meaning for {op}: it is for sum, min, max and prod")
    place = (as_text("schedule", schedule, default), as_text("on", on, "cpu"))
    shape = (len(of),)
    if op == "count":
        of._compiled.plan(*place)  # checks the offsets
        to = result(out, shape, np.dtype(np.int64), np.dtype(np.int64))
        np.subtract(of.offsets[1:], of.offsets[:-1], out=to.array, casting="unsafe")
        return to.get()
    if op in ("any", "all"):
        flags = np.require(array != 0, np.bool_, ["C", "A"]).view(np.uint8)
        to = result(out, shape, np.dtype(np.bool_), np.dtype(np.uint8))
        of._compiled.reduce(flags, _COMBINE["max" if op == "any" else "min"], to.array, *place)
        return to.get()
    if op == "mean":
        return _mean(of, array, shape, out, place)
    if array.dtype.kind == "c" and op != "sum":
        raise TypeError(f"values have elements of {array.dtype}: {op} takes real numbers")
    if op in ("min", "max") and array.dtype == np.uint64:
        shifted = None if initial is None else int(as_initial(initial, array.dtype)) - (1 << 63)
        signed = segment_reduce(ordered_bits(array), of, op, initial=shifted, schedule=place[0], on=place[1])
        to = result(out, shape, array.dtype, array.dtype)
        to.array[...] = ordered_bits(signed)
        return to.get()
    given, computed, dtype = types_of(op, array.dtype)
    first = None if initial is None else as_initial(initial, dtype)
    if op in ("min", "max") and dtype.kind != "f" and initial is None and _has_empty(of):
        empty = int(np.flatnonzero(of.offsets[1:] == of.offsets[:-1])[0])
        raise ValueError(f"segment {empty} is empty, and {op} of integers has no identity: give initial=")
    to = result(out, shape, dtype, computed)
    of._compiled.reduce(as_computed(array, given), _COMBINE[op], to.array, *place)
    combined = to.get()
    if initial is not None:
        function = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[op]
        function(combined, first, out=combined, casting="same_kind")
    return combined


def _is_of_rows(values: Any, offsets: Any, op: Any, index: Any) -> bool:
    """Whether a `segment_plan` reduces: what plans of `segments` do not."""
    if index is not None or offsets is None or isinstance(offsets, segment_plan):
        return True
    dimensions = np.ndim(values) if isinstance(values, (list, tuple)) else getattr(values, "ndim", 1)
    return dimensions == 2 or isinstance(op, str) and op in ("argmin", "argmax", "logsumexp")


def _has_empty(of: segments) -> bool:
    return bool((of.offsets[1:] == of.offsets[:-1]).any())


def _mean(of: segments, array: np.ndarray, shape: tuple[int, ...], out: Any, place: tuple[str, str]) -> np.ndarray:
    dtype = array.dtype if array.dtype.kind in "fc" else np.dtype(np.float64)
    computed = computed_type("values", dtype)
    to = result(out, shape, dtype, computed)
    of._compiled.reduce(as_computed(array, computed), _COMBINE["sum"], to.array, *place)
    with np.errstate(invalid="ignore", divide="ignore"):
        np.divide(to.array, of.offsets[1:] - of.offsets[:-1], out=to.array, casting="same_kind")
    return to.get()


def segment_scan(
    values: Any,
    offsets: Any,
    op: str = "sum",
    *,
    exclusive: bool = False,
    out: np.ndarray | None = None,
    schedule: str | None = None,
    on: str | None = None,
) -> np.ndarray:
    """The prefixes of each segment: ``out[i]`` combines the values of i's segment up to i.

    Parameters
    ----------
    values : array of shape (n,)
        float16, float32, float64, complex64, complex128 (sum), integers or bool.
    offsets : array of shape (segments + 1,), or `segments`
        They go from 0 to ``n``.
    op : {"sum", "min", "max", "prod"}
    exclusive : bool
        Without element i itself: the identity for the first of a segment.
    out : array of shape (n,), optional
        May be ``values`` itself.
    schedule, on
        As of `segment_reduce`.

    Returns
    -------
    array of shape (n,)
        Of the type that NumPy's ``cumsum`` has for sum and prod, else that of ``values``.

    Raises
    ------
    ValueError, TypeError
        As `segment_reduce`.

    Notes
    -----
    O(n + segments), one pass over the values. The bits repeat. Source: decoupled look-back, Merrill and Garland
    (NVIDIA 2016), in a shape that does not depend on timing.
    """
    if type(values) is not np.ndarray and (gpu := _device.library_of(values)) is not None:
        return _device.segment_scan(gpu, values, offsets, op, exclusive, out)
    of, default = _segments_of(offsets)
    array = as_array("values", values, 1)
    op, given, computed, dtype = scan_types(array, op)
    if of.offsets[0] != 0 or of.offsets[-1] != array.size:
        raise ValueError(
            f"offsets go from {of.offsets[0]} to {of.offsets[-1]}: for a scan they go from 0 to {array.size}, the "
            "number of values"
        )
    if parts := scan_parts(array, op):
        arrays, join = parts
        to = result(out, array.shape, array.dtype, array.dtype)
        to.array[...] = join(
            *(segment_scan(each, of, op, exclusive=exclusive, schedule=schedule, on=on) for each in arrays)
        )
        return to.get()
    to = result(out, array.shape, dtype, computed)
    of._compiled.scan(
        as_computed(array, given),
        _COMBINE[op],
        not exclusive,
        to.array,
        as_text("schedule", schedule, default),
        as_text("on", on, "cpu"),
    )
    return to.get()


def scan_parts(array: np.ndarray, op: str) -> tuple[list[np.ndarray], Callable[..., np.ndarray]] | None:
    """For types that scans are not compiled for: arrays to combine instead, and a function that joins their results."""
    if array.dtype.kind == "c":
        if op != "sum":
            raise TypeError(f"values have elements of {array.dtype}: {op} takes real numbers")
        return [array.real, array.imag], _complex_of
    if array.dtype == np.uint64 and op in ("min", "max"):
        return [ordered_bits(array)], ordered_bits
    return None


def _complex_of(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    joined = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    joined.real, joined.imag = real, imag
    return joined


def scan_types(array: np.ndarray, op: Any) -> tuple[str, np.dtype, np.dtype, np.dtype]:
    """The operation, and its types as `types_of` has them."""
    op = as_text("op", op, "sum")
    if op not in _COMBINE:
        raise ValueError(f"op = {op!r} is no scan; there are {', '.join(_COMBINE)}")
    given, computed, dtype = types_of(op, array.dtype)
    if computed == np.uint8:
        given = computed = np.dtype(np.int32)
    return op, given, computed, dtype


def expand(
    offsets: Any, *, out: np.ndarray | None = None, schedule: str | None = None, on: str | None = None
) -> np.ndarray:
    """The segment of each element, as ``np.repeat(np.arange(segments), np.diff(offsets))``.

    Parameters
    ----------
    offsets : array of shape (segments + 1,), or `segments`
        int32 or int64, not decreasing.
    out : array of shape (elements,), optional
        Of int32. It does not overlap the offsets.
    schedule, on
        As for `segment_reduce`.

    Returns
    -------
    array of shape (elements,)
        The number of the segment of each element from ``offsets[0]`` to ``offsets[-1]``, as int32.

    Raises
    ------
    ValueError
        For offsets that decrease or are negative, a shape of ``out`` that does not fit, and an ``out`` that overlaps.
    MemoryError
        If memory does not suffice for the result.

    Notes
    -----
    O(elements + segments).
    """
    of, default = _segments_of(offsets)
    count = int(of.offsets[-1]) - int(of.offsets[0])
    place = (as_text("schedule", schedule, default), as_text("on", on, "cpu"))
    if count < 0:
        of._compiled.plan(*place)  # names the first offset that decreases
    to = result(out, (count,), np.dtype(np.int32), np.dtype(np.int32))
    of._compiled.expand(to.array, *place)
    return to.get()
