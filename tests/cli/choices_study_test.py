# SPDX-License-Identifier: Apache-2.0
"""evenly study choices: what it writes, that it goes on where it stopped, and what it refuses."""
import json

import _program

FACTS = ["tiles", "atoms", "columns", "longest", "empty", "squares", "warp_steps", "rounds8", "rounds32",
         "heaviest_block", "classes"]
TINY = "regular:rows=300,size=7"
BROKEN = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n3 1 1.0\n"
OPERATIONS = ["spmv", "expand", "segmented_reduce", "segmented_scan"]


class ChoicesStudy(_program.ProgramTest):
    def study(self, *more):
        """The JSON; what was printed is in self.text."""
        file = self.folder / "choices.json"
        self.text = self.succeed("study", "choices", *more, "--on", "cpu", "--threads", "2", "--json", file)
        return json.loads(file.read_text(encoding="utf-8"))

    def test_has_every_schedule_for_all_operations_and_what_is_known_beforehand(self):
        found = self.study(TINY, "dense:rows=1,cols=500")
        self.assertEqual(found["study"], "choices")
        self.assertEqual([(r["family"], r["op"]) for r in found["results"]],
                         [(family, op) for family in ("regular", "dense") for op in OPERATIONS])
        for each in found["results"]:
            self.assertEqual(list(each["facts"]), FACTS)
            self.assertGreater(len(each["ms"]), 20)
            self.assertEqual(set(each["ms"]), set(each["plan_ms"]))
            self.assertGreater(min(each["ms"].values()), 0)
            self.assertEqual((each["executor"], each["threads"]), ("cpu", 2))
            self.assertNotIn("left_out", each)
        regular, one = (r["facts"] for r in found["results"][::len(OPERATIONS)])
        self.assertEqual([regular[f] for f in FACTS[:6]], [300, 2100, 300, 7, 0, 300 * 49])
        self.assertEqual([regular[f] for f in FACTS[6:10]], [70, 300, 300, 256 * 7])
        self.assertEqual(regular["classes"], [0, 0, 0, 300] + [0] * 8)
        self.assertEqual((one["tiles"], one["longest"], one["rounds32"]), (1, 500, 16))

    def test_goes_on_where_it_stopped(self):
        before = self.study(TINY)
        after = self.study(TINY, "grid:x=9,y=9", "--resume")
        self.assertIn(f"{len(OPERATIONS)} earlier results are kept", self.text)
        self.assertEqual(after["results"][:len(OPERATIONS)], before["results"])
        self.assertEqual([r["input"] for r in after["results"][len(OPERATIONS):]],
                         ["grid:x=9,y=9"] * len(OPERATIONS))

    def test_keeps_what_was_measured_beside_an_input_that_fails(self):
        file = self.folder / "choices.json"
        matrix = self.write("broken.mtx", BROKEN)
        done = _program.run("study", "choices", "grid:x=9,y=9", matrix, "--on", "cpu", "--json", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken.mtx:4", done.stderr)
        found = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual(len(found["results"]), len(OPERATIONS))
        self.assertEqual(found["failed"][0]["input"], str(matrix))

    def test_refuses(self):
        other = self.write("other.json", '{"study": "tasks"}')
        elsewhere = self.write(
            "elsewhere.json", '{"study": "choices", "machine": {"cpu": "a 6502", "cores": 1}, "results": []}')
        for words, said in [
                (["--resume"], "--resume needs --json FILE, which names the results to continue"),
                (["--report", self.folder / "page.html"], "--report applies to the studies mapping and tasks only"),
                (["--resume", "--json", other], 'study is "tasks": must be choices'),
                (["--resume", "--json", elsewhere], "its processor is 'a 6502', but here it is"),
                (["regular:rows=3"], "size"),
                (["nothing-of-this-name"], "nothing-of-this-name")]:
            with self.subTest(words=words):
                done = _program.run("study", "choices", "--on", "cpu", *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)
                self.assertRegex(done.stderr, r"\Aevenly: [^\n]+\n\Z")
        self.assertIn("--from applies to the studies mapping and tasks only",
                      self.fail_with_line(2, "study", "choices", "--from", other))
        self.assertEqual(other.read_text(), '{"study": "tasks"}')


if __name__ == "__main__":
    _program.main()
