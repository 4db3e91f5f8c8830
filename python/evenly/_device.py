# SPDX-License-Identifier: Apache-2.0
"""GPU arrays: of CuPy and PyTorch, and whatever has ``__cuda_array_interface__`` or DLPack."""

from __future__ import annotations

import math
import os
import sys
import weakref
from typing import Any, NamedTuple

import numpy as np

from . import _evenly

_COMBINE = {name: getattr(_evenly.combine, name) for name in ("sum", "min", "max")}
_REAL = ("float32", "float64")
_INT32_MAX = np.iinfo(np.int32).max
#: DLPack's numbers of CUDA devices and of managed memory.
_DLPACK_CUDA = (2, 13)


def open_part() -> int:
    """Loads the GPU part, if it is not loaded yet. Returns the number of GPUs. Raises RuntimeError without either."""
    path = os.path.join(os.path.dirname(_evenly.__file__), "_evenly_cuda.so")
    if not os.path.exists(path):
        raise RuntimeError("this evenly has no GPU part: install it where nvcc is found (docs/python.md)")
    return _evenly.open_cuda_part(path)


class _described(NamedTuple):
    """An array of the device. ``strides`` count elements."""

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int

    def line(self, name: str) -> Any:
        """As the compiled module takes a vector."""
        if len(self.shape) != 1:
            raise ValueError(f"{name} has {len(self.shape)} dimensions: it must have 1")
        if self.shape[0] > 1 and self.strides[0] != 1:
            raise ValueError(f"the elements of {name} do not lie side by side: make a contiguous copy")
        return _evenly.cuda_array(self.address, self.dtype, self.shape[0])

    def dense(self, name: str) -> Any:
        """As the compiled module takes a dense matrix."""
        rows, cols = self.shape
        for by_rows, (near, far) in ((True, (1, 0)), (False, (0, 1))):
            if (self.shape[near] <= 1 or self.strides[near] == 1) and (
                self.shape[far] <= 1 or self.strides[far] >= self.shape[near]
            ):
                leading = self.strides[far] if self.shape[far] > 1 else max(self.shape[near], 1)
                return _evenly.cuda_array(self.address, self.dtype, rows, cols, leading, by_rows)
        raise ValueError(f"{name} has neither rows nor columns that lie side by side: make a contiguous copy")


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class device_array:
    """An array on a GPU that evenly allocated: results where the operands are of neither CuPy nor PyTorch.

    ``cupy.asarray``, ``numba.cuda.as_cuda_array`` and ``torch.as_tensor`` take it without a copy; ``get()`` copies it
    to NumPy.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, device: int = 0):
        _library_named("evenly")
        self.shape, self.dtype, self.device = tuple(shape), np.dtype(dtype), device
        self._memory = _evenly.cuda_memory(device, self.dtype.itemsize * math.prod(shape))

    @classmethod
    def copy_of(cls, array: np.ndarray, device: int = 0) -> device_array:
        made = cls(array.shape, array.dtype, device)
        made._memory.upload(np.ascontiguousarray(array).reshape(-1))
        return made

    def get(self, out: np.ndarray | None = None) -> np.ndarray:
        """A copy in NumPy. Waits for the GPU."""
        array = np.empty(self.shape, self.dtype)
        self._memory.download(array.reshape(-1))
        if out is None:
            return array
        out[...] = array
        return out

    @property
    def __cuda_array_interface__(self) -> dict:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self._memory.address, False), "version": 3,
            "strides": None, "stream": 1,
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<evenly.device_array: shape {self.shape} of {self.dtype} on GPU {self.device}>"


class _library:
    """How arrays of a library are read and made. This one is for those without a library of their own."""

    name = "evenly"
    kind: type = device_array
    reader: Any = None

    def describe(self, name: str, x: Any) -> _described:
        """Raises TypeError for arrays that do not lie on a GPU."""
        if type(x) is device_array:
            return _described(x._memory.address, x.dtype.name, x.shape, _contiguous(x.shape), x.device)
        interface = getattr(x, "__cuda_array_interface__", None)
        if interface is not None:
            dtype = np.dtype(interface["typestr"])
            shape = tuple(interface["shape"])
            strides = interface.get("strides")
            in_elements = _contiguous(shape) if strides is None else tuple(s // dtype.itemsize for s in strides)
            address = interface["data"][0]
            stream = interface.get("stream") or 0
            stream = 0 if stream == 1 else stream  # 1: the legacy default stream, on which work runs here
            return _described(address, dtype.name, shape, in_elements, _evenly.cuda_device_of(address, stream))
        if hasattr(x, "__dlpack__") and x.__dlpack_device__()[0] in _DLPACK_CUDA:
            address, code, bits, shape, strides, device = _evenly.read_dlpack(x.__dlpack__(stream=1))
            dtype = {0: "int", 1: "uint", 2: "float"}.get(code, "unknown") + str(bits)
            return _described(address, dtype, shape, strides, device)
        raise TypeError(f"{name} is {type(x).__name__}, which is not on a GPU: the other operands are")

    def stream(self, device: int) -> int:
        """The current stream, by its handle."""
        return 0  # the legacy default stream, after which producers order their arrays

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        return device_array(shape, dtype, device)

    def as_int32(self, name: str, x: Any) -> Any:
        if self.describe(name, x).dtype != "int32":
            raise TypeError(f"{name} has elements of {self.describe(name, x).dtype}: on a GPU it must have int32")
        return x

    def from_host(self, array: np.ndarray, device: int) -> Any:
        return device_array.copy_of(array, device)


class _cupy(_library):
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self._cupy, self.kind = cupy, cupy.ndarray
        self._stream = cupy.cuda.get_current_stream
        self.reader = _evenly.cuda_reader(
            False, cupy.ndarray, np.dtype(np.float32), np.dtype(np.float64), cupy.ndarray, self._stream
        )

    def describe(self, name: str, x: Any) -> _described:
        if not isinstance(x, self._cupy.ndarray):
            raise TypeError(f"{name} is {type(x).__name__}: it must be a CuPy array, as the other operands are")
        item = x.itemsize
        return _described(x.data.ptr, x.dtype.name, x.shape, tuple(s // item for s in x.strides), x.data.device_id)

    def stream(self, device: int) -> int:
        return self._stream(device).ptr

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        with self._cupy.cuda.Device(device):
            return self._cupy.empty(shape, dtype)

    def as_int32(self, name: str, x: Any) -> Any:
        return self._cupy.ascontiguousarray(x, dtype=np.int32)

    def from_host(self, array: np.ndarray, device: int) -> Any:
        with self._cupy.cuda.Device(device):
            return self._cupy.asarray(array)

    def transposed(self, of: gpu_matrix) -> Any:
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix((of.data, of.indices, of.indptr), shape=of.shape).T

    def compressed(self, A: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
        """(offsets, columns, values, shape) of a sparse or dense matrix."""
        if isinstance(A, self._cupy.ndarray):
            from cupyx.scipy.sparse import csr_matrix

            A = csr_matrix(A)
        A = A.tocsr()
        return A.indptr, A.indices, A.data, A.shape


class _torch(_library):
    name = "torch"

    def __init__(self) -> None:
        import torch

        self._torch, self.kind = torch, torch.Tensor
        self._types = {torch.float32: "float32", torch.float64: "float64", torch.int32: "int32", torch.int64: "int64"}
        self._dtypes = {name: dtype for dtype, name in self._types.items()}
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self.stream = raw if raw is not None else lambda device: torch.cuda.current_stream(device).cuda_stream
        self.reader = _evenly.cuda_reader(
            True, torch.Tensor, torch.float32, torch.float64, torch.Tensor.new_empty, self.stream
        )

    def describe(self, name: str, x: Any) -> _described:
        if not isinstance(x, self._torch.Tensor) or not x.is_cuda:
            kind = f"on {x.device}" if isinstance(x, self._torch.Tensor) else type(x).__name__
            raise TypeError(f"{name} is {kind}: it must be a tensor on a GPU, as the other operands are")
        if x.requires_grad:
            raise TypeError(f"{name} requires grad, and evenly computes no gradients: pass {name}.detach()")
        dtype = self._types.get(x.dtype, str(x.dtype).removeprefix("torch."))
        return _described(x.data_ptr(), dtype, tuple(x.shape), tuple(x.stride()), x.get_device())

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        return self._torch.empty(shape, dtype=self._dtypes[dtype], device=f"cuda:{device}")

    def as_int32(self, name: str, x: Any) -> Any:
        return x.to(self._torch.int32).contiguous()

    def from_host(self, array: np.ndarray, device: int) -> Any:
        return self._torch.as_tensor(array, device=f"cuda:{device}")

    def transposed(self, of: gpu_matrix) -> Any:
        made = self._torch.sparse_csr_tensor(of.indptr, of.indices, of.data, size=of.shape)
        return made.to_sparse_coo().t().coalesce()

    def compressed(self, A: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
        if A.requires_grad:
            raise TypeError("A requires grad, and evenly computes no gradients: pass A.detach()")
        if A.layout is not self._torch.sparse_csr:
            A = A.to_sparse_csr()
        return A.crow_indices(), A.col_indices(), A.values(), tuple(A.shape)


_libraries: dict[str, _library] = {}
_kinds: dict[type, _library] = {}


def _library_named(name: str) -> _library:
    library = _libraries.get(name)
    if library is None:
        open_part()
        library = _libraries[name] = {"cupy": _cupy, "torch": _torch, "evenly": _library}[name]()
        _kinds[library.kind] = library
    return library


def library_of(x: Any) -> _library | None:
    """The library of a GPU array or of a sparse matrix on a GPU; None for anything else."""
    kind = type(x)
    if kind in _kinds:  # the array types of the libraries
        library = _kinds[kind]
        return library if library.name != "torch" or x.is_cuda else None
    module = kind.__module__.partition(".")[0]
    if module in ("numpy", "scipy", "builtins"):
        return library_of(x[0]) if type(x) is tuple and x else None
    if module in ("cupy", "cupyx"):
        return _library_named("cupy")
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _library_named("torch") if x.is_cuda else None
    if kind is device_array or getattr(x, "__cuda_array_interface__", None) is not None:
        return _library_named("evenly")
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in _DLPACK_CUDA:
        return _library_named("evenly")
    return None


def _require_type(name: str, of: _described, dtype: str) -> None:
    if of.dtype != dtype:
        raise TypeError(f"{name} has elements of {of.dtype}: it must have {dtype}, as the other operands have")


def _require_real(name: str, of: _described) -> None:
    if of.dtype not in _REAL:
        raise TypeError(f"{name} has elements of {of.dtype}: on a GPU there are float32 and float64")


def _overlap(a: _described, b: _described) -> bool:
    def end(of: _described) -> int:
        last = sum((size - 1) * step for size, step in zip(of.shape, of.strides))
        return of.address + (last + 1) * np.dtype(of.dtype).itemsize

    return 0 not in a.shape and 0 not in b.shape and a.address < end(b) and b.address < end(a)


class _result:
    """``out``, or a new array."""

    def __init__(self, library: _library, out: Any, shape: tuple[int, ...], dtype: str, device: int):
        self.array = library.empty(shape, dtype, device) if out is None else out
        self.of = library.describe("out", self.array)
        if self.of.shape != shape:
            raise ValueError(f"out has shape {self.of.shape}: the result has {shape}")
        _require_type("out", self.of, dtype)
        _require_device("out", self.of, device)

    def require_apart(self, name: str, other: _described) -> None:
        if _overlap(self.of, other):
            raise ValueError(f"out overlaps {name}")


def _require_device(name: str, of: _described, device: int) -> None:
    if of.device != device:
        raise ValueError(f"{name} is on GPU {of.device}, and the other operands on GPU {device}")


class _rows:
    """Offsets on a GPU and the plans that are kept for them."""

    def __init__(self, library: _library, offsets: Any, device: int | None = None):
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
            raise ValueError("there are no offsets: they are one more than segments")
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

    def _make(self, library: _library, offsets: Any, columns: Any, values: Any, shape: tuple[int, int]) -> None:
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
        self._rows = _rows(library, offsets)
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
        if schedule is not None or on not in (None, "cuda"):
            raise ValueError("a product of GPU arrays takes no schedule, and runs on cuda")
        if self._try_spmv is not None and (made := self._try_spmv(x, out)) is not None:
            return made
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


def segment_reduce(library: _library, values: Any, offsets: Any, op: str, initial: Any, out: Any) -> Any:
    """As evenly.segment_reduce, by sum, min and max."""
    rows = offsets._rows if type(offsets) is gpu_segments else None
    combine = _combine(op)
    if initial is not None:
        raise ValueError("initial is for arrays of the host")
    if rows is not None and library.reader is not None:
        made = rows.compiled.try_segment_reduce(values, combine, out)
        if made is not None:
            return made
    of = library.describe("values", values)
    _require_real("values", of)
    if rows is None:
        rows = _rows(library, getattr(offsets, "offsets", offsets), of.device)
    _require_device("offsets", library.describe("offsets", rows.offsets), of.device)
    to = _result(library, out, (rows.compiled.rows,), of.dtype, of.device)
    to.require_apart("values", of)
    rows.compiled.segment_reduce(library.stream(of.device), of.line("values"), combine, to.of.line("out"))
    return to.array


def reduce(library: _library, values: Any, op: str, initial: Any) -> Any:
    """As evenly.reduce, by sum, min and max; the result is an array without dimensions."""
    combine = _combine(op)
    if initial is not None:
        raise ValueError("initial is for arrays of the host")
    if library.reader is not None and (made := library.reader.try_reduce(values, combine)) is not None:
        return made
    of = library.describe("values", values)
    _require_real("values", of)
    if of.strides != _contiguous(of.shape) and 0 not in of.shape:
        raise ValueError("the elements of values do not lie side by side: make a contiguous copy")
    size = math.prod(of.shape)
    made = library.empty((), of.dtype, of.device)
    out = _evenly.cuda_array(library.describe("out", made).address, of.dtype, 1)
    line = _evenly.cuda_array(of.address, of.dtype, size)
    _evenly.cuda_reduce(of.device, library.stream(of.device), line, combine, out)
    return made


def scan(library: _library, values: Any, op: str, exclusive: bool, out: Any) -> Any:
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
        library = _library_named("evenly")
        _real_array("A", matrix.data)
        if max(*matrix.shape, matrix.nnz) >= _INT32_MAX:
            raise ValueError(f"a matrix of {matrix.shape} with {matrix.nnz} entries: on='cuda' needs less of each")
        made = object.__new__(gpu_matrix)
        arrays = (matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data)
        made._make(library, *(library.from_host(array, 0) for array in arrays), matrix.shape)
        _copies[matrix] = made
    return made


def dot_of_host(matrix: Any, x: Any, out: Any) -> np.ndarray:
    """M @ x for arrays of the host."""
    on_gpu = copy_of(matrix)
    array = np.asarray(x)
    return on_gpu.dot(device_array.copy_of(array.astype(matrix.dtype, casting="same_kind", copy=False))).get(out)


def segment_reduce_of_host(values: Any, offsets: Any, op: str, initial: Any, out: Any) -> np.ndarray:
    """evenly.segment_reduce for arrays of the host."""
    library = _library_named("evenly")
    array = _real_array("values", np.asarray(values))
    given = np.asarray(getattr(offsets, "offsets", offsets))
    return segment_reduce(library, device_array.copy_of(array), given, op, initial, None).get(out)
