# SPDX-License-Identifier: Apache-2.0
"""One unit reads the headers of nlohmann-json, which take seconds to compile; all others have src/json/value.hpp.
Committed results are compact, and no page made from them is committed."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import python_report  # noqa: E402

FOLDERS = ["include", "src", "bench", "examples", "tests"]
ENDINGS = {".hpp", ".cpp", ".cu"}


class Json(unittest.TestCase):
    def test_one_unit_reads_nlohmann_json(self):
        sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
        self.assertGreater(len(sources), 500)
        readers = [
            str(path.relative_to(ROOT)) for path in sources if "#include <nlohmann/" in path.read_text(encoding="utf-8")
        ]
        self.assertEqual(readers, ["src/json/value.cpp"])

    def test_committed_results_are_compact(self):
        files = list((ROOT / "bench/results").iterdir())
        self.assertGreater(len(files), 50)
        self.assertEqual([path.name for path in files if path.suffix != ".json"], [])
        checked = self.compact("--check")
        self.assertEqual((checked.stderr, checked.returncode), ("", 0))

    def test_committed_results_of_python_are_reports(self):
        files = list((ROOT / "bench/results").glob("python-*.json"))
        self.assertGreater(len(files), 0)
        for path in files:
            self.assertEqual(python_report.faults(json.loads(path.read_text(encoding="utf-8"))), [], path.name)
        self.assertEqual(python_report.faults({"rows": [{"what": "spmv", "seconds": {"scipy": 1.0}}]}), [
            "no member machine", "no member date", "no member commit", "no member versions",
            "row 0: subject is no text", "row 0: times are numbers for evenly and its peers",
        ])  # fmt: skip

    def test_compacting_keeps_values_and_refuses_what_is_no_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            report = {"date": "today", "results": [{"ms": 1e-05, "ok": True}, {"ms": 2.50, "name": "é"}], "empty": []}
            path.write_text(json.dumps(report, indent=2), encoding="utf-8")
            self.assertEqual(self.compact("--check", path).returncode, 1)
            self.assertEqual(self.compact(path).returncode, 0)
            text = path.read_text(encoding="utf-8")
            self.assertEqual((json.loads(text), len(text.splitlines())), (report, 8))
            self.assertEqual(self.compact("--check", path).returncode, 0)
            for bad in ("[]", "{"):
                path.write_text(bad, encoding="utf-8")
                refused = self.compact(path)
                self.assertEqual((len(refused.stderr.splitlines()), refused.returncode), (1, 1))

    def compact(self, *arguments):
        command = [sys.executable, ROOT / "scripts/compact_results.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    unittest.main()
