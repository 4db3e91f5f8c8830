# SPDX-License-Identifier: Apache-2.0
"""Arrays on GPUs: of CuPy, PyTorch and others. How they are read and made."""

from __future__ import annotations

import math
import os
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _evenly

#: DLPack's numbers of CUDA devices and of managed memory.
_DLPACK_CUDA = (2, 13)


def open_part() -> int:
    """Loads the GPU part, if it is not loaded yet. Returns the number of GPUs. Raises RuntimeError without either."""
    path = os.path.join(os.path.dirname(_evenly.__file__), "_evenly_cuda.so")
    if not os.path.exists(path):
        raise RuntimeError("this evenly has no GPU part: install it where nvcc is found (docs/python.md)")
    return _evenly.open_cuda_part(path)


class described_array(NamedTuple):
    """An array of the device. ``strides`` count elements."""

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int

    def _require_memory(self, name: str) -> None:
        if self.address == 0 and 0 not in self.shape:
            raise ValueError(f"{name} has no memory: it was freed")

    def line(self, name: str) -> Any:
        """As the compiled module takes a vector."""
        if len(self.shape) != 1:
            raise ValueError(f"{name} has {len(self.shape)} dimensions: it must have 1")
        if self.shape[0] > 1 and self.strides[0] != 1:
            raise ValueError(f"the elements of {name} do not lie side by side: make a contiguous copy")
        self._require_memory(name)
        return _evenly.cuda_array(self.address, self.dtype, self.shape[0])

    def dense(self, name: str) -> Any:
        """As the compiled module takes a dense matrix."""
        rows, cols = self.shape
        self._require_memory(name)
        for by_rows, (near, far) in ((True, (1, 0)), (False, (0, 1))):
            if (self.shape[near] <= 1 or self.strides[near] == 1) and (
                self.shape[far] <= 1 or self.strides[far] >= self.shape[near]
            ):
                leading = self.strides[far] if self.shape[far] > 1 else max(self.shape[near], 1)
                return _evenly.cuda_array(self.address, self.dtype, rows, cols, leading, by_rows)
        raise ValueError(f"{name} has neither rows nor columns that lie side by side: make a contiguous copy")


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
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
        library_named("evenly")
        self.shape, self.dtype, self.device = tuple(shape), np.dtype(dtype), device
        self._memory = _evenly.cuda_memory(device, self.dtype.itemsize * math.prod(shape))

    @classmethod
    def copy_of(cls, array: np.ndarray, device: int = 0) -> device_array:
        """A copy of an array of NumPy on a GPU."""
        made = cls(array.shape, array.dtype, device)
        made._memory.upload(np.ascontiguousarray(array).reshape(-1))
        return made

    def get(self, out: np.ndarray | None = None) -> np.ndarray:
        """A copy in NumPy. Waits for the GPU."""
        array = np.empty(self.shape, self.dtype)
        self._memory.download(array.reshape(-1))
        if out is None:
            return array
        if out.shape != self.shape:
            raise ValueError(f"out has shape {out.shape}: the result has {self.shape}")
        np.copyto(out, array, casting="same_kind")
        return out

    @property
    def __cuda_array_interface__(self) -> dict:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self._memory.address, False), "version": 3,
            "strides": None, "stream": 1,
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<evenly.device_array: shape {self.shape} of {self.dtype} on GPU {self.device}>"


class array_library:
    """How arrays of a library are read and made. This one is for those without a library of their own."""

    name = "evenly"
    kind: type = device_array
    reader: Any = None

    def describe(self, name: str, x: Any) -> described_array:
        """Raises TypeError for arrays that do not lie on a GPU."""
        if type(x) is device_array:
            return described_array(x._memory.address, x.dtype.name, x.shape, contiguous_strides(x.shape), x.device)
        interface = getattr(x, "__cuda_array_interface__", None)
        if interface is not None:
            dtype = np.dtype(interface["typestr"])
            shape = tuple(interface["shape"])
            strides = interface.get("strides")
            in_elements = contiguous_strides(shape) if strides is None else tuple(s // dtype.itemsize for s in strides)
            address = interface["data"][0]
            stream = interface.get("stream") or 0
            stream = 0 if stream == 1 else stream  # 1: the legacy default stream, on which work runs here
            return described_array(address, dtype.name, shape, in_elements, _evenly.cuda_device_of(address, stream))
        if hasattr(x, "__dlpack__") and x.__dlpack_device__()[0] in _DLPACK_CUDA:
            address, code, bits, shape, strides, device = _evenly.read_dlpack(x.__dlpack__(stream=1))
            dtype = {0: "int", 1: "uint", 2: "float"}.get(code, "unknown") + str(bits)
            return described_array(address, dtype, shape, strides, device)
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


class _cupy(array_library):
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self._cupy, self.kind = cupy, cupy.ndarray
        self._stream = cupy.cuda.get_current_stream
        self.reader = _evenly.cuda_reader(
            False, cupy.ndarray, np.dtype(np.float32), np.dtype(np.float64), cupy.ndarray, self._stream
        )

    def describe(self, name: str, x: Any) -> described_array:
        if not isinstance(x, self._cupy.ndarray):
            raise TypeError(f"{name} is {type(x).__name__}: it must be a CuPy array, as the other operands are")
        item = x.itemsize
        return described_array(x.data.ptr, x.dtype.name, x.shape, tuple(s // item for s in x.strides), x.data.device_id)

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

    def transposed(self, of: Any) -> Any:
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix((of.data, of.indices, of.indptr), shape=of.shape).T

    def compressed(self, A: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
        """(offsets, columns, values, shape) of a sparse or dense matrix."""
        if isinstance(A, self._cupy.ndarray):
            from cupyx.scipy.sparse import csr_matrix

            A = csr_matrix(A)
        A = A.tocsr()
        return A.indptr, A.indices, A.data, A.shape


class _torch(array_library):
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

    def describe(self, name: str, x: Any) -> described_array:
        if not isinstance(x, self._torch.Tensor) or not x.is_cuda:
            kind = f"on {x.device}" if isinstance(x, self._torch.Tensor) else type(x).__name__
            raise TypeError(f"{name} is {kind}: it must be a tensor on a GPU, as the other operands are")
        if x.requires_grad:
            raise TypeError(f"{name} requires grad, and evenly computes no gradients: pass {name}.detach()")
        dtype = self._types.get(x.dtype, str(x.dtype).removeprefix("torch."))
        return described_array(x.data_ptr(), dtype, tuple(x.shape), tuple(x.stride()), x.get_device())

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        return self._torch.empty(shape, dtype=self._dtypes[dtype], device=f"cuda:{device}")

    def as_int32(self, name: str, x: Any) -> Any:
        return x.to(self._torch.int32).contiguous()

    def from_host(self, array: np.ndarray, device: int) -> Any:
        return self._torch.as_tensor(array, device=f"cuda:{device}")

    def transposed(self, of: Any) -> Any:
        made = self._torch.sparse_csr_tensor(of.indptr, of.indices, of.data, size=of.shape)
        return made.to_sparse_coo().t().coalesce()

    def compressed(self, A: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
        if A.requires_grad:
            raise TypeError("A requires grad, and evenly computes no gradients: pass A.detach()")
        if A.layout is not self._torch.sparse_csr:
            A = A.to_sparse_csr()
        return A.crow_indices(), A.col_indices(), A.values(), tuple(A.shape)


_libraries: dict[str, array_library] = {}
_kinds: dict[type, array_library] = {}


def library_named(name: str) -> array_library:
    library = _libraries.get(name)
    if library is None:
        open_part()
        library = _libraries[name] = {"cupy": _cupy, "torch": _torch, "evenly": array_library}[name]()
        _kinds[library.kind] = library
    return library


def library_of(x: Any) -> array_library | None:
    """The library of a GPU array or of a sparse matrix on a GPU; None for anything else."""
    kind = type(x)
    if kind in _kinds:  # the array types of the libraries
        library = _kinds[kind]
        return library if library.name != "torch" or x.is_cuda else None
    module = kind.__module__.partition(".")[0]
    if module in ("numpy", "scipy", "builtins"):
        return library_of(x[0]) if type(x) is tuple and x else None
    if module in ("cupy", "cupyx"):
        return library_named("cupy")
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return library_named("torch") if x.is_cuda else None
    if kind is device_array or getattr(x, "__cuda_array_interface__", None) is not None:
        return library_named("evenly")
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in _DLPACK_CUDA:
        return library_named("evenly")
    return None
