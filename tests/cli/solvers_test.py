# SPDX-License-Identifier: Apache-2.0
"""evenly solve and evenly trsv: solutions of files against systems made from them; what is written, measured and
refused."""
import json
import random

import _program

BANNER = "%%MatrixMarket matrix coordinate real general\n"


def market(rows, cols, entries):
    return BANNER + f"{rows} {cols} {len(entries)}\n" + "".join(
        f"{r + 1} {c + 1} {v!r}\n" for (r, c), v in sorted(entries.items()))


def numbers(text):
    return [float(line) for line in text.splitlines() if not line.startswith("%")]


class Solvers(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(3)
        self.size = 50
        entries = {(r, r): 8.0 for r in range(self.size)}
        for _ in range(80):
            r, c = generator.randrange(self.size), generator.randrange(self.size)
            if r != c:
                entries[r, c] = entries[c, r] = -1.0
        self.entries = entries
        self.x = [generator.randint(-4, 4) for _ in range(self.size)]
        self.a_file = self.write("a.mtx", market(self.size, self.size, entries))
        self.b_file = self.write("b.txt", _program.lines(self.product(entries)))

    def product(self, entries):
        b = [0.0] * self.size
        for (r, c), v in entries.items():
            b[r] += v * self.x[c]
        return b

    def expect_solution(self, text, places=5):
        found = numbers(text)
        self.assertEqual(len(found), self.size)
        for value, right in zip(found, self.x):
            self.assertAlmostEqual(value, right, places=places)

    def test_solutions(self):
        for executor in ("cpu", "simt"):
            for method in ("cg", "bicgstab"):
                for preconditioner in ("none", "jacobi", "ic0", "ilu0"):
                    with self.subTest(executor=executor, method=method, preconditioner=preconditioner):
                        self.expect_solution(self.succeed(
                            "solve", self.a_file, "--b", self.b_file, "--on", executor, "--method", method,
                            "--preconditioner", preconditioner, "-o", "-"))
        self.expect_solution(self.succeed("solve", self.a_file, "--b", self.b_file, "--on", "cpu", "--type", "float",
                                          "--tolerance", "1e-6", "-o", "-"), places=3)

    def test_triangles(self):
        for upper in (False, True):
            for unit in (False, True):
                for transpose in (False, True):
                    used = {(r, c): v for (r, c), v in self.entries.items() if (r < c) == upper and r != c}
                    used |= {(r, r): 1.0 if unit else 8.0 for r in range(self.size)}
                    if transpose:
                        used = {(c, r): v for (r, c), v in used.items()}
                    b = self.write("t.txt", _program.lines(self.product(used)))
                    words = ["--upper"] * upper + ["--unit-diagonal"] * unit + ["--transpose"] * transpose
                    for executor in ("cpu", "simt"):
                        with self.subTest(words=words, executor=executor):
                            self.expect_solution(self.succeed("trsv", self.a_file, "--b", b, *words, "--on", executor,
                                                              "-o", "-"))

    def test_times_and_json(self):
        out = self.folder / "times.json"
        table = self.succeed("solve", self.a_file, "--b", self.b_file, "--on", "cpu", "--repeat", 2, "--json", out)
        self.assertRegex(table, r"a\.mtx on cpu [^\n]*\n  50 rows, [\d,]+ atoms\n  cg with preconditioner none: \d+ ")
        prepare, solve = json.loads(out.read_text())["results"]
        self.assertEqual((prepare["name"], solve["name"], solve["ok"]), ("prepare", "solve", True))
        self.assertEqual(len(solve["residuals"]), solve["iterations"] + 1)
        self.assertLess(solve["residual"], 1e-7)
        self.assertGreater(solve["ms"], 0)
        results = json.loads(self.succeed("trsv", self.a_file, "--on", "cpu", "--repeat", 2, "--json", "-"))["results"]
        self.assertEqual([each["name"] for each in results], ["without analysis", "planned", "plan"])
        self.assertTrue(all(each["ok"] and each["levels"] > 1 for each in results))

    def test_laplacian(self):
        """(I + L) x = 1 has the solution 1, since each row of L adds up to 0."""
        for preconditioner in ("none", "ic0"):
            for value in numbers(self.succeed("solve", "grid:x=9,y=7", "--laplacian", "--on", "cpu", "--preconditioner",
                                              preconditioner, "-o", "-")):
                self.assertAlmostEqual(value, 1, places=6)

    def test_no_solution(self):
        kept = self.write("kept.txt", "what was there before")
        indefinite = self.write("minus.mtx", market(3, 3, {(0, 0): 1.0, (1, 1): -1.0, (2, 2): -2.0}))
        line = self.fail_with_line(1, "solve", indefinite, "--on", "cpu", "-o", kept)
        self.assertIn("not positive definite", line)
        self.assertEqual(kept.read_text(), "what was there before")
        few = _program.run("solve", self.a_file, "--on", "cpu", "--max-iterations", 2, "--json",
                           self.folder / "few.json")
        self.assertEqual(few.returncode, 1)
        self.assertRegex(few.stdout, r"FAILED: no solution after 2 iterations, with a relative residual of [\d.e-]+: "
                         "the maximum number of iterations was reached")
        result, = json.loads((self.folder / "few.json").read_text())["results"]
        self.assertEqual((result["ok"], result["iterations"], result["ms"]), (False, 2, None))
        missing = self.write("missing.mtx", market(2, 2, {(0, 0): 1.0, (1, 0): 1.0}))
        for command, text in ((("trsv",), "row 1 has no diagonal entry other than 0"),
                              (("solve", "--preconditioner", "jacobi"), "row 1 has no diagonal entry"),
                              (("solve", "--preconditioner", "ilu0"), "row 1: it has no entry on the diagonal")):
            self.assertIn(text, self.fail_with_line(1, command[0], missing, *command[1:], "--on", "cpu", "-o", "-"))

    def test_refused(self):
        wide = self.write("wide.mtx", _program.SMALL)
        short = self.write("short.txt", "1\n2\n")
        for status, words, text in (
                (1, ("solve", wide), "3 rows and 4 columns: a system to solve is square"),
                (1, ("trsv", wide), "3 rows and 4 columns: a system to solve is square"),
                (1, ("solve", self.a_file, "--b", short), "b has 2 values, but"),
                (2, ("solve", self.a_file, "--tolerance", "1"), "--tolerance 1: must be less than 1"),
                (2, ("solve", self.a_file, "--method", "gmres"), "gmres"),
                (2, ("solve", self.a_file, "--report", "r.html", "-o", "-"), "--report and -o exclude each other"),
                (2, ("trsv", self.a_file, "--json", "r.json", "-o", "-"), "--json and -o exclude each other"),
                (2, ("solve", "-", "--b", "-"), "standard input")):
            with self.subTest(words=words):
                self.assertIn(text, self.fail_with_line(status, *words, "--on", "cpu"))


if __name__ == "__main__":
    _program.main()
