# SPDX-License-Identifier: Apache-2.0
"""Inputs of the tests, and what they expect of wrong ones."""

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp

FLOATS = ["float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
NUMBERS = [*FLOATS, "float16", *INTEGERS, *COMPLEX, "bool"]


def numbers(rng, size, dtype):
    """Small numbers, whose sums are exact in all types but float16."""
    dtype = np.dtype(dtype)
    values = rng.integers(0 if dtype.kind in "ub" else -4, 5, size)
    if dtype.kind == "b":
        return values > 2
    return values.astype(dtype) + (1j * rng.integers(-4, 5, size)).astype(dtype) if dtype.kind == "c" else (
        values.astype(dtype)
    )


def sparse(rng, rows, cols, density=0.1, dtype="float64", indices="int32", indptr="int32"):
    """A csr_array with random entries, and index arrays of the given types; of float16 an `of_halves`."""
    if dtype == "float16":
        return of_halves(sparse(rng, rows, cols, density, "float32", indices, indptr))
    count = int(rows * cols * density)
    places = np.unique(rng.integers(0, max(rows * cols, 1), count)) if rows * cols else np.zeros(0, np.int64)
    offsets = np.searchsorted(places, np.arange(rows + 1) * cols)
    a = sp.csr_array((rows, cols), dtype=dtype)
    a.indptr = offsets.astype(indptr)
    a.indices = (places % max(cols, 1)).astype(indices)
    a.data = numbers(rng, places.size, dtype)
    return a


class of_halves:
    """A matrix of float16, which SciPy does not have."""

    def __init__(self, a):
        self.arrays, self.shape = (a.data.astype(np.float16), a.indices, a.indptr), a.shape

    def toarray(self):
        data, indices, indptr = self.arrays
        return sp.csr_array((data.astype(np.float32), indices, indptr), self.shape).toarray().astype(np.float16)


def matrix_of(a):
    """The evenly.matrix of what `sparse` returns."""
    return ev.matrix(a.arrays, a.shape) if isinstance(a, of_halves) else ev.matrix(a)


def offsets_of(sizes, dtype="int64"):
    """Offsets of segments of these sizes."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(dtype)


def expect_refusals(cases):
    """Each case: a call, the type of its exception, and words of the message, which is one line."""
    for call, kind, message in cases:
        with pytest.raises(kind) as caught:
            call()
        text = str(caught.value)
        assert message in text and "\n" not in text, text
