# SPDX-License-Identifier: Apache-2.0
"""evenly ladder: every rung is timed where it is asked for, counts are the formulas, a bad command line is one line."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import _program

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/tables.py"

RUNGS = {
    "reduce": ["interleaved", "sequential", "decomposed_divergent", "decomposed_conflicting", "decomposed",
               "decomposed_unrolled", "fast"],
    "scan": ["naive", "work_efficient", "work_efficient_padded", "fast"],
    "rotate": ["direct", "rotate", "rotate_padded"],
}
TOO_MANY = 10**15


class Ladder(_program.ProgramTest):
    def report(self, *arguments):
        return json.loads(self.succeed("ladder", *arguments, "--json", "-"))

    def test_times_every_rung(self):
        for executor in ("cpu", "simt"):
            for ladder, rungs in RUNGS.items():
                for n in (0, 1, 3000):
                    report = self.report(ladder, "--on", executor, "--n", n, "--repeat", 1)
                    found = [r for r in report["results"] if r["is_rung"]]
                    self.assertEqual([r["rung"] for r in found], rungs)
                    self.assertTrue(all(r["ok"] and r["ms"] >= 0 for r in report["results"]))
                    self.assertLessEqual(report["rows"] * report["cols"], max(n, 1))

    def test_compares_with_others_on_cpu(self):
        for arguments in (["reduce"], ["scan"], ["scan", "--exclusive"], ["reduce", "--type", "float"],
                          ["scan", "--type", "float"]):
            report = self.report(*arguments, "--on", "cpu", "--n", "1e5", "--repeat", 1)
            others = [r["rung"] for r in report["results"] if not r["is_rung"]]
            self.assertEqual([name.split("::")[0] for name in others], ["tbb", "std"])
            self.assertTrue(all(r["ok"] for r in report["results"]))
            self.assertEqual(report["bytes"], 4e5 if arguments[0] == "reduce" else 8e5)

    def test_prints_a_table(self):
        text = self.succeed("ladder", "reduce", "--on", "cpu", "--n", "2^12", "--repeat", 1)
        for name in [*RUNGS["reduce"], "tbb::parallel_reduce", "4,096 elements", "of copy",
                     "a copy of the same number of bytes"]:
            self.assertIn(name, text)
        self.assertIn("on cpu a block has one thread", " ".join(text.split()))
        shares = [int(share) for share in re.findall(r" \.\. +[^%\n]*?(\d+)%", text)]
        self.assertGreater(len(shares), len(RUNGS["reduce"]))
        self.assertEqual("above 100% of copy" in text, max(shares) > 100, text)
        text = self.succeed("ladder", "scan", "--on", "simt", "--n", 100, "--versions", "naive,fast")
        self.assertNotIn("on cpu a block", text)
        self.assertIn("naive", text)
        self.assertNotIn("work_efficient", text)
        self.assertIn("say nothing about a GPU", text)

    def test_counts_are_the_formulas(self):
        for arguments in (["reduce", "--n", 1000], ["scan", "--n", 1000], ["scan", "--exclusive", "--n", "2^12"],
                          ["rotate", "--n", 5000], ["scan", "--n", 0], ["reduce", "--n", 1, "--block", 64]):
            report = self.report(*arguments, "--count")
            self.assertEqual([r["rung"] for r in report["counted"]], RUNGS[arguments[0]])
            for rung in report["counted"]:
                for key, value in rung.get("predicted", {}).items():
                    self.assertEqual(rung["counts"][key], value, f"{arguments} {rung['rung']}: {key}")
                self.assertEqual("predicted" in rung, rung["rung"] != "fast")

    def test_tells_what_is_optimal(self):
        def verdicts(ladder):
            return {r["rung"]: (r["growth"]["work_optimal"], r["growth"]["cost_optimal"])
                    for r in self.report(ladder, "--n", 100, "--count")["counted"]}

        self.assertEqual(set(verdicts("reduce").items()),
                         {*((name, (True, False)) for name in RUNGS["reduce"][:-1]), ("fast", (True, True))})
        scans = verdicts("scan")
        self.assertEqual(scans["naive"], (False, False))
        self.assertEqual(scans["work_efficient"], (True, False))
        self.assertTrue(scans["fast"][0])

    def test_counts_are_printed(self):
        text = self.succeed("ladder", "scan", "--n", "2^12", "--count")
        for part in ("T(n, p) = L = ceil(log2 n) = 12", "W(n, p) = n L - 2^L + 1 = 45,057",
                     "C(n, p) = p T(n, p) = 49,152", "not work-optimal", "conflicts", "sectors", "barriers"):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 130)

    def test_says_what_rungs_teach(self):
        counted = self.succeed("ladder", "reduce", "--n", 1000, "--count", "--json", self.folder / "out.json")
        timed = self.succeed("ladder", "reduce", "--n", 1000, "--on", "cpu", "--repeat", 1)
        for rung in json.loads((self.folder / "out.json").read_text())["counted"]:
            for text in (counted, timed):
                self.assertRegex(text, rf"\n  {rung['rung']} +{re.escape(rung['teaches'])}\n")

    def test_formulas_are_printed_once(self):
        text = self.succeed("ladder", "reduce", "--n", 1000, "--count")
        self.assertEqual(text.count("W(n, p) = n - 1 = 999"), 1)
        self.assertRegex(text, r"\n  interleaved, sequential, [a-z_,\s]*decomposed_unrolled\n    T\(n, p\) = ceil")

    def test_counts_tell_bad_access_from_good(self):
        counts = {r["rung"]: r["counts"] for r in self.report("reduce", "--n", "2^16", "--count")["counted"]}
        self.assertLess(counts["interleaved"]["used_bytes"], 0.3)
        self.assertGreater(counts["fast"]["used_bytes"], 0.99)  # of as many sectors a request
        self.assertLess(counts["decomposed_divergent"]["active_lanes"], 12)
        self.assertGreater(counts["decomposed_conflicting"]["active_lanes"], 20)
        self.assertGreater(counts["decomposed_conflicting"]["bank_conflicts"], 10_000)
        self.assertEqual(counts["decomposed"]["bank_conflicts"], 0)
        text = self.succeed("ladder", "reduce", "--n", "2^16", "--count")
        table = text[text.index(" used "):]
        self.assertRegex(table, r"\n  interleaved .* 25% .*\n")
        self.assertRegex(table, r"\n  fast .* 16\.00 .* 100% .*\n")

    def test_tables_of_pages(self):
        self.succeed("ladder", "scan", "--n", 1000, "--count", "--json", self.folder / "counted.json")
        self.succeed("ladder", "rotate", "--n", 1024, "--count", "--json", self.folder / "turned.json")
        self.succeed("ladder", "scan", "--on", "cpu", "--n", 1000, "--repeat", 1, "--json", self.folder / "timed.json")
        places = ("counts counted", "counts turned", "ladder timed timed")
        page = self.write("page.md", "".join(f"<!-- {words} -->\n<!-- end of {words} -->\n" for words in places))
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--fill", page, "--results", self.folder], check=False,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        self.assertIn("\n| `naive` | 10 | 0 | 1,024 | 10 | 8,977 | 10,240 | 1,263 |\n", text)
        self.assertRegex(text, r"\n\| `naive` \| 11\.00 \| 15\.00 \| no \| 12\.00 \| 16\.00 \| no \|\n")
        self.assertRegex(text, r"\n\| `fast` \|( [\d,]+ \|){3}  \| [\d,]+ \|  \|  \|\n")  # its T depends on the run
        self.assertIn("\n| `direct` | 32 | 4.00 | 32 | 32.00 | 22% | 0 | 0 | 0 | 32.0 |\n", text)
        self.assertIn("\n| `rotate` | 32 | 4.00 | 32 | 4.00 | 100% | 64 | 1,056 | 992 | 32.0 |\n", text)
        self.assertIn("* inclusive scan, int: 1,000 elements, on cpu (", text)
        self.assertRegex(text, r"\n\| `work_efficient`( \| [\d.,]+ \| [\d.e+-]+ \| [\d.]+%){2} \|\n")

    def test_matrices_have_all_elements(self):
        for n, shape in ((1, (1, 1)), (2, (1, 2)), (12, (3, 4)), (50, (5, 10)), (3000, (50, 60)), ("2^11", (32, 64))):
            report = self.report("rotate", "--on", "cpu", "--n", n, "--repeat", 1)
            self.assertEqual((report["rows"], report["cols"]), shape)

    def test_other_operations(self):
        for executor in ("cpu", "simt"):
            for ladder in ("reduce", "scan"):
                for operation in ("product", "min", "max"):
                    for kind in ("int", "float"):
                        report = self.report(ladder, "--on", executor, "--n", 3000, "--repeat", 1, "--type", kind,
                                             "--operation", operation)
                        self.assertEqual([r["rung"] for r in report["results"]], RUNGS[ladder])
                        self.assertTrue(all(r["ok"] for r in report["results"]), report["results"])
                        self.assertEqual(report["operator"], operation)
        self.assertEqual(self.report("scan", "--on", "simt", "--n", 10, "--repeat", 1)["operator"], "sum")

    def test_speed_up_and_lanes(self):
        arguments = ("reduce", "--on", "cpu", "--n", "2^14", "--repeat", 3, "--versions",
                     "decomposed,decomposed_divergent")
        report = self.report(*arguments, "--threads", 2)
        for result in report["results"]:
            self.assertAlmostEqual(result["speed_up"] * result["ms"] / result["serial_ms"], 1, delta=0.02)
            self.assertAlmostEqual(result["efficiency"], result["speed_up"] / 2, delta=1e-3)
        lanes = {r["rung"]: r["active_lanes"] for r in report["results"]}
        self.assertLess(lanes["decomposed_divergent"], lanes["decomposed"])
        text = self.succeed("ladder", *arguments, "--threads", 2)
        for name in ("speed-up", "efficiency", "lanes", "divergence"):
            self.assertIn(name, text)
        alone = self.report(*arguments, "--threads", 1)
        self.assertNotIn("speed_up", alone["results"][0])

    def test_without_a_part(self):
        for ladder, part in (("reduce", "barrier"), ("reduce", "ping-pong"), ("scan", "ping-pong")):
            [found] = self.report(ladder, "--without", part)["results"]
            self.assertEqual(found["without"], part)
            self.assertIn("race", found["report"])
            text = self.succeed("ladder", ladder, "--without", part)
            self.assertIn("race", text)
            self.assertIn("no report, and the result is right", text)
        [found] = self.report("scan", "--without", "padding")["results"]
        self.assertGreater(found["bank_conflicts"], 0)
        self.assertEqual(found["bank_conflicts_with_part"], 0)
        self.assertIn("bank conflicts", self.succeed("ladder", "scan", "--without", "padding"))

    def test_help(self):
        text = self.succeed("ladder", "--help")
        for name in sum(RUNGS.values(), ["--count", "--exclusive"]):
            self.assertIn(name, text)

    def test_bad_command_lines(self):
        for arguments, names in (
                ([], ["ladder"]),
                (["sort"], ["sort", "reduce", "scan", "rotate"]),
                (["reduce", "--rung", "naive"], ["naive", *RUNGS["reduce"]]),
                (["reduce", "--rungs", "fast"], ["--rungs", "--rung"]),
                (["reduce", "--n", -1], ["-1", "2^28"]),
                (["reduce", "--n", "1.5"], ["1.5"]),
                (["reduce", "--n", "many"], ["many"]),
                (["reduce", "--n", "2^99"], ["2^99"]),
                (["reduce", "--n", "1e300"], ["1e300"]),
                (["reduce", "--n", "nan"], ["nan"]),
                (["reduce", "--on", "tpu"], ["tpu", "cpu", "simt", "cuda"]),
                (["reduce", "--type", "half"], ["half", "int", "float"]),
                (["reduce", "--exclusive"], ["--exclusive", "scan"]),
                (["rotate", "--exclusive"], ["--exclusive", "scan"]),
                (["reduce", "--block", 96], ["96", "power of two"]),
                (["reduce", "--block", 2048], ["--block"]),
                (["reduce", "--count", "--on", "cpu"], ["--count", "simt"]),
                (["reduce", "--count", "--type", "float"], ["--count", "--type"]),
                (["reduce", "--n", "1e-400"], ["1e-400"]),
                (["reduce", "--rung", "fast,,interleaved"], ["--rung", "empty"]),
                (["reduce", "--rung", "fast,fast"], ["--rung", "twice"]),
                (["reduce", "--rung", "fast", "--block", 64], ["--block 64", "fast"]),
                (["rotate", "--n", 10], ["--n 10", "rows <= columns <= 2 rows", "9 (3 x 3)", "12 (3 x 4)"]),
                (["rotate", "--n", 10, "--count"], ["--n 10", "9 (3 x 3)"]),
                (["rotate", "--n", 3], ["2 (1 x 2)", "4 (2 x 2)"]),
                (["rotate", "--n", 10007], ["--n 10007"]),
                (["reduce", "--operation", "xor"], ["xor", "sum", "product", "min", "max"]),
                (["rotate", "--operation", "max"], ["--operation", "reduce and scan"]),
                (["reduce", "--count", "--operation", "max"], ["--operation", "--count"]),
                (["reduce", "--without", "padding"], ["padding", "barrier, ping-pong"]),
                (["rotate", "--without", "barrier"], ["rotate has no part to leave out"]),
                (["scan", "--without", "padding", "--n", 10], ["--n", "--without"]),
                (["scan", "--repeat", 0], ["--repeat"])):
            with self.subTest(arguments=arguments):
                line = self.fail_with_line(2, "ladder", *arguments)
                for name in names:
                    self.assertIn(name, line)

    def test_more_than_memory_holds(self):
        for arguments in ([], ["--count"]):
            line = self.fail_with_line(1, "ladder", "scan", "--on", "simt", "--n", TOO_MANY, *arguments)
            self.assertIn(str(TOO_MANY), line)
            self.assertIn("memory", line)

    def test_bad_outputs(self):
        missing = self.folder / "no" / "x.json"
        for arguments in ([], ["--count"]):
            self.assertIn(str(missing), self.fail_with_line(1, "ladder", "reduce", "--on", "simt", "--n", 10, "--json",
                                                            missing, *arguments))

    def test_no_gpu(self):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        self.assertIn("cuda", self.fail_with_line(1, "ladder", "reduce", "--on", "cuda", "--n", 10, env=environment))


_program.main()
