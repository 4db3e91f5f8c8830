# SPDX-License-Identifier: Apache-2.0
"""evenly dfs and evenly scc: results of known graphs on the executors; what is written; bad input is one line."""
import json

import _program
from _program import lines

# Two triangles and a bridge from 2 to 3; nothing leads to 6.
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (6, 0)]


class Traversals(_program.ProgramTest):
    def graph(self, first=0):
        return self.write("graph.el", "".join(f"{u + first} {v + first}\n" for u, v in EDGES))

    def test_order_and_parents(self):
        out, parents = self.folder / "order.txt", self.folder / "parents.txt"
        self.succeed("dfs", self.graph(), "--source", 0, "--on", "cpu", "--threads", 1, "-o", out, "--parents", parents,
                     "--repeat", 1)
        self.assertEqual(out.read_text(), lines([0, 1, 2, 3, 4, 5, -1]))
        self.assertEqual(parents.read_text(), lines([0, 0, 1, 2, 3, 4, -1]))

    def test_components(self):
        out = self.folder / "labels.txt"
        for on in ("cpu", "simt"):
            table = self.succeed("scc", self.graph(), "--on", on, "-o", out, "--repeat", 1)
            self.assertEqual(out.read_text(), lines([0, 0, 0, 3, 3, 3, 6]))
            self.assertRegex(table, r"strong components of [^\n]*7 vertices, 8 edges\n")
        self.succeed("scc", self.graph(), "--undirected", "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(out.read_text(), lines([0] * 7))

    def test_labels_are_the_ids_of_the_file(self):
        path = self.write("names.el", "b a\na b\nc a\n")
        out, names = self.folder / "labels.txt", self.folder / "map.txt"
        self.succeed("scc", path, "--on", "cpu", "-o", out, "--map", names, "--repeat", 1)
        self.assertEqual(out.read_text(), "a a\nb a\nc c\n")
        self.assertEqual(names.read_text(), "a\nb\nc\n")

    def test_json(self):
        report = json.loads(self.succeed("scc", self.graph(), "--on", "cpu", "--repeat", 2, "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((report["search"], result["ok"], result["components"], result["largest"], result["edges"]),
                         ("scc", True, 3, 3, 8))
        report = json.loads(self.succeed("dfs", self.graph(), "--source", 3, "--on", "simt", "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((report["search"], result["schedule"], result["reached"], result["sources"]),
                         ("dfs", "tasks", 3, [3]))

    def test_random_sources_are_distinct(self):
        """The graph has fewer vertices with edges, 7, than are requested by default."""
        for command in ("dfs", "bfs"):
            [result] = json.loads(self.succeed(command, self.graph(), "--on", "cpu", "--json", "-"))["results"]
            self.assertEqual(result["sources"], list(range(7)))
            some = json.loads(self.succeed(command, self.graph(), "--source", "random:3", "--on", "cpu", "--json", "-"))
            self.assertEqual(len(set(some["results"][0]["sources"])), 3)
            self.assertIn(", from 7 vertices", self.succeed(command, self.graph(), "--on", "cpu"))

    def test_bad_input_is_one_line(self):
        for arguments, words in ((("dfs", self.graph(), "--source", 7), "vertices are numbered from 0 to 6"),
                                 (("dfs", self.graph(), "--schedule", "merge_path"), "--schedule"),
                                 (("dfs", self.graph(), "-o", "order.txt"), "add --source VERTEX"),
                                 (("scc", self.folder / "none.el"), "none.el"),
                                 (("scc", self.graph(), "--source", 1), "--source"),
                                 (("scc", self.graph(), "-o", self.graph()), "graph.el")):
            done = _program.run(*arguments, "--on", "cpu")
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()[-1:]), 1)
            self.assertTrue(done.stderr.strip().splitlines()[-1].startswith("evenly:"), done.stderr)


if __name__ == "__main__":
    _program.main()
