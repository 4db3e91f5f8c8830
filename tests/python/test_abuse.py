# SPDX-License-Identifier: Apache-2.0
"""Random arguments for every public function: arrays of all types and layouts, broken matrices, and objects that are no
arrays. A call returns, or raises TypeError, ValueError or MemoryError with one line. Arrays in another layout give the
results of plain ones. EVENLY_EXAMPLES sets the number of calls of each function, EVENLY_SEED the first seed.
"""

import os
import warnings

import evenly as ev
import numpy as np
import pytest
import scipy.sparse as sp

EXAMPLES, FIRST = int(os.environ.get("EVENLY_EXAMPLES", "100")), int(os.environ.get("EVENLY_SEED", "0"))
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
OTHER_TYPES = [">i4", ">f8", ">u8", "O", "U3", "S2", "M8[s]", "m8[s]", "V4", "f4,i4", "g", "G"]
WRITABLE = ["plain", "reversed", "stepped", "unaligned", "swapped"]
LAYOUTS = [*WRITABLE, "read-only", "broadcast"]
IN_ORDER = [layout for layout in LAYOUTS if layout not in ("swapped", "broadcast")]
NO_ARRAYS = [
    None, True, -1, 3, 2.5, float("nan"), 1 << 70, 2j, "sum", "\ud800", b"sum", [], [[]], [1, [2]], [1 << 70], [None],
    {}, {1}, range(4), iter([1]), object(), len, ..., np.float32(2), np.array(3), np.array(None), np.ma.masked,
    np.ma.array([1.0, 2.0], mask=[True, False]), np.ma.array([0, 2], mask=[True, False]), (1, 2), memoryview(b"abcd"),
    np.array([1, "a", None], object), np.matrix([[1.0, 2.0]]), sp.eye_array(3), sp.coo_array([1.0, 2.0]),
    ev.matrix(np.eye(2)), ev.segments([0, 2]), ev.segments([0, 3, 1]),
]  # fmt: skip


def laid_out(array, layout):
    """The same elements at other places of memory; of "broadcast" the first one only."""
    if layout == "reversed":
        return array[::-1].copy()[::-1] if array.ndim else array
    if layout == "stepped":
        wide = np.zeros((*array.shape, 2), array.dtype)
        wide[..., 0] = array
        return wide[..., 0]
    if layout == "unaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)[1:]
        if array.dtype.itemsize == 0 or array.dtype.hasobject:
            return array
        made = raw.view(array.dtype).reshape(array.shape)
        made[...] = array
        return made
    if layout == "read-only":
        array.flags.writeable = False
    if layout == "broadcast" and array.size:
        return np.broadcast_to(array[:1] if array.ndim else array, array.shape)
    if layout == "swapped" and array.dtype.kind in "iufc":
        return array.astype(array.dtype.newbyteorder(">"))
    return array


def filled(rng, shape, dtype):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = rng.integers(-3, 12, shape)
        if np.dtype(dtype).kind in "fc" and rng.random() < 0.3:
            values = np.where(rng.random(shape) < 0.3, [np.nan, np.inf, -np.inf][rng.integers(3)], values)
        if np.dtype(dtype).kind in "iu" and rng.random() < 0.2:
            values = np.where(rng.random(shape) < 0.3, np.iinfo(dtype).max, values)
        try:
            return np.asarray(values).astype(dtype)
        except (TypeError, ValueError):
            return np.zeros(shape, dtype)


class Inputs:
    """Arguments of one call, of which some are wrong. `is_right`: none is; `is_plain`: arrays have the same elements
    side by side.
    """

    def __init__(self, seed, is_right=False, is_plain=False):
        self.is_plain = is_plain
        self.rng = np.random.default_rng(seed)
        self.size = int(self.rng.integers(0, 9))
        self.how_bad = 0.0 if is_right else self.choice([0.0, 0.15, 0.5])

    def choice(self, of):
        return of[self.rng.integers(len(of))]

    def laid_out(self, array, layouts=LAYOUTS):
        made = laid_out(array, self.choice(layouts))
        return np.array(made, made.dtype.newbyteorder("="), order="C") if self.is_plain else made

    def bad(self):
        """Anything."""
        if self.rng.random() < 0.5:
            return self.choice(NO_ARRAYS)
        shape = tuple(self.rng.integers(0, 5, self.rng.integers(0, 4)))
        return self.laid_out(filled(self.rng, shape, self.choice(TYPES + OTHER_TYPES)))

    def or_bad(self, make):
        return self.bad() if self.rng.random() < self.how_bad else make()

    def array(self, shape=None, types=TYPES, layouts=LAYOUTS):
        shape = (self.size,) if shape is None else shape
        return self.or_bad(lambda: self.laid_out(filled(self.rng, shape, self.choice(types)), layouts))

    def offsets(self):
        def make():
            cuts = np.sort(self.rng.integers(0, self.size + 1, self.rng.integers(0, 5)))
            given = np.concatenate([[0], cuts, [self.size]]).astype(self.choice(["i4", "i8", "i8", "u4", "u8", "i2"]))
            if self.rng.random() < self.how_bad:
                given[self.rng.integers(given.size)] = np.array(self.choice([-1, 1, 99, 5])).astype(given.dtype)
            made = self.laid_out(given, IN_ORDER)
            return ev.segments(made) if self.rng.random() < 0.3 else made

        return self.or_bad(make)

    def csr(self, rows=None, cols=None):
        """Compressed rows with unsorted columns, some twice; broken ones too."""
        rows, cols = (self.size if each is None else each for each in (rows, cols))
        count = int(self.rng.integers(0, 20)) if rows and cols else 0
        indptr = np.concatenate([[0], np.sort(self.rng.integers(0, count + 1, max(rows - 1, 0))), [count] * bool(rows)])
        indices = self.rng.integers(0, max(cols, 1), count)
        if self.rng.random() < self.how_bad and count:
            indices[self.rng.integers(count)] = self.choice([-1, cols, 1 << 31, (1 << 32) + 1, np.iinfo(np.int64).min])
        if self.rng.random() < self.how_bad:
            indptr[self.rng.integers(indptr.size)] = self.choice([-1, 1, count + 1, 1 << 40])
        data = filled(self.rng, count + (self.rng.random() < self.how_bad / 3), self.choice(TYPES))
        with np.errstate(all="ignore"):
            types = ["i4", "i8"] if self.rng.random() > self.how_bad else TYPES + [">i8", "O"]
            indices, indptr = (each.astype(self.choice(types)) for each in (indices, indptr))
        return self.laid_out(data), *(self.laid_out(each, IN_ORDER) for each in (indices, indptr)), (rows, cols)

    def matrix(self, rows=None, cols=None):
        def make():
            *arrays, shape = self.csr(rows, cols)
            kind = self.rng.integers(5)
            if kind == 0:
                return filled(self.rng, shape, self.choice(TYPES))
            if kind == 1:
                a = (sp.csr_array if self.rng.random() < 0.5 else sp.csc_array)(shape)
                a.data, a.indices, a.indptr = arrays
                return a
            if kind == 2:
                dense = filled(self.rng, shape, self.choice(["i4", "f4", "f8", "c16", "?"]))
                return sp.coo_array(dense).asformat(self.choice(["coo", "dia", "lil", "dok", "bsr"]))
            made = ev.matrix(tuple(arrays), shape)
            return made.T if kind == 3 else made

        return self.or_bad(make)

    def out(self, shape=None):
        if self.rng.random() < 0.6:
            return None
        return self.array(shape, ["f8", "i4", "i8", "f4", "?"], LAYOUTS if self.how_bad else WRITABLE)

    def text(self, names):
        return self.or_bad(lambda: self.choice([*names, None]))

    def place(self):
        schedules = ["merge_path", "thread_mapped", "nonzero_split", "binned", "automatic", "merge_path:items=3", "no"]
        return {
            "schedule": self.text(schedules) if self.rng.random() < 0.4 else None,
            "on": self.text(["cpu", "cpu", "simt"]) if self.rng.random() < 0.2 else None,
        }

    def number(self, limit=4):
        return self.or_bad(lambda: self.choice([*range(limit), np.int64(1), -1, 1 << 31, 1 << 63]))


REDUCTIONS = ["sum", "mean", "min", "max", "prod", "any", "all", "count"]
SECONDS = [0.0, 0, np.float32(0.001), -1, None, "1", np.nan, np.inf, [1], 1j]
SCANS = ["sum", "min", "max", "prod"]


def vector_or_matrix(i):
    return i.array() if i.rng.random() < 0.5 else i.array((i.size, 3))


def system(i):
    """A symmetric positive definite matrix."""
    if i.rng.random() < i.how_bad:
        return i.matrix()
    some = i.rng.integers(-2, 3, (i.size, i.size)) * (i.rng.random((i.size, i.size)) < 0.4)
    made = some + some.T + 40 * np.eye(i.size, dtype=int)
    return i.laid_out(made.astype(i.choice(["i4", "i8", "f4", "f8"])), WRITABLE)


def pair(i):
    return i.or_bad(lambda: (i.out(), i.out())) if i.rng.random() < 0.4 else None


WORLD = ev.world(2, threads=1)


def searches(graph, i):
    found = [*graph.bfs(i.number()), graph.sssp(i.number())]
    return [*found, graph.connected_components(), *graph.pagerank(max_iterations=i.number())]


def features(i, more=(2,)):
    """Arrays that attention takes, and few of the others."""
    return i.array((i.size, *more), ["f2", "f4", "f8", "f4", "f8", "f4", "f8", "i4"])


CALLS = {
    "matrix": lambda i: ev.matrix(i.csr()[:3], i.or_bad(lambda: (i.size, i.size))),
    "matrix of anything": lambda i: ev.matrix(i.bad(), i.or_bad(lambda: None)),
    "dot": lambda i: ev.matrix(i.matrix()).dot(vector_or_matrix(i), out=i.out(), **i.place()),
    "dot, out": lambda i: ev.matrix(i.matrix()).dot(i.array((i.size, 2)), out=i.array((i.size, 2), ["f8"], WRITABLE)),
    "transposed": lambda i: ev.matrix(i.matrix()).T.dot(vector_or_matrix(i)),
    "from the left": lambda i: np.asarray(vector_or_matrix(i)).T @ ev.matrix(i.matrix()),
    "product": lambda i: ev.matrix(i.matrix()) @ i.matrix(),
    "sum": lambda i: ev.matrix(i.matrix()) + i.matrix(),
    "conversions": lambda i: [
        (np.asarray(m), m.tocsc(), m.tocoo(), m.conj(), repr(m), m.plan()) for m in [ev.matrix(i.matrix())]
    ],
    "aslinearoperator": lambda i: [
        op.matvec(np.ones(op.shape[1])) for op in [ev.aslinearoperator(i.matrix(), **i.place())]
    ],
    "sddmm": lambda i: ev.matrix(i.matrix()).sddmm(
        i.array((i.size, 3)), i.array((i.size, 3)), i.or_bad(lambda: 2), i.or_bad(lambda: 0.5)
    ),
    "gat_attention": lambda i: ev.gat_attention(
        i.matrix(), features(i), features(i), features(i), scale=i.or_bad(lambda: None),
        return_log_sums=i.bad() is None, out=i.out((i.size, 2))
    ),
    "gat_attention_gradients": lambda i: ev.gat_attention_gradients(
        features(i), i.matrix(), features(i, ()), features(i, ()), features(i), features(i), features(i, ()),
        scores=i.or_bad(lambda: "additive")
    ),
    "solve_triangular": lambda i: ev.matrix(i.matrix()).solve_triangular(
        vector_or_matrix(i), lower=i.bad() is None, unit_diagonal=i.rng.random() < 0.5, out=i.out()
    ),
    "cg": lambda i: ev.cg(
        system(i), i.array(), x0=i.or_bad(lambda: None), rtol=i.choice([1e-5, 1e-3, 0.1, *SECONDS]), maxiter=i.number(),
        M=i.text(["jacobi", "ic0", "ilu0", "no"])
    ),
    "bicgstab": lambda i: ev.bicgstab(system(i), i.array(), maxiter=i.number(), M=i.text(["jacobi", "ilu0"])),
    "ic0": lambda i: ev.ic0(system(i)).solve(i.array()),
    "ilu0": lambda i: ev.ilu0(system(i)).solve(i.array()),
    "segment_reduce": lambda i: ev.segment_reduce(
        i.array(), i.offsets(), i.text(REDUCTIONS) or "sum", initial=i.or_bad(lambda: None), out=i.out((3,)),
        **i.place()
    ),
    "segment_reduce of rows": lambda i: ev.segment_reduce(
        vector_or_matrix(i), i.or_bad(lambda: None), i.text([*REDUCTIONS, "argmin", "argmax", "logsumexp"]) or "sum",
        index=i.array(types=["i4", "i8"]), size=i.or_bad(lambda: 200), out=i.out((200,))
    ),
    "scatter": lambda i: ev.scatter(
        vector_or_matrix(i), i.array(types=["i4", "i8"]), i.or_bad(lambda: None), i.text(REDUCTIONS), out=i.out()
    ),
    "segment_softmax": lambda i: ev.segment_softmax(vector_or_matrix(i), i.offsets(), out=i.out()),
    "segment_plan": lambda i: ev.segment_plan(i.offsets()).reduce(vector_or_matrix(i), i.text(REDUCTIONS) or "max"),
    "segment_scan": lambda i: ev.segment_scan(
        i.array(), i.offsets(), i.text(SCANS) or "sum", exclusive=i.bad() is None, out=i.out(), **i.place()
    ),
    "expand": lambda i: ev.expand(i.offsets(), out=i.out(), **i.place()),
    "segments": lambda i: [len(ev.segments(i.offsets())), repr(ev.segments(i.offsets()))],
    "scan": lambda i: ev.scan(i.array(), i.text(SCANS) or "sum", out=i.out()),
    "reduce": lambda i: ev.reduce(vector_or_matrix(i), i.text(REDUCTIONS) or "sum", initial=i.or_bad(lambda: None)),
    "select": lambda i: ev.select(i.array(), i.array(types=["?"]), out=i.out((9,))),
    "sort": lambda i: ev.sort(
        i.array(), i.or_bad(lambda: i.choice([None, i.array(), i.array((i.size, 2))])), out=pair(i)
    ),
    "reduce_by_key": lambda i: ev.reduce_by_key(
        i.array(types=TYPES[:9]), i.array(), i.text(SCANS) or "sum", out=pair(i)
    ),
    "reduce_by_index": lambda i: ev.reduce_by_index(
        i.array(types=TYPES[:9]), i.array(), i.or_bad(lambda: i.choice([0, 9, 200, np.int64(300), 300, 1 << 63])),
        i.text(SCANS) or "sum", out=i.out()
    ),
    "bfs": lambda i: ev.bfs(i.matrix(), i.number(), undirected=i.bad() is None, out=pair(i), **i.place()),
    "sssp": lambda i: ev.sssp(i.matrix(), i.number(), out=pair(i), **i.place()),
    "dfs": lambda i: ev.dfs(i.matrix(), i.number()),
    "reachable": lambda i: ev.reachable(i.matrix(), i.number()),
    "strong_components": lambda i: ev.strong_components(i.matrix(), out=i.out()),
    "connected_components": lambda i: ev.connected_components(i.matrix(), out=i.out()),
    "colour": lambda i: ev.colour(
        i.matrix(), seed=i.number(), order=i.text(["largest_first", "random"]) or "random", undirected=i.bad() is None,
        out=i.out()
    ),
    "maximal_independent_set": lambda i: ev.maximal_independent_set(
        i.matrix(), seed=i.number(), undirected=i.bad() is None
    ),
    "minimum_spanning_forest": lambda i: ev.minimum_spanning_forest(i.matrix(), symmetric=i.rng.random() < 0.5),
    "pagerank": lambda i: ev.pagerank(
        i.matrix(), damping=i.or_bad(lambda: 0.8), weighted=i.rng.random() < 0.5, max_iterations=i.number(),
        personalization=i.or_bad(lambda: None), undirected=i.rng.random() < 0.5, out=i.out()
    ),
    "core_number": lambda i: ev.core_number(i.matrix(), out=i.out()),
    "triangles": lambda i: ev.triangles(i.matrix(), undirected=i.bad() is None, out=i.out()),
    "clustering": lambda i: ev.clustering(i.matrix(), undirected=i.bad() is None, out=i.out()),
    "betweenness": lambda i: ev.betweenness(
        i.matrix(), i.or_bad(lambda: i.choice([None, [0], i.array(types=["i4", "i8"])])), undirected=i.bad() is None,
        normalized=i.bad() is None, out=i.out()
    ),
    "world": lambda i: [ev.world(i.or_bad(lambda: 3), threads=i.or_bad(lambda: 1)).size],
    "distributed_matrix": lambda i: WORLD.distribute(i.matrix()) @ vector_or_matrix(i),
    "distributed_matrix.cg": lambda i: list(
        WORLD.distribute(i.matrix(i.size, i.size)).cg(
            i.array(), x0=i.or_bad(lambda: None), rtol=i.or_bad(lambda: 1e-3), maxiter=i.number()
        )
    ),
    "distributed_graph": lambda i: searches(WORLD.graph(i.matrix(i.size, i.size)), i),
    "neighbors": lambda i: ev.neighbors(
        i.array((i.size, 3)), i.or_bad(lambda: 0.3), i.or_bad(lambda: i.choice([None, [1, 2, 3]])),
        half=i.rng.random() < 0.5, periodic=i.or_bad(lambda: True)
    ),
    "radius_graph": lambda i: ev.radius_graph(i.array((i.size, 3)), i.or_bad(lambda: 0.3)),
    "neighbor_list": lambda i: ev.neighbor_list(
        i.array((i.size, 3)), i.or_bad(lambda: 0.3), return_neighbor_list=i.rng.random() < 0.5
    ),
    "octree": lambda i: ev.octree(i.array((i.size, 3)), max_points=i.number()),
    "gather_plan": lambda i: ev.gather_plan(i.array(types=["i4", "i8", "u4"]))(i.array((12,)), out=i.out()),
    "explain": lambda i: ev.explain(i.matrix(), schedule=i.text(["merge_path", "thread_mapped"])),
    "compare": lambda i: ev.compare(
        i.matrix(), i.text(["spmv", "spmm", "segment_sum"]) or "spmv",
        schedules=i.or_bad(lambda: ["merge_path", "thread_mapped"]), seconds=i.choice(SECONDS)
    ),
    "draw": lambda i: ev.draw(
        i.text(["merge_path", "thread_mapped"]), *([i.matrix()] if i.rng.random() < 0.5 else []),
        offsets=i.offsets() if i.rng.random() < 0.5 else None, block_size=i.number(9), warp_size=i.number()
    ),
    "threads": lambda i: ev.threads(i.number()),
    "read": lambda i: ev.io.read(i.bad(), kind=i.bad()),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_any_arguments(name):
    failures = []
    for seed in range(FIRST, FIRST + EXAMPLES):
        try:
            with ev.threads(2), np.errstate(all="ignore"):
                CALLS[name](Inputs(seed))
        except (TypeError, ValueError, MemoryError) as error:
            if "\n" in str(error):
                failures.append((seed, error))
        except Exception as error:
            if name == "read" and isinstance(error, OSError):
                continue
            failures.append((seed, error))
    assert not failures, f"{len(failures)} seeds: {failures[:3]}"


def values_of(result):
    """Arrays and numbers of a result."""
    if isinstance(result, ev.matrix):
        return [result.indptr, result.indices, result.data, np.asarray(result)]
    if isinstance(result, (tuple, list)):
        return [value for each in result for value in values_of(each)]
    return [result.toarray()] if sp.issparse(result) else [result]


UNREPEATED = ("segments", "compare", "threads", "read", "explain", "draw", "conversions", "world")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in UNREPEATED])
def test_layouts_do_not_matter(name):
    def results(seed, is_plain):
        try:
            with ev.threads(1), np.errstate(all="ignore"):
                return values_of(CALLS[name](Inputs(seed, is_right=True, is_plain=is_plain)))
        except (TypeError, ValueError) as error:
            return [type(error)]

    succeeded = 0
    for seed in range(FIRST, FIRST + EXAMPLES):
        found, should = results(seed, False), results(seed, True)
        assert len(found) == len(should), seed
        for one, other in zip(found, should):
            assert isinstance(one, type(other)), (seed, one, other)
            if isinstance(other, (np.ndarray, np.generic)):
                assert one.dtype.newbyteorder("=") == other.dtype, seed
                np.testing.assert_array_equal(one, other, str(seed))
                succeeded += 1
    assert succeeded > EXAMPLES / 10 or name == "matrix of anything"
