# SPDX-License-Identifier: Apache-2.0
"""evenly compare: every schedule on cpu and simt, its JSON and its tables."""
import datetime
import json
import os
import unittest

import _program

KEYS = ["workload", "rows", "cols", "atoms", "op", "executor", "schedule", "parameters", "type", "ok", "ms", "ms_min",
        "ms_max", "gbps", "copy_gbps", "fill_gbps", "plan_ms"]
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
        for result in results:
            keys = [key for key in KEYS if key != "fill_gbps" or result["op"] == "expand"]  # which only writes
            self.assertEqual(list(result), keys)
            self.assertIs(result["ok"], True, result)
            self.assertGreater(result["ms"], 0)
            self.assertLessEqual(result["ms_min"], result["ms"])
            self.assertLessEqual(result["ms"], result["ms_max"])
            self.assertGreater(result["gbps"], 0)
            self.assertGreater(result["copy_gbps"], 0)
            self.assertGreaterEqual(result["plan_ms"], 0)
        for executor in executors:
            names = [r["schedule"] for r in results if r["executor"] == executor]
            for schedule in _program.SCHEDULES:
                self.assertIn(schedule, names)
            self.assertEqual("openmp_static" in names, executor in baselines)
            self.assertEqual("openmp_dynamic" in names, executor in baselines)

    def test_every_schedule_is_right(self):
        for op, type_, stored in (("spmv", "float", "float"), ("spmv", "double", "double"), ("expand", "float", "int"),
                                  ("update", "float", "int")):
            report = self.compare(*INPUTS, "--op", op, "--type", type_, "--on", "cpu,simt")
            results = report["results"]
            self.assertEqual({r["op"] for r in results}, {op})
            self.assertEqual({r["type"] for r in results}, {stored})
            self.assertEqual(sorted({r["workload"] for r in results}), sorted(INPUTS))
            for workload in INPUTS:
                self.check_results([r for r in results if r["workload"] == workload], ("cpu", "simt"), ("cpu",))

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
        self.assertEqual(sorted(report), ["commit", "date", "machine", "results"])
        self.assertGreaterEqual(datetime.datetime.fromisoformat(report["date"].replace("Z", "+00:00")), before)
        self.assertEqual(report["machine"]["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual([r["schedule"] for r in report["results"]],
                         ["thread_mapped", "merge_path", "openmp_static", "openmp_dynamic"])
        first = report["results"][0]
        self.assertEqual((first["rows"], first["cols"], first["atoms"]), (50, 50, 150))
        self.assertEqual(first["parameters"]["block_size"], 128)
        self.assertEqual(report["results"][2]["parameters"], {})
        moved = 150 * 8 + 51 * 4 + 50 * 4 + 50 * 4
        self.assertAlmostEqual(first["gbps"] * first["ms"] * 1e6, moved, places=3)

    def test_tables(self):
        self.compare("one-dense-row:rows=400,long=3e3", "--on", "cpu,simt")
        for part in ("one-dense-row:rows=400,long=3e3: 400 x 3,000, 3,399 atoms", "straight loop, OpenMP static",
                     "of copy", "cpu: best is", "simulation"):
            self.assertIn(part, self.tables)
        self.assertLessEqual(max(map(len, self.tables.splitlines())), 110)

    def test_json_on_standard_output(self):
        text = self.succeed("compare", "grid:x=4,y=4", "--on", "cpu", "--repeat", 1, "--json", "-")
        self.assertEqual(len(json.loads(text)["results"]), 11 - 9 + len(self.all_schedules()))

    def all_schedules(self):
        report = self.compare("grid:x=4,y=4", "--on", "cpu")
        return [r["schedule"] for r in report["results"] if not r["schedule"].startswith("openmp_")]

    def test_files(self):
        path = self.write("some.mtx", _program.SMALL)
        report = json.loads(self.succeed("compare", path, "--on", "cpu", "--repeat", 1, "--json", "-"))
        self.assertEqual({r["workload"] for r in report["results"]}, {"some"})

    def test_values_that_float_cannot_hold(self):
        entries = "1 1 1e300\n1 2 -1e300\n2 1 1e38\n2 2 1e38\n3 1 1e-320\n3 3 nan\n"
        path = self.write("extreme.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 6\n" + entries)
        for type_ in ("float", "double"):
            self.succeed("compare", path, "--on", "cpu,simt", "--type", type_, "--repeat", 1)


_program.main()
