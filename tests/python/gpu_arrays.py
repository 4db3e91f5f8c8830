# SPDX-License-Identifier: Apache-2.0
"""The package on GPU arrays, compared with CuPy and PyTorch where these are installed.

    python tests/python/gpu_arrays.py [--times] [-o FILE]
    python tests/python/gpu_arrays.py --host-part FILE [--c-functions] [-o FILE]

Checks results against NumPy. --times: also the host's cost of a call and the time on the GPU, beside those of CuPy and
PyTorch. -o: these times, as JSON. Exits with 77 without a GPU. --host-part: without a GPU, by fake_cupy.py and
host_part.cpp, compiled as FILE; its times are of small inputs, and say nothing. --c-functions: arrays have those of
DLPack.
"""
import argparse
import importlib
import itertools
import pathlib
import statistics
import sys
import time

import evenly as ev
import numpy as np
from evenly import _device_arrays, _evenly

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import python_report  # noqa: E402

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)
        print("FAILED", what, flush=True)


def refuses(what, kind, text, call):
    try:
        call()
    except kind as error:
        check(f"{what}: message '{error}'", text in str(error) and "\n" not in str(error))
    except Exception as error:  # another kind is a failure of the test, not its end
        check(f"{what}: {type(error).__name__} {error}", False)
    else:
        check(f"{what}: nothing raised", False)


class Compressed:
    """Rows of NumPy arrays, with products."""

    def __init__(self, rows, cols, lengths, dtype, rng):
        lengths = np.asarray(lengths)
        self.shape = (rows, cols)
        self.offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        entries = int(self.offsets[-1])
        self.columns = rng.integers(0, max(cols, 1), entries).astype(np.int32)
        self.values = rng.random(entries).astype(dtype)

    def times(self, x):
        """Of a vector or a matrix."""
        products = (self.values.reshape(-1, *[1] * (x.ndim - 1)) * x[self.columns]).astype(np.float64)
        sums = np.concatenate([np.zeros((1, *x.shape[1:])), np.cumsum(products, axis=0)])
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]

    def on(self, library, index="int32"):
        arrays = (library.array(self.values), library.array(self.columns.astype(index)),
                  library.array(self.offsets.astype(index)))  # fmt: skip
        return ev.matrix(arrays, shape=self.shape)


class CuPy:
    name, is_fake = "cupy", False

    def __init__(self):
        self.cp = importlib.import_module("cupy")
        self.sparse = importlib.import_module("cupyx.scipy.sparse")

    def array(self, x):
        return self.cp.asarray(x)

    array_of = array

    def host(self, x):
        return self.cp.asnumpy(x)

    def matrix(self, of):
        return self.sparse.csr_matrix(
            (self.array(of.values), self.array(of.columns), self.array(of.offsets)), shape=of.shape
        )

    def owns(self, x):
        return isinstance(x, self.cp.ndarray)

    def empty(self, shape, dtype):
        return self.cp.empty(shape, dtype)

    def wait(self):
        self.cp.cuda.Device().synchronize()

    def stream(self):
        return self.cp.cuda.Stream(non_blocking=True)

    def device(self):
        return self.cp.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def event(self):
        return self.cp.cuda.Event()

    def record(self, event):
        event.record(self.cp.cuda.get_current_stream())

    def elapsed_ms(self, a, b):
        b.synchronize()
        return self.cp.cuda.get_elapsed_time(a, b)

    def devices(self):
        return self.cp.cuda.runtime.getDeviceCount()

    def on(self, device):
        return self.cp.cuda.Device(device)

    def device_of(self, x):
        return x.data.device_id

    def graph(self, call):
        stream = self.cp.cuda.Stream(non_blocking=True)
        with stream:
            call()
            stream.synchronize()
            stream.begin_capture()
            call()
            graph = stream.end_capture()
        return lambda: (graph.launch(stream), stream.synchronize())


class Torch:
    name, is_fake = "torch", False

    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("no GPU")

    def array(self, x):
        return self.torch.as_tensor(np.ascontiguousarray(x)).cuda()

    def array_of(self, x):
        return self.torch.as_tensor(x, device="cuda")

    def host(self, x):
        return x.cpu().numpy()

    def matrix(self, of):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.torch.sparse_csr_tensor(
                self.array(of.offsets.astype(np.int64)), self.array(of.columns.astype(np.int64)),
                self.array(of.values), size=of.shape,
            )  # fmt: skip

    def owns(self, x):
        return isinstance(x, self.torch.Tensor) and x.is_cuda

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, np.dtype(dtype).name), device="cuda")

    def wait(self):
        self.torch.cuda.synchronize()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def device(self):
        return self.torch.cuda.get_device_name()

    def event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def record(self, event):
        event.record()

    def elapsed_ms(self, a, b):
        b.synchronize()
        return a.elapsed_time(b)

    def devices(self):
        return self.torch.cuda.device_count()

    def on(self, device):
        return self.torch.cuda.device(device)

    def device_of(self, x):
        return x.get_device()

    def graph(self, call):
        side = self.torch.cuda.Stream()
        side.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(side):
            call()
        self.torch.cuda.current_stream().wait_stream(side)
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            call()
        return lambda: (graph.replay(), self.wait())


def close(a, b, dtype):
    return a.shape == b.shape and np.allclose(a, b, rtol=2e-3 if dtype == np.float32 else 1e-9, atol=1e-3)


def subjects(dtype, rng):
    yield "uniform", Compressed(1000, 800, np.full(1000, 8), dtype, rng)
    yield "empty rows", Compressed(500, 30, rng.integers(0, 3, 500) * 7, dtype, rng)
    yield "one long row", Compressed(300, 400, np.where(np.arange(300) == 7, 50_000, 1), dtype, rng)
    yield "many", Compressed(50_000, 50_000, rng.integers(0, 20, 50_000), dtype, rng)
    yield "no entries", Compressed(5, 4, np.zeros(5, int), dtype, rng)
    yield "no rows", Compressed(0, 4, np.zeros(0, int), dtype, rng)


def check_products(library, rng):
    for dtype in (np.float32, np.float64):
        for name, of in subjects(dtype, rng):
            what = f"{library.name} {np.dtype(dtype).name} {name}"
            x = rng.random(of.shape[1]).astype(dtype)
            expected = of.times(x)
            M = of.on(library)
            check(f"{what}: matrix", type(M) is ev.gpu_matrix and M.shape == of.shape and M.nnz == len(of.values))
            y = M @ library.array(x)
            check(f"{what}: M @ x", library.owns(y) and close(library.host(y), expected, dtype))
            out = library.empty(of.shape[:1], dtype)
            check(f"{what}: out=", M.dot(library.array(x), out=out) is out)
            check(f"{what}: out=, values", np.array_equal(library.host(out), library.host(y)))
            wide = of.on(library, "int64")
            check(f"{what}: int64 indices", np.array_equal(library.host(wide @ library.array(x)), library.host(y)))
            for columns in (1, 7, 32):
                X = rng.random((of.shape[1], columns)).astype(dtype)
                expected = of.times(X)
                check(f"{what}: M @ X of {columns}", close(library.host(M @ library.array(X)), expected, dtype))
                by_columns = library.array(np.ascontiguousarray(X.T)).T
                check(f"{what}: M @ X by columns of {columns}", close(library.host(M @ by_columns), expected, dtype))
        of = Compressed(200, 100, np.full(200, 4), dtype, rng)
        x = rng.random(100).astype(dtype)
        A = library.matrix(of)
        M = ev.matrix(A)
        check(f"{library.name}: its sparse matrix", close(library.host(M @ library.array(x)), of.times(x), dtype))
        z = rng.random(200).astype(dtype)
        dense = np.zeros(of.shape)
        np.add.at(dense, (np.repeat(np.arange(200), 4), of.columns), of.values)
        check(f"{library.name}: M.T", close(library.host(M.T @ library.array(z)), dense.T @ z, dtype))
        y = ev.matrix(library.array(dense.astype(dtype))) @ library.array(x)
        check(f"{library.name}: dense", close(library.host(y), dense @ x, dtype))


def check_segments(library, rng):
    for dtype in (np.float32, np.float64):
        for lengths in (np.full(1000, 10), rng.integers(0, 5, 1000), np.array([100_000, 0, 3]), np.zeros(0, int)):
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            values = rng.random(int(offsets[-1])).astype(dtype) - dtype(0.5)
            for op, function, identity in (("sum", np.sum, 0), ("min", np.min, np.inf), ("max", np.max, -np.inf)):
                expected = np.array([
                    function(values[a:b].astype(np.float64)) if b > a else identity
                    for a, b in zip(offsets[:-1], offsets[1:])
                ])  # fmt: skip
                on_gpu = library.array(values)
                what = f"{library.name} {np.dtype(dtype).name} segment_reduce {op} of {len(lengths)}"
                got = ev.segment_reduce(on_gpu, library.array(offsets), op)
                check(what, library.owns(got) and close(library.host(got), expected, dtype))
                kept = ev.segments(library.array(offsets.astype(np.int64)))
                out = library.empty((len(lengths),), dtype)
                check(f"{what}, kept", ev.segment_reduce(on_gpu, kept, op, out=out) is out)
                check(f"{what}, kept", np.array_equal(library.host(out), library.host(got)))
                again = ev.segment_reduce(on_gpu, offsets, op)
                check(f"{what}, host offsets", np.array_equal(library.host(again), library.host(got)))


def check_segment_scans(library, rng):
    for dtype in (np.float32, np.float64):
        for lengths in (np.full(1000, 10), rng.integers(0, 5, 1000), np.array([100_000, 0, 3])):
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            values = rng.random(int(offsets[-1])).astype(dtype)
            expected = np.concatenate([np.cumsum(values[a:b].astype(np.float64)) for a, b in zip(offsets, offsets[1:])])
            on_gpu, kept = library.array(values), ev.segments(library.array(offsets))
            what = f"{library.name} {np.dtype(dtype).name} segment_scan of {len(lengths)}"
            got = library.host(ev.segment_scan(on_gpu, library.array(offsets)))
            check(what, close(got, expected, dtype))
            out = library.empty(values.shape, dtype)
            check(f"{what}: out=", ev.segment_scan(on_gpu, kept, out=out) is out)
            check(f"{what}: out=, values", np.array_equal(library.host(out), got))
            moved = library.host(ev.segment_scan(on_gpu, kept, exclusive=True))
            check(f"{what}: exclusive", close(moved, expected - values, dtype))
            short = library.array(values[:-1])
            refuses(what, ValueError, "", lambda: ev.segment_scan(short, kept))


def check_whole_arrays(library, rng):
    for dtype in (np.float32, np.float64):
        for size in (1, 1000, 1_000_003):
            x = rng.random(size).astype(dtype)
            on_gpu = library.array(x)
            wide = x.astype(np.float64)
            for op, function in (("sum", np.add), ("min", np.minimum), ("max", np.maximum)):
                prefixes = function.accumulate(wide)
                what = f"{library.name} {np.dtype(dtype).name} {op} of {size}"
                got = ev.reduce(on_gpu, op)
                check(f"reduce {what}", library.owns(got) and np.allclose(library.host(got), prefixes[-1], rtol=1e-3))
                check(f"scan {what}", close(library.host(ev.scan(on_gpu, op)), prefixes, dtype))
                moved = library.host(ev.scan(on_gpu, op, exclusive=True))
                check(f"exclusive scan {what}", close(moved[1:], prefixes[:-1], dtype))


def check_searches(library, rng):
    vertices = 5000
    of = Compressed(vertices, vertices, np.full(vertices, 3), np.float32, rng)
    order = np.concatenate([np.sort(of.columns[a:b]) for a, b in zip(of.offsets[:-1], of.offsets[1:])])
    of.columns = order.astype(np.int32)
    expected = ev.bfs(ev.matrix((of.values, of.columns, of.offsets), shape=of.shape), 3)
    M = of.on(library)
    for _ in range(2):
        levels, parents = ev.bfs(M, 3)
        check(f"{library.name} bfs", library.owns(levels) and library.owns(parents))
        check(f"{library.name} bfs levels", np.array_equal(library.host(levels), expected.levels))
        check(f"{library.name} bfs parents", np.array_equal(library.host(parents), expected.parents))


class ByInterface:
    def __init__(self, x):
        self.x = x

    @property
    def __cuda_array_interface__(self):
        return self.x.__cuda_array_interface__


class ByDlpack:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def check_protocols(library, rng):
    of = Compressed(50, 40, np.full(50, 3), np.float32, rng)
    x = rng.random(40).astype(np.float32)
    for kind in (ByInterface, ByDlpack):
        arrays = [library.array(each) for each in (of.values, of.columns, of.offsets, x)]
        values, columns, offsets, given = (kind(each) for each in arrays)
        y = ev.matrix((values, columns, offsets), shape=of.shape) @ given
        check(f"{library.name} {kind.__name__}", type(y) is ev.device_array and close(y.get(), of.times(x), np.float32))
        total = ev.reduce(given, "max")
        check(f"{library.name} {kind.__name__}: reduce", total.shape == () and total.get() == x.max())
        check(f"{library.name}: takes a device_array", np.array_equal(library.host(library.array_of(y)), y.get()))


def check_streams(library, rng):
    of = Compressed(100_000, 100_000, rng.integers(0, 30, 100_000), np.float64, rng)
    x = rng.random(100_000)
    M, on_gpu = of.on(library), library.array(x)
    first = library.host(M @ on_gpu)
    for _ in range(3):
        with library.stream():
            other = M @ on_gpu
            library.wait()
        check(f"{library.name}: another stream", np.array_equal(library.host(other), first))
        check(f"{library.name}: back again", np.array_equal(library.host(M @ on_gpu), first))
    check_captured(library, "M.dot(x)", (100_000,), lambda out: M.dot(on_gpu, out=out))
    X = library.array(rng.random((100_000, 8)))
    check_captured(library, "M.dot(X)", (100_000, 8), lambda out: M.dot(X, out=out))
    kept, values = ev.segments(library.array(of.offsets)), library.array(of.values)
    for op in ("sum", "max"):
        reduces = lambda out: ev.segment_reduce(values, kept, op, out=out)  # noqa: B023, E731
        check_captured(library, f"segment_reduce {op}", (100_000,), reduces)
    check_captured(library, "segment_scan", of.values.shape, lambda out: ev.segment_scan(values, kept, out=out))
    check_captured(library, "scan", of.values.shape, lambda out: ev.scan(values, out=out))


def check_captured(library, what, shape, call):
    """The call in a CUDA graph: its plans are there once it has run."""
    out = library.empty(shape, np.float64)
    call(out)
    expected = library.host(out).copy()
    replay = library.graph(lambda: call(out))
    out[:] = 0
    library.wait()
    replay()
    check(f"{library.name}: {what} in a CUDA graph", np.array_equal(library.host(out), expected) and expected.any())


def check_devices(library, rng):
    """Each matrix computes on the GPU of its arrays, whichever is the current one."""
    if library.devices() < 2:
        print(f"skipped: {library.name} on two GPUs: there is one")
        return
    of = Compressed(2000, 1000, np.full(2000, 8), np.float32, rng)
    x = rng.random(1000).astype(np.float32)
    expected, made = of.times(x), []
    for device in (0, 1):
        with library.on(device):
            made.append((of.on(library), library.array(x), library.empty((2000,), np.float32)))
    for current, (device, (M, on_gpu, out)) in itertools.product((0, 1), enumerate(made)):
        with library.on(current):
            for y in (M @ on_gpu, M.dot(on_gpu, out=out)):
                check(f"{library.name}: GPU {device}", library.device_of(y) == device)
                check(f"{library.name}: GPU {device}, values", close(library.host(y), expected, np.float32))
            total = ev.reduce(on_gpu)
            check(f"{library.name}: reduce on GPU {device}", library.device_of(total) == device)
            check(f"{library.name}: reduce on GPU {device}, value", np.isclose(library.host(total), x.sum()))
            other = made[1 - device]
            text = f"on GPU {1 - device}, and the other operands on GPU {device}"
            refuses("another GPU", ValueError, f"x is {text}", lambda: M @ other[1])  # noqa: B023
            refuses("another GPU", ValueError, f"out is {text}", lambda: M.dot(on_gpu, out=other[2]))  # noqa: B023


def check_messages(library, rng):
    of = Compressed(10, 6, np.full(10, 2), np.float32, rng)
    M = of.on(library)
    x = library.array(np.ones(6, np.float32))
    refuses("shape", ValueError, "the matrix has 6 columns", lambda: M @ library.array(np.ones(5, np.float32)))
    refuses("type", TypeError, "float32", lambda: M @ library.array(np.ones(6)))
    refuses("host array", TypeError, "x is", lambda: M @ np.ones(6, np.float32))
    refuses("out", ValueError, "out has shape", lambda: M.dot(x, out=library.empty((9,), np.float32)))
    refuses("schedule", ValueError, "takes no schedule", lambda: M.dot(x, schedule="merge_path"))
    refuses("integers", TypeError, "float32 and float64", lambda: ev.reduce(library.array(np.arange(5))))
    refuses("op", ValueError, "does not run on a GPU", lambda: ev.reduce(x, "prod"))
    refuses("offsets", ValueError, "offsets", lambda: ev.segment_reduce(x, library.array(np.array([0, 4, 2]))))
    refuses("beyond", ValueError, "values", lambda: ev.segment_reduce(x, library.array(np.array([0, 4, 9]))))
    of.columns[3] = 6
    refuses("column", ValueError, "column", lambda: of.on(library))
    if library.name == "torch":
        refuses("grad", TypeError, "requires grad", lambda: M @ x.clone().requires_grad_())
    square = library.array(np.ones(10, np.float32))
    whole = Compressed(10, 10, np.full(10, 2), np.float32, rng).on(library)
    refuses("overlap", ValueError, "overlap", lambda: whole.dot(square, out=square))
    kept = ev.segments(library.array(np.arange(11)))
    refuses("overlap", ValueError, "overlap", lambda: ev.segment_reduce(square, kept, out=square))
    apart = library.array(np.ones(12, np.float32))[::2]
    refuses("apart", ValueError, "the elements of x do not lie side by side", lambda: M @ apart)
    parts = [library.array(each) for each in (np.ones(40, np.float32), of.columns % 6, of.offsets)]
    refuses("apart", ValueError, "the elements of data do not lie side by side",
            lambda: ev.matrix((parts[0][::2], *parts[1:]), shape=of.shape))  # fmt: skip
    twice = library.array(np.repeat(of.columns % 6, 2))[::2]
    y = ev.matrix((parts[0][:20], twice, parts[2]), shape=of.shape) @ x
    check("columns that lie apart are copied", (library.host(y) == 2).all())
    refuses("no dimensions", ValueError, "0 dimensions", lambda: M @ square.sum())
    if library.is_fake:
        x.device_id = 1
        refuses("another GPU", ValueError, "x is on GPU 1, and the other operands on GPU 0", lambda: M @ x)
        x.device_id, x.is_freed = 0, True
        refuses("freed", ValueError, "x has no memory: it was freed", lambda: M @ x)
        refuses("freed values", ValueError, "values has no memory", lambda: ev.scan(x))
    if library.name == "torch":
        x.untyped_storage().resize_(0)
        refuses("freed", ValueError, "x has no memory: it was freed", lambda: M @ x)


def check_host(rng):
    import numpy as np

    dense = np.where(rng.random((40, 30)) < 0.2, rng.random((40, 30)), 0)
    x = rng.random(30)
    M = ev.matrix(dense)
    for _ in range(2):
        check("on='cuda'", np.allclose(M.dot(x, on="cuda"), dense @ x))
    check("on='cuda', dense", np.allclose(M.dot(rng.random((30, 4)), on="cuda").shape, (40, 4)))
    check("on='cuda', segments", ev.segment_reduce(np.arange(5.0), [0, 2, 2, 5], on="cuda").tolist() == [1, 0, 9])
    out = np.empty(40)
    check("on='cuda', out=", M.dot(x, out=out, on="cuda") is out and np.allclose(out, dense @ x))
    refuses("on='cuda', out", ValueError, "out has shape", lambda: M.dot(x, out=np.empty((2, 40)), on="cuda"))
    refuses("on='cuda', schedule", ValueError, "no schedule", lambda: M.dot(x, schedule="merge_path", on="cuda"))
    integers = ev.matrix(np.eye(3, dtype=int))
    refuses("on='cuda', integers", TypeError, "float32 and float64", lambda: integers.dot(np.ones(3), on="cuda"))
    made = ev.device_array.copy_of(np.arange(6.0))
    check("device_array", ev.scan(made).get().tolist() == [0, 1, 3, 6, 10, 15])


seconds_of_a_time = 0.15


def runs_of(library, call):
    """How many runs fit."""
    call()
    library.wait()
    begin = time.perf_counter()
    call()
    library.wait()
    return min(max(int(seconds_of_a_time / (time.perf_counter() - begin)), 10), 1000)


def host_us(library, call):
    """Microseconds until a call returns: the median of groups, between which the GPU finishes."""
    groups = max(runs_of(library, call) // 50, 3)
    times = []
    for _ in range(groups):
        begin = time.perf_counter()
        for _ in range(20):
            call()
        times.append((time.perf_counter() - begin) / 20)
        library.wait()
    return statistics.median(times) * 1e6


def gpu_us(library, call):
    runs = max(runs_of(library, call) // 5, 2)
    times = []
    for _ in range(5):
        begin, end = library.event(), library.event()
        library.record(begin)
        for _ in range(runs):
            call()
        library.record(end)
        times.append(library.elapsed_ms(begin, end) / runs)
    return statistics.median(times) * 1e3


rows = []


def row(what, library, dtype, subject, ours, theirs):
    made = {"what": what, "subject": subject, "library": library.name, "type": dtype, "host_us": {}, "gpu_us": {}}
    cells = [f"{library.name} {dtype} {subject}: {what:<12}"]
    for label, call in (("evenly", ours), (library.name, theirs)):
        if call:
            made["host_us"][label], made["gpu_us"][label] = host_us(library, call), gpu_us(library, call)
            cells.append(f"{label} host {made['host_us'][label]:7.2f} us, GPU {made['gpu_us'][label]:8.2f} us")
    rows.append(made)
    print("; ".join(cells), flush=True)


def times(libraries, rng, scale=1):
    """``scale``: how much smaller inputs are."""
    for dtype in (np.float32, np.float64):
        kind = np.dtype(dtype).name
        power_law = np.minimum(rng.pareto(1.2, 100_000 // scale) * 5, 20_000 // scale).astype(int) + 1
        for name, lengths in (("100 rows of 5", np.full(100, 5)), ("1e6 rows of 5", np.full(1_000_000 // scale, 5)),
                              ("1e5 rows, power law", power_law)):  # fmt: skip
            of = Compressed(len(lengths), len(lengths), lengths, dtype, rng)
            x = rng.random(len(lengths)).astype(dtype)
            X = rng.random((len(lengths), 32)).astype(dtype)
            for library in libraries:
                A, v, V = library.matrix(of), library.array(x), library.array(X)
                M = ev.matrix(A)
                out, wide = library.empty(x.shape, dtype), library.empty(X.shape, dtype)
                row("A @ x, out=", library, kind, name, lambda: M.dot(v, out=out), None)
                row("A @ x", library, kind, name, lambda: M @ v, lambda: A @ v)
                row("A @ X of 32", library, kind, name, lambda: M.dot(V, out=wide), lambda: A @ V)
        for name, lengths in (("1e5 of 10", np.full(100_000 // scale, 10)),
                              ("1e4 of 1000", np.full(10_000 // scale, 1000))):  # fmt: skip
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            values = rng.random(int(offsets[-1])).astype(dtype)
            for library in libraries:
                v = library.array(values)
                segs = ev.segments(library.array(offsets))
                out = library.empty((len(lengths),), dtype)
                peer = None
                if library.name == "torch":
                    o = library.array(offsets)
                    peer = lambda: library.torch.segment_reduce(v, "sum", offsets=o, axis=0)  # noqa: E731
                ours = lambda: ev.segment_reduce(v, segs, "sum", out=out)  # noqa: E731
                row("segment sums", library, kind, name, ours, peer)
        values = rng.random(10_000_000 // scale).astype(dtype)
        for library in libraries:
            v = library.array(values)
            out = library.empty(values.shape, dtype)
            row("sum", library, kind, "1e7", lambda: ev.reduce(v), lambda: v.sum())
            row("scan", library, kind, "1e7", lambda: ev.scan(v, out=out), lambda: v.cumsum(0))


def write_times(path, libraries):
    devices = {library.name: library.device() for library in libraries}
    made = python_report.report(rows, ("evenly", "numpy", "cupy-cuda12x", "cupy-cuda13x", "torch"),
                                machine={"gpu": next(iter(devices.values()), None)})  # fmt: skip
    python_report.write(path, made)


checks = (
    check_products, check_segments, check_segment_scans, check_whole_arrays, check_searches, check_devices,
    check_messages,
)  # fmt: skip


def check_on_host(path, output, has_functions):
    """The Python layer alone."""
    import fake_cupy

    fake_cupy.install()
    if has_functions:
        fake_cupy.give_functions()
    _device_arrays.open_part = lambda: _evenly.open_cuda_part(path)
    rng = np.random.default_rng(1)
    check_host(rng)
    library = CuPy()
    library.wait, library.is_fake = lambda: None, True
    for each in checks:
        each(library, rng)
    check("by functions of C", bool(fake_cupy.kept) == has_functions)
    if output:
        global seconds_of_a_time
        seconds_of_a_time = 0.001
        library.device = lambda: "none"
        library.event, library.record = list, lambda event: event.append(time.perf_counter())
        library.elapsed_ms = lambda a, b: (b[0] - a[0]) * 1e3
        times([library], rng, scale=1000)
        write_times(output, [library])
    print("all checks passed" if not failures else f"{len(failures)} checks failed")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", action="store_true")
    parser.add_argument("-o", metavar="FILE", dest="output", help="times as JSON; --times is then understood")
    parser.add_argument("--host-part", metavar="FILE")
    parser.add_argument("--c-functions", action="store_true")
    options = parser.parse_args()
    if options.host_part:
        return check_on_host(options.host_part, options.output, options.c_functions)
    try:
        _device_arrays.open_part()
    except RuntimeError as error:
        print(f"skipped: {error}")
        return 77
    libraries = []
    for kind in (CuPy, Torch):
        try:
            libraries.append(kind())
        except ImportError as error:
            print(f"without {kind.name}: {error}")
    rng = np.random.default_rng(1)
    check_host(rng)
    for library in libraries:
        for each in (*checks, check_protocols, check_streams):
            begin = time.perf_counter()
            try:
                each(library, rng)
            except Exception:  # the other checks run too
                import traceback

                traceback.print_exc()
                failures.append(f"{library.name} {each.__name__}")
            print(f"{library.name} {each.__name__}: {time.perf_counter() - begin:.1f} s", flush=True)
    print("all checks passed" if not failures else f"{len(failures)} checks failed")
    if options.times or options.output:
        times(libraries, rng)
    if options.output:
        write_times(options.output, libraries)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
