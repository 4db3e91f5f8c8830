# SPDX-License-Identifier: Apache-2.0
"""--beside: peers have correct results, wrong results are found, and a peer that cannot run is reported by one line."""
import json
import shutil
import subprocess

import _program

PEERS = _program.GROUPS / "peers"
MATRIX = "powerlaw:rows=300,avg=6,sd=20,max=100"
GRAPH = "rmat:scale=8,edges=8"
COMMANDS = {
    "spmv": ("compare", MATRIX, "--schedule", "merge_path"),
    "spmv double": ("compare", MATRIX, "--schedule", "merge_path", "--type", "double"),
    "spmm:5": ("compare", MATRIX, "--schedule", "merge_path", "--op", "spmm:5", "--type", "double"),
    "spmm by rows": ("spmm", MATRIX, "--schedule", "merge_path", "--width", "5"),
    "spmm by columns": ("spmm", MATRIX, "--schedule", "merge_path", "--width", "5", "--layout", "column"),
    "spgemm": ("spgemm", MATRIX),
    "bfs": ("bfs", GRAPH, "--source", "random:3"),
    "sssp": ("sssp", GRAPH, "--source", "random:3"),
}
SPARSE = {"spmv", "spmv double", "spmm:5", "spmm by rows", "spgemm"}
ABLE = {"eigen": SPARSE | {"spmm by columns"}, "scipy": SPARSE | {"bfs", "sssp"}, "boost_graph": {"bfs", "sssp"},
        "even_split": {"spmv", "spmv double"}, "cholmod": {"spmm by columns", "spgemm"},
        "graphblas": {"spmm:5", "spmm by rows", "spmm by columns"}}


def has_scipy():
    done = subprocess.run(["python3", "-c", "import scipy"], capture_output=True, check=False)
    return done.returncode == 0


class Peers(_program.ProgramTest):
    def beside(self, peer, command, *options):
        return (*COMMANDS[command], "--on", "cpu", "--repeat", "1", "--threads", "2", "--beside", peer, *options)

    def test_results_are_right(self):
        built = {path.stem for path in PEERS.glob("*.so")} - ({"cusparse"} if has_scipy() else {"cusparse", "scipy"})
        self.assertIn("even_split", built)
        for peer in sorted(built):
            for command in sorted(ABLE[peer]):
                with self.subTest(peer=peer, command=command):
                    path = self.folder / "times.json"
                    self.succeed(*self.beside(peer, command, "--json", path))
                    report = json.loads(path.read_text())
                    mine = [r for r in report["results"] if peer in (r.get("name"), r.get("schedule"))]
                    self.assertEqual([r["ok"] for r in mine], [True])
                    self.assertGreater(mine[0]["ms"], 0)
                    if peer != "even_split":
                        self.assertRegex(next(iter(report["peers"].values())), r"^\d+\.\d+")

    def test_several_peers_are_rows_of_one_table(self):
        if not (PEERS / "eigen.so").exists():
            self.skipTest("Eigen is not installed")
        table = self.succeed(*self.beside("eigen,even_split", "spmv"))
        self.assertRegex(table, r"(?s)merge_path .*\n  loop, OpenMP static .*\n  Eigen .*\n  even split by hand ")

    def changed_program(self, peers):
        """A copy of the program with other shared objects for these peers."""
        program = _program.copy_program(self.folder / "copy", ("evenly-compare", "evenly-sparse", "evenly-graph"))
        folder = program.parent.parent / "libexec/evenly/peers"
        folder.mkdir()
        for peer, path in peers.items():
            shutil.copy(path, folder / f"{peer}.so")
        return program

    def run_changed(self, program, arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, check=False)

    def test_wrong_results_fail(self):
        wrong = _program.PROGRAM.parent.parent / "tests/wrong_peer.so"
        program = self.changed_program({"eigen": wrong, "boost_graph": wrong})
        for peer, command, message in (
                ("eigen", "spmv", r"FAILED\s+Eigen: row 0 is"), ("eigen", "spmm:5", r"FAILED\s+Eigen: "),
                ("eigen", "spmv double", r"FAILED\s+Eigen: Eigen: no double precision\s+today"),
                ("eigen", "spmm by columns", r"FAILED\s+Eigen: "), ("eigen", "spgemm", r"FAILED\s+Eigen: row \d+ is"),
                ("boost_graph", "bfs", r"FAILED\s+Boost\.Graph: vertex"),
                ("boost_graph", "sssp", r"FAILED\s+Boost\.Graph: vertex")):
            with self.subTest(command):
                done = self.run_changed(program, self.beside(peer, command))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stdout, message)

    def test_what_is_not_built_is_named_with_its_package(self):
        program = self.changed_program({"scipy": self.write("text.so", "no object")})
        for peer, command, message in (
                ("cholmod", "spgemm", "--beside cholmod: this peer is not built: install libsuitesparse-dev, and build "
                                      "the target peers"),
                ("even_split", "spmv", "--beside even_split: this peer is not built: build the target peers"),
                ("scipy", "bfs", "--beside scipy: .*scipy.so: .*")):
            with self.subTest(peer):
                done = self.run_changed(program, self.beside(peer, command))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\Aevenly: {message}\n\Z")

    def test_what_cannot_run_is_refused(self):
        able = "choose one of eigen, cholmod, graphblas, scipy"
        for words, message in (
                (("spmm", MATRIX, "--on", "cpu", "--beside", "eign"),
                 f"'eign' is not a peer (did you mean eigen?); {able}"),
                (("compare", MATRIX, "--on", "cpu", "--op", "spmm:3", "--beside", "even_split"),
                 f"--beside even_split: this peer does not have the operation; {able}"),
                (("compare", MATRIX, "--on", "cpu", "--format", "coo", "--beside", "even_split"),
                 "--beside has no effect without --format csr: peers read compressed rows"),
                (("compare", MATRIX, "--on", "cpu", "--op", "expand", "--beside", "even_split"),
                 "--beside even_split has no effect in compare --op expand or update"),
                (("compare", MATRIX, "--on", "simt", "--beside", "even_split"),
                 "--beside even_split: this peer runs on cpu: add --on cpu"),
                (("bfs", GRAPH, "--on", "cpu", "--together", "--beside", "scipy"),
                 "--together and --beside exclude each other"),
                (("spgemm", MATRIX, "--on", "cpu", "-o", "-", "--beside", "eigen"),
                 "--beside eigen has no effect in spgemm -o")):
            with self.subTest(words):
                self.assertEqual(self.fail_with_line(2, *words), f"evenly: {message}")

    def test_real_weights_and_other_types_are_refused(self):
        graph = self.write("graph.wel", "0 1 0.5\n1 2 0.25\n")
        if (PEERS / "boost_graph.so").exists():
            self.assertIn("peers need weights that are whole numbers", self.fail_with_line(
                2, "sssp", graph, "--on", "cpu", "--weights", "file", "--beside", "boost_graph"))
        if (PEERS / "cholmod.so").exists():
            self.assertIn("does not have this operation for values of this type", self.fail_with_line(
                2, "spgemm", MATRIX, "--on", "cpu", "--type", "float", "--beside", "cholmod"))


if __name__ == "__main__":
    _program.main()
