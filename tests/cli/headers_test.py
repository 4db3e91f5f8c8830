# SPDX-License-Identifier: Apache-2.0
"""Every header asks for C++20 before its first line of it: it includes core/annotations.hpp, or a header that does."""
import re
import unittest
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"


class Headers(unittest.TestCase):
    def test_each_includes_one_of_ours(self):
        headers = sorted(INCLUDE.rglob("*.hpp"))
        self.assertGreater(len(headers), 50, "the headers were not found")
        alone = [path.relative_to(INCLUDE).as_posix() for path in headers
                 if not re.search(r'^#include "evenly/', path.read_text(encoding="utf-8"), re.MULTILINE)]
        self.assertEqual(alone, ["evenly/core/annotations.hpp"])


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
