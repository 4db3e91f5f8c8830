# SPDX-License-Identifier: Apache-2.0
"""Scan, reduce, select, sort, reduce by key and reduce by index, on whole arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _device, _evenly
from ._arrays import as_array, as_computed, as_count, as_initial, as_plain, as_text, identity, result
from ._segments import _COMBINE, ordered_bits, scan_parts, scan_types, types_of


def scan(values: Any, op: str = "sum", *, exclusive: bool = False, out: np.ndarray | None = None) -> np.ndarray:
    """Prefixes: ``out[i]`` combines ``values[0]`` to ``values[i]``.

    Parameters
    ----------
    values : array of shape (n,)
        float16, float32, float64, complex64, complex128 (sum), integers or bool.
    op : {"sum", "min", "max", "prod"}
    exclusive : bool
        Without element i itself: the identity for the first.
    out : array of shape (n,), optional
        May be ``values`` itself.

    Returns
    -------
    array of shape (n,)
        Of the type that NumPy's ``cumsum`` has for sum and prod, else that of ``values``.

    Raises
    ------
    ValueError
        For another ``op``, another number of dimensions, and an ``out`` that does not fit or overlaps.
    TypeError
        For complex values under min, max and prod.

    Notes
    -----
    O(n). The bits repeat for the same number of threads. Source: decoupled look-back, Merrill and Garland (NVIDIA
    2016).
    """
    if type(values) is not np.ndarray and (gpu := _device.library_of(values)) is not None:
        return _device.scan(gpu, values, op, exclusive, out)
    array = as_array("values", values, 1)
    op, given, computed, dtype = scan_types(array, op)
    if parts := scan_parts(array, op):
        arrays, join = parts
        to = result(out, array.shape, array.dtype, array.dtype)
        to.array[...] = join(*(scan(each, op, exclusive=exclusive) for each in arrays))
        return to.get()
    to = result(out, array.shape, dtype, computed)
    _evenly.scan(as_computed(array, given), _COMBINE[op], not exclusive, to.array)
    return to.get()


def reduce(values: Any, op: str = "sum", *, initial: Any = None) -> Any:
    """All values combined.

    Parameters
    ----------
    values : array of any shape
        float16, float32, float64, integers, bool; complex for sum and mean.
    op : {"sum", "mean", "min", "max", "prod", "any", "all", "count"}
        ``count`` is the number of elements.
    initial : number, optional
        Combined with the values, for sum, min, max and prod.

    Returns
    -------
    number
        A NumPy scalar of the type that NumPy's reduction has. Of no values: 0, NaN (mean), 1 (prod), inf and -inf (min,
        max of floating-point numbers), False (any), True (all).

    Raises
    ------
    ValueError
        For another ``op``; for min or max of no integers without ``initial``.
    TypeError
        For element types that ``op`` does not take.

    Notes
    -----
    O(n). The bits repeat for the same number of threads.
    """
    if type(values) is not np.ndarray and (gpu := _device.library_of(values)) is not None:
        return _device.reduce(gpu, values, op, initial)
    array = as_array("values", values).reshape(-1)
    op = as_text("op", op, "sum")
    if op == "count":
        return np.int64(array.size)
    if op in ("any", "all"):
        flags = np.require(array != 0, np.bool_, ["C", "A"]).view(np.uint8)
        if flags.size == 0:
            return np.bool_(op == "all")
        return np.bool_(_reduced(flags, "max" if op == "any" else "min", np.dtype(np.uint8)))
    if op == "mean":
        dtype = array.dtype if array.dtype.kind in "fc" else np.dtype(np.float64)
        if array.size == 0:
            return dtype.type(np.nan)
        wide = array.astype(np.float32) if dtype == np.float16 else array.astype(dtype, copy=False)
        return dtype.type(reduce(wide, "sum") / array.size)
    if op not in _COMBINE:
        raise ValueError(f"op = {op!r} is no reduction; there are sum, mean, min, max, prod, any, all, count")
    if array.dtype.kind == "c":
        if op != "sum":
            raise TypeError(f"values have elements of {array.dtype}: {op} takes real numbers")
        total = array.dtype.type(complex(reduce(array.real), reduce(array.imag)))
        return total if initial is None else total + as_initial(initial, array.dtype)
    given, computed, dtype = types_of(op, array.dtype)
    is_extreme = op in ("min", "max")
    if array.size == 0:
        if is_extreme and dtype.kind != "f" and initial is None:
            raise ValueError(f"there are no values, and {op} of integers has no identity: give initial=")
        total = dtype.type(identity(op, dtype) if dtype.kind != "b" else op == "min")
    elif is_extreme and array.dtype == np.uint64:
        total = ordered_bits(np.array([_reduced(ordered_bits(array), op, np.dtype(np.int64))]))[0]
    else:
        total = np.asarray(_reduced(as_computed(array, given), op, computed)).astype(dtype)[()]
    if initial is not None:
        function = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[op]
        total = function(total, as_initial(initial, total.dtype))
    return total


def _reduced(array: np.ndarray, op: str, dtype: np.dtype) -> Any:
    out = np.empty(1, dtype)
    _evenly.reduce(array, _COMBINE[op], out)
    return out[0]


#: What moves instead of elements of so many bytes.
_MOVED = {1: np.dtype(np.uint8), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64), 16: np.dtype(np.complex128)}


def select(values: Any, mask: Any, *, out: np.ndarray | None = None) -> np.ndarray:
    """``values[mask]`` in parallel: the values at which ``mask`` is true, in order.

    Parameters
    ----------
    values, mask : arrays of shape (n,)
        ``mask`` of bool. Values of any type that NumPy calls numeric, of 1, 2, 4, 8 or 16 bytes.
    out : array, optional
        At least as long as the result, of the type of ``values``. The result is the written part of it.

    Returns
    -------
    array of shape (selected,)
        Of the type of ``values``.

    Raises
    ------
    TypeError
        For a mask that is not bool, and for element types that no operation takes.
    ValueError
        For shapes that differ, and for an ``out`` that is too short.

    Notes
    -----
    O(n), one pass.
    """
    array = as_array("values", values, 1)
    flags = as_plain("mask", mask)
    if flags.dtype != np.bool_:
        raise TypeError(f"mask has elements of {flags.dtype}: it must have bool")
    if flags.shape != array.shape:
        raise ValueError(f"mask has shape {flags.shape} and values {array.shape}: they must have the same")
    width = array.dtype.itemsize
    moved = as_computed(array, array.dtype).view(_MOVED[width]) if width in _MOVED else array.astype(np.uint32)
    if width not in _MOVED:  # float16 and integers of 16 bits, by their bits
        moved = as_computed(array, array.dtype).view(np.uint16).astype(np.uint32)
    room = np.empty(array.size, moved.dtype)
    count = _evenly.select(moved, np.require(flags, np.bool_, ["C", "A"]).view(np.uint8), room)
    found = room[:count] if width in _MOVED else room[:count].astype(np.uint16)
    found = found.view(array.dtype)
    return _written(out, found, "selected values")


#: Keys as they are sorted.
_SORTED = {
    np.dtype(given): np.dtype(sorted_as)
    for given, sorted_as in (
        ("?", "i4"), ("i1", "i4"), ("i2", "i4"), ("i4", "i4"), ("i8", "i8"), ("u1", "u4"), ("u2", "u4"), ("u4", "u4"),
        ("u8", "u8"), ("f2", "f4"), ("f4", "f4"), ("f8", "f8"),
    )
}  # fmt: skip


def sort(keys: Any, values: Any = None, *, out: Any = None) -> Any:
    """Keys in ascending order, and each value moved with its key. Stable.

    Parameters
    ----------
    keys : array of shape (n,)
        float16, float32, float64, integers or bool. NaN comes last, unless its sign bit is set: then it comes first.
    values : array whose first dimension is n, optional
        Of any type and further dimensions.
    out : array, or tuple of two arrays with ``values``, optional
        May be the arguments themselves.

    Returns
    -------
    array of shape (n,), or tuple of arrays with ``values``

    Raises
    ------
    TypeError
        For complex keys, and for an ``out`` that is not a tuple if there are values.
    ValueError
        For shapes that do not fit.

    Notes
    -----
    A radix sort: O(n) for each byte in which keys differ. Values of 4 and 8 bytes move with the keys; others are
    gathered after the sort.
    """
    array = as_array("keys", keys, 1)
    if array.dtype not in _SORTED:
        raise TypeError(f"keys have elements of {array.dtype}: they must be real numbers")
    computed = _SORTED[array.dtype]
    outs = (out, None) if values is None else (out if out is not None else (None, None))
    if not isinstance(outs, tuple) or len(outs) != 2:
        raise TypeError("out must be a tuple of two arrays, for keys and values")
    ordered = array.astype(computed, order="C", copy=True)
    to_keys = result(outs[0], array.shape, array.dtype, array.dtype)
    if values is None:
        _evenly.sort(ordered, None)
        to_keys.array[...] = ordered
        return to_keys.get()
    of = as_plain("values", values)
    if of.ndim == 0 or of.shape[0] != array.size:
        raise ValueError(f"values have shape {of.shape} and keys {array.shape}: the first dimension must be the same")
    if of.ndim == 1 and of.dtype.kind in "fiuc" and of.dtype.itemsize in (4, 8):
        moved = np.array(of, order="C", copy=True)
        _evenly.sort(ordered, moved.view(_MOVED[of.dtype.itemsize]))
    else:
        order = np.arange(array.size, dtype=np.uint32 if array.size < 1 << 32 else np.uint64)
        _evenly.sort(ordered, order)
        moved = of[order]
    to_values = result(outs[1], of.shape, of.dtype, of.dtype)
    to_values.array[...] = moved
    to_keys.array[...] = ordered
    return to_keys.get(), to_values.get()


class reduced_runs(NamedTuple):
    """What `reduce_by_key` returns."""

    keys: np.ndarray
    values: np.ndarray


def reduce_by_key(keys: Any, values: Any, op: str = "sum", *, out: Any = None) -> reduced_runs:
    """The values of each run of equal neighbouring keys combined.

    Parameters
    ----------
    keys : array of shape (n,)
        Integers or bool. Sort them first (`sort`) to have each key once.
    values : array of shape (n,)
        float16, float32, float64, complex64, complex128 (sum), integers or bool.
    op : {"sum", "min", "max", "prod"}
    out : (keys, values), optional
        Arrays that are at least as long as the results. The results are the written parts of them.

    Returns
    -------
    reduced_runs
        ``keys`` and combined ``values``, each of shape (runs,).

    Raises
    ------
    TypeError
        For keys that are not integers, and for complex values under min, max and prod.
    ValueError
        For another ``op``, and for shapes that differ.

    Notes
    -----
    O(n), one pass. The bits repeat for the same number of threads.
    """
    of = as_array("keys", keys, 1)
    array = as_array("values", values, 1)
    if of.dtype.kind not in "iub":
        raise TypeError(f"keys have elements of {of.dtype}: they must be integers")
    if of.size != array.size:
        raise ValueError(f"keys have {of.size} elements and values {array.size}: they must have the same number")
    op, given, computed, dtype = scan_types(array, op)
    outs = (None, None) if out is None else out
    if not isinstance(outs, tuple) or len(outs) != 2:
        raise TypeError("out must be a tuple of two arrays, for keys and values")
    if parts := scan_parts(array, op):
        arrays, join = parts
        runs_of_parts = [reduce_by_key(of, each, op) for each in arrays]
        runs = runs_of_parts[0].keys, join(*(each.values for each in runs_of_parts))
    else:
        wide = np.dtype(np.int32) if of.dtype.itemsize < 4 or of.dtype == np.int32 else np.dtype(np.int64)
        found, sums = np.empty(of.size, wide), np.empty(of.size, computed)
        count = _evenly.reduce_by_key(as_computed(of, wide), as_computed(array, given), _COMBINE[op], found, sums)
        runs = found[:count].astype(of.dtype), sums[:count].astype(dtype)
    return reduced_runs(*(_written(*each, "runs") for each in zip(outs, runs)))


def _written(out: Any, found: np.ndarray, what: str) -> np.ndarray:
    """``found``, or the beginning of ``out`` with a copy of it."""
    if out is None:
        return found
    if not isinstance(out, np.ndarray) or out.ndim != 1:
        raise TypeError("out must be a NumPy array of one dimension")
    if out.size < found.size:
        raise ValueError(f"out has {out.size} elements: there are {found.size} {what}")
    to = result(out[: found.size], found.shape, found.dtype, found.dtype)
    to.array[...] = found
    return to.get()


def reduce_by_index(
    index: Any, values: Any, size: int, op: str = "sum", *, out: np.ndarray | None = None
) -> np.ndarray:
    """For each g in [0, size), the combination of the values whose index is g.

    Parameters
    ----------
    index : array of shape (n,)
        Integers in [0, size), in any order.
    values : array of shape (n,)
        float16, float32, float64, integers or bool; complex for sums.
    size : int
    op : {"sum", "min", "max", "prod"}
    out : array of shape (size,), optional

    Returns
    -------
    array of shape (size,)
        The identity of ``op`` where there are no values. The type is that of `reduce_by_key`.

    Raises
    ------
    TypeError
        For indices that are not integers, for a ``size`` that is no integer, and for complex values but in sums.
    ValueError
        For another ``op``, for shapes that differ, and for an index that is not in [0, size).

    Notes
    -----
    O(n + size). The bits are the same for any number of threads.
    """
    of = as_array("index", index, 1)
    array = as_array("values", values, 1)
    if of.dtype.kind not in "iu":
        raise TypeError(f"index has elements of {of.dtype}: it must have integers")
    if of.size != array.size:
        raise ValueError(f"index has {of.size} elements and values {array.size}: they must have the same number")
    size = as_count("size", size)
    if of.dtype == np.uint64 and of.size > 0 and of.max() > np.iinfo(np.int64).max:
        raise ValueError(f"index {of.max()} is not in [0, {size})")
    op, given, computed, dtype = scan_types(array, op)
    wide = np.dtype(np.int32) if of.dtype == np.int32 or of.dtype.itemsize < 4 else np.dtype(np.int64)
    to = result(out, (size,), dtype, computed)
    if parts := scan_parts(array, op):
        arrays, join = parts
        to.array[...] = join(*(reduce_by_index(of, each, size, op) for each in arrays))
        return to.get()
    _evenly.reduce_by_index(as_computed(of, wide), as_computed(array, given), _COMBINE[op], to.array)
    if op in ("min", "max") and computed != dtype and dtype.kind in "iub":  # the identity of the narrow type
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        np.clip(to.array, low, high, out=to.array)
    return to.get()
