# SPDX-License-Identifier: Apache-2.0
"""evenly spmv against a product computed here."""
import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import unittest
import zipfile

import _program


def matrix_market(rows, cols, entries, kind="real general"):
    lines = [f"{row} {col} {value!r}" for row, col, value in entries]
    return f"%%MatrixMarket matrix coordinate {kind}\n{rows} {cols} {len(lines)}\n" + "\n".join(lines) + "\n"


class Spmv(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(7)
        places = sorted({(generator.randint(1, 90), generator.randint(1, 70)) for _ in range(600)})
        places += [(91, col) for col in range(1, 71)]
        self.entries = [(row, col, generator.uniform(-1, 1)) for row, col in places]
        self.text = matrix_market(95, 70, self.entries)
        self.x = [generator.uniform(-1, 1) for _ in range(70)]
        self.matrix = self.write("a.mtx", self.text)
        self.vector = self.write("x.txt", "".join(f"{value!r}\n" for value in self.x))

    def check_product(self, text, x):
        y = [float(line) for line in text.splitlines()]
        self.assertEqual(len(y), 95)
        expected = [0.0] * 95
        for row, col, value in self.entries:
            expected[row - 1] += value * x[col - 1]
        for found, right in zip(y, expected):
            self.assertAlmostEqual(found, right, delta=1e-13)

    def test_product(self):
        self.check_product(self.succeed("spmv", self.matrix, "--x", self.vector), self.x)

    def test_ones(self):
        self.check_product(self.succeed("spmv", self.matrix), [1.0] * 70)

    def test_ranks(self):
        one = self.succeed("spmv", self.matrix, "--x", self.vector, "--ranks", 1)
        self.check_product(one, self.x)
        for ranks in (2, 3, 7):
            self.assertEqual(self.succeed("spmv", self.matrix, "--x", self.vector, "--ranks", ranks), one)
        large = self.succeed("spmv", "rmat:scale=13,edges=40", "--ranks", 1)  # more than one group of blocks
        self.assertEqual(self.succeed("spmv", "rmat:scale=13,edges=40", "--ranks", 3, "--threads", 2), large)
        self.assertIn("--schedule has no effect with --ranks", self.fail_with_line(
            2, "spmv", self.matrix, "--ranks", 2, "--schedule", "merge_path"))
        self.assertIn("--ranks", self.fail_with_line(2, "spmv", self.matrix, "--ranks", 0))
        twisted = self.write("c.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n")
        self.assertIn("not complex", self.fail_with_line(2, "spmv", twisted, "--ranks", 2))

    @unittest.skipIf(_program.SANITIZED, "MPI is not instrumented")
    def test_ranks_under_mpi(self):
        library = _program.PROGRAM.parent.parent / "lib/evenly/libevenly_mpi.so"
        if not library.exists():
            self.assertIn("libopenmpi-dev", self.fail_with_line(1, "spmv", self.matrix, "--ranks", "mpi"))
            return

        def run(matrix):
            return _program.run_under_mpi(2, "spmv", matrix, "--ranks", "mpi")
        for matrix in self.matrix, "regular:rows=70,size=3":  # a file, of which each process reads a part
            done = run(matrix)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, self.succeed("spmv", matrix, "--ranks", 1))
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 x\n")
        done = run(bad)
        self.assertNotEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn(", byte 58: expected a row, a column and a value", done.stderr)

    def test_output_file(self):
        out = self.folder / "y.txt"
        out.write_text("what was there before")
        self.assertEqual(self.succeed("spmv", self.matrix, "--x", self.vector, "-o", out), "")
        self.check_product(out.read_text(), self.x)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.mtx", "x.txt", "y.txt"])

    def test_schedules_and_executors(self):
        for executor in ("cpu", "simt"):
            for schedule in _program.SCHEDULES:
                text = self.succeed("spmv", self.matrix, "--x", self.vector, "--on", executor, "--schedule", schedule)
                self.check_product(text, self.x)

    def test_repeats_bit_for_bit(self):
        runs = {self.succeed("spmv", self.matrix, "--x", self.vector) for _ in range(3)}
        self.assertEqual(len(runs), 1)

    def test_compressed(self):
        for ending, compress in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
            path = self.write(f"a.mtx.{ending}", compress(self.text.encode()))
            self.check_product(self.succeed("spmv", path, "--x", self.vector), self.x)

    def test_archives(self):
        matrix = self.text.encode()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, content in (("a/README", b"more"), ("a/a_b.mtx", b"more"), ("a/a.mtx", matrix)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        path = self.write("a.tar.gz", packed.getvalue())
        self.check_product(self.succeed("spmv", path, "--x", self.vector), self.x)
        done = _program.run("spmv", "-", "--x", self.vector, stdin=None, input=packed.getvalue(), text=False)
        self.check_product(done.stdout.decode(), self.x)
        with zipfile.ZipFile(self.folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("any", matrix)
        self.check_product(self.succeed("spmv", self.folder / "a.zip", "--x", self.vector), self.x)

    def test_compressed_output(self):
        product = self.succeed("spmv", self.matrix, "--x", self.vector)
        for ending, decompress in (("gz", gzip.decompress), ("BZ2", bz2.decompress), ("xz", lzma.decompress)):
            out = self.folder / f"y.txt.{ending}"
            self.assertEqual(self.succeed("spmv", self.matrix, "--x", self.vector, "-o", out), "")
            self.assertEqual(decompress(out.read_bytes()).decode(), product)

    def test_symmetric_and_pattern(self):
        path = self.write("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n")
        self.assertEqual(self.succeed("spmv", path), "2\n1\n2\n")
        path = self.write("k.mtx", matrix_market(2, 2, [(2, 1, 3.0)], "real skew-symmetric"))
        self.assertEqual(self.succeed("spmv", path), "-3\n3\n")

    def test_wrong_length_of_x(self):
        short = self.write("short.txt", "1\n2\n")
        out = self.folder / "y.txt"
        line = self.fail_with_line(1, "spmv", self.matrix, "--x", short, "-o", out)
        self.assertIn("short.txt: x has 2 numbers, but the matrix has 70 columns", line)
        self.assertFalse(out.exists())

    def test_standard_input(self):
        for content in (self.text.encode(), gzip.compress(self.text.encode())):
            done = _program.run("spmv", "-", "--x", self.vector, stdin=None, input=content, text=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check_product(done.stdout.decode(), self.x)
        done = _program.run("spmv", self.matrix, "--x", "-", stdin=None, input=self.vector.read_text())
        self.check_product(done.stdout, self.x)

    def test_x_beyond_the_range_of_a_double(self):
        one = self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
        for text, product in (("1e-400", "0\n"), ("-1e-400", "-0\n"), ("1e400", "inf\n")):
            done = _program.run("spmv", one, "--x", self.write("x.txt", text))
            self.assertEqual((done.returncode, float(done.stdout)), (0, float(product)))
            self.assertIn(f"x.txt:1: the value is '{text}', outside the range of a double: read as", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        for text, product in (("0e-999", "0\n"), ("1e-310", "1e-310\n")):
            self.assertEqual(self.succeed("spmv", one, "--x", self.write("x.txt", text)), product)

    def test_names_of_schedules_as_files_have_them(self):
        for executor in ("cpu", "simt"):
            for name in ("group_per_tile_8", "local_warp_search_registers", "group_mapped_block"):
                self.check_product(self.succeed("spmv", self.matrix, "--x", self.vector, "--on", executor, "--schedule",
                                                name), self.x)

    def test_pipe_as_output(self):
        # Not /dev/stdout, which a machine may lack: then it would be a new file there.
        self.check_product(self.succeed("spmv", self.matrix, "--x", self.vector, "-o", "/proc/self/fd/1"), self.x)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assertEqual(self.succeed("spmv", self.matrix, "--x", self.vector, "-o", pipe), "")
        self.check_product(os.read(reader, 1 << 16).decode(), self.x)
        self.assertTrue(pipe.is_fifo())


_program.main()
