# SPDX-License-Identifier: Apache-2.0
"""Matrices and graphs on ranks: the same bits for any number of ranks, however the processes were started, and what
ends them. The programs of docs/distributed.md run as they are shown.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import evenly as ev
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "ranked_program.py"
PAGE = (HERE.parents[1] / "docs/distributed.md").read_text()
HAS_MPI = (pathlib.Path(ev.__file__).parent / "libevenly_mpi.so").exists() and shutil.which("mpirun")
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}  # fmt: skip
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="MPI is not found (Debian: libopenmpi-dev, openmpi-bin)")


def needs(module, package):
    is_there = importlib.util.find_spec(module) is not None
    return pytest.mark.skipif(not is_there, reason=f"{sys.executable} has no {module} (Debian: {package})")


def start(*command, **more):
    return subprocess.Popen([str(word) for word in command], env={**os.environ, **MPI, **more}, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def finish(process, seconds=180):
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, out, err


def run(*command):
    code, out, err = finish(start(*command))
    assert code == 0, err
    return out


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def by_sockets(size, mode):
    """What each rank returns, prints, and writes to stderr."""
    address = f"127.0.0.1:{free_port()}"
    ranks = [start(sys.executable, PROGRAM, "sockets", r, size, address, mode) for r in range(size)]
    return [finish(each) for each in ranks]


def by_torchrun(*command):
    """What rank 0 of two prints. The variables are those that torchrun sets: that of torch 1.13, which Debian 12 has,
    fails with Debian's Python.
    """
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    done = [finish(each) for each in [start(sys.executable, *command, RANK=str(r), **shared) for r in range(2)]]
    assert [code for code, _, _ in done] == [0, 0], done
    assert done[1][1] == ""
    return done[0][1]


@pytest.fixture(scope="module")
def one_rank():
    size, bits = run(sys.executable, PROGRAM, "alone", "results").split()
    assert size == "1"
    return bits


def test_threads(one_rank):
    assert run(sys.executable, PROGRAM, "threads", 3, "results") == f"3 {one_rank}\n"


@needs_mpi
def test_mpirun(one_rank):
    assert run("mpirun", "-np", 2, sys.executable, PROGRAM, "mpirun", "results") == f"2 {one_rank}\n"


@needs_mpi
@needs("mpi4py", "python3-mpi4py")
def test_mpi4py(one_rank):
    assert run("mpirun", "-np", 2, sys.executable, PROGRAM, "mpi4py", "results") == f"2 {one_rank}\n"


@needs("torch", "python3-torch")
def test_torchrun(one_rank):
    assert by_torchrun(PROGRAM, "torch", "results") == f"2 {one_rank}\n"


def test_sockets(one_rank):
    done = by_sockets(3, "results")
    assert [code for code, _, _ in done] == [0, 0, 0], done
    assert [out for _, out, _ in done] == [f"3 {one_rank}\n", "", ""]


@pytest.mark.parametrize(("mode", "lines"), [
    ("throw", ["rank 1 has ended", "RuntimeError: no more memory"]),
    ("elsewhere", ["all ranks must make the same calls", "all ranks must make the same calls"]),
    ("other", ["rank 0 has a matrix of 3 x 3 with 3 entries, but rank 1 has one of 4 x 4 with 4 entries"] * 2),
])
def test_failures_name_the_rank(mode, lines):
    done = by_sockets(2, mode)
    assert [code for code, _, _ in done] == [1, 1]
    last = [err.splitlines()[-1] for _, _, err in done]
    for line, ending in zip(last, lines):
        assert ending in line or (mode == "elsewhere" and "has ended" in line), last
    assert mode != "elsewhere" or any(lines[0] in line for line in last)


def test_ranks_that_do_not_come():
    with pytest.raises(TimeoutError, match="rank 0 of 2 has waited 0.1 s for other ranks to connect: 0 of 1 have"):
        ev.world((0, 2, "127.0.0.1:47219"), wait_seconds=0.1)
    with pytest.raises(TimeoutError, match="rank 1 of 2 has waited 0.1 s for rank 0 at 127.0.0.1:47219"):
        ev.world((1, 2, "127.0.0.1:47219"), wait_seconds=0.1)


def programs():
    """(first line, program) of each block of Python on the page, and the command in its first line."""
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        yield re.match(r"# (\w+)\.py: (.*)", block)[2], block


@pytest.mark.parametrize("way", ["mpirun", "torchrun"])
def test_programs_of_the_page(way, tmp_path):
    if way == "mpirun" and not HAS_MPI:
        pytest.skip("MPI is not found (Debian: libopenmpi-dev, openmpi-bin)")
    if way == "torchrun" and importlib.util.find_spec("torch") is None:
        pytest.skip(f"{sys.executable} has no torch (Debian: python3-torch)")
    [(command, block)] = [each for each in programs() if each[0].startswith(way)]
    program = tmp_path / "program.py"
    program.write_text(block)
    words = command.replace("-np 4 python", f"-np 2 {sys.executable}").split()[:-1]
    out = by_torchrun(program) if way == "torchrun" else run(*words, program)
    assert re.fullmatch(r"(\d+ vertices reached|\d+ iterations)\n", out), out
    assert len(block.splitlines()) <= 16


def test_the_third_launch_is_shown():
    [block] = [block for command, block in programs() if command.startswith("python")]
    assert "ray.init()" in block
    compile(block, "ray", "exec")


def test_read(tmp_path):
    A = sp.random_array((300, 200), density=0.05, rng=np.random.default_rng(1), format="csr")
    scipy.io.mmwrite(tmp_path / "a.mtx", A)
    made = ev.world(3).read(tmp_path / "a.mtx")
    x = np.random.default_rng(2).random(200)
    np.testing.assert_allclose(made @ x, A @ x, rtol=1e-12)
    with pytest.raises(ValueError, match="nothing.mtx"):
        ev.world().read(tmp_path / "nothing.mtx")


def test_empty():
    world = ev.world(2)
    assert (world.distribute(np.zeros((0, 3))) @ np.ones(3)).shape == (0,)
    assert (world.distribute(np.zeros((3, 2))) @ np.ones((2, 0))).shape == (3, 0)
    assert world.graph(np.zeros((0, 0))).connected_components().shape == (0,)


def test_refusals():
    world = ev.world(2)
    A, G = world.distribute(np.eye(3)), world.graph(np.eye(3))
    for wrong, error, line in (
        (lambda: ev.world(0), ValueError, "at least one rank"),
        (lambda: ev.world("two"), TypeError, "of is str"),
        (lambda: ev.world((0, 2)), TypeError, "must be \\(rank, size, 'host:port'\\)"),
        (lambda: ev.world((2, 2, "localhost:1")), ValueError, "rank = 2"),
        (lambda: ev.world((0, 2, "localhost")), ValueError, "host:port"),
        (lambda: ev.world(2, wait_seconds=0), ValueError, "wait_seconds = 0"),
        (lambda: ev.world(2, wait_seconds="long"), TypeError, "wait_seconds is str"),
        (lambda: world.distribute(np.eye(3) * 1j), TypeError, "A is complex"),
        (lambda: world.graph(np.ones((2, 3))), ValueError, "must be square"),
        (lambda: A @ np.ones(4), ValueError, "x has 4 elements: the matrix has 3 columns"),
        (lambda: A @ np.ones((3, 1, 1)), ValueError, "x has 3 dimensions"),
        (lambda: A @ (np.ones(3) * 1j), TypeError, "x is complex"),
        (lambda: A.cg(np.ones(4)), ValueError, "b has 4 elements"),
        (lambda: A.cg(np.ones(3), x0=np.ones(2)), ValueError, "x0 has 2 elements"),
        (lambda: A.cg(np.ones(3), rtol=-1), ValueError, "tolerance"),
        (lambda: A.cg(np.ones(3), rtol="small"), TypeError, "rtol is str"),
        (lambda: G.bfs(3), ValueError, "source = 3: must be a vertex"),
        (lambda: G.sssp(-1), ValueError, "source = -1"),
        (lambda: G.pagerank(damping=2), ValueError, "damping"),
    ):  # fmt: skip
        with pytest.raises(error, match=line):
            wrong()
    assert (A @ np.ones(3) == np.ones(3)).all()  # the world is usable afterwards
    assert repr(world) == "<evenly.world: rank 0 of 2>"
    assert repr(A) == "<evenly.distributed_matrix: 3 x 3, 3 entries>"
    assert repr(G) == "<evenly.distributed_graph: 3 vertices, 3 edges>"
