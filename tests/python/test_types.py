# SPDX-License-Identifier: Apache-2.0
"""The table of element types in docs/python.md: functions take the types that it names, and refuse the others."""
import itertools
import pathlib
import re

import evenly as ev
import numpy as np
import pytest
from inputs import COMPLEX, FLOATS, INTEGERS, numbers

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
TYPES = {"float16": ["float16"], "float32, float64": FLOATS, "complex": COMPLEX, "integers": INTEGERS, "bool": ["bool"]}
OFFSETS, KEYS, MASK = [0, 10, 36], np.arange(36), np.ones(36, bool)
EXTREMES = ("min", "max", "prod")


def matrix_of(values):
    """Six rows of six entries."""
    return ev.matrix((values, np.tile(np.arange(6), 6), np.arange(7) * 6), (6, 6))


def check_products(values):
    m, dense = matrix_of(values), values.reshape(6, 6)
    for found, should in ((m @ dense[0], dense @ dense[0]), (m @ dense, dense @ dense), (m.T, dense.T),
                          ((m @ m).toarray(), dense @ dense), ((m + m).toarray(), dense + dense)):  # fmt: skip
        assert found.dtype == should.dtype
        np.testing.assert_array_equal(np.asarray(found), should)


def of_each(functions, *operations):
    """Each function with each operation, as functions of values."""
    return [lambda values, f=function, op=op: f(values, op) for function in functions for op in operations]


def segment_scan(values, op):
    return ev.segment_scan(values, OFFSETS, op)


def reduce_by_key(values, op):
    return ev.reduce_by_key(KEYS, values, op)


def segment_reduce(values, op):
    return ev.segment_reduce(values, OFFSETS, op)


REDUCTIONS, SCANS = (segment_reduce, ev.reduce), (segment_scan, ev.scan, reduce_by_key)
ROWS = {
    "products, sums and transposes of matrices": [check_products],
    "`segment_reduce`, `reduce`: `sum`, `mean`, `any`, `all`, `count`": of_each(
        REDUCTIONS, "sum", "mean", "any", "all", "count"),
    "`segment_reduce`, `reduce`: `min`, `max`, `prod`": of_each(REDUCTIONS, *EXTREMES),
    "`segment_scan`, `scan`, `reduce_by_key`: `sum`": of_each(SCANS, "sum"),
    "`segment_scan`, `scan`, `reduce_by_key`: `min`, `max`, `prod`": of_each(SCANS, *EXTREMES),
    "X and Y of `M.sddmm`": [
        lambda values: ev.matrix(np.eye(6, dtype="f4")).sddmm(values.reshape(6, 6), values.reshape(6, 6))],
    "`select`, `gather_plan`, values of `sort`": [
        lambda values: ev.select(values, MASK), lambda values: ev.gather_plan(KEYS)(values),
        lambda values: ev.sort(KEYS, values)],
    "keys of `sort`, points of `octree` and `neighbors`": [
        ev.sort, lambda values: ev.octree(values.reshape(12, 3)),
        lambda values: ev.neighbors(values.reshape(12, 3), 2)],
    "keys of `reduce_by_key`": [lambda values: ev.reduce_by_key(values, KEYS)],
    "weights of `sssp`": [lambda values: ev.sssp(matrix_of(values), 0)],
    "weights that `bfs`, `dfs`, `reachable` and `strong_components` ignore": [
        lambda values: ev.bfs(matrix_of(values), 0), lambda values: ev.dfs(matrix_of(values), 0),
        lambda values: ev.reachable(matrix_of(values), 0), lambda values: ev.strong_components(matrix_of(values))],
}  # fmt: skip


def rows_of_page():
    text = PAGE.read_text(encoding="utf-8")
    head = re.search(r"^ *\| values \| (.*) \|\n *\|[-|]+\|\n((?: *\|.*\n)+)", text, re.MULTILINE)
    assert head and head[1].split(" | ") == list(TYPES), "docs/python.md has no table of these types"
    return {cells[0]: cells[1:] for cells in (line.strip("| ").split(" | ") for line in head[2].splitlines())}


def test_the_page_has_every_row():
    assert list(rows_of_page()) == list(ROWS)


@pytest.mark.parametrize("row, types", list(itertools.product(ROWS, TYPES)))
def test_types_are_those_of_the_page(rng, row, types):
    is_taken = {"yes": True, "no": False}[rows_of_page()[row][list(TYPES).index(types)]]
    for dtype in TYPES[types]:
        values = numbers(rng, 36, dtype)
        values = values * values  # weights are not negative
        for function in ROWS[row]:
            if is_taken:
                function(values)
            else:
                with pytest.raises(TypeError, match="^[^\n]* (has|have) (elements|weights) of [^\n]*$"):
                    function(values)
