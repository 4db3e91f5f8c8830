# SPDX-License-Identifier: Apache-2.0
"""scripts/counters_compare.py, with a program and an ncu that are written here: the columns are matched launch by
launch, and what does not fit together is an error in words. The argument, the program, is not used."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/counters_compare.py"
KEYS = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors",
        "storage_load_wavefronts", "storage_load_conflicts", "storage_store_wavefronts", "storage_store_conflicts")


def counts(launches, sectors):
    return {**dict.fromkeys(KEYS, 0), "launches": launches, "global_load_sectors": sectors}


def result(name, launches, sectors):
    return {"name": name, "counts": counts(launches, sectors)}


# Runs the program as ncu does, and says that kernel number i has loaded SECTORS[i] sectors.
NCU = """#!/usr/bin/env python3
import os, subprocess, sys
if "--query-metrics" in sys.argv:
    print("Device NVIDIA some GPU (GH100)\\n\\n" + os.environ["KNOWN"].replace(" ", "  Counter  words\\n"))
    sys.exit(0)
if "--profile-from-start" in sys.argv:
    open(os.environ["CALLS"], "a").write("from start: off\\n")
at = sys.argv.index("--metrics")
done = subprocess.run(sys.argv[at + 2:])
most = int(sys.argv[sys.argv.index("--launch-count") + 1]) if "--launch-count" in sys.argv else None
print("==PROF== Disconnected")
print('"ID","Kernel Name","Metric Name","Metric Value"')
for number, sectors in enumerate(os.environ["SECTORS"].split()[:most]):
    for metric in sys.argv[at + 1].split(","):
        value = sectors if "t_sectors" in metric and "_op_ld" in metric else 0
        value = {"smsp__thread_inst_executed.sum": 3200, "smsp__inst_executed.sum": 200}.get(metric, value)
        print(f'"{number}","run_kernel","{metric}","{value}"')
sys.exit(done.returncode)
"""
PROGRAM = """#!/usr/bin/env python3
import os, pathlib, sys
print("some, words")
if "fails" not in sys.argv:
    says = os.environ["COUNTED" if "--count" in sys.argv else "SAYS"]
    pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(says)
with open(os.environ["CALLS"], "a") as calls:
    print(*sys.argv[1:-2], file=calls)
sys.exit(3 if "fails" in sys.argv else 0)
"""


class CountersCompare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("ncu", NCU), ("program", PROGRAM)):
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / name).chmod(0o755)

    def compare(self, results, sectors, *programs, rungs=(), known="", name="program"):
        says = {"machine": {"gpu": "some GPU"}, "date": "some day", "commit": "0123", "results": results}
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SAYS": json.dumps(says),
                       "COUNTED": json.dumps({"counted": rungs}), "SECTORS": sectors,
                       "CALLS": str(self.folder / "calls"), "KNOWN": known}
        return subprocess.run([sys.executable, SCRIPT, self.folder / "out.json",
                               *(f"{self.folder}/{name} {each}" for each in programs or ("",))], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)

    def out(self):
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_both_columns_of_every_result(self):
        done = self.compare([result("two launches", 2, 5), result("none", 0, 0), result("other", 1, 7)], "2 3 1,008")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("other: global_load_sectors: simt 7, GPU 1008\n", done.stdout)
        self.assertIn("program: 2 of 3 results equal", done.stdout)
        out = self.out()
        self.assertEqual((out["gpu"], out["date"], out["commit"]), ("some GPU", "some day", "0123"))
        first, none, other = out["programs"][0]["results"]
        self.assertEqual((first["name"], first["launches"], first["equal"]), ("two launches", 2, True))
        self.assertEqual(first["counters"]["global_load_sectors"], {"simt": 5, "gpu": 5})
        self.assertEqual(set(first["counters"]), set(KEYS))
        self.assertTrue(none["equal"])
        self.assertFalse(other["equal"])
        self.assertEqual(other["counters"]["global_load_sectors"], {"simt": 7, "gpu": 1008})

    def test_a_ladder_is_counted_and_then_run_rung_by_rung(self):
        rungs = [{"rung": "naive", "counts": counts(2, 5)}, {"rung": "fast", "counts": counts(1, 9)},
                 {"rung": "better", "counts": counts(1, 4)}]
        done = self.compare([], "2 3 2 3", "ladder scan --n 9", rungs=rungs)
        self.assertEqual(done.returncode, 0, done.stderr)
        naive, better = self.out()["programs"][0]["results"]
        self.assertEqual((naive["name"], naive["equal"]), ("naive", True))
        self.assertEqual(better["counters"]["global_load_sectors"], {"simt": 4, "gpu": 2})
        calls = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        self.assertEqual(calls, ["ladder scan --n 9 --count", "ladder scan --n 9 --on cuda --rung naive --repeat 1",
                                 "ladder scan --n 9 --on cuda --rung better --repeat 1"])
        done = self.compare([], "2", "ladder scan", rungs=rungs)
        self.assertIn("naive: simt counted 2 launches, ncu saw 1 kernels", done.stderr)

    def test_copies_are_loads_where_ncu_knows_their_counters(self):
        one = [result("one", 1, 8)]
        access = "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access"
        bypass = "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass"
        for known, sectors in (("", 4), (access, 8), (f"{access} {bypass} sm__sass_{access}", 12)):
            self.assertEqual(self.compare(one, "4", known=known + " ").returncode, 0)
            self.assertEqual(self.out()["programs"][0]["results"][0]["counters"]["global_load_sectors"],
                             {"simt": 8, "gpu": sectors}, known)

    def test_atomic_loads_are_loads(self):
        one = result("one", 1, 8)
        one["counts"]["atomic_load_sectors"] = 4
        self.assertEqual(self.compare([one], "12").returncode, 0)
        self.assertTrue(self.out()["programs"][0]["results"][0]["equal"])

    def test_what_is_within_the_tolerance(self):
        done = self.compare([result("near", 1, 99), result("far", 1, 97)], "100 100")
        self.assertIn("0 of 2 results equal, 1 within 2% in requests and sectors", done.stdout)
        self.assertEqual([each["within"] for each in self.out()["programs"][0]["results"]], [True, False])

    def test_active_lanes_are_compared(self):
        one = result("one", 1, 1)
        one["counts"].update(global_load_requests=0, storage_load_requests=10, request_lanes=170)
        done = self.compare([one], "1")
        self.assertNotIn("active lanes", done.stdout)
        self.assertEqual(self.out()["programs"][0]["results"][0]["active_lanes"], {"simt": 17.0, "gpu": 16.0})
        one["counts"]["request_lanes"] = 320
        self.assertIn("one: active lanes: simt 32.0, GPU 16.0\n", self.compare([one], "1").stdout)

    def test_bench_explained_says_which_kernels_count(self):
        (self.folder / "program").rename(self.folder / "bench_explained")
        done = self.compare([result("one", 1, 1)], "1", name="bench_explained")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("from start: off", (self.folder / "calls").read_text(encoding="utf-8"))

    def test_several_programs(self):
        done = self.compare([result("one", 1, 4)], "4", "first", "'second one' --n 3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([each["program"] for each in self.out()["programs"]],
                         ["program first", "program 'second one' --n 3"])

    def test_errors_are_said(self):
        done = self.compare([result("one", 1, 4)], "4 4")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("simt counted 1 launches, ncu saw 2 kernels", done.stderr)
        done = self.compare([], "", "fails")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("exit 3", done.stderr)

    def test_its_keys_are_counts(self):
        header = (ROOT / "include/evenly/trace/counts.hpp").read_text(encoding="utf-8")
        self.assertLessEqual({*KEYS, "launches"}, set(re.findall(r'visit\("(\w+)"', header)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
