# SPDX-License-Identifier: Apache-2.0
"""evenly compare --format: every format is right, on cpu and simt; what does not fit is refused in one line."""
import json

import _program

FORMATS = ["csr", "csc", "coo", "ell", "bcsr", "dia", "packed"]
FEW = ["thread_mapped", "warp_mapped", "dynamic_group_per_tile", "nonzero_split", "merge_path"]


class Formats(_program.ProgramTest):
    def results(self, *arguments):
        return json.loads(self.succeed("compare", *arguments, "--repeat", 1, "--json", "-"))["results"]

    def test_every_format_is_right(self):
        for of in FORMATS:
            for where, kind in (("cpu", "float"), ("simt", "double")):
                with self.subTest(format=of, executor=where):
                    words = ["--schedule", ",".join(FEW)] if of == "csr" else []
                    results = self.results("grid:x=12,y=9", "--on", where, "--type", kind, "--format", of, *words)
                    also = {"csr"} if of == "packed" else set()
                    self.assertTrue(all(r["ok"] for r in results), results)
                    self.assertEqual({r.get("format", "csr") for r in results}, {of} | also)
                    self.assertLessEqual(set(FEW), {r["schedule"] for r in results})

    def test_rows_of_all_lengths(self):
        for of in ("csc", "coo", "bcsr"):
            results = self.results("powerlaw:rows=3e3,avg=8,sd=60,max=2e3", "--on", "cpu", "--format", of)
            self.assertTrue(all(r["ok"] for r in results), results)

    def test_packed_columns_say_what_they_cost(self):
        for where in ("cpu", "simt"):
            for words, names in (((), FEW), (("--schedule", "merge_path:block_size=64"), ["merge_path:block_size=64"])):
                results = self.results("grid:x=40,y=30", "--on", where, "--format", "packed", *words)
                packed = {r["schedule"]: r for r in results if r.get("format") == "packed"}
                plain = {r["schedule"]: r for r in results if "format" not in r}
                self.assertEqual((set(packed), set(plain)), (set(names), set(names)))
                for name, result in packed.items():
                    self.assertTrue(result["ok"], result)
                    self.assertEqual(result["unpacked_columns_bytes"], 4 * result["atoms"])
                    self.assertLess(result["columns_bytes"], 2 * result["atoms"])
                    saved = plain[name]["ms"] - result["ms"]
                    self.assertNotIn("pack_ms", plain[name])
                    if saved > 0:
                        self.assertAlmostEqual(result["break_even_runs"], result["pack_ms"] / saved, delta=1)
                    else:
                        self.assertIsNone(result["break_even_runs"])
        table = self.succeed("compare", "grid:x=40,y=30", "--on", "cpu", "--format", "packed", "--repeat", 1)
        self.assertRegex(table, r"packed columns take [\d,]+ bytes, \d+% of the [\d,]+ that")
        self.assertRegex(table, r"merge_path: [\d.]+ times as long with them; they are (never paid for|paid for after)")
        self.assertIn("merge_path, unpacked", table)

    def test_what_saves_nothing_is_not_packed(self):
        self.assertIn("packed columns take 56 bytes, and 40 as they are: packing saves nothing",
                      self.fail_with_line(1, "compare", "regular:rows=5,size=2", "--on", "cpu", "--format", "packed"))

    def test_a_schedule_of_ones_own(self):
        results = self.results("grid:x=12,y=9", "--on", "cpu", "--format", "ell", "--schedule", "merge_path")
        self.assertEqual([r["schedule"] for r in results], ["merge_path"])

    def test_what_does_not_fit_is_refused(self):
        line = self.fail_with_line(1, "compare", "one-dense-row:rows=3e4,long=3e4", "--on", "cpu", "--format", "ell",
                                   "--repeat", 1)
        self.assertRegex(line, r"ELLPACK takes 900000000 slots, 7200000000 bytes, more than the \d+ that it may")
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", "ell", "--schedule", "streamed")
        self.assertIn("--schedule streamed: --format ell goes by", line)
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", "jagged")
        self.assertIn("'jagged' is not a format; there are csr, csc, coo, ell, bcsr, dia, packed", line)
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--op", "expand", "--format", "coo")
        self.assertIn("--format", line)


if __name__ == "__main__":
    _program.main()
