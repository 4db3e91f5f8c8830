# SPDX-License-Identifier: Apache-2.0
"""evenly spmm: products of files against products computed here, in all layouts, on executors, under schedules; what
is written, and what is refused."""
import json
import random
import struct

import _program

SCHEDULES = ("thread_mapped", "warp_mapped", "dynamic_group_per_tile", "merge_path", "nonzero_split")


def array(rows, cols, value, kind="real general"):
    """Matrix Market's array: column by column."""
    values = [str(value[row][col]) for col in range(cols) for row in range(rows)]
    return f"%%MatrixMarket matrix array {kind}\n{rows} {cols}\n" + "\n".join(values) + "\n"


def npy(rows, cols, value, columns_first=False, kind="<f8"):
    header = f"{{'descr': '{kind}', 'fortran_order': {columns_first}, 'shape': ({rows}, {cols}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    imaginary = struct.pack("<d", 1) if kind == "<c16" else b""
    places = [(r, c) for c in range(cols) for r in range(rows)] if columns_first else \
        [(r, c) for r in range(rows) for c in range(cols)]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
            b"".join(struct.pack("<d", value[r][c]) + imaginary for r, c in places))


def read(text):
    banner, sizes, *values = text.splitlines()
    assert banner == "%%MatrixMarket matrix array real general", banner
    rows, cols = map(int, sizes.split())
    values = list(map(float, values))
    assert len(values) == rows * cols
    return [[values[col * rows + row] for col in range(cols)] for row in range(rows)]


class Spmm(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(5)
        places = {(generator.randrange(40), generator.randrange(30)) for _ in range(150)}
        places |= {(7, col) for col in range(30)} | {(row, 3) for row in range(40)}  # a dense row, a dense column
        places -= {(11, col) for col in range(30)}  # an empty row
        entries = {place: generator.randint(-5, 5) for place in sorted(places)}
        self.b = [[generator.randint(-9, 9) for _ in range(6)] for _ in range(30)]
        self.product = [[0] * 6 for _ in range(40)]
        for (row, col), value in entries.items():
            for j in range(6):
                self.product[row][j] += value * self.b[col][j]
        self.a_file = self.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n"
                                 f"40 30 {len(entries)}\n" +
                                 "".join(f"{r + 1} {c + 1} {v}\n" for (r, c), v in entries.items()))
        self.b_file = self.write("b.mtx", array(30, 6, self.b))

    def test_product(self):
        out = self.folder / "c.mtx"
        for executor in ("cpu", "simt"):
            for layout in ("row", "column"):
                for kind in ("float", "double"):
                    with self.subTest(executor=executor, layout=layout, kind=kind):
                        self.assertEqual(self.succeed("spmm", self.a_file, "--b", self.b_file, "--layout", layout,
                                                      "--on", executor, "--type", kind, "-o", out), "")
                        self.assertEqual(read(out.read_text()), self.product)
        for schedule in SCHEDULES:
            with self.subTest(schedule):
                self.assertEqual(read(self.succeed("spmm", self.a_file, "--b", self.b_file, "--schedule", schedule,
                                                   "--on", "cpu", "-o", "-")), self.product)

    def test_arrays_of_numpy(self):
        for columns_first in (False, True):
            of_numpy = self.write("b.npy", npy(30, 6, self.b, columns_first))
            self.assertEqual(read(self.succeed("spmm", self.a_file, "--b", of_numpy, "--on", "cpu", "-o", "-")),
                             self.product)
        # What it wrote it reads again.
        out = self.folder / "c.mtx"
        unit = self.write("i.mtx", "%%MatrixMarket matrix coordinate pattern general\n40 40 40\n" +
                          "".join(f"{i} {i}\n" for i in range(1, 41)))
        self.succeed("spmm", self.a_file, "--b", self.b_file, "--on", "cpu", "-o", out)
        self.assertEqual(self.succeed("spmm", unit, "--b", out, "--on", "cpu", "-o", "-"), out.read_text())

    def test_a_random_matrix(self):
        ask = ("spmm", self.a_file, "--width", 5, "--on", "cpu", "-o", "-")
        by_rows = self.succeed(*ask)
        self.assertEqual(len(read(by_rows)[0]), 5)
        self.assertEqual(self.succeed(*ask), by_rows)
        self.assertNotEqual(self.succeed(*ask, "--seed", 1), by_rows)
        for row, other in zip(read(by_rows), read(self.succeed(*ask, "--layout", "column"))):
            for value, same in zip(row, other):
                self.assertAlmostEqual(value, same, places=12)

    def test_times_and_json(self):
        for layout in ("row", "column"):
            out = self.folder / "times.json"
            table = self.succeed("spmm", self.a_file, "--width", 3, "--layout", layout, "--on", "cpu", "--repeat", 2,
                                 "--json", out)
            self.assertRegex(table, r"a\.mtx x 3 columns on cpu [^\n]*\n  40 rows, [\d,]+ atoms, B and C by " + layout)
            results = json.loads(out.read_text())["results"]
            beside = _program.BASELINES if layout == "row" else ()
            self.assertEqual([each["schedule"] for each in results], [*SCHEDULES, "automatic", *beside])
            automatic = results[len(SCHEDULES)]
            self.assertIn(automatic["chosen"], SCHEDULES)
            self.assertTrue(automatic["why"].startswith(automatic["chosen"] + ": "))
            # What `compare` says of the same product, and what only this command varies.
            compared = json.loads(self.succeed("compare", self.a_file, "--op", "spmm:3", "--on", "cpu", "--repeat", 1,
                                               "--json", "-"))["results"]
            known = {each["schedule"]: {*each, "width", "layout", "rows_checked"} - {"same_code_as"}
                     for each in compared}
            for result in results:
                self.assertEqual(set(result), known[result["schedule"]])
                self.assertEqual(result["rounds"], 2)
                self.assertGreater(min(result["gbps"], result["copy_gbps"]), 0)
                self.assertTrue(result["ok"], result)
                self.assertEqual((result["op"], result["width"], result["layout"], result["rows"], result["cols"],
                                  result["type"], result["executor"], result["rows_checked"]),
                                 ("spmm:3", 3, layout, 40, 30, "double", "cpu", 40))
                self.assertGreater(result["ms"], 0)
        results = json.loads(self.succeed("spmm", self.a_file, "--b", self.b_file, "--schedule",
                                          "merge_path:block_size=64,warp_mapped", "--on", "simt", "--type", "float",
                                          "--json", "-"))["results"]
        self.assertEqual([(each["schedule"], each["width"], each["type"], each["ok"]) for each in results],
                         [("merge_path:block_size=64", 6, "float", True), ("warp_mapped", 6, "float", True)])
        self.assertEqual(results[0]["parameters"]["block_size"], 64)

    def test_not_numbers_and_large_ones(self):
        b = [[1.0] * 2 for _ in range(30)]
        b[3][1] = float("nan")
        of_numpy = self.write("b.npy", npy(30, 2, b))
        self.succeed("spmm", self.a_file, "--b", of_numpy, "--on", "cpu", "--repeat", 1)
        b[3][1] = 1e300  # an infinity as float
        self.succeed("spmm", self.a_file, "--b", self.write("b.npy", npy(30, 2, b)), "--on", "cpu", "--repeat", 1,
                     "--type", "float")

    def test_empty_matrices(self):
        for rows, cols in ((0, 0), (3, 0), (0, 3), (2, 2)):
            empty = self.write("empty.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {cols} 0\n")
            for executor in ("cpu", "simt"):
                with self.subTest(rows=rows, cols=cols, executor=executor):
                    text = self.succeed("spmm", empty, "--width", 2, "--on", executor, "-o", "-")
                    self.assertEqual(read(text), [[0, 0]] * rows)
                    self.succeed("spmm", empty, "--width", 2, "--on", executor, "--repeat", 1)

    def test_refused(self):
        few = self.write("few.mtx", array(29, 2, [[1, 2]] * 29))
        entries = self.write("entries.mtx", _program.SMALL)
        kept = self.write("kept.mtx", "what was there before")
        short = self.write("short.mtx", "%%MatrixMarket matrix array real general\n30 2\n1\n2\n")
        cube = self.write("cube.npy", npy(30, 6, self.b).replace(b"(30, 6), }", b"(5,6,6)}  "))
        for status, words, text in (
                (1, ("--b", few), "a.mtx has 30 columns: the numbers must be equal"),
                (1, ("--b", entries), "entries.mtx:2: the format is coordinate: it must be array"),
                (1, ("--b", self.folder / "none.mtx"), "none.mtx"),
                (1, ("--b", short), "short.mtx"),
                (1, ("--b", self.write("narrow.mtx", array(30, 0, [[]] * 30))),
                 "narrow.mtx: B has 0 columns: it must have 1 to 1073741824"),
                (1, ("--b", self.write("narrow.npy", npy(30, 0, [[]] * 30))),
                 "narrow.npy: B has 0 columns: it must have 1 to 1073741824"),
                (1, ("--b", self.write("complex.mtx", array(30, 1, [["1 2"]] * 30, "complex general"))),
                 "complex.mtx:2: the values are complex, but must be real"),
                (1, ("--b", self.write("complex.npy", npy(30, 1, [[1]] * 30, kind="<c16"))),
                 "complex.npy: the values are complex, but must be real"),
                (1, ("--b", cube), "an array of shape (5, 6, 6): a matrix has two dimensions"),
                (1, ("--b", few, "-o", kept), "B has 29 rows"),
                (2, ("--b", few, "--width", 2), "--width and --b exclude each other"),
                (2, ("--width", 0), "--width '0'"),
                (2, ("--width", "x"), "--width"),
                (2, ("--layout", "both"), "'both' is not a layout"),
                (2, ("--schedule", "binned"), "--schedule binned: spmm supports only thread_mapped, warp_mapped,"),
                (2, ("--schedule", "nonsense"), "nonsense"),
                (2, ("--schedule", "merge_path,warp_mapped", "-o", "-"), "names 2 schedules"),
                (2, ("--schedule", "all", "-o", "-"), "names 5 schedules"),
                (2, ("-o", "-", "--json", "x"), "--json and -o exclude each other"),
                (2, ("-o", "c.npz"), "-o c.npz: dense matrices are written as .mtx or .npy"),
                (2, ("-o", self.a_file), "write to another file"),
                (2, ("--b", few, "--json", few), "results are written as .json"),
                (2, ("--type", "int"), "'int' is not a type")):
            with self.subTest(words):
                self.assertIn(text, self.fail_with_line(status, "spmm", self.a_file, *words, "--on", "cpu"))
        self.assertEqual(kept.read_text(), "what was there before")
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n1000000 1000000 0\n")
        self.assertIn("dense matrices of 1073741824 columns with 1000000 and 1000000 rows: ",
                      self.fail_with_line(1, "spmm", empty, "--width", 2**30, "--on", "cpu"))
        for name, text, what in (
                ("i.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n",
                 "the values are complex, but must be real"),
                ("i.npy", npy(2, 2, [[1, 2]] * 2, kind="<c16"), "the elements are of type <c16: they must be real")):
            self.assertIn(what, self.fail_with_line(1, "spmm", self.write(name, text), "--on", "cpu"))
        self.assertIn("named twice", self.fail_with_line(2, "spmm", "-", "--b", "-"))
        self.assertIn("a is required", self.fail_with_line(2, "spmm"))


if __name__ == "__main__":
    _program.main()
