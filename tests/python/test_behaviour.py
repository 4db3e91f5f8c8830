# SPDX-License-Identifier: Apache-2.0
"""Lifetimes, threads, processes, interruption, and arrays of any kind."""

import ast
import copy
import enum
import gc
import gzip
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import weakref

import evenly as ev
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs import numbers, offsets_of, sparse


def test_a_matrix_keeps_its_arrays_alive(rng):
    a = sparse(rng, 400, 400)
    x, should = np.ones(400), a @ np.ones(400)
    m = ev.matrix(a)
    data = weakref.ref(a.data)
    del a
    gc.collect()
    np.testing.assert_array_equal(m @ x, should)
    transposed = m.T
    del m
    gc.collect()
    assert transposed.shape == (400, 400)
    np.testing.assert_array_equal(transposed.T @ x, should)
    del transposed
    gc.collect()
    assert data() is None


def test_results_outlive_matrices(rng):
    product = ev.matrix(sparse(rng, 50, 50)) @ ev.matrix(sparse(rng, 50, 50))
    data, should = product.data, product.data.copy()
    del product
    gc.collect()
    np.testing.assert_array_equal(data, should)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda of: pickle.loads(pickle.dumps(of))])
def test_copies(rng, again):
    m, values, index = ev.matrix(sparse(rng, 50, 50)), rng.random(50), np.array([3, 1, 3])
    np.testing.assert_array_equal(again(m) @ values, m @ values)
    np.testing.assert_array_equal(again(m.T) @ values, m.T @ values)
    kept = ev.segments([0, 20, 50])
    np.testing.assert_array_equal(ev.segment_reduce(values, again(kept)), ev.segment_reduce(values, kept))
    np.testing.assert_array_equal(again(ev.gather_plan(index))(values), values[index])
    np.testing.assert_array_equal(again(ev.octree(rng.random((100, 3)))).end[0], 100)


def test_bits_repeat(rng):
    a = sparse(rng, 300, 300, 0.3)
    a.data = rng.standard_normal(a.data.size)
    x = rng.standard_normal(300)
    results = {(ev.matrix(a) @ x).tobytes() for _ in range(5)}
    assert len(results) == 1
    values, offsets = rng.standard_normal(100_000), offsets_of(rng.integers(0, 900, 200))[:-1].clip(max=100_000)
    assert len({ev.segment_reduce(values, offsets).tobytes() for _ in range(5)}) == 1


def test_threads_setting(rng):
    all_cores = ev.threads().count
    with ev.threads(1) as setting:
        assert setting.count == 1 and ev.threads().count == 1
        m = ev.matrix(sparse(rng, 30, 30))
        np.testing.assert_array_equal(m @ np.ones(30), m.toarray() @ np.ones(30))
    assert ev.threads().count == all_cores
    with ev.threads(3):
        np.testing.assert_array_equal(m @ np.ones(30), m.toarray() @ np.ones(30))
    for wrong, kind in ((-1, ValueError), (1.5, TypeError), (True, TypeError), (1 << 40, ValueError)):
        with pytest.raises(kind):
            ev.threads(wrong)


def test_several_threads_share_a_matrix(rng):
    a = sparse(rng, 2000, 2000, 0.01)
    m, x, should = ev.matrix(a), np.ones(2000), a @ np.ones(2000)
    offsets = offsets_of(np.full(200, 10))
    wrong = []

    def work(number):
        y = np.empty(2000)
        for i in range(30):
            m.dot(x, out=y)
            if not np.array_equal(y, should):
                wrong.append(number)
            if not np.array_equal((m.T @ x), a.T @ x) and i == 0:
                wrong.append(number)
            if ev.segment_reduce(x, offsets)[3] != 10:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not wrong


def test_several_threads_share_plans(rng):
    """The first use of a matrix, its transpose, segments and a gather plan by eight threads at the same time."""
    a = sparse(rng, 1000, 1000, 0.01, indices="int64")
    x, offsets, of = rng.integers(0, 9, 1000).astype(float), offsets_of(np.full(100, 10)), rng.integers(0, 1000, 9000)
    m, kept, plan = ev.matrix(a), ev.segments(offsets), ev.gather_plan(of)
    products = [a @ x, a.T @ x, (a @ a).toarray(), np.add.reduceat(x, offsets[:-1]), x[of]]
    start, wrong = threading.Barrier(8), []

    def work():
        start.wait()
        for schedule in ("automatic", "merge_path", "thread_mapped"):
            found = [m.dot(x, schedule=schedule), m.T.dot(x, schedule=schedule), (m @ m).toarray(),
                     ev.segment_reduce(x, kept, schedule=schedule), plan(x)]
            wrong.extend(not np.array_equal(one, other) for one, other in zip(found, products))
        wrong.append(ev.bfs(m, 0).levels[0] != 0)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert len(wrong) == 8 * 16 and not any(wrong)


def _product_in_child(m, x, should):
    os._exit(0 if np.array_equal(m @ x, should) else 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork(rng):
    a = sparse(rng, 5000, 5000, 0.01)
    m, x = ev.matrix(a), np.ones(5000)
    should = m @ x  # starts threads
    child = multiprocessing.get_context("fork").Process(target=_product_in_child, args=(m, x, should))
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()
        pytest.fail("a forked process hangs in a product")
    assert child.exitcode == 0
    np.testing.assert_array_equal(m @ x, should)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter needs its lock")
def test_free_threaded_interpreters_stay_so():
    """An interpreter turns its lock on when a module is loaded that does not declare to work without it."""
    run = subprocess.run([sys.executable, "-c", "import evenly, sys; print(sys._is_gil_enabled())"],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert run.stdout == "False\n"


def test_the_lock_is_released(rng):
    """Another thread of Python runs while a long operation does."""
    values = np.random.default_rng(0).random(4_000_000)
    ticks, is_done = [], threading.Event()

    def tick():
        while not is_done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    ev.sort(values)
    end = time.perf_counter()
    is_done.set()
    thread.join()
    assert sum(begin < t < end for t in ticks) > 3


PATH = "n = 20_000_000; M = ev.matrix((np.ones(n - 1, 'f4'), np.arange(1, n, dtype='i4'), " \
       "np.minimum(np.arange(n + 1), n - 1).astype('i4')), (n, n))"
RANDOM = "n = 300_000; M = ev.matrix((np.ones(16 * n, 'f4'), rng.integers(0, n, 16 * n, 'i4'), " \
         "(np.arange(n + 1) * 16).astype('i4')), (n, n))"
OPERATIONS = {  # the inputs, and an operation that takes seconds
    "many": ("x = rng.random(1_000_000)", "while True: ev.sort(x)"),
    "explain": ("M = np.ones((3000, 3000))", "ev.explain(M)"),
    "simt": ("M = ev.matrix(np.ones((2000, 2000)))", "while True: M.dot(np.ones((2000, 9)), on='simt')"),
    "bfs of a path": (PATH, "ev.bfs(M, 0); ev.bfs(M, 0); ev.bfs(M, 0)"),
    "sssp of a path": (PATH, "ev.sssp(M, 0)"),
    "bfs": (RANDOM, "for i in range(300): ev.bfs(M, i)"),
    "sssp": (RANDOM, "for i in range(300): ev.sssp(M, i)"),
    "spgemm": (RANDOM, "M @ M"),
    "octree": ("x = rng.random((5_000_000, 3))", "ev.octree(x)"),
    "sort": ("x = rng.random(30_000_000)", "ev.sort(x)"),
    "read": ("", "ev.io.read(path)"),
}


@pytest.fixture(scope="module")
def edges_file(tmp_path_factory):
    """Three million edges, which take seconds to read."""
    path = tmp_path_factory.mktemp("files") / "edges.el.gz"
    pieces = np.random.default_rng(0).integers(0, 1_000_000, (6, 50_000, 2))
    lines = [gzip.compress("\n".join(f"{u} {v}" for u, v in piece.tolist()).encode() + b"\n", 1) for piece in pieces]
    path.write_bytes(b"".join(lines) * 10)
    return path


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_interruption(operation, edges_file):
    """Ctrl-C ends an operation long before its end, and the package works afterwards."""
    inputs, call = OPERATIONS[operation]
    program = f"""
import evenly as ev, numpy as np, time
rng, path = np.random.default_rng(0), {str(edges_file)!r}
{inputs}
small = ev.matrix(np.eye(50))
print("ready", flush=True)
try:
    {call}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert (small @ np.ones(50) == 1).all() and ev.bfs(small, 3).levels[3] == 0
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    begin = time.perf_counter()
    assert child.stdout.readline() == "interrupted\n"
    assert time.perf_counter() - begin < 10  # a loaded machine; less than a second otherwise
    child.communicate(timeout=60)
    assert child.returncode == 0


class WithInterface:
    """What other libraries are to NumPy."""

    def __init__(self, array):
        self._array = array
        self.__array_interface__ = array.__array_interface__


class WithDlpack:
    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("kind", [WithInterface, WithDlpack, list, memoryview])
def test_arrays_of_others(rng, kind):
    values = numbers(rng, 30, "float64")
    given = values.tolist() if kind is list else kind(values)
    assert ev.segment_reduce(given, [0, 30])[0] == values.sum()
    np.testing.assert_array_equal(ev.matrix(np.eye(30)) @ given, values)


class WithLongMessage:
    def __array__(self, *_, **__):
        raise RuntimeError("two\nlines")


def test_messages_of_others_have_one_line():
    with pytest.raises(TypeError, match="^values is not an array that NumPy reads: two lines$"):
        ev.scan(WithLongMessage())


def _forms_of(values):
    """The same values in arrays of every kind."""
    read_only = values.copy()
    read_only.flags.writeable = False
    wide = np.zeros((values.size, 3), values.dtype)
    wide[:, 1] = values
    packed = np.zeros(values.size, np.dtype([("pad", "u1"), ("value", values.dtype)]))
    packed["value"] = values
    return {
        "read-only": read_only, "strided": wide[:, 1], "reversed": values[::-1].copy()[::-1],
        "unaligned": packed["value"], "swapped": values.astype(values.dtype.newbyteorder()),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["read-only", "strided", "reversed", "unaligned", "swapped"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
def test_every_kind_of_array(rng, form, dtype):
    values = numbers(rng, 40, dtype)
    given = _forms_of(values)[form]
    m = ev.matrix(np.eye(40, dtype=dtype))
    np.testing.assert_array_equal(m @ given, values)
    np.testing.assert_array_equal(ev.segment_reduce(given, [0, 10, 40]), [values[:10].sum(), values[10:].sum()])
    if dtype != "complex128":
        np.testing.assert_array_equal(ev.scan(given), np.cumsum(values))
        np.testing.assert_array_equal(ev.sort(given), np.sort(values))
    out = _forms_of(np.zeros(40, dtype))[form]
    if form == "read-only":
        with pytest.raises(ValueError, match="read-only"):
            m.dot(values, out=out)
    else:
        m.dot(values, out=out)
        np.testing.assert_array_equal(out, values)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from(["float32", "float64", "int32", "complex64"]),
       st.sampled_from(["int32", "int64"]), st.sampled_from(["int32", "int64"]), st.floats(0, 1))
def test_any_matrix(rows, cols, dtype, indices, indptr, density):
    rng = np.random.default_rng(rows * 41 + cols)
    a = sparse(rng, rows, cols, density, dtype, indices, indptr)
    x = numbers(rng, cols, dtype)
    np.testing.assert_array_equal(ev.matrix(a) @ x, a.toarray() @ x)
    np.testing.assert_array_equal((ev.matrix(a) @ ev.matrix(a).T).toarray(), a.toarray() @ a.toarray().T)


def test_wrong_arguments_do_not_crash(rng):
    """Any argument leads to an exception of Python or to a result."""
    strange = [
        None, 3, "text", [], [[1, 2], [3]], np.zeros((0, 3)), np.float64(3), np.array(4.0), object(),
        np.zeros((2, 2, 2)), np.zeros(3, "M8[s]"), np.zeros(3, [("a", "f8")]), b"bytes", {"a": 1}, sparse(rng, 3, 4),
    ]  # fmt: skip
    m = ev.matrix(sparse(rng, 3, 3))
    for one in strange:
        for call in (
            lambda: ev.matrix(one), lambda: m @ one, lambda: m.dot(np.ones(3), out=one), lambda: ev.scan(one),
            lambda: ev.sort(one), lambda: ev.reduce(one), lambda: ev.select(one, one), lambda: ev.expand(one),
            lambda: ev.segment_reduce(one, [0, 1]), lambda: ev.segment_reduce([1.0], one), lambda: ev.bfs(m, one),
            lambda: ev.reduce_by_key(one, one), lambda: ev.reduce_by_index(one, one, 3),
            lambda: ev.bfs(one, 0), lambda: ev.sssp(one, 0),
        ):  # fmt: skip
            try:
                call()
            except (TypeError, ValueError) as error:
                assert "\n" not in str(error)


def test_memory_error():
    with pytest.raises(MemoryError):
        ev.expand(np.array([0, 1 << 50]))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_memory_error_of_the_library():
    """Memory of the library itself, not of NumPy: the process may have 150 MB more, and an octree needs 400."""
    program = """
import evenly as ev, numpy as np, resource
points = np.random.default_rng(0).random((6_000_000, 3), "f4")
ev.octree(points[:1000])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 150_000_000, used + 150_000_000))
try:
    ev.octree(points)
except MemoryError:
    assert ev.octree(points[:1000]).end[0] == 1000
    print("refused")
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.stdout == "refused\n", child.stderr


def _names_of_stub():
    stub = pathlib.Path(ev.__file__).with_name("_evenly.pyi")
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            yield node.name
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    yield f"{node.name}.{member.name}"


def test_stubs_name_what_there_is():
    module, named = ev._evenly, set(_names_of_stub())
    there = {name for name in dir(module) if not name.startswith("_")}
    types = {name: getattr(module, name) for name in there if isinstance(getattr(module, name), type)}
    classes = [name for name, made in types.items() if not issubclass(made, enum.Enum)]
    there |= {f"{name}.{member}" for name in classes for member in vars(getattr(module, name)) if member[0] != "_"}
    assert {name for name in named if "__" not in name} == there


def test_public_names_are_documented():
    for name in ev.__all__:
        assert getattr(ev, name).__doc__, name


def test_import_is_quick(tmp_path):
    """Less than 60 ms over NumPy, of a core's time: that does not depend on what else runs. Modules are compiled by the
    first run, as pip does when it installs them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    measure = "import numpy, time; t = time.process_time(); import evenly; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", measure], capture_output=True, text=True, check=True,
                                  env=environment).stdout) for _ in range(5)]
    assert min(times) < 0.06
