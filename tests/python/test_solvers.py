# SPDX-License-Identifier: Apache-2.0
"""Triangular solves, incomplete factors and iterative solvers, against SciPy."""
import inspect

import evenly as ev
import numpy as np
import pytest

sp = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


def random_square(n, dtype, seed=0):
    rng = np.random.default_rng(seed)
    a = sp.random(n, n, density=8 / n, random_state=seed, format="csr") + sp.diags(3 + rng.random(n))
    if np.dtype(dtype).kind == "c":
        a = a * (1 + 0.5j)
    return sp.csr_array(a.astype(dtype))


def poisson(side):
    one = sp.diags([-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], [-1, 0, 1])
    eye = sp.identity(side)
    return sp.csr_array(sp.kron(one, eye) + sp.kron(eye, one))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_triangular(dtype, lower, unit, transpose):
    a = random_square(120, dtype)
    if unit:
        a = sp.csr_array(a * np.array(0.05, dtype=dtype))
    triangle = sp.csr_array(sp.tril(a, format="csr") if lower else sp.triu(a, format="csr"))
    solved = sp.csr_array(triangle.T) if transpose else triangle
    rng = np.random.default_rng(1)
    for shape in ((120,), (120, 4)):
        b = rng.random(shape).astype(dtype)
        x = ev.matrix(a).solve_triangular(b, lower=lower, unit_diagonal=unit, transpose=transpose)
        expected = linalg.spsolve_triangular(solved, b, lower=lower != transpose, unit_diagonal=unit)
        assert x.dtype == dtype and x.shape == shape
        np.testing.assert_allclose(x, expected, rtol=1e-3 if np.finfo(dtype).bits == 32 else 1e-10)
        again = np.asfortranarray(b)
        out = ev.matrix(a).solve_triangular(again, lower=lower, unit_diagonal=unit, transpose=transpose, out=again)
        assert out is again
        np.testing.assert_array_equal(out, x)


def test_triangular_of_other_types():
    a = sp.csr_array(np.array([[2, 0], [1, 4]]))
    assert ev.matrix(a).solve_triangular([2, 9]).tolist() == [1.0, 2.0]
    wide = sp.csr_array((a.data, a.indices.astype(np.int64), a.indptr.astype(np.int64)), shape=a.shape)
    assert ev.matrix(wide).solve_triangular(np.array([2.0, 9.0])).tolist() == [1.0, 2.0]
    assert ev.matrix(a).solve_triangular(np.ones((2, 0))).shape == (2, 0)
    assert ev.matrix(sp.csr_array((0, 0))).solve_triangular([]).shape == (0,)


def test_triangular_refusals():
    m = ev.matrix(sp.csr_array(np.array([[1.0, 0], [1, 0]])))
    with pytest.raises(ValueError, match="row 1 has no diagonal"):
        m.solve_triangular([1, 1])
    assert m.solve_triangular([1, 1], unit_diagonal=True).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"b has shape \(3,\)"):
        m.solve_triangular([1, 1, 1])
    with pytest.raises(ValueError, match="square"):
        ev.matrix(sp.csr_array((2, 3))).solve_triangular([1, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("M", [None, "jacobi", "ic0", "ilu0"])
@pytest.mark.parametrize("method", [ev.cg, ev.bicgstab])
def test_iterative(dtype, M, method):
    a = poisson(20).astype(dtype)
    b = np.random.default_rng(2).random(400).astype(dtype)
    rtol = 1e-5 if dtype == np.float32 else 1e-9
    found = method(a, b, rtol=rtol, M=M)
    assert found.converged and found.reason == "" and found.x.dtype == dtype
    assert found.residual <= rtol and found.residuals[-1] == found.residual
    assert len(found.residuals) == found.iterations + 1
    assert np.linalg.norm(b - a @ found.x) <= 5 * rtol * np.linalg.norm(b)
    np.testing.assert_allclose(found.x, linalg.spsolve(sp.csc_array(a), b), rtol=2e-3 if dtype == np.float32 else 1e-6)
    for threads in (1, 3):
        with ev.threads(threads):
            np.testing.assert_array_equal(method(a, b, rtol=rtol, M=M).x, found.x)
    assert method(a, b, x0=found.x, rtol=10 * rtol, M=M).iterations == 0


def test_as_many_iterations_as_scipy():
    a = poisson(30)
    b = np.ones(900)
    steps = []
    tolerance = {"rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol": 1e-8, "atol": 0}
    linalg.cg(a, b, **tolerance, callback=steps.append)
    assert abs(ev.cg(a, b, rtol=1e-8).iterations - len(steps)) <= 1
    factors = ev.ic0(a)
    preconditioned = []
    operator = linalg.LinearOperator(factors.shape, factors.matvec, dtype=factors.dtype)
    linalg.cg(a, b, **tolerance, callback=preconditioned.append, M=operator)
    assert len(preconditioned) < len(steps)
    assert abs(ev.cg(a, b, rtol=1e-8, M="ic0").iterations - len(preconditioned)) <= 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", [ev.cg, ev.bicgstab])
def test_ready_factors(dtype, method):
    a = poisson(20).astype(dtype)
    rng = np.random.default_rng(7)
    for name, factors in (("ic0", ev.ic0(a)), ("ilu0", ev.ilu0(a))):
        for _ in range(2):
            b = rng.random(400).astype(dtype)
            found = method(a, b, rtol=1e-4, M=factors)
            wanted = method(a, b, rtol=1e-4, M=name)
            np.testing.assert_array_equal(found.x, wanted.x)
            assert found.iterations == wanted.iterations < method(a, b, rtol=1e-4).iterations
    # Of another matrix: more iterations, the same solution.
    other = ev.ilu0(sp.csr_array(a + sp.identity(400, dtype=dtype)))
    b = rng.random(400).astype(dtype)
    found = method(a, b, rtol=1e-4, M=other)
    assert found.converged and found.iterations > method(a, b, rtol=1e-4, M="ilu0").iterations
    assert np.linalg.norm(b - a @ found.x) <= 5e-4 * np.linalg.norm(b)


def test_factors_of_a_full_pattern_are_exact():
    dense = np.random.default_rng(3).random((12, 12))
    symmetric = dense @ dense.T + np.eye(12)
    b = np.arange(12.0)
    np.testing.assert_allclose(ev.ic0(symmetric).solve(b), np.linalg.solve(symmetric, b), rtol=1e-8)
    general = dense + 12 * np.eye(12)
    np.testing.assert_allclose(ev.ilu0(general).solve(b), np.linalg.solve(general, b), rtol=1e-8)


def test_reasons():
    found = ev.cg(sp.diags([1.0, -1.0, -2.0], format="csr"), np.ones(3))
    assert not found.converged and "not positive definite" in found.reason
    few = ev.cg(poisson(20), np.ones(400), maxiter=3)
    assert (few.converged, few.iterations) == (False, 3) and "maximum" in few.reason
    nan = ev.bicgstab(poisson(3), np.full(9, np.nan))
    assert "NaN" in nan.reason
    assert ev.cg(poisson(3), np.zeros(9), x0=np.ones(9)).x.tolist() == [0] * 9


def test_refusals():
    a = poisson(3)
    for call, error, message in (
        (lambda: ev.cg(a, np.ones(8)), ValueError, "b has 8 elements"),
        (lambda: ev.cg(sp.csr_array((2, 3)), np.ones(2)), ValueError, "square"),
        (lambda: ev.cg(a, np.ones(9) * 1j), TypeError, "complex"),
        (lambda: ev.cg(a, np.ones(9), M="amg"), ValueError, "M = 'amg'"),
        (lambda: ev.cg(a, np.ones(9), M=ev.ic0(poisson(2))), ValueError, "M has 4 rows"),
        (lambda: ev.cg(a, np.ones(9), M=ev.ic0(a.astype(np.float32))), TypeError, "M is float32"),
        (lambda: ev.cg(a, np.ones(9), rtol=-1), ValueError, "rtol = -1"),
        (lambda: ev.cg(a, np.ones(9), maxiter=-1), ValueError, "maxiter = -1"),
        (lambda: ev.cg(a, np.ones(9), x0=np.ones(3)), ValueError, "x0 has shape"),
        (lambda: ev.ic0(sp.diags([1.0, -1.0], format="csr")), ValueError, "row 1: the pivot of IC"),
        (lambda: ev.ilu0(sp.csr_array((3, 3))), ValueError, "row 0: it has no entry on the diagonal"),
        (lambda: ev.ic0(a).solve(np.ones(3)), ValueError, "b has 3 elements"),
    ):
        with pytest.raises(error, match=message):
            call()
