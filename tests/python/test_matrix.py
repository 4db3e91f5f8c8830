# SPDX-License-Identifier: Apache-2.0
"""Products, sums and transposes of sparse matrices, against SciPy."""

import pickle
import subprocess
import sys
import types

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from inputs import COMPLEX, FLOATS, NUMBERS, expect_refusals, matrix_of, numbers, of_halves, sparse

SHAPES = [(0, 0), (0, 5), (5, 0), (1, 1), (1, 300), (300, 1), (40, 70)]


def same(result, expected):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_times_vector(rng, shape, dtype):
    a = sparse(rng, *shape, dtype=dtype)
    x = numbers(rng, shape[1], dtype)
    same(matrix_of(a) @ x, a.toarray() @ x)


@pytest.mark.parametrize("indices", ["int32", "int64"])
@pytest.mark.parametrize("indptr", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int64"])
def test_index_types_are_taken_as_they_are(rng, indices, indptr, dtype):
    a = sparse(rng, 50, 60, dtype=dtype, indices=indices, indptr=indptr)
    m = ev.matrix(a)
    assert m.indices is a.indices and m.indptr is a.indptr and m.data is a.data
    x = numbers(rng, 60, dtype)
    dense = a.toarray()
    same(m @ x, dense @ x)
    b = numbers(rng, (60, 7), dtype)
    same(m @ b, dense @ b)
    np.testing.assert_array_equal(np.asarray(m @ m.T), dense @ dense.T)
    np.testing.assert_array_equal(np.asarray(m + m), dense + dense)


COLUMNS_IN_PLACE = """
import evenly as ev, numpy as np
rows, each = 2000, 4000
data, offsets = np.ones(rows * each, np.float32), np.arange(rows + 1) * each
m = ev.matrix((data, np.tile(np.arange(each) % rows, rows), offsets), (rows, rows))
x, y = np.ones((rows, 4), np.float32), np.empty((rows, 4), np.float32)
peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
m @ x[:, 0], ev.bfs(np.eye(9), 0)
before = peak()
m.dot(x, out=y), ev.bfs(m, 0), ev.sssp(m, 0), ev.reachable(m, 0), ev.dfs(m, 0), ev.strong_components(m)
print((peak() - before) * 1024 / data.size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read as Linux has it")
def test_columns_of_64_bits_are_read_in_place():
    """A copy of the columns as int32 takes 4 bytes per entry."""
    run = subprocess.run([sys.executable, "-c", COLUMNS_IN_PLACE], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 2


SPARSE_RESULTS = """
import sys
import evenly as ev, numpy as np
rows, each = 100_000, 20
columns = np.tile(np.arange(each, dtype=sys.argv[2]), rows)
m = ev.matrix((np.ones(rows * each, np.float32), columns, np.arange(rows + 1) * each), (rows, rows))
peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
small = ev.matrix(np.eye(9, dtype=np.float32))
small + small, small.T.tocsr()
before = peak()
m + m if sys.argv[1] == "sum" else m.T.tocsr()
print((peak() - before) * 1024 / columns.size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read as Linux has it")
@pytest.mark.parametrize("operation", ["sum", "transpose"])
def test_sums_and_transposes_read_columns_of_64_bits_in_place(operation):
    """A copy would take 4 bytes per entry more. A transpose already uses 4 of its result while it sorts."""
    peaks = [float(subprocess.run([sys.executable, "-c", SPARSE_RESULTS, operation, index], capture_output=True,
                                  text=True, check=True).stdout) for index in ("int32", "int64")]  # fmt: skip
    assert peaks[1] < peaks[0] + (2 if operation == "sum" else 6)


@pytest.mark.parametrize("of_a", ["int32", "int64"])
@pytest.mark.parametrize("of_b", ["int32", "int64"])
@pytest.mark.parametrize("indptr", [("int32", "int64"), ("int64", "int32")])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_sparse_operands_of_different_indices(rng, of_a, of_b, indptr, dtype):
    a, b = (sparse(rng, 40, 40, dtype=dtype, indices=index, indptr=offset)
            for index, offset in zip((of_a, of_b), indptr))  # fmt: skip
    m, n = ev.matrix(a), ev.matrix(b)
    same((m + n).toarray(), a.toarray() + b.toarray())
    same((m @ n).toarray(), a.toarray() @ b.toarray())
    same(m.T.tocsr().toarray(), a.toarray().T)


@pytest.mark.parametrize("left", ["bool", "int32", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("right", ["bool", "int8", "uint32", "float32", "float64", "complex128"])
def test_types_of_products_are_those_of_numpy(rng, left, right):
    a = sparse(rng, 20, 30, dtype=left)
    x = numbers(rng, 30, right)
    same(matrix_of(a) @ x, a.toarray() @ x)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_format_of_scipy(rng, format, kind):
    a = sparse(rng, 12, 16)
    a = (sp.csr_matrix(a) if kind == "matrix" else a).asformat(format)
    x = numbers(rng, 16, "float64")
    same(ev.matrix(a) @ x, a.toarray() @ x)


def test_csc_is_taken_without_copies(rng):
    a = sparse(rng, 30, 20).tocsc()
    m = ev.matrix(a)
    assert m.T.indices is a.indices and m.T.data is a.data
    x, y = numbers(rng, 20, "float64"), numbers(rng, 30, "float64")
    same(m.T @ y, a.toarray().T @ y)
    same(m @ x, a.toarray() @ x)


class Tensor:
    """What the package reads of a sparse tensor of PyTorch."""

    is_cuda, ndim = False, 2

    def __init__(self, a, layout, requires_grad=False):
        self.layout, self.requires_grad = f"torch.sparse_{layout}", requires_grad
        self.shape = a.shape
        self._compressed = a.tocsc() if layout == "csc" else a.tocsr()
        self.crow_indices = self.ccol_indices = lambda: OnHost(self._compressed.indptr)
        self.col_indices = self.row_indices = lambda: OnHost(self._compressed.indices)
        self.values = lambda: OnHost(self._compressed.data)

    def to_sparse_csr(self):
        if self.layout == "torch.sparse_bsr":
            raise RuntimeError("no conversion\nfrom this layout")
        return Tensor(self._compressed, "csr")

    def detach(self):
        return Tensor(self._compressed, self.layout.rpartition("_")[2])


class OnHost:
    def __init__(self, array):
        self.numpy = lambda: array


class TestSparseTensors:
    """By a stand-in for torch; test_sparse_tensors_of_torch has the real one."""

    @pytest.fixture(autouse=True)
    def torch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Tensor, strided="torch.strided"))

    @pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
    def test_products(self, rng, layout):
        a = sparse(rng, 20, 30, indices="int64", indptr="int64")
        tensor = Tensor(a, layout)
        m, x = ev.matrix(tensor), numbers(rng, 30, "float64")
        same(m @ x, a.toarray() @ x)
        np.testing.assert_array_equal(np.asarray(ev.matrix(a.T) @ tensor), a.T @ a.toarray())
        np.testing.assert_array_equal(np.asarray(m + tensor), 2 * a.toarray())
        if layout != "coo":
            assert (m if layout == "csr" else m.T).data is tensor._compressed.data

    def test_messages(self, rng):
        a = sparse(rng, 4, 4)
        with pytest.raises(TypeError, match=r"computes no gradients: pass A.detach\(\)"):
            ev.matrix(Tensor(a, "csr", requires_grad=True))
        with pytest.raises(TypeError, match="layout torch.sparse_bsr, which is not taken: no conversion$"):
            ev.matrix(Tensor(a, "bsr"))


@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc", "sparse_coo"])
def test_sparse_tensors_of_torch(rng, layout):
    torch = pytest.importorskip("torch")
    dense = np.where(rng.random((20, 30)) < 0.2, rng.random((20, 30)), 0)
    x = rng.random(30)
    tensor = torch.from_numpy(dense).to_sparse(layout=getattr(torch, layout))
    np.testing.assert_allclose(ev.matrix(tensor) @ torch.from_numpy(x), dense @ x)
    with pytest.raises(TypeError, match="grad"):
        ev.matrix(tensor.requires_grad_())


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, "int32", "float16"])
@pytest.mark.parametrize("width", [0, 1, 2, 8, 33])
@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_times_dense(rng, dtype, width, order):
    a = sparse(rng, 40, 30, dtype=dtype)
    b = numbers(rng, (30, width), dtype)
    if order == "F":
        b = np.asfortranarray(b)
    elif order == "strided":
        b = np.repeat(b, 2, axis=1)[:, ::2]
    elif order == "reversed":
        b = b[::-1]
    same(matrix_of(a) @ b, a.toarray() @ b)


@pytest.mark.parametrize("dtype", [*FLOATS, "float16"])
@pytest.mark.parametrize("width", [0, 1, 8, 33])
@pytest.mark.parametrize("indices", ["int32", "int64"])
def test_sampled_products(rng, dtype, width, indices):
    a = sparse(rng, 40, 30, dtype=dtype if dtype != "float16" else "float32", indices=indices, indptr=indices)
    x, y = numbers(rng, (40, width), dtype), np.asfortranarray(numbers(rng, (30, width), dtype))
    m = ev.matrix(a)
    i, j = np.repeat(np.arange(40), np.diff(a.indptr)), a.indices
    wide = (x.astype("f8") @ y.astype("f8").T)[i, j]
    same(m.sddmm(x, y).data, wide.astype(dtype))
    scaled = m.sddmm(x, y, alpha=2, beta=-3)
    same(scaled.data, (2 * wide - 3 * a.data).astype(dtype))
    assert scaled.indices is m.indices and scaled.indptr is m.indptr and scaled.shape == m.shape
    of_transpose = m.T.sddmm(y, x)
    np.testing.assert_array_equal(np.asarray(of_transpose.T), np.asarray(m.sddmm(x, y)))


def test_array_times_matrix(rng):
    a = sparse(rng, 40, 30)
    x, b = numbers(rng, 40, "float64"), numbers(rng, (3, 40), "float64")
    same(x @ ev.matrix(a), x @ a.toarray())
    same(b @ ev.matrix(a), b @ a.toarray())


@pytest.mark.parametrize("dtype", NUMBERS)
def test_times_sparse_and_sums(rng, dtype):
    a, b, c = (sparse(rng, *shape, dtype=dtype) for shape in [(30, 40), (40, 20), (30, 40)])
    product, total = matrix_of(a) @ matrix_of(b), matrix_of(a) + matrix_of(c)
    same(np.asarray(product), a.toarray() @ b.toarray())
    same(np.asarray(total), a.toarray() + c.toarray())
    if isinstance(a, of_halves):
        return
    np.testing.assert_array_equal(product.tocsr().sorted_indices().indices, product.indices)
    same((matrix_of(a) @ b).toarray(), a.toarray() @ b.toarray())
    same((a @ matrix_of(b)).toarray(), a.toarray() @ b.toarray())


@pytest.mark.parametrize("dtype", NUMBERS)
def test_transpose(rng, dtype):
    a = sparse(rng, 30, 45, dtype=dtype)
    m = matrix_of(a)
    assert m.T.shape == (45, 30) and m.T.T.indices is m.indices
    same(m.T.toarray(), a.toarray().T)
    x = numbers(rng, 30, dtype)
    same(m.T @ x, a.toarray().T @ x)


def test_results_convert(rng):
    m = ev.matrix(sparse(rng, 30, 30)) @ ev.matrix(sparse(rng, 30, 30))
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix):
        np.testing.assert_array_equal(kind(m).toarray(), np.asarray(m))
    same_arrays = sp.csr_array(m)
    assert np.shares_memory(same_arrays.data, m.data)
    assert np.asarray(m, dtype="float32").dtype == np.float32
    again = pickle.loads(pickle.dumps(m))
    np.testing.assert_array_equal(np.asarray(again), np.asarray(m))
    assert "30 x 30" in repr(m)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint32", "complex64"])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_scaled_and_subtracted(rng, dtype, format):
    a, b = (sparse(rng, 20, 30, dtype=dtype) for _ in range(2))
    m, n = (ev.matrix(each.asformat(format)) if dtype != "float16" else matrix_of(each) for each in (a, b))
    dense, other = a.toarray(), b.toarray()
    for found, should in ((2 * m, 2 * dense), (m * np.float64(0.5), dense * np.float64(0.5)), (m / 4, dense / 4),
                          (-m, -dense), (m.T - n.T, (dense - other).T), (sum([m, n]), dense + other)):  # fmt: skip
        assert type(found) is ev.matrix and found.dtype == should.dtype
        same(found.toarray(), should)
        same(found @ np.ones(should.shape[1], dtype), should @ np.ones(should.shape[1], dtype))
    assert np.shares_memory((2 * m).indices, m.indices)
    for call in (lambda: m * m, lambda: m - dense, lambda: m / None, lambda: m + 1, lambda: m * np.longdouble(2)):
        with pytest.raises(TypeError):
            call()


def test_solvers_of_scipy(rng):
    a = sparse(rng, 60, 60)
    spd = (a @ a.T + sp.eye_array(60) * 200 if hasattr(sp, "eye_array") else sp.csr_array(a @ a.T + sp.eye(60) * 200))
    m = ev.matrix(sp.csr_array(spd))
    b = numbers(rng, 60, "float64")
    x, failed = scipy.sparse.linalg.cg(m, b)
    assert not failed
    np.testing.assert_allclose(spd @ x, b, rtol=1e-3, atol=1e-3)
    x, failed = scipy.sparse.linalg.gmres(m, b)
    assert not failed
    np.testing.assert_allclose(spd @ x, b, rtol=1e-3, atol=1e-3)
    expected = np.linalg.eigvalsh(spd.toarray())[-3:]
    for operator in (m, ev.aslinearoperator(m)):
        np.testing.assert_allclose(np.sort(scipy.sparse.linalg.eigsh(operator, k=3)[0]), expected)
    for dtype in ("float64", "complex128"):
        b = sparse(rng, 40, 30, dtype=dtype)
        found = scipy.sparse.linalg.svds(ev.matrix(b), k=3)[1]
        np.testing.assert_allclose(np.sort(found), np.linalg.svd(b.toarray())[1][2::-1], rtol=1e-6)
        same(ev.matrix(b).T.conj().toarray(), b.toarray().conj().T)


@pytest.mark.parametrize("on", ["cpu", "simt"])
@pytest.mark.parametrize("schedule", ev.schedules())
def test_every_schedule(rng, schedule, on):
    a = sparse(rng, 30, 40, indptr="int64")
    x = numbers(rng, 40, "float64")
    same(ev.matrix(a).dot(x, schedule=schedule, on=on), a.toarray() @ x)
    for b in (numbers(rng, (40, 5), "float64"), np.asfortranarray(numbers(rng, (40, 3), "float64"))):
        same(ev.matrix(a).dot(b, schedule=schedule, on=on), a.toarray() @ b)


def test_out(rng):
    a = sparse(rng, 30, 40)
    m, x, b = ev.matrix(a), numbers(rng, 40, "float64"), numbers(rng, (40, 3), "float64")
    y = np.full(30, np.nan)
    assert m.dot(x, out=y) is y
    same(y, a.toarray() @ x)
    strided = np.full(60, np.nan)[::2]
    assert m.dot(x, out=strided) is strided
    same(strided, a.toarray() @ x)
    c = np.full((30, 3), np.nan, order="F")
    assert m.dot(b, out=c) is c
    same(c, a.toarray() @ b)
    wide = np.full(30, 1j)
    m.dot(x, out=wide)
    same(wide, (a.toarray() @ x).astype(complex))


def test_rows_of_any_length(rng):
    sizes = rng.zipf(1.5, 500).clip(0, 5000)
    sizes[::3] = 0
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices = rng.integers(0, 6000, indptr[-1])
    m = ev.matrix((np.ones(indptr[-1]), indices, indptr), shape=(500, 6000))
    same(m @ np.ones(6000), sizes.astype(float))


def test_messages(rng):
    a = sparse(rng, 30, 40)
    m, x = ev.matrix(a), np.ones(40)
    read_only = np.ones(30)
    read_only.flags.writeable = False
    cases = [
        (lambda: m @ np.ones(3), ValueError, "x has 3 elements: the matrix has 40 columns"),
        (lambda: m @ np.ones((3, 2)), ValueError, "x has 3 rows: the matrix has 40 columns"),
        (lambda: m @ np.ones((40, 2, 2)), ValueError, "x has 3 dimensions"),
        (lambda: m @ m, ValueError, "the second matrix has 30 rows: the first has 40 columns"),
        (lambda: m + m.T, ValueError, "matrices of shapes (30, 40) and (40, 30): a sum needs the same"),
        (lambda: m.sddmm(x, x), ValueError, "X has 1 dimensions: it must have 2"),
        (lambda: m.sddmm(np.ones((40, 2)), np.ones((40, 2))), ValueError, "X has 40 rows: the matrix has 30 rows"),
        (lambda: m.sddmm(np.ones((30, 2)), np.ones((30, 2))), ValueError, "Y has 30 rows: the matrix has 40 columns"),
        (lambda: m.sddmm(np.ones((30, 2)), np.ones((40, 3))), ValueError, "X has 2 columns and Y has 3"),
        (lambda: m.sddmm(np.ones((30, 2), int), np.ones((40, 2), int)), TypeError, "sddmm takes float16, float32"),
        (lambda: m.sddmm(np.ones((30, 2)), np.ones((40, 2)), alpha="1"), TypeError, "alpha is str: it must be a real"),
        (lambda: (m * 1j).sddmm(np.ones((30, 2)), np.ones((40, 2))), TypeError, "sddmm takes real numbers"),
        (lambda: m @ np.array(["a"] * 40), TypeError, "x has elements of <U1: no operation takes them"),
        (lambda: m @ np.ones(40, object), TypeError, "x has elements of object"),
        (lambda: m.dot(x, out=np.ones(3)), ValueError, "out has shape (3,): the result has (30,)"),
        (lambda: m.dot(x, out=[1]), TypeError, "out is list: it must be a NumPy array"),
        (lambda: m.dot(x, out=read_only), ValueError, "out is read-only"),
        (lambda: m.dot(x, out=np.ones(30, int)), TypeError, "out has elements of int64: the result has float64"),
        (lambda: m.dot(x, schedule="rows"), ValueError, "'rows'"),
        (lambda: m.dot(x, schedule=3), TypeError, "schedule is int: it must be a string"),
        (lambda: m.dot(x, on="tpu"), ValueError, "on = 'tpu' is not an executor of this package"),
        (lambda: ev.matrix(a.astype("complex64")).dot(x.astype("complex64"), on="simt"), ValueError,
         "on simt products have values of float32, float64 or complex128"),
        (lambda: ev.matrix(a.astype(int)).dot(np.ones(40, int), on="simt"), ValueError, "not int64"),
        (lambda: m.dot(m.T, on="simt"), ValueError, "takes neither out nor schedule, and runs on cpu"),
        (lambda: ev.matrix(np.ones(3)), ValueError, "A has 1 dimensions: it must have 2"),
        (lambda: ev.matrix((x, x)), TypeError, "A is a tuple of 2"),
        (lambda: ev.matrix(([1.0], [5], [0, 1]), shape=(1, 5)), ValueError, "entry 0 is in column 5"),
        (lambda: ev.matrix(([1.0], [-1], [0, 1]), shape=(1, 5)), ValueError, "entry 0 is in column -1"),
        (lambda: ev.matrix(([1.0], [1 << 40], [0, 1]), shape=(1, 5)), ValueError, "entry 0 is in column 1099511627776"),
        (lambda: ev.matrix(([1.0], [1 << 31], [0, 1])), ValueError, "both are at most 2147483646"),
        (lambda: ev.matrix(([1.0], [0], [0, 1]), shape=(1,)), TypeError, "shape is (1,): it must be (rows, columns)"),
        (lambda: ev.matrix(([1.0], [0], [0, 1]), shape=(1, 2.5)), TypeError, "shape is float: it must be an integer"),
        (lambda: ev.matrix(([1.0], [0], [0, 1]), shape=(1, -2)), ValueError, "shape = -2: must not be negative"),
        (lambda: ev.matrix(([1.0], [0], [0, 1, 0]), shape=(2, 5)), ValueError, "must not decrease"),
        (lambda: ev.matrix(([1.0], [0], [1, 1]), shape=(1, 5)), ValueError, "indptr goes from 1 to 1"),
        (lambda: ev.matrix(([1.0], [0], [0, 2]), shape=(1, 5)), ValueError, "indptr goes from 0 to 2"),
        (lambda: ev.matrix(([1.0], [0, 1], [0, 1]), shape=(1, 5)), ValueError, "2 columns of entries and 1 values"),
        (lambda: ev.matrix(([1.0], [0.5], [0, 1])), TypeError, "indices has elements of float64"),
        (lambda: ev.matrix(([], [], [])), ValueError, "indptr has no elements"),
        (lambda: ev.matrix(([], [], [0]), shape=(0, 1 << 40)), ValueError, "both are at most 2147483646"),
        (lambda: ev.matrix(sp.csr_array(np.eye(3, dtype=np.longdouble))), TypeError, "no operation takes them"),
        (lambda: len(m), TypeError, "ambiguous"),
    ]
    expect_refusals(cases)


def test_overlap_is_refused():
    both = np.arange(20.0)
    m = ev.matrix(np.eye(10))
    with pytest.raises(ValueError, match="overlap"):
        m.dot(both[:10], out=both[5:15])
    with pytest.raises(ValueError, match="overlap"):
        m.dot(both[:10], out=both[:10])
    with pytest.raises(ValueError, match="overlap"):
        m.dot(both[:10], out=m.data)
    for dtype in ("float64", "int64", "complex128"):
        dense, of = np.ones((10, 10), dtype), ev.matrix(np.eye(10, dtype=dtype))
        with pytest.raises(ValueError, match="overlap"):
            of.dot(dense, out=dense)
