# SPDX-License-Identifier: Apache-2.0
"""Ranks: matrices and graphs that are distributed among processes or threads."""

from __future__ import annotations

import math
import os
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _evenly
from ._analysis import SCORE, ranks
from ._arrays import as_array, as_computed, as_count
from ._graphs import as_graph, bfs_tree
from ._matrix import as_matrix, matrix

_MAX_THREADS = 4096
_DOUBLE = np.dtype(np.float64)


class ranked_solution(NamedTuple):
    """What `distributed_matrix.cg` returns."""

    x: np.ndarray
    iterations: int
    residual: float
    converged: bool
    reason: str


class world:
    """A group of ranks, among which matrices are distributed. Results have the same bits for any number of ranks.

    Parameters
    ----------
    of : optional
        The ranks:

        - None: the processes of ``mpirun``; one rank in a program that was started without it.
        - an integer: as many threads of this process.
        - a communicator of mpi4py.
        - a process group of torch.distributed with a backend for the CPU, such as gloo.
        - (rank, size, "host:port"): processes that connect by sockets, started by Ray, Dask, Slurm or a shell. Rank 0
          listens at the address. Messages are not encrypted: use it in a network that you trust.
    threads : int, optional
        Of each rank; by default an equal part of the machine's cores, or those that a process is bound to.
    wait_seconds : float, optional
        With sockets, how long a rank waits for another; by default 600.

    Raises
    ------
    ValueError, TypeError
        For ranks that are none of these.
    RuntimeError
        If libevenly_mpi.so cannot be loaded: evenly was installed where CMake found no MPI.
    ConnectionError, TimeoutError
        With sockets, of all calls: a rank has ended, makes another call, or does not answer. The message names it.

    Notes
    -----
    All processes make the same calls in the same order, with the same arguments, and get the same results. Under MPI a
    rank that fails ends all processes. O(ranks) to connect.
    """

    def __init__(self, of: Any = None, *, threads: int | None = None, wait_seconds: float = 600):
        count = 0 if threads is None else as_count("threads", threads, _MAX_THREADS)
        if isinstance(wait_seconds, bool) or not isinstance(wait_seconds, (int, float)):
            raise TypeError(f"wait_seconds is {type(wait_seconds).__name__}: it must be a number")
        if not 0 < wait_seconds < math.inf:
            raise ValueError(f"wait_seconds = {wait_seconds}: it must be greater than 0")
        if of is None:
            started = "OMPI_COMM_WORLD_SIZE" in os.environ or "PMI_SIZE" in os.environ
            self._ranks = _under_mpi(0, 0, count) if started else _evenly.threads_as_ranks(1, count)
        elif isinstance(of, tuple):
            self._ranks = _by_sockets(of, count, wait_seconds)
        elif (comm := _mpi_communicator(of)) is not None:
            self._ranks = _under_mpi(*comm, count)
        elif _is_torch_group(of):
            from ._connections import torch_group

            self._ranks = _connected(torch_group(of), count)
        elif hasattr(of, "__index__"):
            ranks_wanted = as_count("of", of, 1024)
            if ranks_wanted == 0:
                raise ValueError("of = 0: a world has at least one rank")
            self._ranks = _evenly.threads_as_ranks(ranks_wanted, count)
        else:
            raise TypeError(f"of is {type(of).__name__}: it must be a number of threads, a communicator of mpi4py, a "
                            "group of torch.distributed, or (rank, size, 'host:port')")

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self._ranks.size

    @property
    def rank(self) -> int:
        """The rank of this process, from 0; 0 where the ranks are threads."""
        return self._ranks.first

    def distribute(self, A: Any) -> distributed_matrix:
        """Distributes a matrix that every process has.

        Parameters
        ----------
        A : `matrix`, or what `matrix` takes
            Real; the same on every process. Values are computed with as float64.

        Returns
        -------
        distributed_matrix

        Raises
        ------
        ValueError
            If two ranks have different matrices: the message names them.
        TypeError
            For complex numbers.

        Notes
        -----
        O(rows + columns + entries of a rank). Rows are cut by the merge path, so that ranks have equally many rows and
        entries; see docs/distributed.md.
        """
        of = as_matrix(A)
        _require_real(of)
        return distributed_matrix(self._ranks.distribute(of._rows().compiled(_DOUBLE)))

    def read(self, path: Any) -> distributed_matrix:
        """Reads a Matrix Market file, each rank a range of it: no process has the whole matrix.

        Parameters
        ----------
        path : str or path-like
            Coordinates of real numbers, integers or patterns in plain text.

        Returns
        -------
        distributed_matrix

        Raises
        ------
        ValueError
            For a file that cannot be read.

        Notes
        -----
        O(bytes / ranks) on each rank, then a sort of its entries.
        """
        return distributed_matrix(self._ranks.read(os.fsdecode(os.fspath(path))))

    def graph(self, A: Any, *, symmetric: bool = False) -> distributed_graph:
        """Distributes a graph that every process has.

        Parameters
        ----------
        A : square `matrix`, or what `matrix` takes
            Each stored entry (u, v) is an edge from u to v; its value the weight for ``sssp``.
        symmetric : bool
            States that A equals its transpose, which is not checked, and saves a transposition.

        Returns
        -------
        distributed_graph

        Raises
        ------
        ValueError
            For a matrix that is not square; if two ranks have different graphs.

        Notes
        -----
        O(vertices + edges). Vertices with more edges than a rank's part are cut among ranks.
        """
        return distributed_graph(self, as_graph(A), bool(symmetric))

    def __repr__(self) -> str:
        return f"<evenly.world: rank {self.rank} of {self.size}>"


class distributed_matrix:
    """A matrix on the ranks of a `world`; ``world.distribute`` and ``world.read`` make it.

    Vectors are whole: every process passes the same x, and gets the whole result.
    """

    def __init__(self, ranked: Any):
        self._ranked = ranked

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._ranked.shape

    @property
    def nnz(self) -> int:
        """The number of entries on all ranks."""
        return self._ranked.nnz

    def __matmul__(self, x: Any) -> np.ndarray:
        """A x, or A X for a dense matrix X. O(entries of a rank), and O(rows + columns) to send the result to all."""
        x = as_array("x", x)
        if x.ndim not in (1, 2):
            raise ValueError(f"x has {x.ndim} dimensions: a product takes a vector or a matrix")
        if x.shape[0] != self.shape[1]:
            raise ValueError(f"x has {x.shape[0]} {'rows' if x.ndim == 2 else 'elements'}: the matrix has "
                             f"{self.shape[1]} columns")
        given = _real("x", x)
        if x.ndim == 1:
            return self._ranked.multiply(given, 0)
        columns = x.shape[1]
        if columns == 0:
            return np.empty((self.shape[0], 0))
        return self._ranked.multiply(given.reshape(-1), columns).reshape(self.shape[0], columns)

    def cg(self, b: Any, *, x0: Any = None, rtol: float = 1e-8, maxiter: int = 1000) -> ranked_solution:
        """Conjugate gradients, as `cg` without a preconditioner. O(rows + entries of a rank) per iteration.

        Parameters
        ----------
        b, x0, rtol, maxiter
            As for `cg`.

        Returns
        -------
        ranked_solution
            ``x``, ``iterations``, ``residual``, ``converged`` and ``reason``, as for `cg`.
        """
        right = _real("b", as_array("b", b, 1))
        rows = self.shape[0]
        if right.shape[0] != rows:
            raise ValueError(f"b has {right.shape[0]} elements: the matrix has {rows} rows")
        first = np.zeros(rows) if x0 is None else _real("x0", as_array("x0", x0, 1))
        if first.shape[0] != rows:
            raise ValueError(f"x0 has {first.shape[0]} elements: the matrix has {rows} rows")
        limit = as_count("maxiter", maxiter, 100_000_000)
        return ranked_solution(*self._ranked.solve(right, first, _number("rtol", rtol), limit))

    def explain(self) -> str:
        """A line per rank: what it holds, receives and sends in a product. O(ranks). One process may call it alone."""
        return self._ranked.explanation

    def __repr__(self) -> str:
        return f"<evenly.distributed_matrix: {self.shape[0]} x {self.shape[1]}, {self.nnz} entries>"


class distributed_graph:
    """A graph on the ranks of a `world`; ``world.graph`` makes it. Every process gets whole results."""

    def __init__(self, of: world, graph: matrix, symmetric: bool):
        _require_real(graph)
        self._world, self._graph, self._symmetric = of, graph, symmetric
        rows = graph._rows()
        self._degrees = np.diff(rows.indptr).astype(np.int32)
        incoming = graph if symmetric else graph.T
        self._in = of._ranks.distribute(incoming._rows().compiled(_DOUBLE))
        self._both = self._in if symmetric else None

    def bfs(self, source: int) -> bfs_tree:
        """Breadth-first search, as `bfs`. O(vertices + edges of a rank), and a message per level and neighbour.

        Parameters
        ----------
        source : int

        Returns
        -------
        bfs_tree
            ``levels`` and ``parents``, as for `bfs`.
        """
        return bfs_tree(*self._in.bfs(as_count("source", source)))

    def sssp(self, source: int) -> np.ndarray:
        """The lengths of the shortest paths: float64, inf if there is no way. O(edges of a rank) per round.

        Parameters
        ----------
        source : int

        Returns
        -------
        array of shape (vertices,)

        Notes
        -----
        As many rounds of O(vertices + edges of a rank) as the shortest paths have edges. Source: Bellman (1958).
        """
        return self._in.sssp(as_count("source", source))

    def pagerank(self, *, damping: float = 0.85, tolerance: float = 1e-6, max_iterations: int = 1000) -> ranks:
        """PageRank, as `pagerank`. O(vertices + edges of a rank) per iteration.

        Parameters
        ----------
        damping, tolerance, max_iterations
            As for `pagerank`.

        Returns
        -------
        ranks
            ``scores``, ``iterations``, ``error`` and ``converged``, as for `pagerank`.
        """
        limit = as_count("max_iterations", max_iterations)
        options = _number("damping", damping), _number("tolerance", tolerance), limit
        return ranks(*self._in.pagerank(self._degrees, *options))

    def connected_components(self) -> np.ndarray:
        """The least vertex of each vertex's weak component: int32. O(edges of a rank) per round.

        Returns
        -------
        array of shape (vertices,)

        Notes
        -----
        As many rounds as a component's least vertex is edges away from its others. The first call distributes the
        edges in both directions, unless the graph is symmetric.
        """
        if self._both is None:
            both = self._graph._with_values(_ones)
            both = both + both.T
            self._both = self._world._ranks.distribute(both._rows().compiled(_DOUBLE))
        return self._both.connected_components()

    def __repr__(self) -> str:
        return f"<evenly.distributed_graph: {self._graph.shape[0]} vertices, {self._graph.nnz} edges>"


def _ones(values: np.ndarray) -> np.ndarray:
    return np.ones(values.shape, _DOUBLE)


def _require_real(of: matrix) -> None:
    if of.dtype.kind == "c":
        raise TypeError("A is complex: ranks compute with real numbers")


def _real(name: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "c":
        raise TypeError(f"{name} is complex, but must be real")
    return as_computed(values, _DOUBLE)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {type(value).__name__}: it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} = {value}: it is more than float64 holds") from None


def _mpi_communicator(of: Any) -> tuple[int, int] | None:
    """Where a communicator of mpi4py is in memory, and its size in bytes."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(of, mpi.Comm):
        return None
    return mpi._addressof(of), mpi._sizeof(mpi.Comm)


def _is_torch_group(of: Any) -> bool:
    torch = sys.modules.get("torch.distributed")
    return torch is not None and torch.is_available() and isinstance(of, torch.ProcessGroup)


def _under_mpi(address: int, size: int, threads: int) -> Any:
    library = os.path.join(os.path.dirname(__file__), "libevenly_mpi.so")
    return _evenly.processes_as_ranks(address, size, threads, library if os.path.exists(library) else "")


def _by_sockets(of: tuple, threads: int, wait_seconds: float) -> Any:
    if len(of) != 3 or not isinstance(of[2], str):
        raise TypeError("of is a tuple: it must be (rank, size, 'host:port')")
    rank, size = as_count("rank", of[0], 1 << 20), as_count("size", of[1], 1 << 20)
    if rank >= size:
        raise ValueError(f"rank = {rank}: it must be less than size = {size}")
    host, _, port = of[2].rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"address = {of[2]!r}: it must be 'host:port'")
    from ._connections import sockets

    return _connected(sockets(rank, size, of[2], wait_seconds), threads)


def _connected(connection: Any, threads: int) -> Any:
    return _evenly.connected_ranks(connection, threads or max(_evenly.threads() // connection.on_host, 1))
