# SPDX-License-Identifier: Apache-2.0
"""Explanations, comparisons, pictures, octrees, files and operators for SciPy's solvers."""

import gzip
import xml.etree.ElementTree as ElementTree

import evenly as ev
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg
from inputs import NUMBERS, expect_refusals, numbers, sparse


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_explain(rng, dtype, index):
    a = sparse(rng, 200, 200, 0.05, dtype, index, index)
    told = ev.explain(a, schedule="thread_mapped")
    assert told.schedule == "thread_mapped" and not told.choice
    assert "thread_mapped" in told.text and repr(told) == told.text
    assert told.findings and all(0 <= each.cost <= 1 and each.advice for each in told.findings)
    assert told.findings[0].cost == max(each.cost for each in told.findings)
    ElementTree.fromstring(f"<x>{told._repr_html_()}</x>")
    chosen = ev.explain(a)
    assert chosen.schedule in ev.schedules() and chosen.choice


@pytest.mark.parametrize("op", ["spmv", "spmm", "segment_sum"])
def test_compare(rng, op):
    found = ev.compare(sparse(rng, 100, 80), op, seconds=0)
    assert 3 <= len(found.seconds) <= 6 and list(found.seconds.values()) == sorted(found.seconds.values())
    assert (found.peer is None) == (op == "segment_sum")
    assert op in repr(found)
    ElementTree.fromstring(f"<x>{found._repr_html_()}</x>")
    some = ev.compare(ev.matrix(sparse(rng, 100, 80)), op, schedules=["merge_path", "binned"], seconds=0)
    assert set(some.seconds) == {"merge_path", "binned"} and some.peer is None


def test_frames_and_charts(rng):
    a = sparse(rng, 200, 200)
    times, told = ev.compare(a, seconds=0), ev.explain(a)
    for found, count in ((times, len(times.seconds) + 1), (told, len(told.findings))):
        bars = ElementTree.fromstring(found.chart().svg).findall("{*}rect")
        assert len(bars) == count and max(float(bar.get("width")) for bar in bars) == 240
    pytest.importorskip("pandas")
    frame = times.to_frame()
    assert list(frame.index) == [*times.seconds, "(scipy)"] and frame.ratio.iloc[0] == 1
    assert frame.seconds[:-1].tolist() == list(times.seconds.values())
    assert [ev.finding(*row) for row in told.to_frame().itertuples(index=False)] == told.findings


def test_progress(rng, monkeypatch, capsys):
    """On one line of a terminal, which is empty afterwards; nowhere else."""
    import evenly._studies as studies

    a = sparse(rng, 50, 50)
    monkeypatch.setattr(studies.time, "perf_counter", iter(range(10**6)).__next__)
    ev.compare(a, schedules=["merge_path"], seconds=9)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(studies.sys.stderr, "isatty", lambda: True, raising=False)
    ev.compare(a, schedules=["merge_path"], seconds=9)
    shown = capsys.readouterr().err
    assert "measuring: " in shown and "\n" not in shown and shown.endswith("\r\033[K")


@pytest.mark.parametrize("schedule", ev.schedules()[1:])
def test_draw(rng, schedule):
    a = sparse(rng, 20, 20)
    drawn = ev.draw(schedule, a)
    root = ElementTree.fromstring(drawn.svg)
    assert root.tag.endswith("svg") and drawn._repr_svg_() == drawn.svg
    atoms = sorted(int(group.get("data-atom")) for group in root.iter() if group.get("data-atom"))
    assert atoms == list(range(a.nnz))
    assert ev.draw(schedule, offsets=a.indptr).svg == drawn.svg == ev.draw(schedule, ev.matrix(a)).svg


def test_pictures_are_saved(tmp_path):
    drawn = ev.draw("merge_path")
    drawn.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == drawn.svg
    assert "SVG" in repr(drawn)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("count", [0, 1, 20, 21, 3000])
def test_octree(rng, dtype, count):
    points = (rng.random((count, 3)) * 1000).astype(dtype)
    tree = ev.octree(points)
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(count))
    assert tree.begin[0] == 0 and tree.end[0] == count
    leaves = tree.leaves
    assert (tree.end - tree.begin)[leaves].max() <= 20
    assert (tree.end - tree.begin)[leaves].sum() == count
    for node in np.flatnonzero(tree.children):
        children = slice(tree.children[node], tree.children[node] + 8)
        assert tree.begin[children][0] == tree.begin[node] and tree.end[children][-1] == tree.end[node]
    assert (np.diff(tree.keys.astype(object)) >= 0).all()
    assert tree.levels[-1] == tree.begin.size
    assert repr(tree).startswith(f"<evenly.octree_of_points: {count} points, {tree.begin.size} nodes")
    if count:
        np.testing.assert_allclose(tree.corner, points.min(axis=0))
        np.testing.assert_allclose(tree.side, (points.max(axis=0) - points.min(axis=0)).max())


def test_files(rng, tmp_path):
    a = sparse(rng, 20, 30)
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_matrix(a))
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress((tmp_path / "a.mtx").read_bytes()))
    sp.save_npz(tmp_path / "a.npz", sp.csr_matrix(a))
    for name in ("a.mtx", "a.mtx.gz", "a.npz"):
        read = ev.io.read(tmp_path / name)
        assert isinstance(read, ev.matrix) and read.shape == (20, 30)
        np.testing.assert_array_equal(read.toarray(), a.toarray())
    scipy.io.mmwrite(tmp_path / "c.mtx", sp.coo_matrix(a * 1j))
    assert ev.io.read(str(tmp_path / "c.mtx")).dtype == np.complex128
    (tmp_path / "edges.el").write_text("0 1\n1 2\n2 0\n")
    np.testing.assert_array_equal(ev.bfs(ev.io.read(tmp_path / "edges.el"), 0).levels, [0, 1, 2])
    (tmp_path / "roads.wel").write_text("0 1 2.5\n1 2 1\n")
    np.testing.assert_array_equal(ev.sssp(ev.io.read(tmp_path / "roads.wel"), 0).distances, [0, 2.5, 3.5])
    (tmp_path / "p.obj").write_text("v 1 2 3\nv 4 5 6\n")
    np.testing.assert_array_equal(ev.io.read(tmp_path / "p.obj"), [[1, 2, 3], [4, 5, 6]])
    for array in (np.arange(5.0), np.arange(6.0).reshape(2, 3)):
        np.save(tmp_path / "x.npy", array)
        np.testing.assert_array_equal(ev.io.read(tmp_path / "x.npy"), array)
    (tmp_path / "x.txt").write_text("1\n2.5\n")
    np.testing.assert_array_equal(ev.io.read(tmp_path / "x.txt", kind="vector"), [1, 2.5])


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_solvers(rng, dtype):
    a = sparse(rng, 60, 60, 0.1, dtype)
    operator = ev.aslinearoperator(a)
    assert operator.shape == (60, 60) and operator.dtype == dtype
    x, b = numbers(rng, 60, dtype), numbers(rng, (60, 3), dtype)
    dense = a.toarray()
    np.testing.assert_array_equal(operator @ x, dense @ x)
    np.testing.assert_array_equal(operator @ b, dense @ b)
    np.testing.assert_array_equal(operator.H @ x, dense.conj().T @ x)
    np.testing.assert_array_equal(operator.H @ b, dense.conj().T @ b)
    _, s, _ = scipy.sparse.linalg.svds(operator, k=3)
    np.testing.assert_allclose(np.sort(s), np.sort(np.linalg.svd(dense)[1])[-3:], rtol=1e-6)
    shifted = ev.aslinearoperator(sp.csr_array(a + sp.identity(60) * 100))
    solution, failed = scipy.sparse.linalg.gmres(shifted, x)
    assert not failed
    np.testing.assert_allclose(dense @ solution + 100 * solution, x, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [*NUMBERS])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_gather(rng, dtype, index):
    of = rng.integers(0, 500, 2000).astype(index)
    plan = ev.gather_plan(of)
    for _ in range(4):
        x = numbers(rng, 500, dtype)
        np.testing.assert_array_equal(plan(x), x[of])
    out = np.empty(2000, dtype)
    assert plan(x, out=out) is out
    np.testing.assert_array_equal(out, x[of])
    np.testing.assert_array_equal(plan(np.repeat(x, 2)[::2]), x[of])
    assert "2000 indices" in repr(plan)
    assert np.dtype(dtype).itemsize < 4 or "none" in plan.explain() or "sort_threads" in plan.explain()


def test_gather_settles(rng):
    of = rng.integers(0, 100_000, 300_000)
    plan, x = ev.gather_plan(of), rng.random(100_000)
    for _ in range(30):
        np.testing.assert_array_equal(plan(x), x[of])


def test_messages(rng, tmp_path):
    a = sparse(rng, 10, 10)
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n9 1 1\n")
    (tmp_path / "what").write_bytes(b"\0\1\2")
    cases = [
        (lambda: ev.explain(a.astype(complex)), TypeError, "they must be real numbers"),
        (lambda: ev.explain(a, schedule="rows"), ValueError, "'rows'"),
        (lambda: ev.compare(a, "solve"), ValueError, "op = 'solve' cannot be compared"),
        (lambda: ev.compare(a, schedules=[]), ValueError, "name at least one"),
        (lambda: ev.compare(a, schedules=["rows"], seconds=0), ValueError, "'rows'"),
        (lambda: ev.draw("automatic"), ValueError, "a picture is of one schedule"),
        (lambda: ev.draw("rows"), ValueError, "'rows'"),
        (lambda: ev.draw("merge_path", a, offsets=[0, 1]), ValueError, "a picture is of A or of offsets"),
        (lambda: ev.draw("merge_path", offsets=[0, 3, 1]), ValueError, "offsets[2] = 1 is less than offsets[1] = 3"),
        (lambda: ev.draw("merge_path", block_size=65), ValueError, "a picture has 1 to 64 threads in a block"),
        (lambda: ev.draw("merge_path", warp_size=3), ValueError, "it is a power of two from 1 to 64"),
        (lambda: ev.octree(np.ones((4, 2))), ValueError, "points have shape (4, 2): it must be (n, 3)"),
        (lambda: ev.octree(np.full((4, 3), np.nan)), ValueError, "nan"),
        (lambda: ev.octree(np.ones((4, 3)), max_points=0), ValueError, "max_points = 0: a leaf has room"),
        (lambda: ev.octree(np.ones((4, 3), complex)), TypeError, "they must be real numbers"),
        (lambda: ev.gather_plan([0, 5])(np.ones(5)), ValueError, "index[1] = 5 is not an element: x has 5"),
        (lambda: ev.gather_plan([0, -1])(np.ones(5)), ValueError, "index[1] = -1 is not an element"),
        (lambda: ev.gather_plan([0, 5])(np.ones(5, "float16")), ValueError, "index[1] = 5"),
        (lambda: ev.gather_plan([0.5]), TypeError, "index has elements of float64"),
        (lambda: ev.io.read(tmp_path / "none.mtx"), FileNotFoundError, "none.mtx"),
        (lambda: ev.io.read(tmp_path / "bad.mtx"), ValueError, "bad.mtx:3: "),
        (lambda: ev.io.read(tmp_path / "what"), ValueError, "neither its content nor its ending says what it is"),
        (lambda: ev.io.read(tmp_path / "what", kind="image"), ValueError, "kind = 'image' cannot be read"),
    ]
    expect_refusals(cases)
