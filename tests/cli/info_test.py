# SPDX-License-Identifier: Apache-2.0
"""evenly info: its figures against ones computed here."""
import gzip
import json
import math
import os
import unittest

import _program


def sizes_of_text(text):
    """Row sizes of a Matrix Market file in general storage."""
    rows, _, _ = map(int, text.splitlines()[1].split())
    sizes = [0] * rows
    for line in text.splitlines()[2:]:
        sizes[int(line.split()[0]) - 1] += 1
    return sizes


class Info(_program.ProgramTest):
    def info(self, what):
        return json.loads(self.succeed("info", what, "--json"))

    def test_figures_of_a_file(self):
        lines = [f"{row} {col} 1" for row in range(1, 201) for col in range(1, 1 + (row % 7 if row != 150 else 180))]
        text = f"%%MatrixMarket matrix coordinate real general\n200 200 {len(lines)}\n" + "\n".join(lines) + "\n"
        sizes = sizes_of_text(text)
        found = self.info(self.write("some.mtx", text))
        atoms = sum(sizes)
        average = atoms / 200
        self.assertEqual(found["workload"], str(self.folder / "some.mtx"))
        self.assertEqual((found["rows"], found["cols"], found["atoms"]), (200, 200, atoms))
        self.assertAlmostEqual(found["average"], average)
        self.assertAlmostEqual(found["standard_deviation"], math.sqrt(sum((s - average) ** 2 for s in sizes) / 200))
        self.assertEqual(found["longest"], 180)
        self.assertEqual(found["empty"], sizes.count(0))
        self.assertAlmostEqual(found["share_of_largest_percent"], sum(sorted(sizes)[-2:]) / atoms)
        for fraction, size in found["quantiles"].items():
            rank = max(1, math.ceil(float(fraction) * 200))
            self.assertEqual(size, sorted(sizes)[rank - 1], fraction)
        for each in found["histogram"]:
            members = [s for s in sizes if each["from"] <= s <= each["to"]]
            self.assertEqual((each["tiles"], each["atoms"]), (len(members), sum(members)))
        self.assertEqual(sum(each["tiles"] for each in found["histogram"]), 200)

    def test_names_in_json(self):
        self.assertEqual(
            list(self.info("regular:rows=10,size=2")),
            ["workload", "rows", "cols", "atoms", "average", "standard_deviation", "quantiles", "longest",
             "share_of_largest_percent", "empty", "histogram"])

    def test_one_of_a_kind(self):
        """Nouns agree with their number wherever a command prints a count."""
        one = self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        two = self.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 2\n")
        self.assertIn("; 1 tile (50.0%) is empty", self.succeed("info", two))
        for command, text in ((["compare", one, "--on", "cpu", "--repeat", 1], "1 x 1, 1 atom\n"),
                              (["explain", one], "1 tile with 1 atom,"),
                              (["bfs", one, "--on", "cpu", "--repeat", 1], "1 vertex, 1 edge,"),
                              (["spmm", one, "--on", "cpu", "--repeat", 1], "  1 row, 1 atom, B"),
                              (["spgemm", one, "--on", "cpu", "--repeat", 1], "  1 row, 1 product, 1 entry of C"),
                              (["ladder", "reduce", "--n", 1, "--on", "cpu", "--repeat", 1], "reduce of 1 element "),
                              (["draw", "spy", one], "1 entry in 1 row and 1 column")):
            out = self.succeed(*command)
            self.assertIn(text, out)
            self.assertNotRegex(out, r"(?<![\d.,])1 (tiles|atoms|rows|columns|entries|vertices|edges|elements)\b")

    def test_generators(self):
        self.assertEqual(self.info("dense:rows=20,cols=30")["atoms"], 600)
        one = self.info("one-dense-row:rows=1000,long=4e3")
        self.assertEqual((one["rows"], one["cols"], one["atoms"], one["longest"]), (1000, 4000, 4999, 4000))
        self.assertGreater(one["share_of_largest_percent"], 0.8)
        empty = self.info("mostly-empty:rows=1e4")
        self.assertEqual(empty["empty"], 9000)

    def test_without_work(self):
        for size in ("0 0 0", "5 4 0", "0 3 0"):
            text = f"%%MatrixMarket matrix coordinate pattern general\n{size}\n"
            path = self.write("none.mtx", text)
            found = self.info(path)
            self.assertEqual((found["atoms"], found["average"], found["longest"]), (0, 0, 0))
            self.assertIn("no work", self.succeed("info", path))

    def test_standard_input(self):
        for content in (_program.SMALL.encode(), gzip.compress(_program.SMALL.encode())):
            done = _program.run("info", "-", "--json", stdin=None, input=content, text=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["workload"], "standard input")
        done = _program.run("info", "-", stdin=None, input="3 3 0\n")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aevenly: standard input: unknown format: [^\n]*\n\Z")

    def test_names_that_control_a_terminal(self):
        for name, shown in (("a\x1b[31mred", r"a\x1b[31mred"), ("two\nlines", r"two\x0alines"),
                            ("\x9b2J", r"\xc2\x9b2J"), ("\u202eback", r"\xe2\x80\xaeback"), ("Übung", "Übung")):
            path = self.write(name + ".mtx", _program.SMALL)
            self.assertEqual(self.succeed("info", path).splitlines()[0], f"{self.folder}/{shown}.mtx")
            self.assertEqual(self.info(path)["workload"], f"{self.folder}/{name}.mtx")
            self.assertTrue(self.succeed("info", path, "--json").isascii())
            for arguments in (["compare", path, "--on", "cpu", "--repeat", 1], ["draw", "merge_path", path],
                              ["study", "mapping", path, "--quick", "--on", "cpu"]):
                self.assertNotRegex(self.succeed(*arguments), "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        path = self.folder / os.fsdecode(b"not \xff UTF-8.mtx")
        path.write_text(_program.SMALL)
        self.assertEqual(self.succeed("info", path).splitlines()[0], rf"{self.folder}/not \xff UTF-8.mtx")
        self.assertEqual(self.info(path)["workload"], f"{self.folder}/not \ufffd UTF-8.mtx")

    def test_text(self):
        text = self.succeed("info", "one-dense-row:rows=1000,long=4e3")
        for part in ("rows 1000, columns 4000, atoms 4999", "longest 4000", "2048 to 4095", "80.0%"):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 110)


_program.main()
