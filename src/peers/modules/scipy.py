# SPDX-License-Identifier: Apache-2.0
"""Runs an operation of SciPy for scipy.cpp.

    scipy.py FOLDER OPERATION TYPE

FOLDER has the arrays of the operation; values are of TYPE. Each line of standard input is `run`, with the source of a
search, or `store`, which writes the last result to FOLDER. The answer is `ok`, or a line that says what failed."""
import sys

# The folder of this file has a module of the same name as the library.
sys.path.pop(0)
import pathlib

import numpy
import scipy.sparse
from scipy.sparse import csgraph

FOLDER, OPERATION, TYPE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def read(name, dtype=TYPE):
    return numpy.fromfile(FOLDER / name, dtype)


def matrix(prefix, values=None):
    offsets, columns, cols = (read(prefix + name, numpy.int32) for name in ("offsets", "columns", "cols"))
    values = read(prefix + "values") if values is None else values(len(columns))
    return scipy.sparse.csr_matrix((values, columns, offsets), shape=(len(offsets) - 1, int(cols[0])))


def vector_product():
    a, x = matrix("a_"), read("x")
    return lambda: a @ x, lambda y: {"y": y}


def dense_product():
    a = matrix("a_")
    b = read("b").reshape(a.shape[1], -1)
    return lambda: a @ b, lambda c: {"c": c}


def sparse_product():
    a, b = matrix("a_"), matrix("b_")

    def arrays(c):
        c.sort_indices()
        return {"offsets": c.indptr.astype(numpy.int64), "columns": c.indices.astype(numpy.int32), "values": c.data}
    return lambda: a @ b, arrays


def bfs():
    graph = matrix("a_", numpy.ones)

    def levels(found):
        order, parents = found
        values = numpy.full(graph.shape[0], -1)
        values[order[0]] = 0
        for vertex in order[1:]:
            values[vertex] = values[parents[vertex]] + 1
        return {"found": values}
    return lambda source: csgraph.breadth_first_order(graph, source), levels


def sssp():
    # csgraph computes in this type, so that it need not convert.
    graph = matrix("a_", lambda _: read("a_values", numpy.int32).astype(float))

    def distances(found):
        return {"found": numpy.where(numpy.isinf(found[0]), -1, found[0]).astype(numpy.int64)}
    return lambda source: csgraph.dijkstra(graph, indices=source, return_predecessors=True), distances


def main():
    run, arrays = {"vector_product": vector_product, "dense_product": dense_product,
                   "sparse_product": sparse_product, "bfs": bfs, "sssp": sssp}[OPERATION]()
    found = None
    for line in sys.stdin:
        command, *sources = line.split()
        try:
            if command == "run":
                found = run(*map(int, sources))
            else:
                for name, values in arrays(found).items():
                    values.tofile(FOLDER / name)
            print("ok", flush=True)
        except (ArithmeticError, MemoryError, OSError, RuntimeError, ValueError) as e:
            print(f"{type(e).__name__}: {e}".replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
