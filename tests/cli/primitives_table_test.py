# SPDX-License-Identifier: Apache-2.0
"""scripts/tables.py: the tables of primitives and of their segmented forms, from results that are written here."""
import json
import subprocess
import sys
from pathlib import Path

import _program

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/tables.py"


def result(operation, n, candidate, ms, cache="cold"):
    return {"operation": operation, "type": "int", "n": n, "bytes": 8 * n, "cache": cache, "candidate": candidate,
            "ok": ms is not None, "ms": ms, "ms_min": ms, "ms_max": ms, "gbps": 8 * n / ms / 1e6 if ms else None}


REPORT = {"machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"}, "date": "2026-01-31T23:59:59Z",
          "commit": "0123456789abcdef", "executor": "cuda",
          "results": [result("scan", 1 << 20, "evenly", 0.01), result("scan", 1 << 20, "slow<1>", 0.03),
                      result("scan", 1 << 20, "cub", 0.02), result("scan", 1 << 20, "copy: a kernel", 0.006),
                      result("scan", 1 << 20, "copy: another", 0.005), result("scan", 1 << 20, "evenly", 0.004, "warm"),
                      result("scan", 1000, "evenly", None), result("scan", 1000, "cub", 0.02)]}
TABLE = """\
On cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab; median, us.

| operation | type | n | cache | evenly | GB/s | fastest other | its time | its time / evenly | copy | % of copy speed |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| `scan` | int | 2^20 | cold | 10.0 | 839 | cub | 20.0 | 2.00 | 5.00 | 50% |
| `scan` | int | 2^20 | warm | 4.00 | 2,097 |  |  |  |  |  |
| `scan` | int | 1,000 | cold | failed |  |  |  |  |  |  |
"""


def segments(workload, op, schedule, ms, executor="cuda"):
    return {"workload": workload, "rows": 1000, "atoms": 12345, "op": op, "executor": executor, "schedule": schedule,
            "type": "float", "ok": ms is not None, "ms": ms, "ms_min": ms, "ms_max": ms}


REDUCE, SCAN, CUB = "segmented_reduce", "segmented_scan", "cub_device_segmented_reduce"
SEGMENTED = {**REPORT, "results": [
    segments("one", REDUCE, "streamed", 0.01), segments("one", REDUCE, "group<8>", 0.02),
    segments("one", REDUCE, "slow", 0.03), segments("one", REDUCE, CUB, 0.005), segments("one", REDUCE, "copy", 0.008),
    segments("uniform:2^0", REDUCE, "streamed", 0.02), segments("uniform:2^0", REDUCE, "failing", None),
    segments("uniform:2^0", REDUCE, "group<8>", 0.015), segments("uniform:2^0", REDUCE, CUB, 4),
    segments("uniform:2^0", REDUCE, "copy", 0.012),
    segments("broken", REDUCE, "streamed", None), segments("broken", REDUCE, CUB, 0.1),
    segments("broken", REDUCE, "copy", 0.01),
    segments("one", SCAN, "streamed", 0.04), segments("one", SCAN, "group<8>", 0.05),
    segments("one", SCAN, "inclusive_scan", 0.03), segments("one", SCAN, "copy", 0.02)]}
SEGMENTED_TABLES = """\
segmented_reduce of float on cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab; median, us. \
Bold: the best schedule.

|  | segments | atoms | streamed | fastest other schedule | its time | cub_device_segmented_reduce | \
CUB / streamed | copy | streamed, % of copy speed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| one | 1,000 | 12,345 | **10.0** | group\\<8> | 20.0 | 5.00 | 0.50 | 8.00 | 80% |
| uniform:2^0 | 1,000 | 12,345 | 20.0 | group\\<8> | **15.0** | 4,000 | 200 | 12.0 | 60% |
| broken | 1,000 | 12,345 | failed |  |  | 100 |  | 10.0 |  |

segmented_scan of float on cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab; median, us. \
Bold: the best schedule.

|  | segments | atoms | streamed | fastest other schedule | its time | inclusive_scan | \
streamed, % of inclusive_scan speed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| one | 1,000 | 12,345 | **40.0** | group\\<8> | 50.0 | 30.0 | 75% |

<!-- end of"""


class PrimitivesTable(_program.ProgramTest):
    def filled(self, report, kind="primitives"):
        (self.folder / "here.json").write_text(json.dumps(report), encoding="utf-8")
        page = self.folder / "page.md"
        page.write_text(f"<!-- {kind} here -->\n<!-- end of {kind} here -->\n", encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, "--fill", page, "--results", self.folder], check=False,
                              capture_output=True, text=True)
        return done, page.read_text(encoding="utf-8")

    def test_a_row_for_each_size_and_cache(self):
        done, page = self.filled(REPORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(TABLE, page)

    def test_threads_of_the_cpu(self):
        _, page = self.filled({**REPORT, "executor": "cpu", "threads": 2})
        self.assertIn("On cpu (some CPU, 2 cores), 2026-01-31T23:59:59Z, commit 0123456789ab; 2 threads; median, us.",
                      page)

    def test_segmented_forms(self):
        done, page = self.filled(SEGMENTED, "segmented")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(SEGMENTED_TABLES, page)

    def test_automatic_has_a_column_of_its_own(self):
        done, page = self.filled({**SEGMENTED, "results": [
            segments("one", REDUCE, "automatic", 0.01), segments("one", REDUCE, "streamed", 0.03),
            segments("one", REDUCE, "slow", 0.04), segments("two", REDUCE, "streamed", 0.03)]}, "segmented")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("|  | segments | atoms | streamed | automatic | fastest other schedule | its time |", page)
        self.assertIn("| one | 1,000 | 12,345 | **30.0** | 10.0 | slow | 40.0 |", page)
        self.assertIn("| two | 1,000 | 12,345 | **30.0** |  |  |  |", page)

    def test_segmented_forms_on_the_cpu_have_a_baseline(self):
        _, page = self.filled({**SEGMENTED, "results": [segments("one", REDUCE, "tbb_parallel_for", 4, "cpu"),
                                                        segments("one", REDUCE, "merge_path", 3, "cpu")]}, "table")
        self.assertIn("| merge_path | **3.00** |\n| tbb_parallel_for | 4.00 |\n"
                      "| best schedule / best baseline | 0.75 |\n", page)

    def test_a_report_of_something_else(self):
        other = {**SEGMENTED, "results": [segments("one", "spmv", "streamed", 1)]}
        for report, kind in (({"results": []}, "primitives"), (other, "segmented")):
            with self.subTest(kind):
                done, _ = self.filled(report, kind)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


_program.main()
