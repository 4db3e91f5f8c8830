# SPDX-License-Identifier: Apache-2.0
"""evenly spgemm and evenly transpose: products of files against products computed here, on executors, in chunks; what
is written, and what is refused."""
import json
import random

import _program


def matrix_market(rows, cols, entries, kind="real general"):
    lines = [f"{row} {col} {value}" for row, col, value in entries]
    return f"%%MatrixMarket matrix coordinate {kind}\n{rows} {cols} {len(lines)}\n" + "\n".join(lines) + "\n"


def read(text):
    """Its sizes, and its entries in the order of their lines."""
    banner, sizes, *lines = text.splitlines()
    rows, cols, count = map(int, sizes.split())
    entries = [(int(row), int(col), *map(float, values)) for row, col, *values in map(str.split, lines)]
    assert len(entries) == count and banner.startswith("%%MatrixMarket matrix coordinate "), text
    return rows, cols, entries


class Spgemm(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(3)

        def some(rows, cols, count):
            places = {(generator.randint(1, rows), generator.randint(1, cols)) for _ in range(count)}
            places |= {(2, col) for col in range(1, cols + 1)}  # a dense row
            return [(row, col, generator.randint(-5, 5)) for row, col in sorted(places)]

        self.a, self.b = some(40, 70, 200), some(70, 50, 300)
        self.a_file = self.write("a.mtx", matrix_market(40, 70, self.a, "integer general"))
        self.b_file = self.write("b.mtx", matrix_market(70, 50, self.b, "integer general"))
        self.product = {}
        for row, inner, left in self.a:
            for of, col, right in self.b:
                if of == inner:
                    self.product[row, col] = self.product.get((row, col), 0) + left * right

    def check(self, text):
        rows, cols, entries = read(text)
        self.assertEqual((rows, cols), (40, 50))
        self.assertEqual([entry[:2] for entry in entries], sorted(self.product))  # entries of 0 among them
        for row, col, value in entries:
            self.assertEqual(value, self.product[row, col])

    def test_product(self):
        self.assertIn(0, self.product.values(), "an entry that cancels")
        for executor in ("cpu", "simt"):
            for kind in ("float", "double"):
                out = self.folder / "c.mtx"
                self.assertEqual(self.succeed("spgemm", self.a_file, self.b_file, "-o", out, "--on", executor, "--type",
                                              kind), "")
                self.check(out.read_text())
        self.check(self.succeed("spgemm", self.a_file, self.b_file, "-o", "-", "--on", "cpu"))

    def test_chunks_have_the_same_bits(self):
        ask = ("spgemm", "powerlaw:rows=300,avg=6,sd=20,max=200", "-o", "-", "--on")
        whole = self.succeed(*ask, "cpu")
        # Plans take more on more cores.
        planned = {}
        for executor in ("cpu", "simt"):
            report = json.loads(self.succeed("spgemm", ask[1], "--on", executor, "--repeat", 1, "--json", "-"))
            planned[executor] = report["results"][0]["bytes_of_plan"]
        for executor, room in (("cpu", 18_000), ("cpu", 40_000), ("simt", 18_000)):
            memory = planned[executor] + room
            self.assertEqual(self.succeed(*ask, executor, "--memory", memory), whole, (executor, memory))
        report = json.loads(self.succeed("spgemm", ask[1], "--on", "cpu", "--memory", planned["cpu"] + 18_000,
                                         "--repeat", 1, "--json", "-"))
        [result] = report["results"]
        self.assertEqual((result["name"], result["ok"]), ("in chunks", True))
        self.assertLess(result["bytes_of_chunk"], result["bytes_of_c"])
        self.assertEqual(result["entries"], len(read(whole)[2]))

    def test_times_and_json(self):
        out = self.folder / "times.json"
        table = self.succeed("spgemm", self.a_file, self.b_file, "--on", "cpu", "--repeat", 2, "--json", out)
        self.assertRegex(table, r"a\.mtx x \S+b\.mtx on cpu [^\n]*\n"
                                r"  40 rows, [\d,]+ products, [\d,]+ entries of C\n  memory: C ")
        report = json.loads(out.read_text())
        self.assertEqual([each["name"] for each in report["results"]], ["whole call", "planned"])
        for result in report["results"]:
            self.assertTrue(result["ok"])
            self.assertEqual((result["rows"], result["cols"], result["entries"]), (40, 50, len(self.product)))
            self.assertEqual(result["products"], sum(sum(of == inner for of, _, _ in self.b)
                                                     for _, inner, _ in self.a))
            self.assertGreater(result["ms"], 0)

    def test_transpose_keeps_integers_and_patterns(self):
        def transposed(field, lines):
            entries = len(lines.splitlines())
            text = f"%%MatrixMarket matrix coordinate {field} general\n2 3 {entries}\n{lines}"
            return self.succeed("transpose", self.write("i.mtx", text))

        self.assertEqual(transposed("integer", "1 3 9007199254740993\n2 1 -9223372036854775808\n"),
                         "%%MatrixMarket matrix coordinate integer general\n3 2 2\n"
                         "1 2 -9223372036854775808\n3 1 9007199254740993\n")
        self.assertEqual(transposed("unsigned-integer", "1 3 18446744073709551615\n"),
                         "%%MatrixMarket matrix coordinate unsigned-integer general\n3 2 1\n"
                         "3 1 18446744073709551615\n")
        self.assertEqual(transposed("pattern", "1 3\n2 1\n"),
                         "%%MatrixMarket matrix coordinate pattern general\n3 2 2\n1 2\n3 1\n")
        self.assertEqual(transposed("pattern", "1 3\n1 3\n"),  # twice, which a pattern cannot say
                         "%%MatrixMarket matrix coordinate integer general\n3 2 1\n3 1 2\n")
        large = self.write("l.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n")
        result = _program.run("spmv", large)
        self.assertEqual(result.stdout, "9007199254740992\n")
        self.assertEqual(result.stderr, f"evenly: {large}:3: the value is '9007199254740993', above 2^53: "
                                        "rounded to a double\n")
        self.assertEqual(_program.run("info", large).stderr, "")

    def test_transpose_of_harwell_boeing(self):
        text = ("title\n3 1 1 1\nIUA 2 3 2\n(4I2) (2I2) (2I17)\n 1 2 2 3\n 2 1\n"
                "               -2 9007199254740993\n")
        expected = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 2 -2\n3 1 9007199254740993\n"
        self.assertEqual(self.succeed("transpose", self.write("a.iua", text)), expected)
        named = self.write("a.txt", text)
        self.assertEqual(self.succeed("transpose", named, "--format", "hb"), expected)

    def test_transpose(self):
        rows, cols, entries = read(self.succeed("transpose", self.a_file))
        self.assertEqual((rows, cols), (70, 40))
        self.assertEqual(entries, sorted((col, row, value) for row, col, value in self.a))
        out = self.folder / "t.mtx"
        self.succeed("transpose", self.a_file, "-o", out, "--threads", 1)
        self.assertEqual(sorted(read(self.succeed("transpose", out))[2]), self.a)
        complex_file = self.write("i.mtx", matrix_market(2, 3, [(1, 3, "2.5 -1"), (2, 1, "0 4")], "complex general"))
        text = self.succeed("transpose", complex_file)
        self.assertEqual(read(text), (3, 2, [(1, 2, 0, 4), (3, 1, 2.5, -1)]))
        self.assertIn("coordinate complex general", text)

    def test_refused(self):
        for status, words, text in (
                (1, ("spgemm", self.a_file, self.a_file), "a.mtx has 40 rows: the numbers must be equal"),
                (1, ("spgemm", self.a_file), "the numbers must be equal"),
                (1, ("spgemm", self.folder / "none.mtx"), "none.mtx"),
                (2, ("spgemm",), "a is required: A: a file"),
                (2, ("spgemm", "-", "-"), "named twice"),
                (2, ("spgemm", self.a_file, self.b_file, "-o", self.b_file), "write to another file"),
                (2, ("spgemm", self.a_file, self.b_file, "-o", "-", "--json", "x"), "--json and -o exclude each other"),
                (2, ("spgemm", self.a_file, self.b_file, "--memory", "4Q"), "--memory '4Q': must be a number of bytes"),
                (2, ("spgemm", self.a_file, self.b_file, "--memory", "0"), "--memory '0'"),
                (2, ("spgemm", self.a_file, self.b_file, "--memory", "nan"), "--memory 'nan'"),
                (1, ("spgemm", self.a_file, self.b_file, "--memory", "1k", "--on", "cpu"), "--memory 1000: the plan"),
                (2, ("spgemm", self.a_file, self.b_file, "--type", "int"), "'int' is not a type"),
                (2, ("transpose",), "input is required"),
                (2, ("transpose", self.a_file, "-o", self.a_file), "write to another file"),
                (2, ("transpose", self.a_file, "--on", "cpu"), "--on")):
            with self.subTest(words):
                self.assertIn(text, self.fail_with_line(status, *words))
        kept = self.folder / "kept.mtx"
        kept.write_text("what was there before")
        rows = self.write("rows.mtx", matrix_market(1, 400, [(1, col, 1) for col in range(1, 401)]))
        full = self.write("full.mtx", matrix_market(400, 400, [(row, row, 1) for row in range(1, 401)]))
        line = self.fail_with_line(1, "spgemm", rows, full, "-o", kept, "--on", "cpu", "--threads", 1, "--memory",
                                   72000)
        self.assertIn("row 0 of the product has 400 entries", line)
        self.assertEqual(kept.read_text(), "what was there before")


if __name__ == "__main__":
    _program.main()
