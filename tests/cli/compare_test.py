# SPDX-License-Identifier: Apache-2.0
"""evenly compare: every schedule on cpu and simt, its JSON and its tables."""
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import _program

ROOT = Path(__file__).resolve().parents[2]

KEYS = ["workload", "rows", "cols", "atoms", "op", "executor", "schedule", "parameters", "type", "ok", "ms", "ms_min",
        "ms_max", "rounds", "gbps", "copy_gbps", "fill_gbps", "plan_ms"]
INPUTS = ("regular:rows=300,size=5", "one-dense-row:rows=400,long=3e3", "mostly-empty:rows=3000", "grid:x=20,y=15",
          "powerlaw:rows=500,avg=6,sd=20,max=200", "rmat:scale=7,edges=4", "dense:rows=1,cols=1")


class Compare(_program.ProgramTest):
    def compare(self, *arguments):
        """What the program writes as JSON; its tables are in self.tables."""
        path = self.folder / "out.json"
        self.tables = self.succeed("compare", *arguments, "--repeat", 1, "--json", path)
        self.assertEqual(os.listdir(self.folder), ["out.json"])
        return json.loads(path.read_text())

    def check_results(self, results, executors, baselines):
        self.check_keys(results)
        for executor in executors:
            names = [r["schedule"] for r in results if r["executor"] == executor]
            for schedule in _program.SCHEDULES:
                self.assertIn(schedule, names)
            for baseline in _program.BASELINES:
                self.assertEqual(baseline in names, executor in baselines)

    def check_keys(self, results):
        for result in results:
            keys = [key for key in KEYS if key != "fill_gbps" or result["op"] == "expand"]  # which only writes
            if "same_code_as" in result:
                self.assertEqual(result["executor"], "cpu")
                keys.insert(keys.index("schedule") + 1, "same_code_as")
            if result["schedule"].startswith("automatic"):
                keys[keys.index("schedule") + 1:keys.index("schedule") + 1] = ["chosen", "why"]
                self.assertTrue(result["why"].startswith(result["chosen"] + ": "), result)
            self.assertEqual(list(result), keys)
            self.assertIs(result["ok"], True, result)
            self.assertGreater(result["ms"], 0)
            self.assertLessEqual(result["ms_min"], result["ms"])
            self.assertLessEqual(result["ms"], result["ms_max"])
            self.assertGreater(result["gbps"], 0)
            self.assertGreater(result["copy_gbps"], 0)
            self.assertGreaterEqual(result["plan_ms"], 0)

    def test_a_long_simulation_is_announced(self):
        with subprocess.Popen([_program.PROGRAM, "compare", "regular:rows=5e4,size=2", "--on", "simt"], text=True,
                              stdout=subprocess.PIPE) as running:
            lines = [running.stdout.readline() for _ in range(4)]
            running.kill()
        self.assertRegex(lines[3], r"simt simulates every thread: 24 candidates take at least \d+ s here")
        few = self.succeed("compare", "regular:rows=500,size=2", "--on", "simt", "--schedule", "thread_mapped")
        self.assertNotIn("simulates every thread", few)

    def test_every_schedule_is_right(self):
        for op, type_, stored in (("spmv", ["--type", "float"], "float"), ("spmv", ["--type", "double"], "double"),
                                  ("expand", [], "int"), ("update", [], "int"),
                                  ("segmented_reduce", [], "float"), ("segmented_scan", [], "float")):
            report = self.compare(*INPUTS, "--op", op, *type_, "--on", "cpu,simt")
            results = report["results"]
            self.assertEqual({r["op"] for r in results}, {op})
            self.assertEqual({r["type"] for r in results}, {stored})
            self.assertEqual(sorted({r["workload"] for r in results}), sorted(INPUTS))
            for workload in INPUTS:
                self.check_results([r for r in results if r["workload"] == workload], ("cpu", "simt"), ("cpu",))

    def test_segments_have_values_of_one_type(self):
        for words in (("--type", "double"), ("--format", "ell")):
            self.assertIn(f"{' '.join(words)} has no effect in compare --op segmented_scan",
                          self.fail_with_line(2, "compare", INPUTS[0], "--op", "segmented_scan", *words))

    def test_products_with_a_dense_matrix(self):
        few = ["thread_mapped", "warp_mapped", "dynamic_group_per_tile", "merge_path", "nonzero_split", "automatic"]
        for width, type_ in ((1, "float"), (8, "double"), (33, "float")):
            results = self.compare(*INPUTS, "--op", f"spmm:{width}", "--type", type_, "--on", "cpu,simt")["results"]
            for workload in INPUTS:
                of = [r for r in results if r["workload"] == workload]
                self.check_keys(of)
                self.assertEqual({(r["op"], r["type"]) for r in of}, {(f"spmm:{width}", type_)})
                for executor, others in (("cpu", list(_program.BASELINES)), ("simt", [])):
                    names = [r["schedule"] for r in of if r["executor"] == executor]
                    self.assertEqual(sorted(names), sorted(few + others))
        self.assertIn("spmm:33 in float on simt", self.tables)
        # A, B and C, of which each must be moved once
        only = self.compare("regular:rows=50,size=3", "--op", "spmm:8", "--on", "cpu", "--schedule",
                            "automatic,merge_path:block_size=64", "--format", "csr")["results"]
        self.assertEqual([r["schedule"] for r in only],
                         ["automatic", "merge_path:block_size=64", *_program.BASELINES])
        self.assertAlmostEqual(only[1]["gbps"] * only[1]["ms"] * 1e6, 150 * 8 + 51 * 4 + 2 * 50 * 8 * 4, places=3)

    def test_products_of_nothing_and_of_what_is_not_finite(self):
        for size in ("0 0 0", "5 4 0"):
            path = self.write("none.mtx", f"%%MatrixMarket matrix coordinate real general\n{size}\n")
            self.succeed("compare", path, "--on", "cpu,simt", "--op", "spmm:4", "--repeat", 1)
        path = self.write("nan.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1e300\n2 2 nan\n"
                          "3 1 1e-320\n")
        for type_ in ("float", "double"):
            self.succeed("compare", path, "--on", "cpu,simt", "--op", "spmm:4", "--type", type_, "--repeat", 1)

    def test_products_that_are_refused(self):
        for status, words, text in (
                (2, ("spmm",), "--op spmm:W: W = '': must be a whole number from 1 to 1073741824"),
                (2, ("spmm:",), "W = '': must be"),
                (2, ("spmm:0",), "W = '0': must be"),
                (2, ("spmm:-3",), "W = '-3': must be"),
                (2, ("spmm:1073741825",), "W = '1073741825': must be"),
                (2, ("spmm:" + 30 * "9",), "must be a whole number"),
                (2, ("spmm:wide",), "W = 'wide': must be"),
                (2, ("spmm:8,16",), "W = '8,16': must be"),
                (2, ("spmm8",), "'spmm8' is not an operation; choose one of spmv, expand, update, "
                 "segmented_reduce, segmented_scan, spmm:W"),
                (2, ("spmm:8", "--format", "ell"), "--format ell: spmm needs compressed rows, --format csr"),
                (2, ("spmm:8", "--schedule", "binned"), "--schedule binned: --op spmm:8 supports only thread_mapped,"),
                (1, ("spmm:1073741824",), "dense matrices of 1073741824 columns with 400 and 400 rows: ")):
            with self.subTest(words):
                self.assertIn(text, self.fail_with_line(status, "compare", "grid:x=20,y=20", "--on", "cpu", "--op",
                                                        *words))
        self.assertIn("'spmm:8' is not an operation; choose one of spmv, expand, update",
                      self.fail_with_line(2, "explain", "grid:x=20,y=20", "--op", "spmm:8"))

    def test_automatic_is_a_row_that_says_what_it_is(self):
        results = self.compare("powerlaw:rows=500,avg=6,sd=20,max=200", "--on", "cpu,simt")["results"]
        tables = " ".join(self.tables.split())
        chosen = [r for r in results if r["schedule"] == "automatic"]
        self.assertEqual([r["executor"] for r in chosen], ["cpu", "simt"])
        for each in chosen:
            self.assertIn(each["chosen"], self.all_schedules())
            self.assertIn(f"automatic chose {each['chosen']}: 500 tiles with", tables)
            self.assertRegex(each["why"], r": 500 tiles with [0-9,]+ atoms")
        alone = self.compare("grid:x=20,y=15", "--on", "cpu", "--schedule", "automatic:expected_runs=1")["results"]
        self.assertEqual(alone[0]["schedule"], "automatic:expected_runs=1")
        self.assertEqual(alone[0]["parameters"], {"expected_runs": 1})
        self.assertIn("expected_runs = 0: must be from 1",
                      self.fail_with_line(2, "compare", "grid:x=2,y=2", "--schedule", "automatic:expected_runs=0"))

    def test_other_block_sizes_threads_and_seeds(self):
        for block, threads, seed in ((1, 1, 0), (96, os.cpu_count(), 5), (1024, 1, 6)):
            report = self.compare("powerlaw:rows=300,avg=6,sd=20,max=200", "--on", "simt,cpu", "--block", block,
                                  "--threads", threads, "--seed", seed)
            self.check_results(report["results"], ("cpu", "simt"), ("cpu",))
            for result in report["results"]:
                self.assertIn(result["parameters"].get("block_size", block), (block,))

    def test_without_work(self):
        for size in ("0 0 0", "5 4 0"):
            path = self.write("none.mtx", f"%%MatrixMarket matrix coordinate real general\n{size}\n")
            for op in ("spmv", "expand"):
                self.succeed("compare", path, "--on", "cpu,simt", "--op", op, "--repeat", 1)

    def test_report(self):
        before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        report = self.compare("regular:rows=50,size=3", "--on", "cpu", "--schedule", "merge_path,thread_mapped")
        self.assertEqual(list(report), ["machine", "date", "commit", "verdicts", "counted", "results", "failed"])
        self.assertEqual(report["failed"], [])
        self.assertEqual(report["counted"], [])  # on simt nothing was asked for
        self.assertEqual([v["fastest"] for v in report["verdicts"]], [[]])  # of one run
        self.assertGreaterEqual(datetime.datetime.fromisoformat(report["date"].replace("Z", "+00:00")), before)
        self.assertEqual(report["machine"]["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual([r["schedule"] for r in report["results"]],
                         ["thread_mapped", "merge_path", *_program.BASELINES])
        first = report["results"][0]
        self.assertEqual((first["rows"], first["cols"], first["atoms"]), (50, 50, 150))
        self.assertEqual(first["parameters"]["block_size"], 128)
        self.assertEqual(report["results"][2]["parameters"], {})
        moved = 150 * 8 + 51 * 4 + 50 * 4 + 50 * 4
        self.assertAlmostEqual(first["gbps"] * first["ms"] * 1e6, moved, places=3)

    def test_tables(self):
        self.compare("one-dense-row:rows=400,long=3e3", "--on", "cpu,simt")
        for part in ("one-dense-row:rows=400,long=3e3: 400 x 3,000, 3,399 atoms", "loop, OpenMP static",
                     "of copy", "plan ms", "cpu: ", " was fastest", "1 run is too few to tell it from the others",
                     "simulated"):
            self.assertIn(part, " ".join(self.tables.split()))
        self.assertLessEqual(max(map(len, self.tables.splitlines())), 80)

    def test_times_of_a_simulation_are_not_ranked(self):
        self.compare("one-dense-row:rows=400,long=3e3", "--on", "cpu,simt", "--schedule", "thread_mapped,merge_path")
        on_cpu, on_simt = self.tables.split("spmv in float on simt")
        for name in ("thread_mapped", "merge_path"):
            row = rf"\n  {name} .* "
            self.assertRegex(on_cpu, row + r"\d+%\s+[\d.]+\n")
            self.assertRegex(on_simt, row + r"-\s+-\n")

    def test_json_on_standard_output(self):
        text = self.succeed("compare", "grid:x=4,y=4", "--on", "cpu", "--repeat", 1, "--json", "-")
        self.assertEqual(len(json.loads(text)["results"]), 3 + len(self.all_schedules()))

    def all_schedules(self):
        report = self.compare("grid:x=4,y=4", "--on", "cpu")
        return [r["schedule"] for r in report["results"] if r["schedule"] not in _program.BASELINES]

    def test_the_verdict_names_what_stands_first_in_the_table(self):
        for workload in ("one-dense-row:rows=2e4,long=1e5", "regular:rows=2e4,size=8"):
            path = self.folder / "out.json"
            tables = self.succeed("compare", workload, "--on", "cpu", "--schedule", "merge_path,thread_mapped,binned",
                                  "--repeat", 9, "--json", path)
            best = min(re.findall(r"^  (\S.*?) {2,}([\d.]+) .* ([\d.]+)$", tables, re.MULTILINE),
                       key=lambda row: float(row[1]))
            self.assertEqual(best[2], "1.00")
            words = " ".join(tables.split())
            self.assertRegex(words, rf"cpu: {re.escape(best[0])}( \(\w+\))? is fastest, "
                                    rf"{best[1]} ms \(half of 9 rounds:")
            self.assertRegex(words, r"by more than the noise\.|equally fast within the noise: ")
            self.assertRegex(words, r"(Cutting tiles pays off|Keeping tiles whole pays off|"
                                    r"Cutting tiles makes no difference beyond|Whether cutting tiles pays off)")
            self.assertRegex(words, r"(Differences below [\d.]+% are within the noise|"
                                    r"This machine is noisy \(±\d+%\): no difference below that is reported)\.")
            verdict = json.loads(path.read_text())["verdicts"]
            self.assertEqual([(v["workload"], v["executor"]) for v in verdict], [(workload, "cpu")])
            self.assertEqual(verdict[0]["noise"], max(0.01, *(verdict[0][f"noise_of_{source}"] for source in
                                                              ("same_code", "copy", "other_programs"))))

    @_program.with_label_all
    def test_two_runs_do_not_contradict_each_other_under_load(self):
        """While other programs start and end; and one run alone, if the machine is idle."""
        found = []
        for loops in (0, 1, 2, 1):
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
            try:
                self.succeed("compare", "powerlaw:rows=1e5,avg=8,sd=60,max=2e3", "--on", "cpu", "--schedule",
                             "merge_path,thread_mapped,automatic", "--repeat", 11, "--json", self.folder / "out.json")
            finally:
                for each in busy:
                    each.kill()
                    each.wait()
            found += json.loads((self.folder / "out.json").read_text())["verdicts"]
        for first in found:
            for second in found:
                self.assertNotEqual((first["cutting"], second["cutting"]), ("faster", "slower"), found)
                self.assertTrue(set(first["fastest"]) & set(second["fastest"]), found)

    def test_schedules_of_the_same_code_are_one_row(self):
        """Unless they are named; JSON has all of them, and automatic has a row of its own."""
        for arguments in ((), ("--schedule", "all")):
            results = self.compare("grid:x=20,y=20", "--on", "cpu", *arguments)["results"]
            table = self.tables.split("schedule ", 1)[1].split("loop, one thread")[0]
            rows = re.findall(r"^  (\w\S*)(?: \+\d+)? +[\d.]+ ", table, re.MULTILINE)
            self.assertIn("automatic", rows)
            self.assertNotIn("group_mapped<block>", rows)
            folded = [name for names in re.findall(r"\+\d+: (.*?) run the same code", " ".join(self.tables.split()))
                      for name in names.split(", ")]
            schedules = [r["schedule"] for r in results if r["schedule"] not in _program.BASELINES]
            self.assertEqual(sorted(rows + folded), sorted(schedules))
            self.assertEqual(sorted(r["schedule"] for r in results if "same_code_as" in r), sorted(folded))
        named = self.succeed("compare", "grid:x=20,y=20", "--on", "cpu", "--repeat", 1, "--schedule",
                             "thread_mapped,warp_mapped")
        self.assertRegex(named, r"\n  thread_mapped .*\n  warp_mapped ")
        self.assertNotIn(" +", named)

    def test_a_file_is_timed_on_the_cpu_and_counted_on_simt(self):
        path = "grid:x=20,y=20"
        report = self.compare(path, "powerlaw:rows=2e5,avg=8,sd=60,max=2e3")
        self.assertNotIn("simt", {r["executor"] for r in report["results"]})
        small, large = report["counted"][:3], report["counted"][3:]
        names = ["thread_mapped", "merge_path", "group_per_tile<8>"]
        for counted, workload, is_sample in ((small, path, False), (large, "powerlaw:rows=2e5", True)):
            self.assertEqual([r["schedule"] for r in counted], names[:len(counted)])
            for each in counted:
                self.assertTrue(each["ok"])
                self.assertTrue(each["workload"].startswith(workload))
                self.assertEqual((each["executor"], each["is_sample"]), ("simt", is_sample))
        self.assertLess(large[0]["lanes_busy"], 0.15)
        self.assertRegex(self.tables, r"\n  thread_mapped +\d+%  #+\n")
        self.assertIn("counted on a sample of", self.tables)
        if len(large) > 1:  # where the machine is not too slow
            self.assertGreater(large[1]["lanes_busy"], 0.8)
        self.assertEqual(self.compare(path, "--on", "cpu")["counted"], [])
        self.assertEqual([r["schedule"] for r in self.compare(path, "--schedule", "warp_mapped")["counted"]],
                         ["warp_mapped"])
        self.assertEqual(self.compare(path, "--op", "spmm:3")["counted"], [])

    def test_the_tour(self):
        start = time.monotonic()
        text = self.succeed("compare")
        if not _program.SANITIZED:
            self.assertLess(time.monotonic() - start, 60)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        words = " ".join(text.split())
        self.assertRegex(words, r"counted on simt.* thread_mapped \d%.* merge_path [89]\d%")
        self.assertLess(text.index("active lanes of the 32 of a warp"), text.index("on cpu ("))  # certain first
        table = re.search(r"on cpu \(.*?\n\n", text, re.DOTALL)[0]
        named = re.findall(r"^  (\w\S*) ", table.split("schedule ", 1)[1].split("loop, one thread")[0], re.MULTILINE)
        for folded in re.findall(r"\+\d+: (.*?) run the same code", " ".join(table.split())):
            named += folded.split(", ")
        registry = (ROOT / "include/evenly/schedules/registry.hpp").read_text()
        self.assertEqual(sorted(named), sorted(["automatic", *re.findall(r'visit\("([^"]+)"', registry)]))
        self.assertRegex(table, r"\n  loop, one thread .*\n  loop, OpenMP static ")
        self.assertRegex(words, r"(Differences below|This machine is noisy)")
        self.assertIn("./run compare FILE.mtx", text)
        self.assertNotIn("FAILED", text)

    def test_the_tour_ends_quietly_if_its_reader_does(self):
        with subprocess.Popen([_program.PROGRAM, "compare"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            running.stdout.readline()
            running.stdout.close()
            self.assertEqual(running.stderr.read(), b"")
        self.assertEqual(running.returncode, -signal.SIGPIPE)

    def test_a_mistake_in_the_second_input_is_found_before_the_first_is_measured(self):
        done = _program.run("compare", "grid:x=20,y=20", "gird:x=20,y=20", "--on", "cpu")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aevenly: .*gird.*\n\Z")

    def test_results_measured_before_a_failure_are_kept(self):
        broken = self.write("broken.mtx", _program.SMALL.replace("3 2 4", "3 2 four"))
        path = self.folder / "out.json"
        done = _program.run("compare", "grid:x=20,y=20", broken, "grid:x=9,y=9", "--on", "cpu", "--repeat", 1, "--json",
                            path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aevenly: .*broken\.mtx:5: .*four.*\n\Z")
        report = json.loads(path.read_text())
        self.assertEqual({r["workload"] for r in report["results"]}, {"grid:x=20,y=20", "grid:x=9,y=9"})
        self.assertEqual([f["input"] for f in report["failed"]], [str(broken)])
        self.assertIn("four", report["failed"][0]["error"])

    def test_results_measured_before_ctrl_c_are_kept(self):
        path = self.folder / "out.json"
        with subprocess.Popen([_program.PROGRAM, "compare", "grid:x=20,y=20", "regular:rows=2e6,size=4", "--on", "cpu",
                               "--schedule", "merge_path", "--json", path],
                              stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                if line.startswith("regular:"):
                    break
            running.send_signal(signal.SIGINT)
            running.stdout.read()
        self.assertEqual(running.returncode, -signal.SIGINT)
        report = json.loads(path.read_text())
        self.assertEqual({r["workload"] for r in report["results"]}, {"grid:x=20,y=20"})
        self.assertEqual([f["input"] for f in report["failed"]], ["regular:rows=2e6,size=4"])
        self.assertIn("SIGINT", report["failed"][0]["error"])
        self.assertEqual(os.listdir(self.folder), ["out.json"])

    def test_files(self):
        path = self.write("some.mtx", _program.SMALL)
        report = json.loads(self.succeed("compare", path, "--on", "cpu", "--repeat", 1, "--json", "-"))
        self.assertEqual({r["workload"] for r in report["results"]}, {str(path)})

    def test_values_that_float_cannot_hold(self):
        entries = "1 1 1e300\n1 2 -1e300\n2 1 1e38\n2 2 1e38\n3 1 1e-320\n3 3 nan\n"
        path = self.write("extreme.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 6\n" + entries)
        for type_ in ("float", "double"):
            self.succeed("compare", path, "--on", "cpu,simt", "--type", type_, "--repeat", 1)


_program.main()
