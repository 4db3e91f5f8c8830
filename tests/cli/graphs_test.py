# SPDX-License-Identifier: Apache-2.0
"""evenly bfs and evenly sssp: results of known graphs, under schedules and on executors; what is written; bad input is
one line."""
import gzip
import json
import re

import _opens
import _program
from _program import lines

# Two triangles and a bridge from 2 to 3; nothing leads to 6.
EDGES = [(0, 1, 4), (1, 2, 1), (0, 2, 7), (2, 3, 2), (3, 4, 3), (4, 5, 0), (3, 5, 9), (6, 0, 1)]
LEVELS = [0, 1, 1, 2, 3, 3, -1]
DISTANCES = [0, 4, 5, 7, 10, 10, "inf"]
PARENTS_OF_LEVELS = [0, 0, 0, 2, 3, 3, -1]
PARENTS_OF_DISTANCES = [0, 0, 1, 2, 3, 4, -1]
BANNER = "%%MatrixMarket matrix coordinate "
SCHEDULES = ["thread_mapped", "warp_mapped", "block_mapped", "merge_path", "nonzero_split"]


def splitmix64(x):
    mask = 2**64 - 1
    x = (x + 0x9e3779b97f4a7c15) & mask
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & mask
    return x ^ x >> 31


def from_one(values):
    return [each + 1 if each >= 0 else each for each in values]


class Graphs(_program.ProgramTest):
    def files(self):
        """The graph in each format: the file, and how it calls the first vertex."""
        metis = "7 8 1\n" + "".join(
            " ".join(f"{v + 1} {w}" for a, b, w in EDGES for u, v in ((a, b), (b, a)) if u == x) + "\n"
            for x in range(7))
        return {
            "graph.wel": ("# some edges\n" + "".join(f"{u} {v} {w}\n" for u, v, w in EDGES), 0),
            "graph.gr": ("c\np sp 7 8\n" + "".join(f"a {u + 1} {v + 1} {w}\n" for u, v, w in EDGES), 1),
            "graph.mtx": (BANNER + "integer general\n7 7 8\n" +
                          "".join(f"{u + 1} {v + 1} {w}\n" for u, v, w in EDGES), 1),
            "graph.graph": (metis, 1)}

    def test_made_up_weights_are_said(self):
        path = self.write("a.el", "0 1\n1 2\n")
        arguments = ("sssp", path, "--source", 0, "--on", "cpu", "--repeat", 1, "-o", self.folder / "d.txt")
        self.assertRegex(_program.run(*arguments).stderr, r"\Aevenly: [^\n]*edges have no weights[^\n]*--weights unit")
        self.assertEqual(_program.run(*arguments, "--weights", "unit").stderr, "")
        self.assertEqual((self.folder / "d.txt").read_text(), "0\n1\n2\n")

    def test_ranges_are_of_runs(self):
        graph = self.write("g.el", "".join(f"{v} {v + 1}\n" for v in range(2000)))
        for sources in ("0", "random:3"):
            arguments = ("bfs", graph, "--source", sources, "--on", "cpu", "--repeat", 9, "--json", "-")
            report = json.loads(self.succeed(*arguments))
            (result,) = report["results"]
            self.assertLessEqual(result["ms_min"], result["ms"])
            self.assertLessEqual(result["ms"], result["ms_max"])
            self.assertLess(result["ms_min"], result["ms_max"])  # nine runs are not of one length
        table = self.succeed("bfs", graph, "--source", "random:3", "--on", "cpu", "--repeat", 3)
        self.assertRegex(table, r"medians of the 3 sources: [\d.]+ \.\. [\d.]+ ms")
        self.assertNotIn("sources:", self.succeed("bfs", graph, "--source", 0, "--on", "cpu", "--repeat", 3))

    def test_levels_and_distances_of_every_format(self):
        for name, (text, first) in self.files().items():
            path = self.write(name, text)
            directed = name != "graph.graph"
            call = (lambda values: from_one(values)) if first else (lambda values: values)
            with self.subTest(name):
                out, parents = self.folder / "out", self.folder / "parents"
                options = (path, "--source", first, "--on", "cpu", "-o", out, "--parents", parents, "--repeat", 1)
                self.succeed("bfs", *options)
                self.assertEqual(out.read_text(), lines(LEVELS if directed else [*LEVELS[:6], 1]))
                if directed:
                    self.assertEqual(parents.read_text(), lines(call(PARENTS_OF_LEVELS)))
                self.succeed("sssp", *options)
                self.assertEqual(out.read_text(), lines(DISTANCES if directed else [*DISTANCES[:6], 1]))
                if directed:
                    self.assertEqual(parents.read_text(), lines(call(PARENTS_OF_DISTANCES)))

    def said(self, *arguments, **options):
        """What a program that succeeds says on standard error, and on standard output."""
        done = _program.run(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stderr, done.stdout

    def test_vertices_are_renumbered(self):
        """With any ids, memory is proportional to the edges, and every output has the ids of the file."""
        ids = [7, 10**9 + 7, 2**63 + 5, 3 * 10**9, 50, 4 * 10**18, 8]
        names = ["bob", "alice", "Zoe", "eve", "carol", "dave", "mallory"]
        for label, extra in ((ids, ("--renumber",)), (names, ()), (names, ("--renumber",))):
            path = self.write("graph.wel", "".join(f"{label[u]} {label[v]} {w}\n" for u, v, w in EDGES))
            order = sorted(range(7), key=lambda v: label[v] if label is ids else str(label[v]).encode())
            out, parents, names_of, told = (self.folder / each for each in ("out", "parents", "map", "told"))
            for command, values, of_parents in (("bfs", LEVELS, PARENTS_OF_LEVELS),
                                                ("sssp", DISTANCES, PARENTS_OF_DISTANCES)):
                table = self.succeed(command, path, *extra, "--source", label[0], "--on", "cpu", "-o", out, "--parents",
                                     parents, "--map", names_of, "--json", told, "--trace")
                self.assertEqual(out.read_text(), "".join(f"{label[v]} {values[v]}\n" for v in order))
                self.assertEqual(names_of.read_text(), lines(label[v] for v in order))
                self.assertEqual(json.loads(told.read_text())["results"][0]["sources"], [label[0]])
                self.assertIn(f"{command} from {label[0]}", table)
                if command == "bfs" and label is names:
                    continue  # of several parents the one of the lowest number
                self.assertEqual(parents.read_text(), "".join(
                    f"{label[v]} {label[of_parents[v]] if of_parents[v] >= 0 else -1}\n" for v in order))
            self.succeed("bfs", path, *extra, "--source", label[0], "--on", "cpu", "--together", "-o", out)
            self.assertEqual(out.read_text(), "".join(f"{label[v]} {LEVELS[v]}\n" for v in order))
            done = _program.run("bfs", path, *extra, "--source", "none", "--on", "cpu")
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                             (2, "evenly: --source 'none': the graph has no vertex of this name"))

    def test_errors_have_the_ids_of_the_file(self):
        for name, weights, words in (("minus", (1, -4), "the edge from 9000000000 to 5 has weight -4: weights must be"),
                                     ("far", ("1e308", "1e308"), "the edge from 9000000000 to 5 has weight 1e+308")):
            path = self.write(name + ".wel", f"70 9000000000 {weights[0]}\n9000000000 5 {weights[1]}\n")
            self.assertIn(words, self.fail_with_line(1, "sssp", path, "--renumber", "--source", 70, "--on", "cpu"))

    def test_map_is_written_for_plain_numbers_as_well(self):
        path = self.write("graph.gr", self.files()["graph.gr"][0])
        self.assertEqual(self.succeed("bfs", path, "--source", "random:2", "--on", "cpu", "--map", "-"),
                         lines(range(1, 8)))
        self.assertIn("written as text", self.fail_with_line(2, "bfs", path, "--map", path))
        self.assertIn("both write standard output",
                      self.fail_with_line(2, "bfs", path, "--source", 1, "-o", "-", "--map", "-"))

    def test_dialects(self):
        """One remark at most says how a list was read; what it offers works when it is typed."""
        weighted = [0, 2.5, 3.5]
        for name, text, distances, remark in (
                ("a.edgelist", "0 1 {'weight': 2.5}\n1 2 {}\n", weighted, ""),
                ("a.txt", "0 1 2.5\n1 2 1\n", weighted, "3 columns: the third is read as the weight"),
                ("a.csv", "0,1,2.5,99\n1,2,1,98\n", weighted, "4 columns: the third is read as the weight"),
                ("b.csv", "w;target;source\n2.5;1;0\n1;2;1\n", weighted, ""),
                ("a.tsv", "source\ttarget\tweight\n0\t1\t2.5\n1\t2\t1\n", weighted, ""),
                ("snap.wel", "# FromNodeId\tToNodeId\n0\t1\t2.5\n1\t2\t1\n", weighted, "3 columns: the third"),
                ("a.adjlist", "#x\n0 1\n1 2\n2\n", None, ""),
                ("b.txt", "0 1 2\n1 2\n2\n", None, "lines have 1 to 3 numbers: each line is read as a vertex"),
                ("out.zebra", "% sym weighted\n1 2 2.5\n2 3 1\n", weighted, "3 columns: the third")):
            with self.subTest(name):
                path = self.write(name, text)
                first = 1 if name.startswith("out") else 0
                said, _ = self.said("sssp", path, "--source", first, "--on", "cpu", "-o", self.folder / "out",
                                    *(() if distances else ("--weights", "hash")))
                if distances:
                    self.assertEqual((self.folder / "out").read_text(), lines(distances))
                self.assertEqual(said.count("\n"), 1 if remark else 0, said)
                self.assertIn(remark, said)
                for option, value in re.findall(r"(--columns|--format) ([a-z,-]+[a-z-])", said):
                    with self.subTest(option=option, value=value):
                        again, _ = self.said("bfs", path, option, value, "--source", first, "--on", "cpu")
                        self.assertNotIn(remark, again)

    def test_a_file_is_opened_once(self):
        """Its banner is checked before outputs are, and its entries are read afterwards, by the same open file."""
        matrix = self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n")
        packed = self.write("a.mtx.gz", gzip.compress(matrix.read_bytes()))
        edges = self.write("a.el", "0 1\n1 2\n")
        for path in (matrix, packed, edges):
            for command in (["bfs", "--on", "cpu", "--repeat", 1], ["sssp", "--on", "cpu", "--repeat", 1], ["info"],
                            ["spmv"], ["spmm", "--on", "cpu", "--repeat", 1], ["spgemm", "--on", "cpu", "--repeat", 1],
                            ["explain"], ["draw", "spy"]):
                with self.subTest(path=path, command=command):
                    opened = _opens.Opens(path)
                    self.succeed(command[0], *command[1:2 if command[0] == "draw" else 1], path,
                                 *command[2 if command[0] == "draw" else 1:])
                    self.assertEqual(opened.count(), 1)

    def test_remedies_work_when_typed(self):
        for name, text in (("word.el", "0 1\n1 b\n"), ("large.el", "0 1\n1 99999999999\n"), ("minus.el", "0 1\n1 -4\n"),
                           ("other.csv", "a,b\n0,1\n"), ("label.txt", "0 1 x\n1 2 y\n"),
                           ("late.el", "0 1\n" * 20000 + "1 2 3\n")):
            with self.subTest(name):
                path = self.write(name, text)
                line = self.fail_with_line(1, "bfs", path, "--on", "cpu")
                self.assertRegex(line, r":[0-9]+: ")
                remedies = re.findall(r"--renumber|(?:--columns|--format) [a-z,-]+[a-z-]", line)
                self.assertTrue(remedies, line)
                for remedy in remedies:
                    self.said("bfs", path, *remedy.split(), "--on", "cpu", "--repeat", 1)

    def test_two_sets_of_vertices(self):
        path = self.write("out.two", "% bip unweighted\n1 3\n2 1\n")
        self.assertIn("rows 2, columns 3, atoms 2", self.succeed("info", path))
        self.assertIn("must be one set of vertices", self.fail_with_line(1, "bfs", path))

    def test_matrices_from_every_dialect(self):
        path = self.write("a.csv", "src,dst,weight\n0,1,2\n0,1,3\n2,0,1\n")
        self.assertEqual(self.succeed("spmv", path), "5\n0\n1\n")
        names = self.write("names.txt", "a c\nc b\n")
        self.assertEqual(self.succeed("spmv", names), "1\n0\n1\n")
        far = self.write("far.el", "1 99999999999999\n99999999999999 5\n")
        self.assertEqual(self.succeed("spmv", far, "--renumber"), "1\n0\n1\n")
        self.assertIn("--renumber applies to edge lists only",
                      self.fail_with_line(1, "spmv", self.write("a.mtx", _program.SMALL), "--renumber"))

    def test_reads_compressed_and_standard_input(self):
        text = self.files()["graph.wel"][0]
        path = self.write("graph.wel.gz", gzip.compress(text.encode()))
        same = (("sssp", path), {}), (("sssp", "-", "--format", "wel"), {"input": text, "stdin": None})
        for arguments, options in same:
            self.assertEqual(self.succeed(*arguments, "--source", 0, "--on", "cpu", "-o", "-", **options),
                             lines(DISTANCES))

    def test_undirected(self):
        path = self.write("graph.wel", self.files()["graph.wel"][0])
        self.assertEqual(self.succeed("bfs", path, "--undirected", "--source", 6, "--on", "cpu", "-o", "-"),
                         lines([1, 2, 2, 3, 4, 4, 0]))

    def every_schedule_on(self, executor):
        path = self.write("graph.wel", self.files()["graph.wel"][0])
        real = self.write("real.wel", "0 1 0.5\n1 2 0.25\n0 2 1e9\n")
        for command, graph in (("bfs", path), ("sssp", path), ("sssp", real)):
            report = json.loads(self.succeed(command, graph, "--source", 0, "--on", executor, "--schedule", "all",
                                             "--repeat", 1, "--json", "-"))
            names = [each["schedule"] for each in report["results"]]
            with self.subTest(executor=executor, command=command, graph=graph.name):
                self.assertEqual(names, ["resident", *SCHEDULES])
                for each in report["results"]:
                    self.assertTrue(each["ok"], each)
                    self.assertEqual(each["reached"], 3 if graph == real else 6)
                    self.assertGreaterEqual(each["ms"], 0)
                    self.assertGreater(each["bytes"], 0)
                self.assertEqual((report["search"], report["executor"]), (command, executor))
                for member in ("machine", "date", "commit"):
                    self.assertIn(member, report)

    def test_every_schedule_on_every_executor(self):
        for executor in ("cpu", "simt"):
            self.every_schedule_on(executor)

    def test_every_schedule_on_cuda(self):
        done = _program.run("bfs", "grid:x=2,y=2", "--source", 0, "--on", "cuda", "-o", "-")
        if done.returncode == 1 and "cuda cannot be used" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.stdout, lines([0, 1, 1, 2]), done.stderr)
        self.every_schedule_on("cuda")

    def test_a_generated_graph_from_many_sources(self):
        report = json.loads(self.succeed("bfs", "rmat:scale=9,edges=8", "--on", "cpu", "--source", "random:3",
                                         "--schedule", "merge_path,nonzero_split:block_size=64", "--json", "-"))
        self.assertEqual([each["schedule"] for each in report["results"]],
                         ["merge_path", "nonzero_split:block_size=64"])
        for each in report["results"]:
            self.assertEqual(len(each["ms_of_sources"]), 3)
            self.assertTrue(each["ok"])

    def test_json_names_the_sources(self):
        """As the input calls them, and so that they can be asked for one by one."""
        path = self.write("graph.gr", self.files()["graph.gr"][0])
        for command in ("bfs", "sssp"):
            found = json.loads(self.succeed(command, path, "--source", 7, "--on", "cpu", "--json", "-"))["results"][0]
            self.assertEqual((found["sources"], found["reached"]), ([7], 7))
            found = json.loads(self.succeed(command, path, "--source", "random:4", "--on", "cpu", "--json", "-"))
            found = found["results"][0]
            self.assertEqual(len(found["sources"]), len(found["ms_of_sources"]))
            self.assertTrue(all(1 <= source <= 7 for source in found["sources"]))
            last = json.loads(self.succeed(command, path, "--source", found["sources"][-1], "--on", "cpu",
                                           "--json", "-"))["results"][0]
            self.assertEqual(last["reached"], found["reached"])

    def test_one_launch_finds_what_schedules_find(self):
        for undirected in ((), ("--undirected",)):
            found = []
            for form in ((), ("--schedule", "merge_path")):
                out, parents = self.folder / "out", self.folder / "parents"
                self.succeed("bfs", "rmat:scale=10,edges=8", "--source", 3, "--on", "cpu", "-o", out,
                             "--parents", parents, *undirected, *form)
                found.append((out.read_text(), parents.read_text()))
            self.assertEqual(found[0], found[1])

    def test_one_launch_is_the_default_of_bfs(self):
        report = json.loads(self.succeed("bfs", "rmat:scale=9,edges=8", "--on", "cpu", "--source", "random:2",
                                         "--json", "-"))
        self.assertEqual([each["schedule"] for each in report["results"]], ["resident"])
        self.assertLessEqual(report["results"][0]["bytes"], 12 * 4 * 512 + 4096)

    def test_memory_is_said_of_every_form(self):
        said = self.folder / "said.json"
        for command, forms in (("bfs", ("--schedule", "merge_path")), ("sssp", ("--schedule", "merge_path")),
                               ("sssp", ()), ("bfs", ("--together",))):
            with self.subTest(command, forms=forms):
                table = self.succeed(command, "rmat:scale=9,edges=8", "--source", "random:2", *forms, "--on", "cpu",
                                     "--repeat", 1, "--json", said)
                least = json.loads(said.read_text())["results"][0]["bytes"]
                self.assertIn(f"\n    {least:,} bytes of memory in addition to graph and result\n", table)
                if forms == ("--schedule", "merge_path"):  # two lists of vertices
                    self.assertGreater(least, 2 * 4 * 512)

    def test_every_method_of_shortest_paths(self):
        found = {}
        for form in ("--schedule merge_path", "", "--method automatic", "--method delta_stepping", "--method near_far",
                     "--method bellman_ford", "--delta 40", "--method near_far --delta 1e-3"):
            out, parents = self.folder / "out", self.folder / "parents"
            report = self.succeed("sssp", "rmat:scale=10,edges=8", "--source", 3, "--on", "cpu", "-o", out, "--parents",
                                  parents, *form.split())
            found[form] = (out.read_text(), parents.read_text())
            name = form.split()[1] if "--method" in form and "automatic" not in form else "resident"
            self.assertIn("merge_path" if "schedule" in form else name, report)
        self.assertEqual(len(set(found.values())), 1)

    def test_distances_beyond_32_bits(self):
        path = self.write("far.wel", "0 1 2000000000\n1 2 2000000000\n2 3 0\n")
        self.assertEqual(self.succeed("sssp", path, "--source", 0, "--on", "cpu", "-o", "-"),
                         lines([0, 2000000000, 4000000000, 4000000000]))

    def test_trace(self):
        path = self.write("path.el", "0 1\n1 2\n1 3\n")
        ask = ("bfs", path, "--source", 0, "--on", "cpu", "--trace")
        self.assertRegex(self.succeed(*ask, "--schedule", "merge_path"),
                         r"level +vertices +edges\n +0 +1 +1\n +1 +1 +2\n +2 +2 +0\n")
        chain = self.write("chain.el", "".join(f"{v} {v + 1}\n" for v in range(19)))
        self.assertRegex(self.succeed("bfs", chain, "--source", 0, "--on", "cpu", "--trace"),
                         r"/ 15 .*alpha.*/ 24 .*beta.*\n +level +vertices +edges +edges left\n +0 +1 +1 +18 +wide\n"
                         r" +1 +1 +1 +17 +alone\n")
        self.assertIn("bottom-up", self.succeed("bfs", "kron_g500-logn20:scale=0.01", "--source", "random:1",
                                                "--on", "cpu", "--trace"))
        self.assertIn("round", self.succeed("sssp", path, "--source", 0, "--on", "cpu", "--trace"))

    def test_any_parent(self):
        # 0 -> 3, 0 -> 1, 3 -> 2, 1 -> 2: both 1 and 3 may be the parent of 2
        path = self.write("any.el", "0 3\n0 1\n3 2\n1 2\n")
        of = ("bfs", path, "--source", 0, "--on", "cpu", "--threads", 1, "--parents", "-")
        self.assertEqual(self.succeed(*of), "0\n0\n1\n0\n")
        self.assertIn(self.succeed(*of, "--any-parent"), ("0\n0\n1\n0\n", "0\n0\n3\n0\n"))

    def test_together(self):
        path = self.write("graph.wel", self.files()["graph.wel"][0])
        self.assertEqual(self.succeed("bfs", path, "--source", 0, "--together", "--on", "cpu", "-o", "-"),
                         lines(LEVELS))
        for executor in ("cpu", "simt"):
            levels, told = self.folder / "levels", self.folder / "told.json"
            table = self.succeed("bfs", "rmat:scale=7,edges=4", "--source", "random:9", "--together", "--on", executor,
                                 "-o", levels, "--json", told, "--trace")
            self.assertRegex(table, r"together.*/ 4 .*alpha.*\n +level +vertices +edges\n"
                                    r" +0 +[0-9]+ +[0-9]+  (top-down|bottom-up)\n")
            result = json.loads(told.read_text())["results"][0]
            self.assertTrue(result["ok"])
            self.assertEqual((result["schedule"], len(result["sources"])), ("together", 9))
            self.assertGreater(result["searches_per_s"], 0)
            rows = [line.split() for line in levels.read_text().splitlines()]
            self.assertEqual(sum(level != "-1" for row in rows for level in row), result["reached"])
            for search in (0, 8):
                alone = self.succeed("bfs", "rmat:scale=7,edges=4", "--source", result["sources"][search],
                                     "--on", "cpu", "-o", "-")
                self.assertEqual([row[search] for row in rows], alone.split())
        long = self.write("long.el", "".join(f"{v} {v + 1}\n" for v in range(300)))  # of more levels than 8 bits hold
        self.assertEqual(self.succeed("bfs", long, "--source", 0, "--together", "--on", "cpu", "-o", "-"),
                         lines(range(301)))
        self.assertIn(", from 64 vertices", self.succeed("bfs", long, "--together", "--on", "cpu"))

    def test_weights(self):
        path = self.write("path.el", "0 1\n1 2\n5 3\n")
        ask = ("sssp", path, "--source", 0, "--on", "cpu", "-o", "-")
        hashed = [1 + splitmix64(u << 32 | v) % 255 for u, v in ((0, 1), (1, 2))]
        expected = lines([0, hashed[0], sum(hashed), "inf", "inf", "inf"])
        self.assertEqual(self.succeed(*ask), expected)
        self.assertEqual(self.succeed(*ask, "--weights", "hash"), expected)
        self.assertEqual(self.succeed(*ask, "--weights", "unit"), lines([0, 1, 2, "inf", "inf", "inf"]))
        self.assertEqual(self.fail_with_line(1, *ask, "--weights", "file"),
                         f"evenly: {path}: the edges have no weights: add --weights unit or --weights hash")
        # The same hash of the other direction.
        back = self.write("back.el", "2 1\n1 0\n")
        self.assertEqual(self.succeed("sssp", back, "--source", 2, "--on", "cpu", "-o", "-"),
                         lines([sum(hashed), hashed[1], 0]))
        real = self.write("real.wel", "0 1 0.1\n1 2 0.2\n")
        self.assertEqual(self.succeed("sssp", real, "--source", 0, "--on", "cpu", "-o", "-"),
                         lines([0, 0.1, 0.1 + 0.2]))

    def test_a_graph_of_one_vertex_and_loops(self):
        path = self.write("one.el", "0 0\n0 0\n")
        for command in ("bfs", "sssp"):
            self.assertEqual(self.succeed(command, path, "--source", 0, "--on", "cpu", "-o", "-"), "0\n")
        none = self.write("none.mtx", BANNER + "pattern general\n3 3 0\n")
        self.assertEqual(self.succeed("bfs", none, "--source", 2, "--on", "simt", "-o", "-"), "-1\n0\n-1\n")
        self.assertEqual(self.succeed("sssp", none, "--source", 3, "--on", "cpu", "-o", "-"), "inf\ninf\n0\n")

    def test_refuses_bad_input(self):
        good = self.write("good.mtx", BANNER + "pattern general\n3 3 1\n1 2\n")
        empty = self.write("empty.mtx", BANNER + "pattern general\n3 3 0\n")
        for status, arguments, words in (
                (2, ("bfs", good, "--source", 4), "--source '4': vertices are numbered from 1 to 3"),
                (2, ("bfs", good, "--source", 0), "--source '0': vertices are numbered from 1 to 3"),
                (2, ("bfs", good, "--source", "x"), "--source 'x': vertices are numbered from 1 to 3"),
                (2, ("bfs", good, "--source", -1), "--source '-1': vertices are numbered from 1 to 3"),
                (2, ("bfs", empty, "--source", "random:8"),
                 "--source random:8 needs vertices with edges, but the graph has none"),
                (2, ("sssp", empty), "--source random:8 needs vertices with edges, but the graph has none"),
                (2, ("bfs", good, "--source", "random:0"), "--source random"),
                (2, ("bfs", good, "--schedule", "binned"), "--schedule binned: searches support only thread_mapped, "
                 "warp_mapped, block_mapped, merge_path, nonzero_split"),
                (2, ("sssp", good, "--schedule", "merge_path,streamed"), "--schedule streamed: searches support only "),
                (2, ("bfs", good, "--schedule", "nothing"), "nothing"),
                (2, ("bfs", good, "-o", "-"), "add --source VERTEX"),
                (2, ("bfs", good, "--source", 1, "-o", "-", "--parents", "-"), "both write standard output"),
                (2, ("bfs", good, "--source", 1, "-o", "x", "--json", "./x"), "-o and --json both write './x'"),
                (2, ("bfs", good, "--weights", "unit"), "--weights"),
                (2, ("bfs", good, "--together", "--schedule", "merge_path"), "excludes --schedule"),
                (2, ("bfs", good, "--together", "--parents", "-"), "finds levels only, no parents"),
                (2, ("bfs", good, "--together", "--any-parent"), "finds levels only, no parents"),
                (2, ("bfs", good, "--any-parent", "--schedule", "merge_path"), "excludes --schedule"),
                (2, ("sssp", good, "--any-parent"), "--any-parent"),
                (2, ("bfs", good, "--together", "--source", "random:65"),
                 "--source random:65: 64 searches can run together at most"),
                (2, ("sssp", good, "--together"), "--together"),
                (2, ("sssp", good, "--method", "dijkstra"),
                 "'dijkstra' is not a method; choose one of automatic, delta_stepping, near_far, bellman_ford"),
                (2, ("sssp", good, "--method", "near_far", "--schedule", "merge_path"),
                 "--method and --schedule exclude each other"),
                (2, ("sssp", good, "--method", "bellman_ford", "--delta", 3), "--method bellman_ford has none"),
                (2, ("sssp", good, "--delta", 0), "--delta '0': must be a number greater than 0"),
                (2, ("sssp", good, "--delta", "wide"), "--delta 'wide': must be a number greater than 0"),
                (2, ("bfs", good, "--delta", 3), "--delta"),
                (2, ("sssp", good, "--weights", "none"),
                 "'none' is not a source of weights; choose one of file, unit, hash"),
                (2, ("bfs", good, "--format", "cvs"), "'cvs' is not a format (did you mean csv?)"),
                (2, ("bfs", good, "--source", 1, "-o", good), "write to another file"),
                (2, ("bfs", "nothing:n=3"), "neither a file nor a generator"),
                (1, ("bfs", self.folder / "not.el"), "not.el"),
                (2, ("bfs",), "input"),
                (1, ("bfs", "dense:rows=3,cols=4"), "3 rows and 4 columns: a graph needs a square matrix")):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.fail_with_line(status, *arguments, "--on", "cpu"))

    def test_refuses_bad_graphs(self):
        for name, text, words in (
                ("wide.mtx", BANNER + "pattern general\n2 3 0\n",
                 "2 rows and 3 columns: a graph needs a square matrix"),
                ("minus.wel", "0 1 3\n1 2 -4\n", "the edge from 1 to 2 has weight -4: weights must be 0 or greater"),
                ("minus.gr", "p sp 3 1\na 2 3 -1\n", "the edge from 2 to 3 has weight -1"),
                ("nan.mtx", BANNER + "real general\n2 2 1\n1 2 nan\n", "the edge from 1 to 2 has weight nan"),
                ("inf.mtx", BANNER + "real general\n2 2 1\n2 1 inf\n", "the edge from 2 to 1 has weight inf"),
                ("nan.wel", "0 1 1\n0 1 nan\n", "nan.wel:2: the weight is nan: it must be finite"),
                ("range.gr", "p sp 3 1\na 2 4 1\n", "range.gr:2: the target is '4': it must be 1 to 3"),
                ("short.gr", "p sp 3 2\na 2 3 1\n", "short.gr:2: the file has 1 edges, but line 1 announces 2"),
                ("word.el", "0 1\n1 b\n", "word.el:2: 'b' is not an integer: the target must be one"),
                ("none.el", "", "--source '0': the graph has no vertices")):
            with self.subTest(name):
                path = self.write(name, text)
                status = 2 if words.startswith("--source") else 1
                self.assertIn(words, self.fail_with_line(status, "sssp", path, "--source",
                                                         0 if name.endswith("el") else 1, "--on", "cpu"))

    def test_refuses_distances_that_overflow(self):
        """In one line, which calls the vertices as the file does; no table is printed."""
        for name, head, line, first in (("far.wel", "", "{} {} 1e308\n", 0),
                                        ("far.gr", "p sp 3 2\n", "a {} {} 1e308\n", 1),
                                        ("far.mtx", BANNER + "real general\n3 3 2\n", "{} {} 1e308\n", 1)):
            path = self.write(name, head + line.format(first, first + 1) + line.format(first + 1, first + 2))
            for form in ((), ("--schedule", "merge_path")):
                with self.subTest(name, form=form):
                    ask = ("sssp", path, "--source", first, "--on", "cpu", *form)
                    self.assertEqual(self.fail_with_line(1, *ask),
                                     f"evenly: {path}: the edge from {first + 1} to {first + 2} has weight 1e+308: "
                                     "added to the distance of its start, 1e+308, it overflows 64 bits")
                    self.assertEqual(_program.run(*ask).stdout, "")


if __name__ == "__main__":
    _program.main()
