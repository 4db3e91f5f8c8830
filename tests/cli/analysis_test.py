# SPDX-License-Identifier: Apache-2.0
"""evenly pagerank, kcore, forest and colour: results of known graphs; outputs; bad input is one line."""
import json
import math
import os

import _program
from _program import lines

# A triangle with a tail: 3 hangs on 2, and 4 on 3. Vertex 5 has only a self-loop; 0 and 1 have parallel edges.
EDGES = [(0, 1), (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 5)]


def scores_of(edges, vertices, damping=0.85, jumps=None):
    """By 2,000 iterations; edges: (from, to, weight)."""
    jumps = jumps or [1 / vertices] * vertices
    scores = jumps
    for _ in range(2000):
        sums = [sum(w for u, _, w in edges if u == v) for v in range(vertices)]
        jumping = 1 - damping + damping * sum(s for s, total in zip(scores, sums) if total == 0)
        following = [jumping * each for each in jumps]
        for u, v, w in edges:
            if sums[u] > 0:
                following[v] += damping * scores[u] * w / sums[u]
        scores = following
    return scores


class Analysis(_program.ProgramTest):
    def graph(self, name="graph.el", weights=None):
        rows = (f"{u} {v}" + (f" {w}" if weights else "") for (u, v), w in zip(EDGES, weights or EDGES))
        return self.write(name, lines(rows))

    def expect_scores(self, want, *arguments):
        for on in ("cpu", "simt"):
            out = self.folder / "scores.txt"
            self.succeed("pagerank", *arguments, "--on", on, "-o", out, "--tolerance", "1e-10", "--repeat", 1)
            got = [float(line) for line in out.read_text().split()]
            self.assertEqual(len(got), len(want))
            self.assertTrue(math.isclose(sum(got), 1, rel_tol=1e-12))
            for a, b in zip(got, want):
                self.assertAlmostEqual(a, b, delta=1e-9)

    def test_scores(self):
        plain = [(u, v, 1) for u, v in EDGES]
        self.expect_scores(scores_of(plain, 6), self.graph())
        self.expect_scores(scores_of(plain, 6, 0.5), self.graph(), "--damping", 0.5)
        simple = {(u, v) for a, b in EDGES for u, v in ((a, b), (b, a)) if u != v}
        self.expect_scores(scores_of([(u, v, 1) for u, v in simple], 6), self.graph(), "--undirected")

    def test_weights(self):
        weights = [1, 2, 0.5, 3, 1, 0, 2]
        path = self.graph("graph.wel", weights)
        weighted = [(u, v, w) for (u, v), w in zip(EDGES, weights)]
        self.expect_scores(scores_of(weighted, 6), path, "--weighted")
        self.expect_scores(scores_of([(u, v, 1) for u, v in EDGES], 6), path)

    def test_personalization(self):
        plain = [(u, v, 1) for u, v in EDGES]
        self.expect_scores(scores_of(plain, 6, jumps=[0.5, 0, 0, 0.5, 0, 0]), self.graph(), "--personalize", "0,3")
        path = self.write("jumps.txt", "# vertices\n0 3\n\n4\n")
        self.expect_scores(scores_of(plain, 6, jumps=[0.75, 0, 0, 0, 0.25, 0]), self.graph(), "--personalize", path)

    def test_core_numbers(self):
        out = self.folder / "numbers.txt"
        for on in ("cpu", "simt"):
            table = self.succeed("kcore", self.graph(), "--undirected", "--on", on, "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), lines([2, 2, 2, 1, 1, 0]))
            self.assertRegex(table, r"core numbers of [^\n]*6 vertices, 10 edges\n")

    def test_forest(self):
        out = self.folder / "forest.wel"
        # The path from 0 to 2 by 1 is lighter than the edge of 3. Of the parallel edges, that of 1 is taken.
        path = self.graph("graph.wel", [2, 1, 1, 3, -0.5, 7, 1])
        for on in ("cpu", "simt"):
            table = self.succeed("forest", path, "--on", on, "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), lines(["0 1 1", "1 2 1", "2 3 -0.5", "3 4 7"]))
            self.assertRegex(table, "minimum spanning forest of [^\n]*6 vertices, 7 edges\n")
            self.succeed("forest", path, "--undirected", "--on", on, "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), lines(["0 1 1", "1 2 1", "2 3 -0.5", "3 4 7"]))
        self.succeed("forest", self.write("names.el", "b a\nc b\nc a\n"), "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(out.read_text(), "b a\nc a\n")  # names are numbered in their order
        (result,) = json.loads(self.succeed("forest", path, "--on", "cpu", "--json", "-"))["results"]
        self.assertEqual((result["forest_edges"], result["trees"], result["weight"]), (4, 2, 8.5))

    def test_colours(self):
        out = self.folder / "colours.txt"
        texts = set()
        for options in (("--seed", 5), ("--order", "random")):
            for on in ("cpu", "simt"):
                table = self.succeed("colour", self.graph(), "--undirected", "--on", on, "-o", out, "--repeat", 1,
                                     *options)
                colours = [int(line) for line in out.read_text().split()]
                self.assertEqual(len(colours), 6)
                for u, v in EDGES:
                    self.assertTrue(u == v or colours[u] != colours[v])
                texts.add((options, out.read_text()))
            self.assertRegex(table, r"colours of [^\n]*6 vertices, 10 edges\n")
        self.assertEqual(len(texts), 2)  # the executor makes no difference
        report = json.loads(self.succeed("colour", self.graph(), "--undirected", "--on", "cpu", "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((result["colours"], result["edges"]), (3, 5))

    def test_labels_are_the_ids_of_the_file(self):
        path = self.write("names.el", "b a\nc b\n")
        out, names = self.folder / "numbers.txt", self.folder / "map.txt"
        self.succeed("kcore", path, "--undirected", "--on", "cpu", "-o", out, "--map", names, "--repeat", 1)
        self.assertEqual(out.read_text(), "a 1\nb 1\nc 1\n")
        self.assertEqual(names.read_text(), "a\nb\nc\n")
        self.succeed("pagerank", path, "--personalize", "b", "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(out.read_text().splitlines()[2], "c 0")

    def test_json(self):
        report = json.loads(self.succeed("pagerank", self.graph(), "--on", "cpu", "--repeat", 2, "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((report["search"], result["ok"], result["vertices"], result["edges"]),
                         ("pagerank", True, 6, 7))
        self.assertLessEqual(result["error"], 1e-6)
        self.assertGreater(result["iterations"], 1)
        report = json.loads(self.succeed("kcore", self.graph(), "--undirected", "--on", "cpu", "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((result["max_core"], result["in_max_core"], result["edges"]), (2, 3, 5))

    def test_bits_repeat_over_threads(self):
        texts = set()
        for threads in (1, len(os.sched_getaffinity(0))):
            out = self.folder / "scores.txt"
            self.succeed("pagerank", "rmat:scale=10,edges=8", "--on", "cpu", "--threads", threads, "-o", out,
                         "--repeat", 1)
            texts.add(out.read_text())
        self.assertEqual(len(texts), 1)

    def test_small_graphs(self):
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        alone = self.write("alone.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n")
        out = self.folder / "out.txt"
        for path, score, number in ((empty, "", ""), (alone, "1\n", "0\n")):
            self.succeed("pagerank", path, "--on", "cpu", "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), score)
            self.succeed("kcore", path, "--on", "cpu", "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), number)

    def test_no_convergence(self):
        done = _program.run("pagerank", self.graph(), "--max-iterations", 2, "--on", "cpu", "-o",
                            self.folder / "scores.txt")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(" ".join(done.stdout.split()), r"no convergence: iteration 2 still changed the scores by \S+, "
                         "more than the tolerance 1e-06")
        self.assertFalse((self.folder / "scores.txt").exists())

    def test_bad_input_is_one_line(self):
        def mtx(name, entries):
            head = "%%MatrixMarket matrix coordinate real general\n3 3 "
            return self.write(name, f"{head}{len(entries)}\n" + lines(entries))

        negative = self.graph("negative.wel", [1, -2, 1, 1, 1, 1, 1])
        loop, parallel = mtx("loop.mtx", ["1 1 1"]), self.write("parallel.el", "0 1\n0 1\n1 0\n1 0\n")
        jumps = self.write("jumps.txt", "0 x\n")
        self.refuse_on_cpu(
            (("kcore", self.graph()), "has no reverse: core numbers need a simple undirected graph: add --und"),
            (("kcore", loop), "vertex 1 has a self-loop"), (("kcore", parallel), "0 and 1 have parallel edges"),
            (("kcore", self.graph(), "--weighted"), "--weighted"),
            (("pagerank", self.graph(), "--weighted"), "the edges have no weights"),
            (("pagerank", negative, "--weighted"), "has weight -2: weights must be 0 or greater"),
            (("pagerank", self.graph(), "--damping", 1), "--damping 1: must be less than 1"),
            (("pagerank", self.graph(), "--damping", "x"), "--damping"),
            (("pagerank", self.graph(), "--tolerance", 0), "--tolerance"),
            (("pagerank", self.graph(), "--max-iterations", 0), "--max-iterations"),
            (("pagerank", self.graph(), "--personalize", "0,9"), "'9' is neither a file nor a vertex"),
            (("pagerank", self.graph(), "--personalize", jumps), "jumps.txt:1: expected a vertex"),
            (("colour", self.graph()), "has no reverse: colours need an undirected graph: add --undirected"),
            (("colour", self.graph(), "--order", "x"), "'x' is not an order; choose one of largest_first, random"),
            (("forest", self.graph(), "-o", self.folder / "forest.npy"), "edge lists are"),
            (("pagerank", self.folder / "none.el"), "none.el"),
            (("pagerank", self.graph(), "-o", self.graph()), "graph.el"))


if __name__ == "__main__":
    _program.main()
