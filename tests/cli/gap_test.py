# SPDX-License-Identifier: Apache-2.0
"""evenly gap and evenly components: results of known graphs; serialized graphs; bad input is one line."""
import json
import struct

import _program

KERNELS = ("bfs", "sssp", "pr", "cc", "bc", "tc")
# Two triangles and a bridge from 2 to 3; 6 has no edges.
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]


def serialized(edges, vertices, weights=None):
    """The bytes of an undirected .sg, or of a .wsg."""
    rows = [sorted([v for u, v in edges if u == w] + [u for u, v in edges if v == w]) for w in range(vertices)]
    offsets = [sum(map(len, rows[:v])) for v in range(vertices + 1)]
    ends = [v for row in rows for v in row]
    numbers = [each for v in ends for each in ((v, weights) if weights else (v,))]
    return (b"\0" + struct.pack("<qq", len(ends), vertices) + struct.pack(f"<{len(offsets)}q", *offsets)
            + struct.pack(f"<{len(numbers)}i", *numbers))


class Gap(_program.ProgramTest):
    def binary(self, name, content):
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def results(self, *arguments):
        report = json.loads(self.succeed("gap", *arguments, "--json", "-"))
        return {(each["workload"], each["schedule"]): each for each in report["results"]}

    def test_ranks(self):
        """The results of each number of ranks have the same bits, also of processes under MPI."""
        graph = self.write("g.wel", "".join(f"{u} {v} {w}\n" for u, v, w in
                                            {(k * k % 97, (k * 31 + 5) % 97, k % 7) for k in range(400)}))
        commands = (("bfs", "--source", 1), ("sssp", "--source", 1, "--weights", "file"), ("pagerank",),
                    ("components", "--undirected"))
        for command, *options in commands:
            words = (command, graph, *options, "--repeat", 1, "-o", "-", "--ranks")
            alone = self.succeed(*words[:-1], "--on", "cpu")
            found = [self.succeed(*words, ranks) for ranks in (1, 3)]
            self.assertEqual(found[0], found[1])
            if command == "pagerank":
                for one, other in zip(alone.split(), found[0].split()):
                    self.assertAlmostEqual(float(one), float(other), delta=1e-6)
            else:
                self.assertEqual(found[0], alone)
        done = self.results("kron:6", "--ranks", 2, "--trials", 1)
        self.assertEqual({kernel for _, kernel in done}, set(KERNELS) - {"bc"})
        self.assertTrue(all(each["ok"] for each in done.values()))
        self.assertIn("(3 ranks)", self.succeed("bfs", "kron:6", "--ranks", 3, "--repeat", 1))
        report = json.loads(self.succeed("bfs", "kron:6", "--ranks", 3, "--repeat", 1, "--json", "-"))
        self.assertEqual((report["ranks"], report["results"][0]["schedule"]), (3, "ranks"))
        for words, line in ((("gap", "kron:6", "--kernels", "bc"), "ranks have no betweenness"),
                            (("gap", "kron:6", "--delta", 2), "--delta has no effect with --ranks"),
                            (("bfs", "kron:6", "--schedule", "merge_path"), "--schedule has no effect with --ranks"),
                            (("sssp", "kron:6", "--delta", 2), "--delta has no effect with --ranks"),
                            (("pagerank", "kron:6", "--weighted"), "neither weighted nor personalized"),
                            (("components", graph), "add --undirected"),
                            (("pagerank", "kron:6", "--on", "simt"), "--ranks")):
            self.assertIn(line, self.fail_with_line(2, *words, "--ranks", 2))
        if not (_program.PROGRAM.parent.parent / "lib/evenly/libevenly_mpi.so").exists() or _program.SANITIZED:
            return
        for command, *options in commands:
            words = (command, graph, *options, "--repeat", 1, "-o", "-", "--ranks")
            done = _program.run_under_mpi(2, *words, "mpi")
            self.assertEqual((done.returncode, done.stdout), (0, self.succeed(*words, 1)), done.stderr)
        done = _program.run_under_mpi(2, "gap", "kron:6", "--trials", 1, "--ranks", "mpi")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("(2 ranks)", done.stdout)
        done = _program.run_under_mpi(2, "bfs", graph, "--source", "none", "--ranks", "mpi")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--source", done.stderr)

    def test_all_kernels(self):
        for on in ("cpu", "simt"):
            found = self.results("kron:6", "urand:5", "--on", on, "--trials", 2)
            self.assertEqual(set(found), {(graph, kernel) for graph in ("kron:6", "urand:5") for kernel in KERNELS})
            for each in found.values():
                self.assertTrue(each["ok"])
                self.assertEqual(each["trials"], 2)
                self.assertGreater(each["bytes"], 0)
        table = self.succeed("gap", "kron:6", "--on", "cpu", "--trials", 1)
        for kernel in KERNELS:
            self.assertRegex(table, rf"\n  {kernel} +1 ")

    def test_graphs_generated_in_place(self):
        """They are those that the host generates, of both releases, and the kernels find the same."""
        graphs = ("kron:7", "urand:6", "kron:8,degree=3,release=1.4", "urand:7,release=1.4")
        here = self.results(*graphs, "--on", "cpu", "--trials", 2)
        in_place = self.results(*graphs, "--on", "cpu", "--trials", 2, "--in-place")
        self.assertEqual(set(here), set(in_place))
        for which, each in in_place.items():
            self.assertTrue(each["ok"])
            for name in ("vertices", "edges", "trials", "iterations", "components", "triangles"):
                self.assertEqual(each.get(name), here[which].get(name), (which, name))
        self.assertIn("on cpu", self.succeed("gap", "kron:6", "--in-place", "--on", "cpu", "--kernels", "cc"))
        self.refuse_on_cpu((("gap", "kron:0", "--in-place"), "the graph has no edges"),
                           (("gap", "grid:3,3", "--in-place"), "neither kron nor urand"),
                           (("gap", "kron:6", "--ranks", 2, "--in-place"), "no effect with --ranks"),
                           (("gap", "kron:29"), "scale"), (("gap", "kron:28,degree=5000"), "degree"),
                           (("gap", "kron:6,release=2"), "release"),
                           (("gap", "urand:28,degree=4096"), "memory are needed"))
        self.assertIn("use cpu or cuda", self.fail_with_line(2, "gap", "kron:6", "--on", "simt", "--in-place"))

    def test_trials_are_those_of_gap(self):
        found = self.results("kron:4", "--on", "cpu")
        self.assertEqual([found["kron:4", each]["trials"] for each in KERNELS], [64, 64, 16, 16, 16, 3])

    def test_serialized_graphs(self):
        plain = self.binary("a.sg", serialized(EDGES, 7))
        weighted = self.binary("a.wsg", serialized(EDGES, 7, 3))
        for path in (plain, weighted):
            found = self.results(path, "--on", "cpu", "--trials", 2, "--kernels", "sssp,cc,tc")
            self.assertEqual(found[str(path), "cc"]["components"], 2)
            self.assertEqual(found[str(path), "tc"]["triangles"], 2)
            self.assertEqual(found[str(path), "cc"]["edges"], 7)
        out = self.folder / "distances.txt"
        self.succeed("sssp", weighted, "--source", 0, "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(out.read_text().split(), ["0", "3", "3", "6", "9", "9", "inf"])

    def test_directed_graphs(self):
        path = self.write("directed.el", "0 1\n1 2\n2 0\n3 2\n")
        found = self.results(path, "--on", "cpu", "--trials", 2)
        self.assertEqual(found[str(path), "cc"]["components"], 1)
        self.assertEqual(found[str(path), "tc"]["triangles"], 1)

    def test_components(self):
        out = self.folder / "labels.txt"
        path = self.write("graph.el", "".join(f"{u} {v}\n" for u, v in EDGES if (u, v) != (2, 3)) + "6 6\n")
        for on in ("cpu", "simt"):
            for more in ((), ("--undirected",)):
                table = self.succeed("components", path, "--on", on, "-o", out, "--repeat", 1, *more)
                self.assertEqual(out.read_text().split(), ["0", "0", "0", "3", "3", "3", "6"])
                self.assertIn("connected components of", table)
        report = json.loads(self.succeed("components", path, "--on", "cpu", "--repeat", 2, "--json", "-"))
        (result,) = report["results"]
        self.assertEqual((result["ok"], result["components"], result["largest"]), (True, 3, 3))
        names = self.write("names.el", "b a\nc d\n")
        self.succeed("components", names, "--on", "cpu", "-o", out, "--repeat", 1)
        self.assertEqual(dict(line.split() for line in out.read_text().splitlines()),
                         {"a": "a", "b": "a", "c": "c", "d": "c"})

    def test_bad_input_is_one_line(self):
        bad = self.binary("bad.sg", serialized(EDGES, 7)[:-1])
        for arguments, words in ((("gap", bad), "the data end before the end of the edges"),
                                 (("gap", self.write("none.el", "")), "the graph has no edges"),
                                 (("gap", "kron:x"), "'x' is not a parameter of kron"),
                                 (("gap", "kron:6", "--kernels", "bfs,dfs"), "dfs"),
                                 (("gap", "kron:6", "--trials", 0), "--trials"),
                                 (("gap", "kron:6", "--delta", -1), "--delta"),
                                 (("gap",), "inputs"),
                                 (("components", self.folder / "absent.el"), "absent.el")):
            done = _program.run(*arguments, "--on", "cpu")
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(words, done.stderr)
            self.assertTrue(done.stderr.strip().splitlines()[-1].startswith("evenly:"), done.stderr)
        # The other graph is measured nevertheless.
        done = _program.run("gap", bad, "kron:5", "--on", "cpu", "--trials", 1, "--json", "-")
        self.assertNotEqual(done.returncode, 0)
        report = json.loads(done.stdout)
        self.assertEqual([each["input"] for each in report["failed"]], [str(bad)])
        self.assertEqual(len(report["results"]), len(KERNELS))


if __name__ == "__main__":
    _program.main()
