# SPDX-License-Identifier: Apache-2.0
"""scripts/tables.py: tables of a report that is written here, of one that the program wrote, and bad input."""
import json
import subprocess
import sys
from pathlib import Path

import _program

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/tables.py"


def result(workload, executor, schedule, ms, ok=True):
    return {"workload": workload, "rows": 2, "cols": 2, "atoms": 12345, "op": "spmv", "executor": executor,
            "schedule": schedule, "parameters": {}, "type": "float", "ok": ok, "ms": ms, "ms_min": ms, "ms_max": ms,
            "gbps": 1, "copy_gbps": 1, "plan_ms": 0}


REPORT = {"machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"}, "date": "2026-01-31T23:59:59Z",
          "commit": "0123456789abcdef", "results": [
              result("one", "cuda", "merge_path", 0.0921), result("one", "cuda", "cusparse_alg1", 0.0921 / 0.9),
              result("one", "cuda", "thread_mapped", 0.1), result("two", "cuda", "merge_path", None, ok=False),
              result("two", "cuda", "cusparse_alg1", 1.2345), result("one", "cpu", "merge_path", 2.5)]}
ON_CUDA = """\
spmv of float on cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab; median, us. Bold: the best schedule.

| workload | atoms | merge_path | thread_mapped | cusparse_alg1 | best schedule / best baseline |
| --- | ---: | ---: | ---: | ---: | ---: |
| one | 12,345 | **92.1** | 100 | 102 | 0.90 |
| two | 12,345 | failed |  | 1,234 |  |
"""


class Tables(_program.ProgramTest):
    def script(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def report(self, content):
        return self.write("report.json", json.dumps(content))

    def test_one_executor(self):
        self.assertEqual(self.script(self.report(REPORT), "--on", "cuda"), ON_CUDA)

    def test_all_executors_in_other_units(self):
        text = self.script(self.report(REPORT), "--unit", "ms")
        self.assertIn("| one | 12,345 | **0.09** | 0.10 | 0.10 | 0.90 |", text)
        self.assertIn("on cpu (some CPU, 2 cores)", text)
        self.assertIn("| one | 12,345 | **2.50** |  |", text)

    def test_into_a_page(self):
        page = self.write("page.md", "before\n<!-- table t -->\nold\n<!-- end of table t -->\nafter\n")
        for _ in range(2):
            self.script(self.report(REPORT), "--on", "cuda", "--into", page, "--place", "t")
            self.assertEqual(page.read_text(),
                             f"before\n<!-- table t -->\n\n{ON_CUDA}\n<!-- end of table t -->\nafter\n")

    def test_a_report_of_the_program(self):
        path = self.folder / "out.json"
        self.succeed("compare", "regular:rows=50,size=3", "--on", "cpu", "--repeat", 1, "--json", path)
        text = self.script(path)
        self.assertIn("| regular:rows=50,size=3 | 150 | ", text)
        for name in (*_program.SCHEDULES, "openmp_static"):
            self.assertIn(f" {name} |", text)

    def test_bad_input(self):
        page = self.write("page.md", "no place here\n")
        for words, *arguments in (("No such file", self.folder / "none.json"),
                                  ("Expecting value", self.write("empty.json", "")),
                                  ("is not a report", self.write("other.json", "{}")),
                                  ("is not a report", self.write("list.json", "[1]")),
                                  ("no results of the executor simt", self.report(REPORT), "--on", "simt"),
                                  ("needs the lines", self.report(REPORT), "--into", page, "--place", "t")):
            error = self.script(*arguments, status=1)
            self.assertRegex(error, r"\Atables\.py: [^\n]+\n\Z")
            self.assertIn(words, error)
        self.assertIn("go together", self.script(self.report(REPORT), "--into", page, status=2))
        self.assertEqual(page.read_text(), "no place here\n")


_program.main()
