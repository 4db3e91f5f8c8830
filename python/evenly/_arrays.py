# SPDX-License-Identifier: Apache-2.0
"""Arrays as the compiled module takes them: of one of its types, elements side by side, aligned."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any

import numpy as np

from . import _evenly

#: What operations compute with, for each type that arrays may have. Results have the type that NumPy would give them.
_COMPUTED = {
    np.dtype(given): np.dtype(computed)
    for given, computed in (
        ("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("c8", "c8"), ("c16", "c16"), ("?", "i8"), ("i1", "i8"), ("i2", "i8"),
        ("i4", "i8"), ("i8", "i8"), ("u1", "i8"), ("u2", "i8"), ("u4", "i8"), ("u8", "i8"),
    )
}  # fmt: skip


def as_array(name: str, values: Any, ndim: int | None = None) -> np.ndarray:
    """An array of numbers: from NumPy, a sequence, or anything with ``__array_interface__`` or DLPack on the CPU."""
    if type(values) is not np.ndarray:
        _refuse_mask(name, values)
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            try:
                values = np.from_dlpack(values)
            except (BufferError, RuntimeError) as error:
                raise TypeError(f"{name} is not on the CPU, or not an array that NumPy reads: {_line(error)}") from None
        else:
            try:
                values = np.asarray(values)
            except RuntimeError as error:  # of a tensor that requires grad
                raise TypeError(f"{name} is not an array that NumPy reads: {_line(error)}") from None
    if values.dtype not in _COMPUTED:
        if not values.dtype.isnative and values.dtype.newbyteorder("=") in _COMPUTED:
            values = values.astype(values.dtype.newbyteorder("="))
        else:
            raise TypeError(f"{name} has elements of {values.dtype}: no operation takes them")
    if ndim is not None and values.ndim != ndim:
        raise ValueError(f"{name} has {values.ndim} dimensions: it must have {ndim}")
    return values


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _refuse_mask(name: str, values: Any) -> None:
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(values, masked.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass filled() or compressed(), as operations ignore masks")


def as_plain(name: str, values: Any) -> np.ndarray:
    """An array of any type."""
    _refuse_mask(name, values)
    return np.asarray(values)


def computed_type(name: str, dtype: np.dtype) -> np.dtype:
    """The type that operations compute with where arrays have ``dtype``."""
    if dtype not in _COMPUTED:
        raise TypeError(f"{name} has elements of {dtype}: no operation takes them")
    return _COMPUTED[dtype]


def as_computed(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """``values`` with elements of ``dtype``, side by side and aligned; a copy only if they are not so already."""
    if values.dtype == np.uint64 and dtype == np.int64:
        values = values.view(np.int64) if values.flags.c_contiguous else values.astype(np.uint64).view(np.int64)
    return np.require(values, dtype, ["C", "A"])


def as_offsets(name: str, values: Any) -> np.ndarray:
    """An index array of int32 or int64, without a copy where it is one."""
    array = as_plain(name, values)
    if array.dtype.kind not in "iu":
        if array.size:
            raise TypeError(f"{name} has elements of {array.dtype}: it must have integers")
        array = array.astype(np.int64)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions: it must have 1")
    dtype = np.dtype(np.int32) if array.dtype == np.int32 else np.dtype(np.int64)
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} has {int(array.max())}, which is more than int64 holds")
    return np.require(array, dtype, ["C", "A"])


class result:
    """Where an operation writes: ``out`` itself where it fits, else an array of its own that ends in ``out``.

    ``computed`` is the type that the operation writes, ``dtype`` that of the result. An ``out`` of another type gets
    what was computed, converted once.
    """

    __slots__ = ("array", "dtype", "out")

    def __init__(self, out: Any, shape: tuple[int, ...], dtype: np.dtype, computed: np.dtype, order: str = "C"):
        self.dtype = dtype
        self.out = out
        if out is not None:
            if not isinstance(out, np.ndarray):
                raise TypeError(f"out is {type(out).__name__}: it must be a NumPy array")
            if out.shape != shape:
                raise ValueError(f"out has shape {out.shape}: the result has {shape}")
            if not out.flags.writeable:
                raise ValueError("out is read-only")
            if not np.can_cast(dtype, out.dtype, "same_kind"):
                raise TypeError(f"out has elements of {out.dtype}: the result has {dtype}")
            is_count = dtype == np.bool_ and computed != np.uint8
            is_dense = out.flags.c_contiguous or (out.flags.f_contiguous and len(shape) > 1)
            if out.dtype == computed and not is_count and is_dense and out.flags.aligned:
                self.array = out
                return
        self.array = np.empty(shape, computed, order)

    def get(self) -> np.ndarray:
        """The result, in ``out`` if there is one."""
        if self.array is self.out:
            return self.out
        array = self.array
        if self.dtype == np.bool_ and array.dtype != np.bool_:
            array = array != 0
        if self.out is None:
            return array.astype(self.dtype, copy=False)
        self.out[...] = array
        return self.out


def require_apart(name: str, out: np.ndarray, *read: np.ndarray) -> None:
    """Raises ValueError if ``out`` may share memory with arrays that the operation reads."""
    if any(np.may_share_memory(out, array) for array in read):
        raise ValueError(f"{name} overlaps an array that the operation reads: they must be disjoint")


class threads:
    """Sets how many threads operations use on the CPU, and reads it.

    ``threads(n)`` holds until it is set again; 0 stands for all cores. As a context manager it holds in the block::

        with ev.threads(1):
            y = M @ x

    ``threads().count`` is the number in use. The setting applies to the whole process. Results have the same bits for
    the same number of threads.

    Parameters
    ----------
    n : int, optional
        From 0 to 4096; without it the setting does not change.

    Raises
    ------
    TypeError
        For a number that is not an integer.
    ValueError
        For a number outside of the limits.

    Notes
    -----
    O(1). Threads start with the next operation.
    """

    def __init__(self, n: int | None = None):
        self._before = _evenly.threads()
        if n is not None:
            count = as_count("n", n)
            if count > 4096:
                raise ValueError(f"n = {count}: there are at most 4096 threads")
            _evenly.set_threads(count)

    @property
    def count(self) -> int:
        """The number of threads in use."""
        return _evenly.threads()

    def __enter__(self) -> threads:
        return self

    def __exit__(self, *_: object) -> None:
        _evenly.set_threads(self._before)

    def __repr__(self) -> str:
        return f"evenly.threads({self.count})"


def as_count(name: str, value: Any, max_count: int = np.iinfo(np.int64).max) -> int:
    """A whole number that is not negative, and at most ``max_count``."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {type(value).__name__}: it must be an integer")
    try:
        count = operator.index(value)
    except Exception as error:  # of an array, or of a masked element
        raise TypeError(f"{name} is {type(value).__name__}: it must be an integer ({error})") from None
    if count < 0:
        raise ValueError(f"{name} = {count}: must not be negative")
    if count > max_count:
        raise ValueError(f"{name} = {count}: must be at most {max_count}")
    return count


def as_text(name: str, value: Any, default: str) -> str:
    """A string, or the default for None."""
    if value is None:
        return default
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}: it must be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} = {value!r} is not valid Unicode") from None
    return value


def as_initial(value: Any, dtype: np.dtype) -> np.ndarray:
    """A number that arrays of ``dtype`` can hold, as an array of no dimensions."""
    number = np.asarray(value)
    if number.ndim != 0 or number.dtype.kind not in "biufc":
        raise TypeError(f"initial is {type(value).__name__}: it must be a number")
    if not np.can_cast(number.dtype, dtype, "same_kind") and not (number.dtype.kind in "iu" and dtype.kind in "iub"):
        raise TypeError(f"initial is {value}: the result has {dtype}")
    with np.errstate(over="ignore"):
        converted = number.astype(dtype)
    if dtype.kind in "iub" and converted != number:
        raise ValueError(f"initial = {value}: the result has {dtype}, which does not hold it")
    return converted


def identity(op: str, dtype: np.dtype) -> Any:
    """What nothing combines to."""
    if op == "sum":
        return 0
    if op == "prod":
        return 1
    if dtype.kind == "f":
        return math.inf if op == "min" else -math.inf
    return np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min


def as_coordinates(points):
    """Three contiguous arrays of float32 or float64: the columns of points of shape (n, 3)."""
    array = as_array("points", points, 2)
    if array.shape[1] != 3:
        raise ValueError(f"points have shape {array.shape}: it must be (n, 3)")
    if array.dtype.kind == "c":
        raise TypeError(f"points have elements of {array.dtype}: they must be real numbers")
    dtype = array.dtype if array.dtype in (np.dtype(np.float32), np.dtype(np.float64)) else np.dtype(np.float64)
    return [as_computed(array[:, axis], dtype) for axis in range(3)]
