# SPDX-License-Identifier: Apache-2.0
"""What the package and gpu_arrays.py use of CuPy, on arrays of the host; for host_part.cpp."""
import contextlib
import sys
import types

import numpy as np
import scipy.sparse


class _memory:
    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id


class ndarray(np.ndarray):
    __module__ = "cupy"
    is_freed, device_id = False, 0

    @property
    def data(self):
        return _memory(0 if self.is_freed else self.ctypes.data, self.device_id)

    def __array_finalize__(self, _):
        pass


def asarray(x):
    return np.array(x).view(ndarray)


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


def install():
    """Puts the modules cupy and cupyx.scipy.sparse in place."""
    names = ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.sparse")
    cupy, cupyx, scipy_of, sparse = (types.ModuleType(name) for name in names)
    cupy.ndarray, cupy.asarray, cupy.asnumpy = ndarray, asarray, lambda x: np.array(x)
    cupy.empty = lambda shape, dtype: np.empty(shape, dtype).view(ndarray)
    cupy.ascontiguousarray = lambda x, dtype: x if x.dtype == dtype else asarray(np.asarray(x, dtype))
    cupy.cuda = types.SimpleNamespace(
        get_current_stream=lambda device=-1: _stream(),
        Stream=lambda non_blocking=False: _stream(),
        Device=lambda device=0: contextlib.nullcontext(types.SimpleNamespace(synchronize=lambda: None)),
    )
    sparse.csr_matrix = csr_matrix
    sys.modules.update({each.__name__: each for each in (cupy, cupyx, scipy_of, sparse)})
