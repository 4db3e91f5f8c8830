# SPDX-License-Identifier: Apache-2.0
"""Ranks under MPI: the same bits for every number of ranks, and what ends them.

  _mpi.py PROGRAM LIBRARY MPIRUN    PROGRAM is evenly_mpi_ranks, LIBRARY libevenly_mpi.so

Two ranks; with EVENLY_LABEL=all also 1, 3, 4 and 7. A rank that is missing is a failure."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM, LIBRARY, MPIRUN = sys.argv[1:4]
ALL = os.environ.get("EVENLY_LABEL") == "all"
ENVIRONMENT = {**os.environ, "EVENLY_MPI_LIBRARY": LIBRARY, "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def run(ranks, mode, program=(PROGRAM,)):
    return subprocess.run([MPIRUN, "-np", str(ranks), *program, mode], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=200, check=False)


class Ranks(unittest.TestCase):
    def test_the_same_bits(self):
        found = {}
        for ranks in (1, 2, 3, 4, 7) if ALL else (2,):
            done = run(ranks, "products")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            head, found[ranks] = done.stdout.split("\n", 1)
            self.assertEqual(head, f"{ranks} ranks")
            self.assertEqual(found[ranks].count("\n"), 9, found[ranks])
        self.assertEqual(len(set(found.values())), 1, found)

    @unittest.skipIf(ALL, "not with each number of ranks")
    def test_a_failure_names_the_rank(self):
        for mode, line in (("throw", "evenly: rank 1 of 2 failed: no more memory"),
                           ("exit", "evenly: rank 1 ended with exit status 3"),
                           ("late", "evenly: rank 0 of 2 has waited 1 s (start) for the other ranks: all ranks must "
                                    "make the same calls in the same order"),
                           ("short", "evenly: rank 0 of 2 failed: rank 0 expects 8 bytes of rank 1 (a value), which "
                                     "sent 4"),
                           ("elsewhere", "evenly: rank 0 of 2 has waited 1 s (a value) for rank 1: all ranks must make "
                                         "the same calls in the same order")):
            with self.subTest(mode):
                done = run(2, mode)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(line, done.stderr.splitlines())

    @unittest.skipIf(ALL, "not with each number of ranks")
    def test_a_message_that_is_too_long(self):
        done = run(2, "long")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"evenly: rank 0 of 2 failed: a message with rank 1 \(a value\): .*TRUNCATE")

    @unittest.skipUnless(ALL, "takes seconds")
    def test_messages_beyond_31_bits(self):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        [line] = [line for line in lines if line.startswith("MemAvailable")]
        if int(line.split()[1]) < 7_000_000:
            self.skipTest(f"needs 7 GB of memory; there are {int(line.split()[1]) // 1000} MB")
        done = run(2, "large")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "sent\n"))

    @unittest.skipIf(ALL, "not with each number of ranks")
    def test_a_rank_that_is_killed(self):
        done = run(2, "die")  # mpirun ends the others and says which
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr + done.stdout, r"rank 1 with PID .* exited on signal 9")

    @unittest.skipIf(ALL, "not with each number of ranks")
    def test_different_inputs(self):
        done = run(2, "other")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 0 has a matrix of 3 x 9 with 9 entries, but rank 1 has one of 3 x 9 with 10 entries: every "
                      "rank must be given the same", done.stderr.splitlines())

    @unittest.skipIf(ALL, "not with each number of ranks")
    def test_no_library(self):
        done = subprocess.run([PROGRAM], env={**ENVIRONMENT, "EVENLY_MPI_LIBRARY": "/nowhere.so"}, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("no ranks under MPI: /nowhere.so", done.stderr)
        self.assertIn("set EVENLY_MPI_LIBRARY to libevenly_mpi.so", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
