# SPDX-License-Identifier: Apache-2.0
"""Operations on GPU arrays. The GPU part of the package is loaded when it is first needed."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from . import _evenly
from ._device_arrays import (
    array_library,
    contiguous_strides,
    described_array,
    device_array,
    library_named,
    library_of,
)

_COMBINE = {name: getattr(_evenly.combine, name) for name in ("sum", "min", "max")}
_REAL = ("float32", "float64")
_INT32_MAX = np.iinfo(np.int32).max


def _require_type(name: str, of: described_array, dtype: str) -> None:
    if of.dtype != dtype:
        raise TypeError(f"{name} has elements of {of.dtype}: it must have {dtype}, as the other operands have")


def _require_real(name: str, of: described_array) -> None:
    if of.dtype not in _REAL:
        raise TypeError(f"{name} has elements of {of.dtype}: on a GPU there are float32 and float64")


def _overlap(a: described_array, b: described_array) -> bool:
    def end(of: described_array) -> int:
        last = sum((size - 1) * step for size, step in zip(of.shape, of.strides))
        return of.address + (last + 1) * np.dtype(of.dtype).itemsize

    return 0 not in a.shape and 0 not in b.shape and a.address < end(b) and b.address < end(a)


class _result:
    """``out``, or a new array."""

    def __init__(self, library: array_library, out: Any, shape: tuple[int, ...], dtype: str, device: int):
        self.array = library.empty(shape, dtype, device) if out is None else out
        self.of = library.describe("out", self.array)
        if self.of.shape != shape:
            raise ValueError(f"out has shape {self.of.shape}: the result has {shape}")
        _require_type("out", self.of, dtype)
        _require_device("out", self.of, device)

    def require_apart(self, name: str, other: described_array) -> None:
        if _overlap(self.of, other):
            raise ValueError(f"out overlaps {name}: they must be disjoint")


def _require_device(name: str, of: described_array, device: int) -> None:
    if of.device != device:
        raise ValueError(f"{name} is on GPU {of.device}, and the other operands on GPU {device}")


class _rows:
    """Offsets on a GPU and the plans that are kept for them."""

    def __init__(self, library: array_library, offsets: Any, device: int | None = None):
        self.library = library
        if isinstance(offsets, (np.ndarray, list, tuple)):
            array = np.asarray(offsets)
            if array.dtype.kind not in "iu":
                raise TypeError(f"offsets has elements of {array.dtype}: it must have integers")
            if array.size and int(array.max()) > _INT32_MAX:
                raise ValueError(f"offsets has {int(array.max())}, which is more than int32 holds")
            offsets = library.from_host(array.astype(np.int32), device or 0)
        self.offsets = library.as_int32("offsets", offsets)
        of = library.describe("offsets", self.offsets)
        if of.shape == (0,):
            raise ValueError("offsets is empty: it must have one more element than there are segments")
        self.device = of.device
        self.compiled = _evenly.cuda_rows(self.device, library.stream(self.device), of.line("offsets"))
        if library.reader is not None:
            self.compiled.set_reader(library.reader)


class gpu_segments:
    """`segments` whose offsets are on a GPU: their plans are kept."""

    def __init__(self, offsets: Any):
        library = library_of(offsets)
        assert library is not None
        self._rows = _rows(library, offsets)
        self.offsets = self._rows.offsets

    def __len__(self) -> int:
        return self._rows.compiled.rows

    def __repr__(self) -> str:
        return f"<evenly.gpu_segments: {len(self)} segments of {self._rows.compiled.atoms} elements>"


class gpu_matrix:
    """A sparse matrix on a GPU: what `matrix` makes of a matrix of CuPy or PyTorch, or of GPU arrays.

    Products run on the current stream of the library, and do not wait after the first of their kind. Values are float32
    or float64. Indices of int64 are narrowed once. The arrays must not change afterwards.
    """

    __array_ufunc__ = None  # so that array @ M comes here
    __array_priority__ = 1000
    __slots__ = (
        "_columns", "_compiled", "_device", "_dtype", "_library", "_rows", "_try_spmv", "_values", "shape",
        "__weakref__",
    )  # fmt: skip
    ndim = 2

    def __init__(self, A: Any, shape: tuple[int, int] | None = None):
        library = library_of(A)
        if library is None:
            raise TypeError(f"A is {type(A).__name__}, which is not on a GPU")
        if isinstance(A, tuple):
            if len(A) != 3 or shape is None:
                raise TypeError("A must be (data, indices, indptr) on a GPU, with shape=")
            values, columns, offsets = A
        elif hasattr(library, "compressed"):
            offsets, columns, values, shape = library.compressed(A)
        else:
            raise TypeError(f"A is {type(A).__name__}: give (data, indices, indptr), or a matrix of CuPy or PyTorch")
        self._make(library, offsets, columns, values, shape)

    def _make(self, library: array_library, offsets: Any, columns: Any, values: Any, shape: tuple[int, int]) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        of = library.describe("data", values)
        _require_real("data", of)
        entries = of.shape[0]
        if max(*self.shape, entries) >= _INT32_MAX:
            raise ValueError(
                f"a matrix of {self.shape} with {entries} entries: on a GPU each number is less than {_INT32_MAX}"
            )
        self._library, self._dtype, self._device, self._values = library, of.dtype, of.device, values
        self._columns = library.as_int32("indices", columns)
        of_columns = library.describe("indices", self._columns)
        _require_device("indices", of_columns, of.device)
        if of_columns.shape != (entries,):
            raise ValueError(f"indices has shape {of_columns.shape} and data {(entries,)}: they must have the same")
        self._rows = _rows(library, offsets, of.device)
        _require_device("indptr", library.describe("indptr", self._rows.offsets), of.device)
        self._compiled = self._rows.compiled
        self._try_spmv = self._compiled.try_spmv if library.reader is not None else None
        if self._compiled.rows != self.shape[0]:
            raise ValueError(f"a matrix of {self.shape[0]} rows has {self._compiled.rows + 1} offsets")
        if self._compiled.first != 0 or self._compiled.first + self._compiled.atoms > entries:
            end = self._compiled.first + self._compiled.atoms
            raise ValueError(
                f"indptr goes from {self._compiled.first} to {end}: it must go from 0 to {entries}, the number of "
                "entries"
            )
        self._compiled.set_entries(self._stream(), self.shape[1], of_columns.line("indices"), of.line("data"))

    def _stream(self) -> int:
        return self._library.stream(self._device)

    @property
    def dtype(self) -> np.dtype:
        """The type of values."""
        return np.dtype(self._dtype)

    @property
    def nnz(self) -> int:
        """The number of stored entries, zeros among them."""
        return self._compiled.atoms

    @property
    def indptr(self) -> Any:
        """Where rows begin among the entries."""
        return self._rows.offsets

    @property
    def indices(self) -> Any:
        """The column of each entry."""
        return self._columns

    @property
    def data(self) -> Any:
        """The value of each entry."""
        return self._values

    @property
    def T(self) -> gpu_matrix:
        """The transposed matrix, in arrays of its own, made by CuPy or PyTorch."""
        if not hasattr(self._library, "transposed"):
            raise TypeError("the transpose of a matrix on a GPU is for matrices of CuPy and PyTorch")
        return gpu_matrix(self._library.transposed(self))

    def __repr__(self) -> str:
        rows, cols = self.shape
        place = f"{self._library.name}, GPU {self._device}"
        return f"<evenly.gpu_matrix: {rows} x {cols}, {self.nnz} entries of {self._dtype} ({place})>"

    def dot(self, x: Any, *, out: Any = None, schedule: str | None = None, on: str | None = None) -> Any:
        """The product with a vector or a dense matrix; ``M @ x`` with more arguments.

        Parameters
        ----------
        x : array of shape (columns,) or (columns, k)
            Of the library and on the GPU of the matrix, with its type of values. Matrices by rows are fastest.
        out : array of shape (rows,) or (rows, k), optional
            Overlaps neither x nor the matrix.
        schedule : None
            On a GPU the schedule is chosen by the matrix.
        on : {"cuda"}, optional

        Raises
        ------
        ValueError
            For shapes that do not fit, arrays on different GPUs, and an ``out`` that overlaps.
        TypeError
            For other types, other libraries, and arrays of the host.

        Notes
        -----
        O(entries), times k. Runs on the current stream. The first product of a kind plans, and waits. Later ones may be
        captured in CUDA graphs if ``out`` is given.
        """
        if schedule is None and on is None and self._try_spmv is not None:  # a few microseconds
            made = self._try_spmv(x, out)
            if made is not None:
                return made
        if schedule is not None or on not in (None, "cuda"):
            raise ValueError("a product of GPU arrays takes no schedule, and runs on cuda")
        of = self._library.describe("x", x)
        if len(of.shape) not in (1, 2):
            raise ValueError(f"x has {len(of.shape)} dimensions: a product takes a vector or a matrix")
        if of.shape[0] != self.shape[1]:
            what = "rows" if len(of.shape) == 2 else "elements"
            raise ValueError(f"x has {of.shape[0]} {what}: the matrix has {self.shape[1]} columns")
        _require_type("x", of, self._dtype)
        _require_device("x", of, self._device)
        to = _result(self._library, out, (self.shape[0], *of.shape[1:]), self._dtype, self._device)
        to.require_apart("x", of)
        if len(of.shape) == 1:
            self._compiled.spmv(self._stream(), of.line("x"), to.of.line("out"))
        else:
            self._compiled.spmm(self._stream(), of.dense("x"), to.of.dense("out"))
        return to.array

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def bfs(self, source: int, undirected: bool, out: Any) -> tuple[Any, Any]:
        """As evenly.bfs."""
        levels, parents = (
            _result(self._library, each, (self.shape[0],), "int32", self._device)
            for each in ((None, None) if out is None else out)
        )
        self._compiled.bfs(self._stream(), undirected, source, levels.of.line("levels"), parents.of.line("parents"))
        return levels.array, parents.array


def _values_of_segments(library: array_library, values: Any, offsets: Any, rows: Any) -> tuple[Any, Any]:
    """Descriptions of values and of their segments, on one GPU; `rows` if they are known."""
    of = library.describe("values", values)
    _require_real("values", of)
    if rows is None:
        rows = _rows(library, getattr(offsets, "offsets", offsets), of.device)
    _require_device("offsets", library.describe("offsets", rows.offsets), of.device)
    return of, rows


def segment_reduce(library: array_library, values: Any, offsets: Any, op: str, initial: Any, out: Any) -> Any:
    """As evenly.segment_reduce, by sum, min and max."""
    rows = offsets._rows if type(offsets) is gpu_segments else None
    combine = _combine(op)
    if initial is not None:
        raise ValueError("initial is for arrays of the host")
    if rows is not None and library.reader is not None:
        made = rows.compiled.try_segment_reduce(values, combine, out)
        if made is not None:
            return made
    of, rows = _values_of_segments(library, values, offsets, rows)
    to = _result(library, out, (rows.compiled.rows,), of.dtype, of.device)
    to.require_apart("values", of)
    rows.compiled.segment_reduce(library.stream(of.device), of.line("values"), combine, to.of.line("out"))
    return to.array


def segment_scan(library: array_library, values: Any, offsets: Any, op: str, exclusive: bool, out: Any) -> Any:
    """As evenly.segment_scan, by sum."""
    if op != "sum":
        raise ValueError(f"op = {op!r} does not run on a GPU; there is sum")
    rows = offsets._rows if type(offsets) is gpu_segments else None
    if rows is not None and library.reader is not None:
        made = rows.compiled.try_segment_scan(values, not exclusive, out)
        if made is not None:
            return made
    of, rows = _values_of_segments(library, values, offsets, rows)
    to = _result(library, out, of.shape, of.dtype, of.device)
    if to.of.address != of.address:
        to.require_apart("values", of)
    rows.compiled.segment_scan(library.stream(of.device), of.line("values"), not exclusive, to.of.line("out"))
    return to.array


def reduce(library: array_library, values: Any, op: str, initial: Any) -> Any:
    """As evenly.reduce, by sum, min and max; the result is an array without dimensions."""
    combine = _combine(op)
    if initial is not None:
        raise ValueError("initial is for arrays of the host")
    if library.reader is not None and (made := library.reader.try_reduce(values, combine)) is not None:
        return made
    of = library.describe("values", values)
    _require_real("values", of)
    if of.strides != contiguous_strides(of.shape) and 0 not in of.shape:
        raise ValueError("the elements of values do not lie side by side: make a contiguous copy")
    size = math.prod(of.shape)
    made = library.empty((), of.dtype, of.device)
    out = _evenly.cuda_array(library.describe("out", made).address, of.dtype, 1)
    line = _evenly.cuda_array(of.address, of.dtype, size)
    _evenly.cuda_reduce(of.device, library.stream(of.device), line, combine, out)
    return made


def scan(library: array_library, values: Any, op: str, exclusive: bool, out: Any) -> Any:
    """As evenly.scan, by sum, min and max."""
    combine = _combine(op)
    if library.reader is not None:
        made = library.reader.try_scan(values, combine, not exclusive, out)
        if made is not None:
            return made
    of = library.describe("values", values)
    _require_real("values", of)
    to = _result(library, out, of.shape, of.dtype, of.device)
    if to.of.address != of.address:
        to.require_apart("values", of)
    _evenly.cuda_scan(
        of.device, library.stream(of.device), of.line("values"), combine, not exclusive, to.of.line("out")
    )
    return to.array


def _combine(op: Any) -> Any:
    if op not in _COMBINE:
        raise ValueError(f"op = {op!r} does not run on a GPU; there are {', '.join(_COMBINE)}")
    return _COMBINE[op]


# Arrays of the host, for on="cuda". The copy of a matrix is kept as long as the matrix lives.

_copies: weakref.WeakKeyDictionary[Any, gpu_matrix] = weakref.WeakKeyDictionary()


def _real_array(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.name not in _REAL:
        raise TypeError(f"{name} has elements of {array.dtype}: on='cuda' takes float32 and float64")
    return array


def copy_of(matrix: Any) -> gpu_matrix:
    """The copy of a `matrix` on the first GPU."""
    made = _copies.get(matrix)
    if made is None:
        library = library_named("evenly")
        _real_array("A", matrix.data)
        if max(*matrix.shape, matrix.nnz) >= _INT32_MAX:
            raise ValueError(f"a matrix of {matrix.shape} with {matrix.nnz} entries: on='cuda' needs less of each")
        made = object.__new__(gpu_matrix)
        arrays = (matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data)
        made._make(library, *(library.from_host(array, 0) for array in arrays), matrix.shape)
        _copies[matrix] = made
    return made


def dot_of_host(matrix: Any, x: Any, out: Any, schedule: str | None) -> np.ndarray:
    """M @ x for arrays of the host."""
    if schedule is not None:
        raise ValueError("on='cuda' takes no schedule: the matrix decides")
    on_gpu = copy_of(matrix)
    array = np.asarray(x)
    return on_gpu.dot(device_array.copy_of(array.astype(matrix.dtype, casting="same_kind", copy=False))).get(out)


def segment_reduce_of_host(values: Any, offsets: Any, op: str, initial: Any, out: Any) -> np.ndarray:
    """evenly.segment_reduce for arrays of the host."""
    library = library_named("evenly")
    array = _real_array("values", np.asarray(values))
    given = np.asarray(getattr(offsets, "offsets", offsets))
    return segment_reduce(library, device_array.copy_of(array), given, op, initial, None).get(out)
