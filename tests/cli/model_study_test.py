# SPDX-License-Identifier: Apache-2.0
"""evenly study model: times of every kernel, the CSV of the paper's artifact, folders with junk, and going on where a
study stopped."""
import csv
import io
import json

import _program

TINY = "regular:rows=300,size=7"
SQUARE = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1.0\n1 3 2.0\n2 2 3.0\n3 1 4.0\n"
KERNELS = ["thread_mapped", "merge_path", "group_mapped<32>", "serial", "openmp_static", "openmp_dynamic", "automatic"]


class ModelStudy(_program.ProgramTest):
    def study(self, *more):
        """The JSON; what was printed is in self.text."""
        file = self.folder / "model.json"
        self.text = self.succeed("study", "model", *more, "--on", "cpu", "--threads", "2", "--quick", "--json", file)
        return json.loads(file.read_text(encoding="utf-8"))

    def test_times_every_kernel(self):
        found = self.study(TINY, "dense:rows=1,cols=500")
        self.assertEqual(found["study"], "model")
        for dataset, facts in ((TINY, (300, 300, 2100)), ("dense:rows=1,cols=500", (1, 500, 500))):
            runs = [r for r in found["results"] if r["dataset"] == dataset]
            self.assertEqual(sorted(r["kernel"] for r in runs), sorted(KERNELS))
            for run in runs:
                self.assertEqual((run["rows"], run["cols"], run["nnzs"]), facts)
                self.assertTrue(run["ok"] and run["ms"] > 0)
        for name in ("speed-up", "heuristic", "oracle", "automatic", "openmp_static", "2.66"):
            self.assertIn(name, self.text)

    def test_csv_is_that_of_the_papers_artifact(self):
        path = self.folder / "times.csv"
        found = self.study("powerlaw:rows=300,avg=4,sd=9,max=90", "--csv", path)
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        self.assertEqual(rows[0], ["kernel", "dataset", "rows", "cols", "nnzs", "elapsed"])
        self.assertEqual([(r[0], r[1], float(r[5])) for r in rows[1:]],
                         [(r["kernel"], r["dataset"], r["ms"]) for r in found["results"]])
        again = self.folder / "again.csv"
        self.succeed("study", "model", "--from", self.folder / "model.json", "--csv", again)
        self.assertEqual(again.read_bytes(), path.read_bytes())

    def test_the_corpus_in_addition_to_inputs(self):
        names = {r["dataset"] for r in self.study(TINY, "--corpus", 2)["results"]}
        self.assertEqual(len(names), 3)
        self.assertIn(TINY, names)
        names = {r["dataset"] for r in self.study()["results"]}
        self.assertEqual(len(names), 8)

    def test_goes_on_where_it_stopped(self):
        before = self.study(TINY)
        after = self.study(TINY, "grid:x=9,y=9", "--resume")
        self.assertIn(f"{len(KERNELS)} earlier runs are kept", self.text)
        self.assertEqual(after["results"][:len(KERNELS)], before["results"])
        self.assertEqual({r["dataset"] for r in after["results"][len(KERNELS):]}, {"grid:x=9,y=9"})

    def test_a_folder_with_junk(self):
        """Its matrices are measured, each other file is one line, and the results in it are no input."""
        for name, text in (("data/a.mtx", SQUARE), ("data/more/b.mtx", SQUARE), ("data/notes.txt.mtx", "hello\n")):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        output = self.folder / "data/model.json"
        for more in ((), ("--resume",)):
            done = _program.run("study", "model", self.folder / "data", "--on", "cpu", "--quick", "--json", output,
                                *more)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("notes.txt.mtx", done.stderr)
            found = json.loads(output.read_text(encoding="utf-8"))
            self.assertEqual(sorted({r["dataset"].rsplit("/", 1)[1] for r in found["results"]}), ["a.mtx", "b.mtx"])
            self.assertEqual([f["input"].rsplit("/", 1)[1] for f in found["failed"]], ["notes.txt.mtx"])

    def test_bad_command_lines(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for arguments, names in (([empty], ["empty", "no files"]),
                                 (["--corpus", 9, "--quick"], ["--corpus 9", "8 matrices", "--quick"]),
                                 (["--corpus", 0], ["no matrices", "--corpus N"]),
                                 (["--corpus", -1], ["--corpus", "-1"]),
                                 (["--resume"], ["--resume", "--json"]),
                                 ([TINY, "--csv", self.folder / "a.png"], ["a.png", "csv"])):
            with self.subTest(arguments=arguments):
                line = self.fail_with_line(2, "study", "model", *arguments, "--on", "cpu")
                for name in names:
                    self.assertIn(name, line)
        for option in (("--csv", "a.csv"), ("--corpus", 3)):
            self.assertIn("study model only", self.fail_with_line(2, "study", "choices", TINY, *option))


_program.main()
