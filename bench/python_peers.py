# SPDX-License-Identifier: Apache-2.0
"""The Python package compared with other libraries, in one run: a table, and JSON with all times.

    python bench/python_peers.py [--seconds S] [--small] [--json FILE]

Candidates of a row take turns, so that noise affects all of them; a ratio is the median of the rounds' ratios. A
candidate that fails its check, or is not installed, has no time. Peers: SciPy and NumPy, and, if installed by pip,
awkward, networkx, igraph, python-graphblas, and sparse-dot-mkl with mkl.
"""

import argparse
import concurrent.futures
import glob
import os
import statistics
import sys
import time

import evenly as ev
import numpy as np
import python_report
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

PACKAGES = ("evenly", "numpy", "scipy", "awkward", "networkx", "igraph", "python-graphblas", "sparse-dot-mkl", "mkl")


def module(name):
    """A module, or None where it is not installed or does not load."""
    try:
        return __import__(name)
    except (ImportError, OSError):
        return None


def rounds_of(candidates, seconds, repeats=1):
    """Times of each candidate, a list with one for each round."""
    times = {name: [] for name in candidates}
    for run in candidates.values():
        run()
    end = time.perf_counter() + seconds
    while len(times[next(iter(times))]) < 3 or time.perf_counter() < end:
        for name, run in candidates.items():
            begin = time.perf_counter()
            for _ in range(repeats):
                run()
            times[name].append((time.perf_counter() - begin) / repeats)
    return times


def load_mkl():
    """The module sparse_dot_mkl, or None. pip puts MKL where sparse_dot_mkl does not look."""
    libraries = glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*"))
    if libraries:
        os.environ.setdefault("MKL_RT", libraries[0])
    return module("sparse_dot_mkl")


MKL = load_mkl()


class Report:
    def __init__(self, seconds):
        self.seconds, self.rows = seconds, []

    def measure(self, what, subject, ours, peers, same, goal=None, repeats=1):
        """Times `ours` and `peers` in turn: functions whose results `same` compares with ours."""
        expected = ours()
        kept = {"evenly": ours}
        failed = []
        for name, run in peers.items():
            try:
                if same(run(), expected):
                    kept[name] = run
                else:
                    failed.append(name)
            except Exception as error:  # a peer that cannot do it is no reason to stop
                failed.append(f"{name} ({type(error).__name__})")
        times = rounds_of(kept, self.seconds, repeats)
        row = {"what": what, "subject": subject, "goal": goal, "failed": failed, "seconds": {}, "ratios": {}}
        for name, each in times.items():
            row["seconds"][name] = statistics.median(each)
            if name != "evenly":
                row["ratios"][name] = statistics.median(a / b for a, b in zip(each, times["evenly"]))
        self.rows.append(row)
        ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in row["ratios"].items())
        lost = f"; failed: {', '.join(failed)}" if failed else ""
        print(f"{what:<16} {subject:<22} {row['seconds']['evenly'] * 1e3:10.4f} ms  {ratios}{lost}", flush=True)

    def summary(self):
        """For each operation and peer the median of the ratios over all subjects."""
        found = {}
        for row in self.rows:
            for peer, ratio in row["ratios"].items():
                found.setdefault((row["what"], peer), []).append(ratio)
        return {f"{what} / {peer}": statistics.median(each) for (what, peer), each in found.items()}


def random_rows(rng, sizes, cols):
    """A csr_array with rows of these sizes, at random places."""
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices = rng.integers(0, cols, indptr[-1])
    a = sp.csr_array((rng.random(indptr[-1]), indices.astype(np.int32), indptr.astype(np.int32)), (len(sizes), cols))
    a.sum_duplicates()
    return a


def matrices(rng, scale):
    """Ten matrices of about 10^6 entries, times `scale`: regular, banded, random, and skewed ones."""
    n = int(100_000 * scale)
    side = int(n**0.5)
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    grid = sp.kronsum(line, line, format="csr")
    yield "grid", sp.csr_array(grid)
    for width in (9, 27):
        offsets = list(range(-(width // 2), width // 2 + 1))
        bands = [np.ones(n // 2)] * width
        yield f"bands {width}", sp.csr_array(sp.spdiags(np.array(bands), offsets, n // 2, n // 2))
    yield "ten each", random_rows(rng, np.full(n, 10), n)
    yield "hundred each", random_rows(rng, np.full(n // 10, 100), n)
    yield "uniform 0-20", random_rows(rng, rng.integers(0, 21, n), n)
    for exponent in (1.8, 2.2):
        sizes = np.minimum(rng.zipf(exponent, n), n // 4)
        sizes = np.maximum(1, sizes * (10 * n / sizes.sum())).astype(int)
        yield f"zipf {exponent}", random_rows(rng, sizes, n)
    wide = np.full(n // 100, 1000)
    yield "thousand each", random_rows(rng, wide, n)
    mixed = np.where(rng.random(n) < 0.9, 1, 91)
    yield "one or many", random_rows(rng, mixed, n)


def graph(rng, scale):
    """An undirected graph with skewed degrees, and weights."""
    n = int(50_000 * scale)
    a = random_rows(rng, np.minimum(rng.zipf(2.0, n) + 3, n // 10), n)
    upper = sp.csr_array(sp.triu(a, 1))
    upper.data = rng.integers(1, 100, upper.nnz).astype(float)
    return sp.csr_array(upper + upper.T)


def close(a, b):
    return np.allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def close_sparse(a, b):
    a, b = sp.csr_array(a), sp.csr_array(b)
    return a.shape == b.shape and abs(a - b).max() <= 1e-6 * abs(b).max()


def products(report, rng, scale):
    small = random_rows(rng, np.full(100, 5), 100)
    m, x, y = ev.matrix(small), np.ones(100), np.empty(100)
    report.measure("call", "100 rows", lambda: m.dot(x, out=y), {"scipy": lambda: small @ x}, close,
                   "at most 5 us", repeats=2000)
    graphblas, mkl = module("graphblas"), MKL
    for name, a in matrices(rng, scale):
        m = ev.matrix(a)
        x, b = rng.random(a.shape[1]), rng.random((a.shape[1], 32))
        y, c = np.empty(a.shape[0]), np.empty((a.shape[0], 32))
        subject = f"{name}, {a.nnz / 1e6:.1f} M"
        peers = {"scipy": lambda: a @ x}
        wide = {"scipy": lambda: a @ b}
        square = {"scipy": lambda: a @ a}
        if graphblas:
            g, gx = graphblas.io.from_scipy_sparse(a), graphblas.Vector.from_dense(x)
            peers["graphblas"] = lambda: (g @ gx).new().to_dense(fill_value=0)
            square["graphblas"] = lambda: graphblas.io.to_scipy_sparse((g @ g).new(), "csr")
        if mkl:
            matrix = sp.csr_matrix(a)
            peers["mkl"] = lambda: mkl.dot_product_mkl(matrix, x)
            wide["mkl"] = lambda: mkl.dot_product_mkl(matrix, b)
            square["mkl"] = lambda: mkl.dot_product_mkl(matrix, matrix)
        report.measure("spmv", subject, lambda: m.dot(x, out=y), peers, close, "at least 1.5 x scipy")
        report.measure("spmm 32", subject, lambda: m.dot(b, out=c), wide, close, "at least 3 x scipy")
        if a.shape[0] == a.shape[1] and float(np.diff(a.indptr)[a.indices].sum()) < 5e7 * scale:
            report.measure("spgemm", subject, lambda: m @ m, square, close_sparse, "at least 1.5 x scipy")


def reduceat_by(pool, threads, ufunc, values, offsets):
    """ufunc.reduceat in several threads, each with as many segments: the limit that memory sets."""
    cuts = np.linspace(0, offsets.size - 1, threads + 1).astype(int)

    def reduce(first, end):
        return ufunc.reduceat(values[offsets[first]:offsets[end]], offsets[first:end] - offsets[first])

    return np.concatenate(list(pool.map(reduce, cuts[:-1], cuts[1:])))


def segments(report, rng, scale):
    awkward, threads = module("awkward"), ev.threads().count
    pool = concurrent.futures.ThreadPoolExecutor(threads)
    count = int(10_000_000 * scale)
    for name, mean in (("segments of 10", 10), ("segments of 1000", 1000)):
        values = rng.random(count)
        offsets = np.unique(np.concatenate([[0, count], rng.integers(0, count, count // mean)]))
        kept = ev.segments(offsets)
        for op, ufunc in (("sum", np.add), ("max", np.maximum)):
            peers = {"reduceat": lambda: ufunc.reduceat(values, offsets[:-1]),
                     "reduceat, threads": lambda: reduceat_by(pool, threads, ufunc, values, offsets)}  # fmt: skip
            if awkward:
                layout = awkward.contents.ListOffsetArray(awkward.index.Index64(offsets),
                                                          awkward.contents.NumpyArray(values))
                array = awkward.Array(layout)
                peers["awkward"] = lambda: awkward.to_numpy(getattr(awkward, op)(array, axis=1))
            report.measure(f"segment {op}", name, lambda: ev.segment_reduce(values, offsets, op), peers, close,
                           "at least 2 x reduceat")
            report.measure(f"segment {op}, kept", name, lambda: ev.segment_reduce(values, kept, op), peers, close)


def hops_of_graphblas(graphblas, g):
    """The level of each vertex, from vertex 0."""
    levels, frontier = graphblas.Vector(int, g.nrows), graphblas.Vector(bool, g.nrows)
    frontier[0], depth = True, 0
    while frontier.nvals:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << graphblas.semiring.any_pair(frontier @ g)
        depth += 1
    return levels.to_dense(fill_value=np.inf)


def paths_of_graphblas(graphblas, g):
    """The distance of each vertex, from vertex 0: each step follows the edges of the vertices that changed."""
    distances = graphblas.Vector(float, g.nrows)
    distances[0] = 0
    changed = distances
    while changed.nvals:
        before = distances.dup()
        distances(graphblas.binary.min) << graphblas.semiring.min_plus(changed @ g)
        same = distances.ewise_mult(before, graphblas.binary.eq).new()
        changed = distances.dup(mask=~same.V)
    return distances.to_dense(fill_value=np.inf)


def searches(report, rng, scale):
    networkx, igraph, graphblas = module("networkx"), module("igraph"), module("graphblas")
    a = graph(rng, scale)
    m = ev.matrix(a)
    subject = f"{a.shape[0] / 1e3:.0f} k vertices, {a.nnz / 1e6:.1f} M"
    hops = {"csgraph": lambda: csgraph.shortest_path(a, unweighted=True, indices=0)}
    paths = {"csgraph": lambda: csgraph.dijkstra(a, indices=0)}

    def ordered(found):
        values = np.full(a.shape[0], np.inf)
        values[list(found)] = list(found.values())
        return values

    if networkx:
        nx = networkx.from_scipy_sparse_array(a)
        hops["networkx"] = lambda: ordered(networkx.single_source_shortest_path_length(nx, 0))
        paths["networkx"] = lambda: ordered(networkx.single_source_dijkstra_path_length(nx, 0))
    if igraph:
        upper = sp.coo_array(sp.triu(a))
        g = igraph.Graph(a.shape[0], np.stack([upper.row, upper.col], axis=1))
        hops["igraph"] = lambda: np.array(g.distances(0)[0])
        paths["igraph"] = lambda: np.array(g.distances(0, weights=upper.data)[0])
    if graphblas:
        edges = graphblas.io.from_scipy_sparse(a)
        hops["graphblas"] = lambda: hops_of_graphblas(graphblas, edges)
        paths["graphblas"] = lambda: paths_of_graphblas(graphblas, edges)

    def same(found, ours):
        values = np.where(ours < 0, np.inf, ours)
        return np.array_equal(found, values)

    report.measure("bfs", subject, lambda: ev.bfs(m, 0, undirected=True).levels, hops, same, "ahead; 50 x networkx")
    report.measure("sssp", subject, lambda: ev.sssp(m, 0).distances, paths, same, "ahead; 50 x networkx")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    parser.add_argument("--small", action="store_true", help="a hundredth of the work, to try the benchmark")
    parser.add_argument("--json", help="a file for all times")
    options = parser.parse_args()
    scale = 0.01 if options.small else 1.0
    if MKL:
        print(MKL.get_version_string())
    report = Report(options.seconds)
    rng = np.random.default_rng(1)
    for part in (products, segments, searches):
        part(report, rng, scale)
    print("\nmedians over all subjects, peer / evenly")
    for name, ratio in report.summary().items():
        print(f"  {name:<36} {ratio:8.2f}")
    if options.json:
        of_mkl = {"mkl": MKL.get_version_string()} if MKL else None
        made = python_report.report(report.rows, PACKAGES, of_mkl, threads=ev.threads().count, medians=report.summary())
        python_report.write(options.json, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
