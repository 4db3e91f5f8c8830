# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices: products, sums and transposes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _device, _evenly
from ._arrays import as_array, as_computed, as_count, as_offsets, as_text, computed_type, require_apart, result

_NATIVE = tuple(np.dtype(name) for name in ("f4", "f8", "c8", "c16", "i8"))


def _is_scipy(a: Any) -> bool:
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and scipy_sparse.issparse(a)


def _is_sparse_tensor(a: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(a, torch.Tensor) and a.layout is not torch.strided


def _is_sparse(a: Any) -> bool:
    return type(a) is matrix or _is_scipy(a) or _is_sparse_tensor(a)


class _compressed:
    """Arrays in compressed rows, and the compiled matrices that were made of them: one for each type of values."""

    def __init__(self, shape: tuple[int, int], indptr: np.ndarray, indices: np.ndarray, data: np.ndarray):
        self.shape, self.indptr, self.indices, self.data = shape, indptr, indices, data
        self._made: dict[np.dtype, Any] = {}
        self._lock = threading.Lock()

    def compiled(self, dtype: np.dtype) -> Any:
        """With values of ``dtype``."""
        made = self._made.get(dtype)
        if made is None:
            with self._lock:
                made = self._made.get(dtype)
                if made is None:
                    is_checked = bool(self._made)
                    data = as_computed(self.data, dtype)
                    made = self._made[dtype] = _evenly.csr(*self.shape, self.indptr, self.indices, data, is_checked)
        return made


def _from_made(shape: tuple[int, int], made: tuple[np.ndarray, ...], dtype: np.dtype) -> _compressed:
    """Of what an operation made. Offsets that int32 holds have it, so that SciPy takes all arrays as they are."""
    indptr, indices, data = made
    if indices.size <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    if data.dtype != dtype:
        data = (data != 0) if dtype == np.bool_ else data.astype(dtype)
    return _compressed(shape, indptr, indices, data)


class matrix:
    """A sparse matrix, ready for products. Keeps what it plans, so that products after the first start at once.

    Parameters
    ----------
    A : sparse or dense matrix, or tuple (data, indices, indptr)
        Any format of SciPy, array or matrix; a sparse tensor of PyTorch; a NumPy array of two dimensions; the arrays of
        compressed rows. csr and csc are taken without a copy: the arrays must not change afterwards. Other formats are
        converted by their library.
    shape : (rows, columns), optional
        Of a tuple; by default as many columns as the greatest index asks for.

    Raises
    ------
    ValueError
        For arrays that are no matrix; for indices outside of it; for more than 2^31 - 2 rows or columns.
    TypeError
        For element types that no operation takes.

    Notes
    -----
    Values are float16, float32, float64, complex64, complex128, integers or bool; indices int32 or int64, of both or
    one array. Products have the type that NumPy gives them. Values of float16, of integers of fewer than 64 bits and
    of another type than the other operand are converted once, and kept.

    ``M @ x``, ``M @ X`` and ``M @ N`` are products with a vector, a dense and a sparse matrix; ``M + N`` and ``M - N``
    are sums; ``2 * M``, ``M / 2`` and ``-M`` have new values. ``M.T`` shares all arrays. ``np.asarray(M)`` is dense,
    ``scipy.sparse.csr_array(M)`` has the arrays of M. The solvers of scipy.sparse.linalg take a matrix as it is; other
    functions of SciPy may need ``M.tocsr()``. Bits repeat for the same schedule and number of threads.

    The arrays are checked once, in O(entries). Several threads may use the same matrix; a plan serves one of them at a
    time.
    """

    __array_ufunc__ = None  # so that array @ M comes here
    __slots__ = ("_dtype", "_fast", "_sides", "_turned", "__weakref__")

    def __new__(cls, A: Any, shape: tuple[int, int] | None = None) -> Any:
        return object.__new__(cls) if _device.library_of(A) is None else _device.gpu_matrix(A, shape)

    def __init__(self, A: Any, shape: tuple[int, int] | None = None):
        self._turned = False
        if isinstance(A, matrix) and type(A) is matrix:
            self._sides, self._turned = A._sides, A._turned
        elif _is_scipy(A):
            self._sides = _sides_of_scipy(A)
        elif _is_sparse_tensor(A):
            self._sides = _sides_of_tensor(A)
        elif isinstance(A, tuple):
            self._sides = [_of_arrays(A, shape), None]
        else:
            self._sides = [_of_dense(as_array("A", A, 2)), None]
        side = self._sides[0] if self._sides[0] is not None else self._sides[1]
        self._dtype = side.data.dtype
        computed_type("A", self._dtype)
        side.compiled(computed_type("A", self._dtype))  # checks the arrays
        self._fast = None

    @classmethod
    def _of(cls, sides: list, turned: bool = False) -> matrix:
        made = object.__new__(cls)
        made._sides, made._turned, made._fast = sides, turned, None
        made._dtype = next(side for side in sides if side is not None).data.dtype
        return made

    def _with_values(self, of: Callable[[np.ndarray], np.ndarray]) -> matrix:
        """With ``of(values)`` instead of the values; the other arrays are shared."""
        sides = [side and _compressed(side.shape, side.indptr, side.indices, of(side.data)) for side in self._sides]
        made = matrix._of(sides, self._turned)
        computed_type("the result", made._dtype)
        return made

    def _rows(self) -> _compressed:
        """In compressed rows; made of the columns by a transposition when it is first asked for."""
        mine = int(self._turned)
        if self._sides[mine] is None:
            self._sides[mine] = _transposed(self._sides[1 - mine])
        return self._sides[mine]

    def _known(self) -> _compressed:
        """What there is: rows, else columns."""
        mine = self._sides[int(self._turned)]
        return mine if mine is not None else self._sides[1 - int(self._turned)]

    # What arrays and SciPy's matrices have.

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        side = self._sides[int(self._turned)]
        return side.shape if side is not None else self._sides[1 - int(self._turned)].shape[::-1]

    _shape = shape  # SciPy's constructors read it
    ndim = 2

    @property
    def dtype(self) -> np.dtype:
        """The type of values."""
        return self._dtype

    @property
    def nnz(self) -> int:
        """The number of stored entries, zeros among them."""
        return int(self._known().indices.size)

    format = "evenly"

    @property
    def indptr(self) -> np.ndarray:
        """Where rows begin among the entries: rows + 1 offsets."""
        return self._rows().indptr

    @property
    def indices(self) -> np.ndarray:
        """The column of each entry."""
        return self._rows().indices

    @property
    def data(self) -> np.ndarray:
        """The value of each entry."""
        return self._rows().data

    @property
    def T(self) -> matrix:
        """The transposed matrix, which shares all arrays. O(1); its first product transposes them, once."""
        return matrix._of(self._sides, not self._turned)

    def conj(self) -> matrix:
        """The matrix of conjugate values: itself if they are real. O(entries) otherwise."""
        return self._with_values(np.conj) if self._dtype.kind == "c" else self

    conjugate = conj

    def transpose(self, axes: None = None) -> matrix:
        """As ``T``."""
        return self.T

    def tocsr(self, copy: bool = False) -> Any:
        """As scipy.sparse.csr_array, which shares the arrays unless ``copy``."""
        return self._scipy("csr_array", self._rows(), self.shape, copy)

    def tocsc(self, copy: bool = False) -> Any:
        """As scipy.sparse.csc_array, which shares the arrays unless ``copy``."""
        return self._scipy("csc_array", self.T._rows(), self.shape, copy)

    def tocoo(self, copy: bool = False) -> Any:
        """As scipy.sparse.coo_array."""
        return self.tocsr().tocoo(copy)

    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """As an array of SciPy of that format."""
        if format in (None, "csr"):
            return self.tocsr(copy)
        return self.tocsc(copy) if format == "csc" else self.tocsr().asformat(format, copy)

    @staticmethod
    def _scipy(kind: str, side: _compressed, shape: tuple[int, int], copy: bool) -> Any:
        import scipy.sparse

        return getattr(scipy.sparse, kind)((side.data, side.indices, side.indptr), shape=shape, copy=copy)

    def toarray(self) -> np.ndarray:
        """As a dense array; entries at the same place are added."""
        rows = self._rows()
        dense = np.zeros(self.shape, self._dtype)
        row_of = np.repeat(np.arange(self.shape[0]), np.diff(rows.indptr))
        (np.logical_or if self._dtype == np.bool_ else np.add).at(dense, (row_of, rows.indices), rows.data)
        return dense

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a sparse matrix has no dense array that could be had without a copy")
        dense = self.toarray()
        return dense if dtype is None else dense.astype(dtype, copy=False)

    @property
    def __class__(self) -> type:  # SciPy's functions take a matrix as one of theirs
        scipy_sparse = sys.modules.get("scipy.sparse")
        return matrix if scipy_sparse is None else scipy_sparse.csr_array

    def __reduce__(self) -> tuple:
        rows = self._rows()
        return matrix, ((rows.data, rows.indices, rows.indptr), self.shape)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<evenly.matrix: {rows} x {cols}, {self.nnz} entries of {self._dtype}>"

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous: shape[0] or nnz")

    def __getstate__(self) -> None:
        return None

    # Products and sums.

    def dot(
        self, x: Any, *, out: np.ndarray | None = None, schedule: str | None = None, on: str | None = None
    ) -> Any:
        """A product: with a vector, a dense or a sparse matrix; ``M @ x`` with more arguments.

        Parameters
        ----------
        x : array of shape (columns,) or (columns, k), or sparse matrix of as many rows as M has columns
        out : array of shape (rows,) or (rows, k), optional
            Of dense products. Overlaps neither x nor the matrix.
        schedule : str, optional
            A name of `schedules`, for dense products; by default one that suits the matrix.
        on : {"cpu", "simt", "cuda"}, optional
            "simt" is the simulated GPU, for dense products of float32, float64 and complex128. Each column of x is a
            product of its own there. "cuda" copies operands and result; the matrix stays on the GPU.

        Returns
        -------
        array of shape (rows,) or (rows, k); of a sparse x, a `matrix` whose columns ascend in each row

        Raises
        ------
        ValueError
            For shapes that do not fit, for an ``out`` that overlaps, for an unknown schedule.
        TypeError
            For element types that no product takes.

        Notes
        -----
        O(entries), times k, or times the entries of x's rows. Sources: Merrill and Garland (PPoPP 2016), Gustavson
        (TOMS 1978).
        """
        if out is not None and schedule is None and on is None:
            fast = self._fast
            if fast is None:
                if self._dtype in _NATIVE:
                    fast = self._fast = self._rows().compiled(self._dtype).try_spmv
            if fast is not None and fast(x, out):
                return out
        if on == "cuda" and not _is_sparse(x):
            return _device.dot_of_host(self, x, out, schedule)
        if _is_sparse(x):
            if out is not None or schedule is not None or as_text("on", on, "cpu") != "cpu":
                raise ValueError("a product of sparse matrices takes neither out nor schedule, and runs on cpu")
            return self._times_sparse(as_matrix(x))
        x = as_array("x", x)
        if x.ndim not in (1, 2):
            raise ValueError(f"x has {x.ndim} dimensions: a product takes a vector or a matrix")
        if x.shape[0] != self.shape[1]:
            raise ValueError(f"x has {x.shape[0]} {'rows' if x.ndim == 2 else 'elements'}: the matrix has "
                             f"{self.shape[1]} columns")
        dtype = np.result_type(self._dtype, x.dtype)
        computed = computed_type("x", dtype)
        place = (as_text("schedule", schedule, "automatic"), as_text("on", on, "cpu"))
        rows = self._rows()
        if x.ndim == 1:
            to = result(out, (self.shape[0],), dtype, computed)
            rows.compiled(computed).spmv(as_computed(x, computed), to.array, *place)
            return to.get()
        shape = (self.shape[0], x.shape[1])
        is_by_columns = x.flags.f_contiguous and not x.flags.c_contiguous
        to = result(out, shape, dtype, computed, "F" if is_by_columns else "C")
        if computed in (np.dtype(np.float32), np.dtype(np.float64)) and place[1] != "simt":
            dense = x if is_by_columns and x.dtype == computed and x.flags.aligned else as_computed(x, computed)
            rows.compiled(computed).spmm(dense, to.array, *place)
        else:
            require_apart("out", to.array, x, rows.data, rows.indices, rows.indptr)
            for column in range(shape[1]):
                to.array[:, column] = self.dot(x[:, column], schedule=schedule, on=on)
        return to.get()

    def _times_sparse(self, other: matrix) -> matrix:
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"the second matrix has {other.shape[0]} rows: the first has {self.shape[1]} columns")
        return self._combine(other, "spgemm", (self.shape[0], other.shape[1]))

    def _combine(self, other: matrix, operation: str, shape: tuple[int, int]) -> matrix:
        dtype = np.result_type(self._dtype, other._dtype)
        computed = computed_type("the product", dtype)
        if computed.kind == "c":
            return self._combine_complex(other, operation, shape, dtype)
        a, b = (each._rows().compiled(computed) for each in (self, other))
        return matrix._of([_from_made(shape, getattr(a, operation)(b), dtype), None])

    def _combine_complex(self, other: matrix, operation: str, shape: tuple[int, int], dtype: np.dtype) -> matrix:
        """By real matrices: all their results have the same entries, zeros among them."""
        real = np.dtype(np.float32 if dtype == np.complex64 else np.float64)

        def parts(of: matrix) -> list:
            rows = of._rows()
            return [
                _compressed(of.shape, rows.indptr, rows.indices, as_computed(part, real)).compiled(real)
                for part in (rows.data.real, rows.data.imag)
            ]

        (a, ai), (b, bi) = parts(self), parts(other)
        indptr, indices, values = getattr(a, operation)(b)
        data = np.empty(values.size, dtype)
        if operation == "add":
            data.real, data.imag = values, ai.add(bi)[2]
        else:
            data.real = values - ai.spgemm(bi)[2]
            data.imag = a.spgemm(bi)[2] + ai.spgemm(b)[2]
        return matrix._of([_from_made(shape, (indptr, indices, data), dtype), None])

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if _is_sparse(x):
            return matrix(x).dot(self)
        x = as_array("x", x)
        product = self.T.dot(x if x.ndim == 1 else x.T)
        return product if x.ndim == 1 else product.T

    def __add__(self, other: Any) -> matrix:
        if not _is_sparse(other):
            return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() begins with 0
        of = as_matrix(other)
        if of.shape != self.shape:
            raise ValueError(f"matrices of shapes {self.shape} and {of.shape}: a sum needs the same")
        return self._combine(of, "add", self.shape)

    __radd__ = __add__

    def __sub__(self, other: Any) -> matrix:
        return self + -as_matrix(other) if _is_sparse(other) else NotImplemented

    def __neg__(self) -> matrix:
        return self._with_values(np.negative)

    def __mul__(self, factor: Any) -> matrix:
        if not isinstance(factor, (int, float, complex, np.number)):
            return NotImplemented
        return self._with_values(lambda values: values * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> matrix:
        if not isinstance(divisor, (int, float, complex, np.number)):
            return NotImplemented
        return self._with_values(lambda values: values / divisor)

    def sddmm(self, X: Any, Y: Any, alpha: float = 1, beta: float = 0) -> matrix:
        """alpha X Y^T + beta M at the entries of this matrix M: a dot product of rows of X and Y for each entry.

        Parameters
        ----------
        X : array of shape (rows, k)
        Y : array of shape (columns, k)
        alpha, beta : float
            With ``beta=0`` the values of M have no effect.

        Returns
        -------
        matrix
            The entry at (i, j) is ``alpha * X[i] @ Y[j] + beta * M[i, j]``. It shares the indices of M. Its values have
            the type that NumPy gives X and Y together; those of M are converted to it.

        Raises
        ------
        ValueError
            For shapes that do not fit.
        TypeError
            For elements that are not float16, float32 or float64, and for a complex M.

        Notes
        -----
        O(entries k). Work is divided by entries, so the sizes of rows do not matter. Sums of float16 are computed in
        float32. The bits repeat for any number of threads.
        """
        x, y = as_array("X", X, 2), as_array("Y", Y, 2)
        for name, of, size, what in (("X", x, self.shape[0], "rows"), ("Y", y, self.shape[1], "columns")):
            if of.shape[0] != size:
                raise ValueError(f"{name} has {of.shape[0]} rows: the matrix has {size} {what}")
        if x.shape[1] != y.shape[1]:
            raise ValueError(f"X has {x.shape[1]} columns and Y has {y.shape[1]}: the numbers must be equal")
        dtype = np.result_type(x.dtype, y.dtype)
        if dtype.kind != "f":
            raise TypeError(f"X and Y have elements of {dtype}: sddmm takes float16, float32 and float64")
        if self._dtype.kind == "c":
            raise TypeError(f"the matrix has values of {self._dtype}: sddmm takes real numbers")
        for name, factor in (("alpha", alpha), ("beta", beta)):
            if not isinstance(factor, (int, float, np.integer, np.floating)):
                raise TypeError(f"{name} is {type(factor).__name__}: it must be a real number")
        computed = computed_type("X", dtype)
        rows = self._rows()
        values = np.empty(self.nnz, computed)
        x, y = as_computed(x, computed), as_computed(y, computed)
        rows.compiled(computed).sddmm(x, y, values, float(alpha), float(beta))
        with np.errstate(over="ignore"):
            data = values.astype(dtype, copy=False)
        return matrix._of([_compressed(self.shape, rows.indptr, rows.indices, data), None])

    def solve_triangular(
        self,
        b: Any,
        *,
        lower: bool = True,
        unit_diagonal: bool = False,
        transpose: bool = False,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """x with T x = b, where T is a triangle of this square matrix.

        Parameters
        ----------
        b : array of shape (rows,) or (rows, k)
        lower : bool
            The lower triangle, or else the upper one. Entries on the other side are ignored.
        unit_diagonal : bool
            Ones on the diagonal, whatever the matrix has there.
        transpose : bool
            Solve with the transpose of the triangle, without conjugation.
        out : array like the result, optional
            It may be b itself, but overlaps it in no other way.

        Returns
        -------
        array of the shape of b
            Of the type that NumPy gives the matrix and b together, float64 for integers.

        Raises
        ------
        ValueError
            For a matrix that is not square, for another number of rows, and for a row without a diagonal entry other
            than 0, which it names.
        TypeError
            For element types that no solve takes.

        Notes
        -----
        O(entries k), on one core; with ``transpose`` also a sort of the entries. Entries at the same place are added.
        """
        b = as_array("b", b)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"b has shape {b.shape}: it must be ({self.shape[0]},) or ({self.shape[0]}, k)")
        dtype = np.result_type(self._dtype, b.dtype)
        dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
        computed = computed_type("b", dtype)
        rows = self._rows().compiled(computed)
        to = result(out, b.shape, dtype, computed)
        right = as_computed(b, computed)
        dense = (right, to.array) if b.ndim == 2 else (right.reshape(-1, 1), to.array.reshape(-1, 1))
        _evenly.solve_triangular(rows, bool(lower), bool(unit_diagonal), bool(transpose), *dense)
        return to.get()

    def plan(self, schedule: str | None = None, on: str | None = None) -> tuple[str, str]:
        """The schedule of products with vectors, and the reason if it was chosen here. Plans it if need be."""
        rows = self._rows().compiled(computed_type("A", self._dtype))
        return rows.plan(as_text("schedule", schedule, "automatic"), as_text("on", on, "cpu"))


def as_matrix(A: Any) -> matrix:
    """A matrix itself, or one that is made of what `matrix` takes."""
    return A if type(A) is matrix else matrix(A)


def _transposed(side: _compressed) -> _compressed:
    shape = side.shape[::-1]
    dtype = side.data.dtype
    if dtype in _NATIVE:
        return _from_made(shape, side.compiled(dtype).transpose(), dtype)
    places = _compressed(side.shape, side.indptr, side.indices, np.arange(side.data.size, dtype=np.int64))
    indptr, indices, order = places.compiled(np.dtype(np.int64)).transpose()
    return _from_made(shape, (indptr, indices, side.data[order]), dtype)


def _sides_of_scipy(A: Any) -> list:
    if A.ndim != 2:
        raise ValueError(f"A has {A.ndim} dimensions: a matrix has 2")
    if A.format not in ("csr", "csc"):
        A = A.tocsr()
    data = np.require(as_array("A", A.data, 1), None, ["C", "A"])
    arrays = (as_offsets("indptr", A.indptr), as_offsets("indices", A.indices), data)
    shape = (int(A.shape[0]), int(A.shape[1]))
    if A.format == "csr":
        return [_compressed(shape, *arrays), None]
    return [None, _compressed(shape[::-1], *arrays)]


def _sides_of_tensor(A: Any) -> list:
    """Of a sparse tensor of PyTorch on the CPU."""
    if A.requires_grad:
        raise TypeError("A requires grad, and evenly computes no gradients: pass A.detach()")
    kind = str(A.layout).rpartition("_")[2]
    try:
        if kind not in ("csr", "csc"):
            A, kind = A.to_sparse_csr(), "csr"
        lines, across = (A.crow_indices, A.col_indices) if kind == "csr" else (A.ccol_indices, A.row_indices)
        data, indices, indptr = (each().numpy() for each in (A.values, across, lines))
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise TypeError(f"A is a tensor of layout {A.layout}, which is not taken: {reason}") from None
    if A.ndim != 2:
        raise ValueError(f"A has {A.ndim} dimensions: a matrix has 2")
    rows, cols = (int(size) for size in A.shape)
    data = np.require(as_array("A", data, 1), None, ["C", "A"])
    of = _compressed((rows, cols) if kind == "csr" else (cols, rows), as_offsets("indptr", indptr),
                     as_offsets("indices", indices), data)  # fmt: skip
    return [of, None] if kind == "csr" else [None, of]


def _of_arrays(arrays: tuple, shape: tuple[int, int] | None) -> _compressed:
    if len(arrays) != 3:
        raise TypeError(f"A is a tuple of {len(arrays)}: it must be (data, indices, indptr)")
    data = np.require(as_array("data", arrays[0], 1), None, ["C", "A"])
    indices, indptr = as_offsets("indices", arrays[1]), as_offsets("indptr", arrays[2])
    if indptr.size == 0:
        raise ValueError("indptr has no elements: it has one more than rows")
    if shape is None:
        shape = (indptr.size - 1, int(indices.max()) + 1 if indices.size else 0)
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise TypeError(f"shape is {' '.join(repr(shape).split())}: it must be (rows, columns)")
    rows, cols = (as_count("shape", size) for size in shape)
    return _compressed((rows, cols), indptr, indices, data)


def _of_dense(dense: np.ndarray) -> _compressed:
    rows, columns = np.nonzero(dense)
    indptr = np.zeros(dense.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=dense.shape[0]), out=indptr[1:])
    return _compressed(dense.shape, indptr, np.ascontiguousarray(columns, np.int64), dense[rows, columns])
