# SPDX-License-Identifier: Apache-2.0
"""Scan, reduce, select, sort and reduce by key, against NumPy."""

import evenly as ev
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs import FLOATS, INTEGERS, NUMBERS, expect_refusals, numbers

SIZES = [0, 1, 2, 1000, 70_001]
REAL = [*FLOATS, "float16", *INTEGERS, "bool"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_scan(rng, size, dtype):
    values = numbers(rng, size, dtype)
    if dtype == "float16":
        values = values[:100]
    for op, function in (("sum", np.cumsum), ("max", np.maximum.accumulate), ("min", np.minimum.accumulate)):
        if np.dtype(dtype).kind == "c" and op != "sum":
            with pytest.raises(TypeError, match=f"{op} takes real numbers"):
                ev.scan(values, op)
            continue
        should = function(values)
        result = ev.scan(values, op)
        assert result.dtype == should.dtype
        np.testing.assert_array_equal(result, should)
        np.testing.assert_array_equal(ev.scan(values, op, exclusive=True)[1:], should[:-1])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_reduce(rng, size, dtype):
    values = numbers(rng, size, dtype)
    if dtype == "float16":
        values = values[:100]
    kind = np.dtype(dtype).kind
    for op in ("sum", "any", "all") + (("mean",) if size else ()) + (("min", "max") if size and kind != "c" else ()):
        should = getattr(np, op)(values)
        result = ev.reduce(values, op)
        assert np.asarray(result).dtype == should.dtype, op
        if op == "mean":
            np.testing.assert_allclose(result, should, rtol=1e-2 if dtype == "float16" else 1e-4, atol=1e-6)
        else:
            assert result == should, op
    assert ev.reduce(values, "count") == values.size
    assert ev.reduce(values.reshape(-1, 1)) == ev.reduce(values)


def test_reduce_of_nothing():
    none = np.zeros(0)
    assert ev.reduce(none) == 0 and ev.reduce(none, "prod") == 1
    assert ev.reduce(none, "min") == np.inf and ev.reduce(none, "max") == -np.inf
    assert np.isnan(ev.reduce(none, "mean"))
    with pytest.raises(ValueError, match="give initial="):
        ev.reduce(np.zeros(0, int), "min")
    assert ev.reduce(np.zeros(0, int), "min", initial=4) == 4
    assert ev.reduce(np.array([5, 3]), "sum", initial=4) == 12


def test_products(rng):
    values = rng.integers(1, 3, 30)
    assert ev.reduce(values, "prod") == np.prod(values)
    np.testing.assert_array_equal(ev.scan(values, "prod"), np.cumprod(values))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_select(rng, size, dtype):
    values, mask = numbers(rng, size, dtype), rng.random(size) < 0.3
    result = ev.select(values, mask)
    assert result.dtype == values.dtype
    np.testing.assert_array_equal(result, values[mask])
    out = np.zeros(size, dtype)
    written = ev.select(values, mask, out=out)
    np.testing.assert_array_equal(written, values[mask])
    assert size == 0 or np.shares_memory(written, out) or written.size == 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", REAL)
def test_sort(rng, size, dtype):
    keys = numbers(rng, size, dtype)
    result = ev.sort(keys)
    assert result.dtype == keys.dtype
    np.testing.assert_array_equal(result, np.sort(keys))
    order = np.argsort(keys, kind="stable")
    for values in (np.arange(size, dtype="int32"), rng.random(size), rng.random(size).astype("float16"),
                   rng.random((size, 3)), np.arange(size).astype("S8")):
        ordered, moved = ev.sort(keys, values)
        np.testing.assert_array_equal(ordered, np.sort(keys))
        np.testing.assert_array_equal(moved, values[order])


def test_sort_in_place(rng):
    keys, values = rng.random(1000), np.arange(1000)
    order = np.argsort(keys)
    ev.sort(keys, values, out=(keys, values))
    np.testing.assert_array_equal(values, order)
    assert (np.diff(keys) >= 0).all()


def test_sort_of_special_values():
    keys = np.array([np.inf, np.nan, -0.0, -np.inf, 1e-310, -3.0])
    np.testing.assert_array_equal(ev.sort(keys), np.sort(keys))
    wide = np.array([2**63, 0, 2**64 - 1, 5], np.uint64)
    np.testing.assert_array_equal(ev.sort(wide), np.sort(wide))


@pytest.mark.parametrize("keys", ["bool", "int8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "int64", "uint8", "uint64"])
def test_reduce_by_key(rng, keys, dtype):
    of = np.sort(numbers(rng, 5000, keys))
    values = numbers(rng, 5000, dtype)
    result = ev.reduce_by_key(of, values)
    should, where = np.unique(of, return_inverse=True)
    assert result.keys.dtype == of.dtype
    np.testing.assert_array_equal(result.keys, should)
    np.testing.assert_array_equal(result.values, [values[where == i].sum() for i in range(should.size)])
    if dtype != "complex64":
        np.testing.assert_array_equal(
            ev.reduce_by_key(of, values, "max").values, [values[where == i].max() for i in range(should.size)]
        )


def test_reduce_by_key_out():
    keys, values = np.array([3, 3, 5, 7, 7, 7]), np.arange(6.0)
    runs, sums = np.zeros(6, int), np.zeros(12)[::2]
    result = ev.reduce_by_key(keys, values, out=(runs, sums))
    assert np.shares_memory(result.keys, runs) and np.shares_memory(result.values, sums)
    np.testing.assert_array_equal(runs, [3, 5, 7, 0, 0, 0])
    np.testing.assert_array_equal(sums, [1, 2, 12, 0, 0, 0])
    in_place = ev.reduce_by_key(keys, values, out=(keys, values))
    np.testing.assert_array_equal(in_place.values, [1, 2, 12])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=300), st.integers(1, 3))
def test_runs_of_keys(keys, step):
    of = np.repeat(np.array(keys, np.int32), step)[::step]
    found, sums = ev.reduce_by_key(of, np.ones(of.size, np.int64))
    starts = np.flatnonzero(np.diff(of, prepend=of[:1] - 1))
    np.testing.assert_array_equal(found, of[starts])
    np.testing.assert_array_equal(sums, np.diff(np.append(starts, of.size)))


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "uint8", "int32", "uint32", "int64", "bool"]
)
@pytest.mark.parametrize("op", ["sum", "min", "max", "prod"])
@pytest.mark.parametrize("index", ["int8", "uint16", "int32", "int64", "uint64"])
def test_reduce_by_index(rng, index, op, dtype):
    of = rng.integers(0, 9, 500).astype(index)
    values = np.ones(500, dtype) if op == "prod" else numbers(rng, 500, dtype)
    function = {"sum": np.add, "min": np.minimum, "max": np.maximum, "prod": np.multiply}[op]
    result = ev.reduce_by_index(of, values, 11, op)
    for i in range(9):
        np.testing.assert_array_equal(result[i], function.reduce(values[of == i]), f"index {i}")
    empty = {"sum": 0, "prod": 1}.get(op)
    if empty is None:
        kind, low = np.dtype(dtype).kind, op == "max"
        if kind == "f":
            empty = -np.inf if low else np.inf
        elif kind == "b":
            empty = not low
        else:
            empty = np.iinfo(dtype).min if low else np.iinfo(dtype).max
    np.testing.assert_array_equal(result[9:], [empty, empty])
    out = np.zeros(22, result.dtype)[::2]
    assert ev.reduce_by_index(of, values, 11, op, out=out) is out
    np.testing.assert_array_equal(out, result)


def test_messages():
    values = np.ones(4)
    cases = [
        (lambda: ev.scan(np.ones((2, 2))), ValueError, "values has 2 dimensions"),
        (lambda: ev.scan(values, "mean"), ValueError, "op = 'mean' is no scan"),
        (lambda: ev.reduce(values, "median"), ValueError, "op = 'median' is no reduction"),
        (lambda: ev.reduce(np.ones(2, complex), "max"), TypeError, "max takes real numbers"),
        (lambda: ev.select(values, [1, 0, 1, 0]), TypeError, "mask has elements of int64: it must have bool"),
        (lambda: ev.select(values, [True]), ValueError, "mask has shape (1,) and values (4,)"),
        (lambda: ev.select(values, [True] * 4, out=np.ones(2)), ValueError, "out has 2 elements: there are 4"),
        (lambda: ev.sort(np.ones(2, complex)), TypeError, "keys have elements of complex128"),
        (lambda: ev.sort(values, np.ones(3)), ValueError, "values have shape (3,) and keys (4,)"),
        (lambda: ev.sort(values, values, out=values), TypeError, "out must be a tuple of two arrays"),
        (lambda: ev.reduce_by_key(values, values), TypeError, "keys have elements of float64"),
        (lambda: ev.reduce_by_key([1] * 4, values, out=np.ones(4)), TypeError, "out must be a tuple of two arrays"),
        (lambda: ev.reduce_by_key([1, 2, 3, 4], values, out=(np.ones(3, int), None)), ValueError,
         "out has 3 elements: there are 4 runs"),
        (lambda: ev.reduce(np.ma.array(values, mask=[0, 1, 0, 0])), TypeError, "values is a masked array"),
        (lambda: ev.reduce(values, initial="1"), TypeError, "initial is str: it must be a number"),
        (lambda: ev.reduce(values, initial=[1.0]), TypeError, "initial is list: it must be a number"),
        (lambda: ev.reduce(np.arange(3), initial=2.5), TypeError, "initial is 2.5: the result has int64"),
        (lambda: ev.reduce(np.arange(3), initial=np.nan), TypeError, "initial is nan: the result has int64"),
        (lambda: ev.reduce(np.arange(3, dtype="int8"), "max", initial=1000), ValueError, "int8, which does not hold"),
        (lambda: ev.reduce(np.arange(3, dtype="uint8"), "max", initial=-1), ValueError, "uint8, which does not"),
        (lambda: ev.reduce_by_key([1], values), ValueError, "keys have 1 elements and values 4"),
        (lambda: ev.reduce_by_index([1], values, 4), ValueError, "index has 1 elements and values 4"),
        (lambda: ev.reduce_by_index([1, 2, 3, 4], values, 4), ValueError, "index 4 is not in [0, 4)"),
        (lambda: ev.reduce_by_index([1, 2, 3, -1], values, 4), ValueError, "index -1 is not in [0, 4)"),
        (lambda: ev.reduce_by_index(np.full(4, 2**63, "uint64"), values, 4), ValueError, "is not in [0, 4)"),
        (lambda: ev.reduce_by_index(values, values, 4), TypeError, "index has elements of float64"),
        (lambda: ev.reduce_by_index([0] * 4, values, 4.0), TypeError, "size is float: it must be an integer"),
        (lambda: ev.reduce_by_index([0] * 4, values, -1), ValueError, "size = -1: must not be negative"),
        (lambda: ev.reduce_by_index([0] * 4, values, 4, out=values), ValueError, "overlaps"),
    ]
    expect_refusals(cases)
