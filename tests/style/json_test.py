# SPDX-License-Identifier: Apache-2.0
"""One unit reads the headers of nlohmann-json, which take seconds to compile; all others have src/json/value.hpp."""
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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


if __name__ == "__main__":
    unittest.main()
