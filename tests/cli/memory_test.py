# SPDX-License-Identifier: Apache-2.0
"""Memory is proportional to a file's contents, not to its header; too little memory is reported as the reason."""
import gzip
import itertools
import subprocess
import sys
import time
import unittest

import _program

BANNER = "%%MatrixMarket matrix coordinate real general\n"
MIB = 1 << 20

# Starts a program, and writes its exit status and the most memory that it had, in KiB. What a process has had before it
# becomes another program counts, too, so it is not to be a child of these tests, which have read large files.
STARTER = """
import os, resource, sys
limit, said, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    if int(limit):
        resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    os.execv(command[0], command)
_, status, usage = os.wait4(child, 0)
with open(said, "w", encoding="utf-8") as file:
    file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}")
"""


@unittest.skipIf(_program.SANITIZED, "a sanitizer takes more memory than the limits that are tested")
class Memory(_program.ProgramTest):
    def run_limited(self, *arguments, address_space=0):
        """Exit status, standard error, and the most memory in MiB."""
        error, said = self.folder / "stderr", self.folder / "usage"
        with open(error, "w", encoding="utf-8") as stderr:
            subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, str(address_space), said, _program.PROGRAM,
                            *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                           check=True)
        status, kibibytes = map(int, said.read_text(encoding="utf-8").split())
        return status, error.read_text(), kibibytes / 1024

    def refuse(self, expected, *arguments, address_space):
        status, error, _ = self.run_limited(*arguments, address_space=address_space)
        self.assertEqual(status, 1, error)
        self.assertRegex(error, r"\Aevenly: " + expected + r", but [0-9.]+ [GMk]B are available \(ulimit -v\)\n\Z")

    def runs_or_refuses(self, *arguments):
        """For every limit, from too little to start up to enough."""
        refused = 0
        for mebibytes in itertools.count(16, 4):
            self.assertLess(mebibytes, 1000)
            status, error, _ = self.run_limited(*arguments, address_space=mebibytes * MIB)
            if "memory are needed" in error:
                refused += 1
                self.assertEqual(status, 1)
                self.assertRegex(error, r"\Aevenly: [^\n]+: ([0-9.]+ [GMk]B) of memory are needed, "
                                 r"but (?!\1)[0-9.]+ [GMk]B are available \(ulimit -v\)\n\Z")
            elif "not enough memory for" in error:
                # Threads took address space between the question whether there is enough and its use.
                refused += 1
                self.assertEqual(status, 1)
                self.assertRegex(error, r"\Aevenly: [^\n]+: not enough memory for [a-z ]+\n\Z")
            elif status == 0:
                break
            else:  # even the program itself does not fit
                self.assertEqual(refused, 0, f"{arguments} in {mebibytes} MiB: {error}")
        self.assertGreater(refused, 3, arguments)

    def test_rows_that_are_merely_announced(self):
        path = self.write("rows.mtx", BANNER + "700000000 1 1\n1 1 1\n")
        self.assertLess(path.stat().st_size, 70)
        start = time.monotonic()
        status, error, mebibytes = self.run_limited("info", path)
        self.assertEqual((status, error), (0, ""))
        self.assertLess(time.monotonic() - start, 2)
        self.assertLess(mebibytes, 64)
        text = self.succeed("info", path)
        self.assertIn("rows 700000000, columns 1, atoms 1", text)
        self.assertIn("699999999 tiles (100.0%) are empty", text)
        for command in (["spmv"], ["compare", "--on", "cpu"]):
            self.refuse(rf"{path}:2: 700000000 rows: 2.81 GB of memory are needed", *command, path,
                        address_space=1 << 30)

    def test_columns_that_are_merely_announced(self):
        path = self.write("columns.mtx", BANNER + "1 2000000000 1\n1 1 1\n")
        self.refuse("measuring 1 rows, 2000000000 columns and 1 atoms: 16.1 GB of memory are needed", "compare", path,
                    "--on", "cpu", address_space=4 << 30)
        self.refuse("vectors for 1 rows and 2000000000 columns: 32.1 GB of memory are needed", "spmv", path,
                    address_space=4 << 30)

    def test_what_measuring_takes_beside_the_matrix(self):
        path = self.write("rows.mtx", BANNER + "50000000 50000000 1\n1 1 1\n")
        for op, needed in (("spmv", "3[.][0-9]+"), ("expand", "1[.][0-9]+"), ("update", "1[.][0-9]+")):
            self.refuse(rf"measuring 50000000 rows, 50000000 columns and 1 atoms: {needed} GB of memory are needed",
                        "compare", path, "--on", "cpu", "--op", op, address_space=1100 * MIB)

    def test_an_archive_that_announces_more_than_it_should(self):
        header = b"%%MatrixMarket matrix coordinate pattern general\n10 10 2147483647\n"
        for name, line in (("same", b"1 1\n"), ("unsorted", b"1 2\n2 1\n1 1\n")):
            lines = line * (30_000_000 * 4 // len(line))
            path = self.write(name + ".mtx.gz", gzip.compress(header + lines, 6))
            del lines  # a new process would count it as its own
            self.assertLess(path.stat().st_size, 300_000)
            self.refuse(rf"{path}:[0-9]+: [0-9]+ of 2147483647 entries read: [0-9]+ MB of memory are needed",
                        "spmv", path, address_space=700 * MIB)
        status, error, mebibytes = self.run_limited("info", self.folder / "same.mtx.gz")
        self.assertEqual(status, 1)
        self.assertIn("the file ends after 30000000 of 2147483647 entries", error)
        self.assertLess(mebibytes, 64)

    def test_generators(self):
        self.refuse("regular:rows=2e9,size=1: 24 GB of memory are needed", "info", "regular:rows=2e9,size=1",
                    address_space=2 << 30)
        self.refuse("dense:rows=1e4,cols=2e4: 2.41 GB of memory are needed", "spmv", "dense:rows=1e4,cols=2e4",
                    address_space=2 << 30)
        status, error, mebibytes = self.run_limited("info", "dense:rows=1e4,cols=1e5")
        self.assertEqual((status, error), (0, ""))
        self.assertLess(mebibytes, 64)

    def test_every_limit_is_enough_or_refused(self):
        self.runs_or_refuses("info", "regular:rows=2e6,size=1")
        self.runs_or_refuses("info", "powerlaw:rows=1e6,avg=2,sd=3,max=99")
        rows = 600_000
        header = "%%MatrixMarket matrix coordinate pattern {}\n{} {} {}\n"
        in_order = self.write("ordered.mtx", header.format("general", rows, rows, rows) +
                              "".join(f"{row} {row}\n" for row in range(1, rows + 1)))
        self.runs_or_refuses("info", in_order)
        triangle = self.write("triangle.mtx", header.format("symmetric", rows, rows, 2 * rows - 1) + "1 1\n" +
                              "".join(f"{row} {row - 1}\n{row} {row}\n" for row in range(2, rows + 1)))
        self.runs_or_refuses("info", triangle)
        out_of_order = self.write("unsorted.mtx", header.format("symmetric", rows, rows, rows) +
                                  "".join(f"{rows} {k * 7919 % rows + 1}\n" for k in range(rows)))
        self.runs_or_refuses("info", out_of_order)
        one_row = self.write("row.mtx", header.format("general", 1, rows, rows) +
                             "".join(f"1 {rows - k}\n" for k in range(rows)))
        self.runs_or_refuses("spmv", one_row)
        self.runs_or_refuses("info", self.write("star.el", "".join(f"0 {rows - k}\n" for k in range(rows))))

    def test_graphs_of_few_edges_and_large_ids(self):
        """Memory goes with the greatest id unless vertices are renumbered; too little is one line with a remedy."""
        path = self.write("far.el", "0 60000000\n")
        remedy = "; --renumber drops vertices without edges"
        amounts = r"[0-9.]+ [GM]B of memory are needed, but [0-9.]+ [GM]B are available \(ulimit -v\)"
        read = rf"\Aevenly: {path}:1: 60000001 vertices and 1 edges: {amounts}{remedy}\n\Z"
        for command in (["bfs"], ["sssp"], ["draw", "search"], ["info"], ["compare"], ["spmv"], ["transpose"],
                        ["spgemm"], ["spmm"]):
            with self.subTest(command, limit="reading"):
                status, error, _ = self.run_limited(*command, path, address_space=200 * MIB)
                self.assertEqual(status, 1)
                self.assertRegex(error, read)
        for form in (["bfs"], ["sssp"]):
            with self.subTest(form):
                self.searches_are_refused(path, form, "cpu")
        for command in (["compare", path, "--on", "cpu"], ["spmv", path], ["transpose", path], ["spgemm", path],
                        ["spmm", path], ["draw", "search", path]):
            with self.subTest(command):
                status, error, _ = self.run_limited(*command, address_space=400 * MIB)
                self.assertEqual(status, 1, error)
                self.assertRegex(error, rf"evenly: [^\n]+: {amounts}[^\n]*\n\Z")
        status, error, mebibytes = self.run_limited("bfs", path, "--renumber", "--on", "cpu", address_space=2 << 30)
        self.assertEqual((status, error), (0, ""))
        self.assertLess(mebibytes, 100)
        largest = self.write("largest.el", "0 2147483645\n")
        status, error, _ = self.run_limited("bfs", largest, address_space=4 << 30)
        self.assertEqual(status, 1)
        self.assertRegex(error, rf"{largest}:1: 2147483646 vertices and 1 edges: 8[.][0-9]+ GB of memory are needed")

    def searches_are_refused(self, path, form, on):
        status, error, _ = self.run_limited(form[0], path, *form[1:], "--on", on, address_space=900 * MIB)
        self.assertEqual(status, 1, error)
        self.assertRegex(error, r"\Aevenly: a search of 60000001 vertices and 1 edges: [0-9.]+ [GM]B of memory are "
                         r"needed, but [0-9.]+ [GM]B are available \(ulimit -v\); --renumber drops vertices without "
                         r"edges\n\Z")

    @_program.with_label_all
    def test_searches_of_large_ids_in_every_form(self):
        path = self.write("far.el", "0 60000000\n")
        forms = [["bfs"], ["bfs", "--source", "random:3"], ["bfs", "--together"], ["bfs", "--schedule", "all"]]
        methods = ("delta_stepping", "near_far", "bellman_ford")
        forms += [["sssp"]] + [["sssp", "--method", each] for each in methods]
        for form in forms:
            for on in ("cpu", "simt"):
                with self.subTest(form, on=on):
                    self.searches_are_refused(path, form, on)

    def test_searches_fit_or_are_refused(self):
        path = self.write("far.el", "0 3000000\n")
        for form in (["bfs"], ["sssp"]):
            with self.subTest(form):
                self.searches_or_refuses(form[0], path, *form[1:], "--on", "cpu", "--threads", 1, "--repeat", 1)

    @_program.with_label_all
    def test_searches_of_every_form_fit_or_are_refused(self):
        path = self.write("far.el", "0 3000000\n")
        for form in (["bfs", "--together", "--source", "random:4"], ["bfs", "--schedule", "merge_path"],
                     ["bfs", "--undirected"]):
            with self.subTest(form):
                self.searches_or_refuses(form[0], path, *form[1:], "--on", "cpu", "--threads", 1, "--repeat", 1)

    def searches_or_refuses(self, *arguments):
        refused = 0
        for mebibytes in itertools.count(96, 32):
            self.assertLess(mebibytes, 1500)
            status, error, _ = self.run_limited(*arguments, address_space=mebibytes * MIB)
            if status == 0:
                break
            if "memory are needed" in error:
                refused += 1
                self.assertRegex(error, r"\Aevenly: [^\n]+: [0-9.]+ [GMk]B of memory are needed, but [0-9.]+ [GMk]B "
                                 r"are available \(ulimit -v\); --renumber drops vertices without edges\n\Z")
            else:
                self.assertEqual(refused, 0, f"{arguments} in {mebibytes} MiB: {error}")
        self.assertGreater(refused, 2, arguments)

    def test_vectors(self):
        matrix = self.write("a.mtx", _program.SMALL)
        x = self.write("x.txt.gz", gzip.compress(b"1\n" * 40_000_000, 1))
        self.refuse(rf"{x}:[0-9]+: [0-9]+ numbers read: [0-9]+ MB of memory are needed", "spmv", matrix, "--x", x,
                    address_space=500 * MIB)

    def test_ladders(self):
        self.refuse("1073741824 elements: 34.4 GB of memory are needed", "ladder", "reduce", "--on", "cpu", "--n",
                    "2^30", address_space=2 << 30)


_program.main()
