# SPDX-License-Identifier: Apache-2.0
"""evenly compare --format: every format is right, on cpu and simt; what does not fit is refused in one line."""
import json

import _program

FORMATS = ["csr", "csc", "coo", "ell", "bcsr", "dia", "packed", "half", "bfloat16", "pattern"]
OF_FLOATS = {"half", "bfloat16"}
FEW = ["thread_mapped", "warp_mapped", "dynamic_group_per_tile", "nonzero_split", "merge_path"]


class Formats(_program.ProgramTest):
    def results(self, *arguments):
        return json.loads(self.succeed("compare", *arguments, "--repeat", 1, "--json", "-"))["results"]

    def bytes_of(self, *arguments):
        result = self.results(*arguments)[0]
        return round(result["gbps"] * result["ms"] * 1e6)

    def test_every_format_is_right(self):
        for of in FORMATS:
            for where, kind in (("cpu", "float"), ("simt", "float" if of in OF_FLOATS else "double")):
                with self.subTest(format=of, executor=where):
                    words = ["--schedule", ",".join(FEW)] if of == "csr" else []
                    results = self.results("grid:x=12,y=9", "--on", where, "--type", kind, "--format", of, *words)
                    also = {"csr"} if of == "packed" else set()
                    self.assertTrue(all(r["ok"] for r in results), results)
                    self.assertEqual({r.get("format", "csr") for r in results}, {of} | also)
                    self.assertLessEqual(set(FEW), {r["schedule"] for r in results})

    def test_rows_of_all_lengths(self):
        results = self.results("powerlaw:rows=3e3,avg=8,sd=60,max=2e3", "--on", "cpu", "--format", "csc,coo,bcsr")
        self.assertTrue(all(r["ok"] for r in results), results)
        self.assertEqual({(r["format"], r["schedule"]) for r in results},
                         {(of, name) for of in ("csc", "coo", "bcsr") for name in FEW})

    def test_a_format_that_does_not_fit_is_not_in_the_way_of_others(self):
        path = self.folder / "all.json"
        line = self.fail_with_line(1, "compare", "one-dense-row:rows=3e4,long=3e4", "grid:x=9,y=9", "--on", "cpu",
                                   "--format", "csr,ell,coo", "--schedule", "merge_path", "--repeat", 1, "--json", path)
        self.assertIn("ELLPACK takes 900000000 slots", line)
        written = json.loads(path.read_text())
        self.assertEqual([(r["workload"].partition(":")[0], r["format"]) for r in written["results"] if
                          r["schedule"] == "merge_path"],
                         [("one-dense-row", "csr"), ("one-dense-row", "coo"), ("grid", "csr"), ("grid", "ell"),
                          ("grid", "coo")])
        self.assertEqual([each["input"] for each in written["failed"]], ["one-dense-row:rows=3e4,long=3e4"])
        self.assertIn("--format: 'ell' is named twice",
                      self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", "ell,csr,ell"))

    def test_packed_columns_say_what_they_cost(self):
        for where in ("cpu", "simt"):
            for words, names in (((), FEW), (("--schedule", "merge_path:block_size=64"), ["merge_path:block_size=64"])):
                results = self.results("grid:x=40,y=30", "--on", where, "--format", "packed", *words)
                packed = {r["schedule"]: r for r in results if r.get("format") == "packed"}
                plain = {r["schedule"]: r for r in results if r["format"] == "csr"}
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
        self.assertRegex(table, r"packed columns take [\d,]+ bytes, \d+% of the [\d,]+ bytes unpacked")
        self.assertRegex(table, r"merge_path: [\d.]+ times as long with packed columns; "
                                r"packing (never pays off|pays off after)")
        self.assertIn("merge_path, unpacked", table)

    def test_what_saves_nothing_is_not_packed(self):
        self.assertIn("packed columns take 56 bytes, and 40 unpacked: packing saves no memory",
                      self.fail_with_line(1, "compare", "regular:rows=5,size=2", "--on", "cpu", "--format", "packed"))

    def test_compact_values_move_fewer_bytes(self):
        """Results are those of values that were rounded first, so that they are as exact as any; bytes are theirs."""
        grid = "grid:x=40,y=30"
        moved = {of: self.bytes_of(grid, "--on", "cpu", "--format", of, "--schedule", "merge_path")
                 for of in ("csr", "half", "bfloat16", "pattern")}
        atoms = self.results(grid, "--on", "cpu", "--schedule", "merge_path")[0]["atoms"]
        self.assertEqual({of: moved["csr"] - bytes_ for of, bytes_ in moved.items()},
                         {"csr": 0, "half": 2 * atoms, "bfloat16": 2 * atoms, "pattern": 4 * atoms})

    def test_what_16_bits_do_not_hold(self):
        large = self.folder / "large.mtx"
        large.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e5\n2 2 0.1\n")
        self.assertIn("values[0] = 100000.000000 does not fit into 16 bits: the largest value is 65504",
                      self.fail_with_line(1, "compare", large, "--on", "cpu", "--format", "half"))
        results = self.results(large, "--on", "cpu", "--format", "bfloat16")
        self.assertTrue(all(r["ok"] for r in results), results)
        for of in OF_FLOATS:
            line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", of, "--type", "double")
            self.assertIn(f"--format {of}: values of 16 bits need --type float", line)

    def test_a_schedule_of_ones_own(self):
        results = self.results("grid:x=12,y=9", "--on", "cpu", "--format", "ell", "--schedule", "merge_path")
        self.assertEqual([r["schedule"] for r in results], ["merge_path"])

    def test_what_does_not_fit_is_refused(self):
        line = self.fail_with_line(1, "compare", "one-dense-row:rows=3e4,long=3e4", "--on", "cpu", "--format", "ell",
                                   "--repeat", 1)
        self.assertRegex(line, r"ELLPACK takes 900000000 slots, 7200000000 bytes, more than the allowed \d+")
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", "ell", "--schedule", "streamed")
        self.assertIn("--schedule streamed: --format ell supports only", line)
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--format", "jagged")
        self.assertIn("'jagged' is not a format; choose one of " + ", ".join(FORMATS), line)
        line = self.fail_with_line(2, "compare", "grid:x=9,y=9", "--op", "expand", "--format", "coo")
        self.assertIn("--format", line)


if __name__ == "__main__":
    _program.main()
