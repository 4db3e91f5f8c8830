# SPDX-License-Identifier: Apache-2.0
"""Matrices for scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any

from ._matrix import as_matrix


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
