# SPDX-License-Identifier: Apache-2.0
"""Segments, against NumPy on each segment."""

import pickle

import evenly as ev
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs import COMPLEX, FLOATS, INTEGERS, NUMBERS, expect_refusals, numbers, offsets_of

REDUCTIONS = {
    "sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max, "prod": np.prod, "any": np.any, "all": np.all,
    "count": np.size,
}  # fmt: skip


def expected(values, offsets, op):
    parts = [values[offsets[s] : offsets[s + 1]] for s in range(len(offsets) - 1)]
    return np.array([REDUCTIONS[op](part) for part in parts])


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_reduce(rng, op, dtype, index):
    if np.dtype(dtype).kind == "c" and op in ("min", "max", "prod"):
        with pytest.raises(TypeError, match="real numbers"):
            ev.segment_reduce(numbers(rng, 3, dtype), [0, 3], op)
        return
    offsets = offsets_of(rng.integers(1, 9, 300), index)
    values = numbers(rng, offsets[-1], dtype)
    result = ev.segment_reduce(values, offsets, op)
    should = expected(values, offsets, op)
    assert result.dtype == should.dtype
    if op == "mean":
        np.testing.assert_allclose(result, should, rtol=1e-2 if dtype == "float16" else 1e-6)
    else:
        np.testing.assert_array_equal(result, should)


@pytest.mark.parametrize("schedule", ev.schedules())
@pytest.mark.parametrize("op", ["sum", "max"])
def test_reduce_under_every_schedule(rng, schedule, op):
    offsets = offsets_of(rng.integers(0, 40, 500))
    values = numbers(rng, offsets[-1], "float32")
    identity = 0 if op == "sum" else -np.inf
    should = [getattr(np, op)(values[a:b], initial=identity) for a, b in zip(offsets, offsets[1:])]
    np.testing.assert_array_equal(ev.segment_reduce(values, offsets, op, schedule=schedule), should)


ROW_REDUCTIONS = {**{name: REDUCTIONS[name] for name in ("sum", "mean", "min", "max", "prod")},
                  "argmin": np.argmin, "argmax": np.argmax,
                  "logsumexp": lambda part, axis: np.log(np.exp(part.astype("f8")).sum(axis))}  # fmt: skip


@pytest.mark.parametrize("op", ROW_REDUCTIONS)
@pytest.mark.parametrize("dtype", [*FLOATS, "float16", "int32", "int64", "uint8", "uint64", "bool"])
@pytest.mark.parametrize("shape", [(), (1,), (5,)])
def test_rows_by_index(rng, op, dtype, shape):
    if dtype == "float16" and op == "prod":
        pytest.skip("NumPy rounds each product")
    index = rng.permutation(np.repeat(np.arange(30), rng.integers(1, 20, 30)))
    values = numbers(rng, (index.size, *shape), dtype)
    should = np.array([ROW_REDUCTIONS[op](values[index == s], axis=0) for s in range(30)])
    if op.startswith("arg"):
        rows = [np.flatnonzero(index == s) for s in range(30)]
        should = np.array([row[found] for row, found in zip(rows, should)])
    plan = ev.segment_plan(index=index.astype("i4"))
    order = np.argsort(index, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(index))])
    for found in (
        ev.segment_reduce(values, index=index, op=op),
        ev.scatter(values, index, 30, op),
        plan.reduce(values, op, out=np.empty(should.shape, should.dtype)),
    ):
        if op in ("mean", "logsumexp"):
            np.testing.assert_allclose(found, should, rtol=1e-2 if dtype == "float16" else 1e-5)
        else:
            assert found.dtype == should.dtype
            np.testing.assert_array_equal(found, should)
    if not op.startswith("arg") and (shape or op == "logsumexp"):
        by_offsets = ev.segment_reduce(values[order], offsets, op)
        by_index = ev.segment_reduce(values, index=plan, op=op)
        if op == "logsumexp":
            np.testing.assert_allclose(by_offsets, by_index, rtol=8 * np.finfo(by_index.dtype).eps)
        else:
            np.testing.assert_array_equal(by_offsets, by_index)


@pytest.mark.parametrize("dtype", [*FLOATS, "float16"])
@pytest.mark.parametrize("shape", [(), (4,)])
def test_softmax(rng, dtype, shape):
    index = rng.integers(0, 9, 400)
    values = (numbers(rng, (400, *shape), dtype) / 3).astype(dtype)
    raised = np.exp(values.astype("f8"))
    should = raised / np.array([raised[index == s].sum(0) for s in index])
    found = ev.segment_softmax(values, index=index, size=12)
    assert found.dtype == values.dtype
    np.testing.assert_allclose(found, should, rtol=2e-3 if dtype == "float16" else 1e-5)
    order = np.argsort(index, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(index))])
    by_offsets = ev.segment_softmax(values[order], ev.segments(offsets))
    np.testing.assert_allclose(by_offsets, found[order], rtol=16 * np.finfo(found.dtype).eps)
    assert np.isnan(ev.segment_softmax([-np.inf, -np.inf, 1.0, np.inf, 2.0], [0, 2, 4, 5])).tolist() == [True] * 4 + [
        False
    ]


def test_plans_of_segments(rng):
    plan = ev.segment_plan(index=[2, 0, 2], size=4)
    assert len(plan) == 4 and repr(plan) == "<evenly.segment_plan: 4 segments of 3 rows>"
    copy = pickle.loads(pickle.dumps(plan))
    assert copy.reduce([1.0, 2.0, 3.0]).tolist() == plan.reduce([1.0, 2.0, 3.0]).tolist() == [2, 0, 4, 0]
    assert ev.scatter([1.0, 2.0, 3.0], plan, op="argmax").tolist() == [1, -1, 2, -1]
    empty = ev.segment_plan(index=np.zeros(0, int))
    assert len(empty) == 0 and empty.reduce(np.zeros((0, 3))).shape == (0, 3)
    given = np.zeros(3)
    cases = [
        (lambda: ev.scatter(given, [0, 9, 1], 5), ValueError, "index[1] = 9: it must be in [0, 5), the number of"),
        (lambda: ev.scatter(given, [0, -1, 1], 5), ValueError, "index[1] = -1"),
        (lambda: ev.scatter(given, [0, 1]), ValueError, "values has 3 rows: the segments have 2"),
        (lambda: ev.scatter(given, [0.0, 1.0, 2.0]), TypeError, "index has elements of float64"),
        (lambda: ev.scatter(given, [0, 1, 2], op="any"), ValueError, "op = 'any' is no reduction of rows"),
        (lambda: ev.scatter([1, 2], [0, 2], op="min"), ValueError, "segment 1 is empty, and min of integers"),
        (lambda: ev.scatter(given * 1j, [0, 1, 2]), TypeError, "segments of rows take real numbers"),
        (lambda: ev.scatter(given, plan, 5), ValueError, "size = 5: the plan has 4 segments"),
        (lambda: ev.segment_reduce(given), ValueError, "segments are given by offsets or by an index"),
        (lambda: ev.segment_reduce(given, [0, 3], size=2), ValueError, "size has no meaning for offsets"),
        (lambda: ev.segment_reduce(given, index=[0, 1, 1], initial=1), ValueError, "there is no initial"),
        (lambda: ev.segment_softmax(given, [1, 3]), ValueError, "offsets begin at 1: for a softmax they begin at 0"),
        (lambda: ev.segment_softmax([1, 2], [0, 2]), TypeError, "softmax takes float16, float32 and float64"),
        (lambda: ev.segment_softmax(np.zeros((1, 1, 1)), [0, 1]), ValueError, "values has 3 dimensions"),
    ]
    expect_refusals(cases)


def test_empty_segments(rng):
    values, offsets = np.array([2.0, 3.0]), [0, 0, 2, 2]
    results = {
        "sum": [0, 5, 0], "prod": [1, 6, 1], "min": [np.inf, 2, np.inf], "max": [-np.inf, 3, -np.inf],
        "mean": [np.nan, 2.5, np.nan], "any": [False, True, False], "all": [True, True, True], "count": [0, 2, 0],
    }  # fmt: skip
    for op, should in results.items():
        np.testing.assert_array_equal(ev.segment_reduce(values, offsets, op), should)
    whole = np.array([2, 3])
    with pytest.raises(ValueError, match="segment 0 is empty, and min of integers has no identity: give initial="):
        ev.segment_reduce(whole, offsets, "min")
    np.testing.assert_array_equal(ev.segment_reduce(whole, offsets, "min", initial=9), [9, 2, 9])
    np.testing.assert_array_equal(ev.segment_reduce(whole, offsets, "max", initial=-1), [-1, 3, -1])
    np.testing.assert_array_equal(ev.segment_reduce(whole, offsets, "sum", initial=10), [10, 15, 10])


def test_extremes_of_extreme_integers():
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        values = np.array([info.min, info.max, 3, info.max], dtype)
        np.testing.assert_array_equal(ev.segment_reduce(values, [0, 2, 4], "min"), np.array([info.min, 3], dtype))
        np.testing.assert_array_equal(ev.segment_reduce(values, [0, 2, 4], "max"), np.array([info.max] * 2, dtype))


def test_nan_is_propagated():
    values = np.array([1.0, np.nan, 2.0])
    for op in ("sum", "min", "max", "prod", "mean"):
        assert np.isnan(ev.segment_reduce(values, [0, 2, 3], op)[0])
        assert ev.segment_reduce(values, [0, 2, 3], op)[1] == 2.0


@pytest.mark.parametrize("op", ["sum", "min", "max", "prod"])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("exclusive", [False, True])
def test_scan(rng, op, dtype, exclusive):
    offsets = offsets_of(rng.integers(0, 9, 200))
    values = numbers(rng, offsets[-1], dtype)
    if np.dtype(dtype).kind == "c" and op != "sum":
        with pytest.raises(TypeError, match=f"{op} takes real numbers"):
            ev.segment_scan(values, offsets, op)
        return
    functions = {"sum": np.cumsum, "prod": np.cumprod, "min": np.minimum.accumulate, "max": np.maximum.accumulate}
    result = ev.segment_scan(values, offsets, op, exclusive=exclusive)
    pieces = [functions[op](values[a:b]) for a, b in zip(offsets, offsets[1:])]
    assert result.dtype == np.concatenate(pieces).dtype
    for piece, a, b in zip(pieces, offsets, offsets[1:]):
        if exclusive:
            np.testing.assert_array_equal(result[a + 1 : b], piece[:-1])
        else:
            np.testing.assert_array_equal(result[a:b], piece)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("schedule", ["automatic", "thread_mapped", "warp_mapped", "merge_path", "two_phase", "binned"])
def test_on_the_simulated_gpu(rng, schedule, index):
    """Exact sums of all types and operations; empty segments too."""
    offsets = offsets_of(rng.integers(0, 30, 60), index)
    for dtype in ("float16", "float32", "float64", "int8", "int32", "int64", "uint64", "bool"):
        values = numbers(rng, offsets[-1], dtype)
        for op in ("sum", "min", "max", "prod", "any", "all", "mean", "count"):
            initial = {"initial": 1} if op in ("min", "max") and values.dtype.kind != "f" else {}
            cpu, simt = (
                ev.segment_reduce(values, offsets, op, schedule=schedule, on=on, **initial) for on in ("cpu", "simt")
            )
            assert cpu.dtype == simt.dtype
            np.testing.assert_array_equal(cpu, simt, f"{op} of {dtype}")
        for op in ("sum", "max", "prod"):
            for exclusive in (False, True):
                scans = [ev.segment_scan(values, offsets, op, exclusive=exclusive, schedule=schedule, on=on)
                         for on in ("cpu", "simt")]
                np.testing.assert_array_equal(*scans, f"{op} of {dtype}")


@pytest.mark.parametrize("schedule", ev.schedules())
def test_scan_and_expand_under_every_schedule(rng, schedule):
    offsets = offsets_of(rng.integers(0, 40, 300), "int32")
    values = numbers(rng, offsets[-1], "int64")
    should = np.concatenate([np.cumsum(values[a:b]) for a, b in zip(offsets, offsets[1:])])
    np.testing.assert_array_equal(ev.segment_scan(values, offsets, schedule=schedule), should)
    segment_of = np.repeat(np.arange(300), np.diff(offsets))
    for on in ("cpu", "simt"):
        np.testing.assert_array_equal(ev.expand(offsets, schedule=schedule, on=on), segment_of)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 50), max_size=60),
    st.sampled_from(["float32", "float64", "int32", "int64"]),
    st.sampled_from(["sum", "count", "any", "all"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_any_sizes_and_strides(sizes, dtype, op, step, is_reversed):
    offsets = offsets_of(sizes)
    base = numbers(np.random.default_rng(len(sizes)), offsets[-1] * step, dtype)
    values = base[::step][::-1] if is_reversed else base[::step]
    np.testing.assert_array_equal(
        ev.segment_reduce(values, offsets, op), expected(values, offsets, op).reshape(len(sizes))
    )


def test_segments_are_kept(rng):
    offsets = offsets_of(rng.integers(0, 9, 100))
    kept = ev.segments(offsets)
    assert len(kept) == 100 and "100 segments" in repr(kept)
    values = numbers(rng, offsets[-1], "float64")
    for _ in range(3):
        np.testing.assert_array_equal(
            ev.segment_reduce(values, kept), ev.segment_reduce(values, offsets)
        )
        np.testing.assert_array_equal(ev.expand(kept), ev.expand(offsets))


def test_out_and_in_place(rng):
    offsets = offsets_of(rng.integers(0, 9, 100))
    values = numbers(rng, offsets[-1], "float64")
    for out in (np.empty(100), np.empty(200)[::2], np.empty(100, complex)):
        assert ev.segment_reduce(values, offsets, out=out) is out
        np.testing.assert_array_equal(out, ev.segment_reduce(values, offsets))
    should = ev.segment_scan(values, offsets)
    assert ev.segment_scan(values, offsets, out=values) is values
    np.testing.assert_array_equal(values, should)


def test_messages():
    values = np.ones(4)
    shared = np.ones(8)
    cases = [
        (lambda: ev.segment_reduce(values, [0, 3, 2, 4]), ValueError, "offsets[2] = 2 is less than offsets[1] = 3"),
        (lambda: ev.segment_reduce(values, [-1, 4]), ValueError, "offsets[0] = -1 is negative"),
        (lambda: ev.segment_reduce(values, [0, 5]), ValueError, "the last segment ends at 5, but there are 4 values"),
        (lambda: ev.segment_reduce(values, []), ValueError, "offsets is empty"),
        (lambda: ev.segment_reduce(values, [0.0, 4.0]), TypeError, "offsets has elements of float64"),
        (lambda: ev.segment_reduce(values, [[0, 4]]), ValueError, "offsets has 2 dimensions"),
        (lambda: ev.segment_reduce(np.ones((2, 2, 2)), [0, 2]), ValueError, "values has 3 dimensions: it must have 1"),
        (lambda: ev.segment_reduce(values, [0, 4], "median"), ValueError, "op = 'median' is no reduction"),
        (lambda: ev.segment_reduce(values, [0, 4], 3), TypeError, "op is int: it must be a string"),
        (lambda: ev.segment_reduce(values, [0, 4], "mean", initial=1), ValueError, "initial has no meaning for mean"),
        (lambda: ev.segment_reduce(values, [0, 5], on="simt"), ValueError, "the last segment ends at 5, but there are"),
        (lambda: ev.segment_reduce(np.ones(4, complex), [0, 4], on="simt"), ValueError, "on simt segments have real"),
        (lambda: ev.segment_reduce(shared[:4], [0, 1, 4], out=shared[3:5], on="simt"), ValueError, "overlaps"),
        (lambda: ev.segment_scan(shared[:4], [0, 4], out=shared[1:5], on="simt"), ValueError, "overlaps"),
        (lambda: ev.segment_reduce(values, [0, 4], on="tpu"), ValueError, "on = 'tpu' is not an executor"),
        (lambda: ev.segment_reduce(values, [0, 4], initial="1"), TypeError, "initial is str: it must be a number"),
        (lambda: ev.segment_reduce(np.arange(4), [0, 4], initial=0.5), TypeError, "initial is 0.5: the result"),
        (lambda: ev.segment_reduce(np.arange(4, dtype="uint64"), [0, 4], "max", initial=-1), ValueError, "-1"),
        (lambda: ev.segment_reduce(values, [0, 4], out=np.ones(2)), ValueError, "out has shape (2,)"),
        (lambda: ev.segment_reduce(shared[:4], [0, 1, 4], out=shared[3:5]), ValueError, "overlaps"),
        (lambda: ev.segment_scan(values, [0, 3]), ValueError, "for a scan they go from 0 to 4"),
        (lambda: ev.segment_scan(values, [0, 4], "mean"), ValueError, "op = 'mean' is no scan"),
        (lambda: ev.segment_scan(np.ones(4, complex), [0, 4], "prod"), TypeError, "prod takes real"),
        (lambda: ev.segment_scan(shared[:4], [0, 4], out=shared[1:5]), ValueError, "overlaps"),
        (lambda: ev.expand([3, 1]), ValueError, "offsets[1] = 1 is less than offsets[0] = 3"),
        (lambda: ev.segment_reduce(np.array(["a"]), [0, 1]), TypeError, "no operation takes them"),
        (lambda: ev.segment_reduce(values, np.array([0, 2**63], np.uint64)), ValueError, "more than int64 holds"),
    ]
    expect_refusals(cases)


def test_sums_of_complex(rng):
    for dtype in COMPLEX:
        values = numbers(rng, 10, dtype)
        np.testing.assert_array_equal(
            ev.segment_reduce(values, [0, 4, 10]), [values[:4].sum(), values[4:].sum()]
        )
