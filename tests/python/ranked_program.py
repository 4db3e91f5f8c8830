# SPDX-License-Identifier: Apache-2.0
"""A rank of test_worlds.py: `ranked_program.py WAY [WORDS] MODE`. In the mode `results` rank 0 prints the number of
ranks and a hash of the bits of all results, which are checked first. In others rank 1 does something wrong."""

import hashlib
import sys

import evenly as ev
import numpy as np
import scipy.sparse as sp


def graph(rng, size):
    """Uneven rows, one of which is longer than a rank's part."""
    edges = sp.random_array((size, size), density=12 / size, rng=rng, format="csr")
    hub = sp.coo_array((rng.random(size // 2) + 0.1, (np.zeros(size // 2, int), rng.integers(0, size, size // 2))),
                       shape=(size, size))
    return (edges + hub).tocsr()


def results(world, size=20000):
    """All operations on ranks, as arrays; each agrees with its counterpart without ranks."""
    rng = np.random.default_rng(3)
    G, x, X = graph(rng, size), rng.random(size), rng.random((size, 5))
    S = (G + G.T).tocsr()
    S = (S + sp.diags_array(np.asarray(S.sum(axis=1)).ravel() + 1)).tocsr()
    A, H = world.distribute(S), world.graph(G)
    y, Y, solved = A @ x, A @ X, A.cg(S @ np.ones(size), rtol=1e-10)
    found, lengths, labels, scores = H.bfs(3), H.sssp(3), H.connected_components(), H.pagerank(tolerance=1e-9)
    np.testing.assert_allclose(y, S @ x, rtol=1e-12)
    np.testing.assert_allclose(Y, S @ X, rtol=1e-12)
    np.testing.assert_allclose(solved.x, np.ones(size), rtol=1e-7)
    assert solved.converged and solved.reason == ""
    for one, other in zip(found, ev.bfs(G, 3)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(labels, ev.connected_components(G))
    np.testing.assert_array_equal(labels, world.graph(sp.csr_array(G + G.T), symmetric=True).connected_components())
    np.testing.assert_allclose(lengths, ev.sssp(G, 3).distances, rtol=1e-12)
    np.testing.assert_allclose(scores.scores, ev.pagerank(G, tolerance=1e-9).scores, rtol=1e-6)
    assert A.shape == (size, size) and A.nnz == S.nnz
    assert A.explain().count("\n") == world.size + 1
    return [y, Y, solved.x, *found, lengths, labels, scores.scores]


def make_world(way, words):
    if way == "threads":
        return ev.world(int(words[0]), threads=1)
    if way == "mpi4py":
        from mpi4py import MPI

        return ev.world(MPI.COMM_WORLD)
    if way == "torch":
        import torch.distributed

        torch.distributed.init_process_group("gloo")
        return ev.world(torch.distributed.group.WORLD)
    if way == "sockets":
        return ev.world((int(words[0]), int(words[1]), words[2]), wait_seconds=60 if words[3] == "results" else 5)
    return ev.world()


def main(way, *words):
    world = make_world(way, words)
    mode = words[-1]
    if mode == "throw" and world.rank == 1:
        raise RuntimeError("no more memory")
    if mode == "elsewhere" and world.rank == 1:
        return world.graph(np.eye(3)).bfs(0)
    if mode == "other":
        world.distribute(np.eye(3 + world.rank))
    if mode != "results":
        return world.graph(np.eye(3)).pagerank()
    hashed = hashlib.sha256(b"".join(each.tobytes() for each in results(world))).hexdigest()
    if world.rank == 0:
        print(world.size, hashed)


main(*sys.argv[1:])
