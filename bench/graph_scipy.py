# SPDX-License-Identifier: Apache-2.0
"""Searches by scipy.sparse.csgraph, for bench_graph_cpu, which writes the graph to FOLDER, and reads what is found.

    graph_scipy.py FOLDER

FOLDER has offsets, ends, weights and sources, of 32 bits. Written are bfs_ms and sssp_ms, for each source the median of
up to three runs, and parents0 ..., of 32 bits, and distances0 ..., of double precision."""
import pathlib
import statistics
import sys
import time

import numpy
import scipy.sparse
from scipy.sparse import csgraph


def timed(run):
    found, ms = None, []
    while len(ms) < 3 and (not ms or sum(ms) < 3000):
        start = time.perf_counter()
        found = run()
        ms.append((time.perf_counter() - start) * 1000)
    return found, statistics.median(ms)


def main():
    folder = pathlib.Path(sys.argv[1])
    offsets, ends, weights, sources = (numpy.fromfile(folder / name, numpy.int32)
                                       for name in ("offsets", "ends", "weights", "sources"))
    size = len(offsets) - 1
    # The type that csgraph computes in, so that it need not convert.
    graph = scipy.sparse.csr_matrix((weights.astype(numpy.float64), ends, offsets), shape=(size, size))
    times = {"bfs_ms": [], "sssp_ms": []}
    for i, source in enumerate(sources):
        (_, parents), ms = timed(lambda: csgraph.breadth_first_order(graph, source, directed=True))
        times["bfs_ms"].append(ms)
        parents.astype(numpy.int32).tofile(folder / f"parents{i}")
        (distances, _), ms = timed(lambda: csgraph.dijkstra(graph, directed=True, indices=source,
                                                            return_predecessors=True))
        times["sssp_ms"].append(ms)
        distances.astype(numpy.float64).tofile(folder / f"distances{i}")
    for name, values in times.items():
        numpy.array(values, numpy.float64).tofile(folder / name)


if __name__ == "__main__":
    main()
