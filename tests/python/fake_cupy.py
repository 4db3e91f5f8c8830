# SPDX-License-Identifier: Apache-2.0
"""What the package and gpu_arrays.py use of CuPy, on arrays of the host; for host_part.cpp."""
import ctypes
import sys
import types

import numpy as np
import scipy.sparse


class _memory:
    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id


class ndarray(np.ndarray):
    __module__ = "cupy"
    is_freed = False

    @property
    def _c_contiguous(self):
        return self.flags.c_contiguous

    @property
    def data(self):
        return _memory(0 if self.is_freed else self.ctypes.data, self.device_id)

    def __array_finalize__(self, of):
        self.device_id = getattr(of, "device_id", _device.current)


def asarray(x):
    return np.array(x).view(ndarray)


class _device:
    """Of two, which arrays only remember."""

    current = 0

    def __init__(self, device=0):
        self.device = device

    def __enter__(self):
        self.before, _device.current = _device.current, self.device

    def __exit__(self, *_):
        _device.current = self.before

    def synchronize(self):
        pass


class _stream:
    ptr = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class csr_matrix:
    """A matrix of three arrays, or of a dense array."""

    __module__ = "cupyx.scipy.sparse"

    def __init__(self, arrays, shape=None):
        if not isinstance(arrays, tuple):
            of = scipy.sparse.csr_array(np.asarray(arrays))
            arrays, shape = (of.data, of.indices, of.indptr), of.shape
        self.data, self.indices, self.indptr = (asarray(each) for each in arrays)
        self.shape = shape

    def tocsr(self):
        return self

    def _of_scipy(self):
        arrays = tuple(np.asarray(each) for each in (self.data, self.indices, self.indptr))
        return scipy.sparse.csr_array(arrays, shape=self.shape)

    def __matmul__(self, x):
        return asarray(self._of_scipy() @ np.asarray(x))

    @property
    def T(self):
        of = self._of_scipy().T.tocsr()
        return csr_matrix((of.data, of.indices, of.indptr), of.shape)


class _dltensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]  # fmt: skip


_describe_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_dltensor))
_stream_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _functions(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("describe", _describe_type), ("stream", _stream_type)]  # fmt: skip


kept = []  # what C functions point to


@_describe_type
def _describe(x, out):
    half = x.data.ptr // 2  # an offset is a part of the address
    shape, strides = ((ctypes.c_int64 * 2)(*each) for each in (x.shape, [step // x.itemsize for step in x.strides]))
    kept[:] = [*kept[-8:], shape, strides]
    code = {"i": 0, "u": 1, "f": 2}[x.dtype.kind]
    out[0] = _dltensor(half or None, 2, x.device_id, x.ndim, code, 8 * x.itemsize, 1, ctypes.addressof(shape),
                       ctypes.addressof(strides), x.data.ptr - half)  # fmt: skip
    return 0


@_stream_type
def _current_stream(device_type, device, stream):
    stream[0] = None
    return 0


def give_functions():
    """Gives arrays the C functions of DLPack: in version 1.3, which one that is too new refers to."""
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    known = _functions(1, 3, None, (ctypes.c_void_p * 3)(), _describe, _current_stream)
    too_new = _functions(2, 0, ctypes.addressof(known))
    ndarray.functions = known, too_new
    ndarray.__dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(too_new), b"dlpack_exchange_api", None)


def install():
    """Puts the modules cupy and cupyx.scipy.sparse in place."""
    names = ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.sparse")
    cupy, cupyx, scipy_of, sparse = (types.ModuleType(name) for name in names)
    cupy.ndarray, cupy.asarray, cupy.asnumpy = ndarray, asarray, lambda x: np.array(x)
    cupy.empty = lambda shape, dtype: np.empty(shape, dtype).view(ndarray)
    cupy.ascontiguousarray = lambda x, dtype: (
        x if x.dtype == dtype and x.flags.c_contiguous else asarray(np.asarray(x, dtype))
    )
    cupy.cuda = types.SimpleNamespace(
        get_current_stream=lambda device=-1: _stream(),
        Stream=lambda non_blocking=False: _stream(),
        Device=_device,
        runtime=types.SimpleNamespace(getDeviceCount=lambda: 2),
    )
    sparse.csr_matrix = csr_matrix
    sys.modules.update({each.__name__: each for each in (cupy, cupyx, scipy_of, sparse)})
