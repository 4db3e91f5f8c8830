# SPDX-License-Identifier: Apache-2.0
"""Neighbor lists of SciPy, vesin and matscipy on the points of bench_neighbor_lists_cpu, in double precision.

    python3 bench/neighbor_peers.py [POINTS ...]

Each library is timed five times, after its number of pairs was compared with the others'; the median is shown.
"""
import statistics
import sys
import time

import matscipy.neighbours
import numpy as np
import vesin
from scipy.spatial import cKDTree

CUTOFF = 5.0


def points_of(count):
    """splitmix64 (Steele, Lea and Flood, 2014) with seed 7, as include/evenly/spatial/particles.hpp has it."""
    with np.errstate(over="ignore"):
        v = np.uint64(7) + np.arange(1, 3 * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        v = (v ^ v >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        v = (v ^ v >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        v ^= v >> np.uint64(31)
    side = np.cbrt(count / 0.1)
    return side * ((v >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(count, 3), side


def libraries(points, side):
    """(name, pairs per entry of the full list, run) of open and periodic lists."""
    box, wrapped = np.diag([side] * 3), np.mod(points, side)
    list_of_vesin = vesin.NeighborList(cutoff=CUTOFF, full_list=True)
    half_of_vesin = vesin.NeighborList(cutoff=CUTOFF, full_list=False)
    yield "open", "scipy, query_pairs", 2, lambda: cKDTree(points).query_pairs(CUTOFF, output_type="ndarray")
    for kind, periodic in (("open", False), ("periodic", True)):
        yield kind, "vesin, full", 1, lambda p=periodic: list_of_vesin.compute(points, box, p, "ijS")[0]
        yield kind, "vesin, half", 2, lambda p=periodic: half_of_vesin.compute(points, box, p, "ijS")[0]
        yield kind, "matscipy, full", 1, lambda p=periodic: matscipy.neighbours.neighbour_list(
            "ijS", positions=points, cell=box, pbc=[p] * 3, cutoff=CUTOFF)[0]
    yield "periodic", "scipy, query_pairs", 2, lambda: cKDTree(wrapped, boxsize=side).query_pairs(
        CUTOFF, output_type="ndarray")


def main():
    for count in map(int, sys.argv[1:] or ["10000", "100000"]):
        points, side = points_of(count)
        pairs = {}
        for kind, name, times, run in libraries(points, side):
            found = times * len(run())
            if pairs.setdefault(kind, found) != found:
                sys.exit(f"{name} finds {found} pairs, and others {pairs[kind]}")
            taken = []
            for _ in range(5 if count <= 100_000 else 3):
                begin = time.perf_counter()
                run()
                taken.append(1000 * (time.perf_counter() - begin))
            median = statistics.median(taken)
            print(f"{kind:9} {name:20} {count:8} points, {found:10} pairs: {median:9.2f} ms", flush=True)


if __name__ == "__main__":
    main()
