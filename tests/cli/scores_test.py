# SPDX-License-Identifier: Apache-2.0
"""evenly triangles and evenly betweenness: results of known graphs; what is written; bad input is one line."""
import json

import _program
from _program import lines

# A square with one diagonal, 0 to 2, and a tail to 4.
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)]


class Scores(_program.ProgramTest):
    def graph(self, more=(), both=False, name="graph.el"):
        edges = [*EDGES, *more, *([(v, u) for u, v in EDGES] if both else [])]
        return self.write(name, "".join(f"{u} {v}\n" for u, v in edges))

    def test_triangles(self):
        out = self.folder / "triangles.txt"
        for on in ("cpu", "simt"):
            for graph in (self.graph([(0, 1), (1, 0), (4, 4)]), self.graph(both=True, name="both.el")):
                table = self.succeed("triangles", graph, "--undirected", "--on", on, "-o", out, "--repeat", 1)
                self.assertEqual(out.read_text(), lines([2, 1, 2, 1, 0]))
                self.assertRegex(table, r"triangles of [^\n]*5 vertices, 12 edges\n")
        self.succeed("triangles", self.graph(both=True), "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(out.read_text(), lines([2, 1, 2, 1, 0]))

    def test_betweenness(self):
        out = self.folder / "scores.txt"
        for on in ("cpu", "simt"):
            self.succeed("betweenness", self.graph(), "--undirected", "--on", on, "-o", out, "--repeat", 1)
            scores = [float(line) for line in out.read_text().split()]
            for score, expected in zip(scores, [2, 0, 2, 6, 0]):
                self.assertAlmostEqual(score, expected)
        self.succeed("betweenness", self.graph(), "--undirected", "--normalized", "--on", "cpu", "-o", out)
        self.assertAlmostEqual(float(out.read_text().split()[3]), 6 / 12)
        self.succeed("betweenness", self.graph(), "--sources", "vertices:4,3", "--undirected", "--on", "cpu", "-o", out)
        scores = [float(line) for line in out.read_text().split()]
        for score, expected in zip(scores, [1, 0, 1, 3, 0]):
            self.assertAlmostEqual(score, expected)
        # Directed, the paths from 0 follow the edges 0 -> 2 -> 3 -> 4.
        self.succeed("betweenness", self.graph(), "--sources", "vertices:0", "--on", "cpu", "-o", out)
        self.assertEqual([float(line) for line in out.read_text().split()], [0, 0, 2, 1, 0])

    def test_labels_are_the_ids_of_the_file(self):
        path = self.write("names.el", "b a\na c\nc b\nc d\n")
        out, names = self.folder / "triangles.txt", self.folder / "map.txt"
        self.succeed("triangles", path, "--undirected", "--on", "cpu", "-o", out, "--map", names, "--repeat", 1)
        found = dict(line.split() for line in out.read_text().splitlines())
        self.assertEqual(found, {"a": "1", "b": "1", "c": "1", "d": "0"})
        self.assertEqual(sorted(names.read_text().split()), ["a", "b", "c", "d"])

    def test_json(self):
        arguments = ("--undirected", "--on", "cpu", "--repeat", 2, "--json", "-")
        report = json.loads(self.succeed("triangles", self.graph(), *arguments))
        (result,) = report["results"]
        self.assertEqual((report["search"], result["ok"], result["triangles"], result["edges"]),
                         ("triangles", True, 2, 6))
        self.assertGreater(result["bytes"], 0)
        report = json.loads(self.succeed("betweenness", self.graph(), "--sources", 2, *arguments))
        (result,) = report["results"]
        self.assertEqual((report["search"], result["ok"], result["sources"], result["vertices"]),
                         ("betweenness", True, 2, 5))

    def test_small_graphs(self):
        for text, count in (("0 0\n", 1), ("0 1\n", 2)):
            path, out = self.write("small.el", text), self.folder / "numbers.txt"
            for command in ("triangles", "betweenness"):
                self.succeed(command, path, "--undirected", "--on", "cpu", "-o", out, "--repeat", 1)
                self.assertEqual(len(out.read_text().split()), count)

    def test_bad_input_is_one_line(self):
        parallel = self.graph([(0, 1), (1, 0)], both=True, name="parallel.el")
        self.refuse_on_cpu(
            (("triangles", self.graph()), "add --undirected"),
            (("triangles", parallel), "vertices 0 and 1"),
            (("triangles", self.folder / "none.el"), "none.el"),
            (("triangles", self.graph(), "--sources", 1), "--sources"),
            (("betweenness", self.graph(), "--sources", "vertices:9"), "is not a vertex"),
            (("betweenness", self.graph(), "--sources", "some"), "--sources"),
            (("betweenness", self.graph(), "-o", self.graph()), "graph.el"))


if __name__ == "__main__":
    _program.main()
