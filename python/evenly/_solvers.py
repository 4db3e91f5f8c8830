# SPDX-License-Identifier: Apache-2.0
"""Iterative solvers, incomplete factors, and matrices for scipy.sparse.linalg."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._arrays import as_array, as_computed, as_count, as_text, computed_type
from ._matrix import as_matrix


class solution(NamedTuple):
    """What `cg` and `bicgstab` return."""

    x: np.ndarray
    iterations: int
    residual: float
    converged: bool
    reason: str
    residuals: np.ndarray


def cg(
    A: Any, b: Any, *, x0: Any = None, rtol: float = 1e-8, maxiter: int = 1000,
    M: str | incomplete_factors | None = None
) -> solution:
    """Conjugate gradients: x with A x = b, for a symmetric positive definite matrix.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Real, symmetric and positive definite, which is not checked in advance.
    b : array of shape (rows,)
    x0 : array of shape (rows,), optional
        The first approximation; by default zeros.
    rtol : float
        The solver ends when the norm of b - A x is at most ``rtol`` times that of b. At least 0 and less than 1.
    maxiter : int
        It ends after this many iterations, converged or not.
    M : {"jacobi", "ic0", "ilu0"} or incomplete_factors, optional
        The preconditioner; by default none. ``M=ev.ic0(A)`` uses ready factors: for many right-hand sides, or of a
        matrix that is only similar. Their numbers have the type of ``x``.

    Returns
    -------
    solution
        ``x``: of shape (rows,), float32 if A and b are, else float64. ``iterations``: their number. ``residual``: the
        norm of the residual that the iterations update, over that of b. ``converged``: whether it is at most ``rtol``.
        ``reason``: why the solver ended, if it did not converge; a matrix that is not positive definite is one reason.
        ``residuals``: float64 of shape (iterations + 1,), at the start and after each iteration.

    Raises
    ------
    ValueError
        For a matrix that is not square, other sizes, options out of range; for a preconditioner that the matrix does
        not have, with the row.
    TypeError
        For complex numbers.

    Notes
    -----
    O(rows + entries) per iteration, on all cores. Results have the same bits on every run and for any number of
    threads. Source: Hestenes and Stiefel (1952).
    """
    return _solve(True, A, b, x0, rtol, maxiter, M)


def bicgstab(
    A: Any, b: Any, *, x0: Any = None, rtol: float = 1e-8, maxiter: int = 1000,
    M: str | incomplete_factors | None = None
) -> solution:
    """BiCGStab: x with A x = b, for a square matrix that need not be symmetric.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
    b, x0, rtol, maxiter, M
        As for `cg`.

    Returns
    -------
    solution
        As for `cg`. A breakdown of the method is one ``reason``; another preconditioner may help.

    Raises
    ------
    ValueError, TypeError
        As `cg`.

    Notes
    -----
    O(rows + entries) per iteration, with two products with A. Bits repeat as for `cg`. Source: van der Vorst (1992).
    """
    return _solve(False, A, b, x0, rtol, maxiter, M)


def _solve(is_cg: bool, A: Any, b: Any, x0: Any, rtol: float, maxiter: int, M: Any) -> solution:
    rows, right = _system(A, b)
    size = right.shape[0]
    x = np.zeros(size, right.dtype)
    if x0 is not None:
        first = as_array("x0", x0, 1)
        if first.shape != x.shape:
            raise ValueError(f"x0 has shape {first.shape}: it must be {x.shape}")
        if first.dtype.kind == "c":
            raise TypeError("x0 is complex, but must be real")
        x[:] = first
    if isinstance(rtol, (bool, complex)) or not np.isscalar(rtol) or isinstance(rtol, (str, bytes)):
        raise TypeError(f"rtol is {type(rtol).__name__}: it must be a number")
    tolerance = float(rtol)
    if not (math.isfinite(tolerance) and 0 <= tolerance < 1):
        raise ValueError(f"rtol = {rtol}: it must be at least 0 and less than 1")
    ready = M._factors if isinstance(M, incomplete_factors) else None
    if ready is not None:
        _check_factors(M, right)
    kind = "none" if ready is not None else as_text("M", M, "none")
    if kind not in ("none", "jacobi", "ic0", "ilu0"):
        raise ValueError(f"M = {kind!r}: it must be 'jacobi', 'ic0', 'ilu0', or what ic0 or ilu0 return")
    limit = as_count("maxiter", maxiter, 100_000_000)
    iterations, residual, converged, reason, residuals = _evenly.solve_iteratively(
        rows, is_cg, kind, tolerance, limit, right, x, ready
    )
    return solution(x, iterations, residual, converged, reason, np.array(residuals, np.float64))


def _check_factors(M: incomplete_factors, right: np.ndarray) -> None:
    if M.shape[0] != right.shape[0]:
        raise ValueError(f"M has {M.shape[0]} rows: the matrix has {right.shape[0]}")
    if M.dtype != right.dtype:
        raise TypeError(f"M is {M.dtype}, but A and b are solved in {right.dtype}: make M of A in this type")


def _system(A: Any, b: Any) -> tuple[Any, np.ndarray]:
    """The compiled rows of A, and b, in the type of a solve."""
    of = as_matrix(A)
    if of.shape[0] != of.shape[1]:
        raise ValueError(f"the matrix has shape {of.shape}: a system to solve is square")
    right = as_array("b", b, 1)
    if right.shape[0] != of.shape[0]:
        raise ValueError(f"b has {right.shape[0]} elements: the matrix has {of.shape[0]} rows")
    dtype = _real_type("A", of.dtype, right.dtype)
    return of._rows().compiled(dtype), as_computed(right, dtype)


def _real_type(name: str, *types: np.dtype) -> np.dtype:
    dtype = np.result_type(*types)
    if computed_type(name, dtype).kind == "c":
        raise TypeError(f"{name} or b is complex: iterative solvers are for real numbers")
    return computed_type(name, dtype) if dtype.kind == "f" else np.dtype(np.float64)


class incomplete_factors:
    """What `ic0` and `ilu0` return: a preconditioner, also as ``M`` for the solvers of scipy.sparse.linalg."""

    def __init__(self, A: Any, is_ic0: bool):
        of = as_matrix(A)
        if of.shape[0] != of.shape[1]:
            raise ValueError(f"the matrix has shape {of.shape}: a system to solve is square")
        self.shape = of.shape
        self.dtype = _real_type("A", of.dtype)
        self._factors = _evenly.factors(of._rows().compiled(self.dtype), is_ic0)

    def solve(self, b: Any) -> np.ndarray:
        """x with (L U) x = b, or (L L^T) x = b: two triangular solves. b has shape (rows,). O(entries)."""
        right = as_array("b", b, 1)
        if right.shape[0] != self.shape[0]:
            raise ValueError(f"b has {right.shape[0]} elements: the matrix has {self.shape[0]} rows")
        if right.dtype.kind == "c":
            raise TypeError("b is complex, but must be real")
        right = as_computed(right, self.dtype)
        x = np.empty_like(right)
        self._factors.apply(right, x)
        return x

    def matvec(self, x: Any) -> np.ndarray:
        """As ``solve``: the product with the inverse, for the solvers of SciPy."""
        x = np.asarray(x)
        return self.solve(x.reshape(-1)).reshape(x.shape)


def ic0(A: Any) -> incomplete_factors:
    """The incomplete Cholesky factor L of a symmetric positive definite matrix, at the positions of its entries.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Real, with both triangles, and in each row with ascending columns, each once. The lower triangle is used.

    Returns
    -------
    incomplete_factors
        ``solve(b)`` is the solution of L L^T x = b. It may be ``M`` of the solvers of scipy.sparse.linalg.

    Raises
    ------
    ValueError
        For a pivot that is not positive, with its row; for rows out of order, without a diagonal, or without
        counterparts in the other triangle.
    TypeError
        For complex numbers.

    Notes
    -----
    O(the sum over entries below the diagonal of the sizes of two rows). Bits repeat for any number of threads. Source:
    Meijerink and van der Vorst (1977).
    """
    return incomplete_factors(A, True)


def ilu0(A: Any) -> incomplete_factors:
    """The incomplete factors L, with a unit diagonal, and U of a square matrix, at the positions of its entries.

    Parameters
    ----------
    A : square `matrix`, or what `matrix` takes
        Real, and in each row with an entry on the diagonal and ascending columns, each once.

    Returns
    -------
    incomplete_factors
        ``solve(b)`` is the solution of L U x = b. It may be ``M`` of the solvers of scipy.sparse.linalg.

    Raises
    ------
    ValueError
        For a pivot that is 0 or NaN, with its row; for rows out of order or without a diagonal.
    TypeError
        For complex numbers.

    Notes
    -----
    O(the sum over entries below the diagonal of the sizes of two rows). Bits repeat for any number of threads. Source:
    Saad (Iterative methods for sparse linear systems, 2003, algorithm 10.4).
    """
    return incomplete_factors(A, False)


def aslinearoperator(A: Any, *, schedule: str | None = None, on: str | None = None) -> Any:
    """A LinearOperator of SciPy, for cg, gmres, eigsh, svds and the like.

    Parameters
    ----------
    A : `matrix`, or what `matrix` takes, of shape (rows, columns); a LinearOperator is returned as it is
    schedule : str, optional
        A name of `schedules`, for all products.
    on : {"cpu", "simt"}, optional
        As for ``matrix.dot``.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator
        Of the same shape. Products with A and with the conjugate transpose are products of `matrix`.

    Raises
    ------
    ValueError, TypeError
        As `matrix`.

    Notes
    -----
    A product is O(entries). The first product with the conjugate transpose makes the transpose: a sort of the entries.
    """
    from scipy.sparse.linalg import LinearOperator

    if isinstance(A, LinearOperator):
        return A
    of = as_matrix(A)
    turned = of.T

    def times(x: Any) -> Any:
        return of.dot(x, schedule=schedule, on=on)

    def transposed_times(x: Any) -> Any:
        if of.dtype.kind != "c":
            return turned.dot(x, schedule=schedule, on=on)
        return turned.dot(x.conj(), schedule=schedule, on=on).conj()

    return LinearOperator(
        of.shape, matvec=times, rmatvec=transposed_times, matmat=times, rmatmat=transposed_times, dtype=of.dtype
    )
