# SPDX-License-Identifier: Apache-2.0
"""The claim that schedules and applications meet in no file: none in include/ or src/ names one of each, and headers of
skeletons and applications name no schedule at all, in comments either.

A new schedule is one header and a line in the registry, a new application a file on top of a skeleton. Code that knew
both would have to change with each.
"""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
APPLICATIONS = ("spmv", "spmm", "spgemm", "expand", "bfs", "sssp")
# Folders of include/evenly whose headers name no schedule. The path that merge_path is called after has two words.
WITHOUT_SCHEDULES = ("algorithms", "graph", "sparse", "spatial")
# Command lines that `help` shows: texts for a reader, no code that would have to change with either.
EXAMPLES = re.compile(r'add_example\((?:"[^"]*"|[^";])*\);')
# The tour shows one application under a few schedules as they are, so that it compiles in seconds.
TOUR = ROOT / "src/tour"
# Includes all, and has no code.
UMBRELLA = ROOT / "include/evenly/evenly.hpp"


def schedules():
    """Names in the registry without their template arguments, those of their types and headers with them."""
    registry = (ROOT / "include/evenly/schedules/registry.hpp").read_text(encoding="utf-8")
    names = set(re.findall(r'visit\("(\w+)', registry))
    names |= set(re.findall(r"visit\(\"[^\"]+\", (\w+)", registry))
    return sorted(names | set(re.findall(r"evenly/schedules/(\w+)\.hpp", registry)))


class Separation(unittest.TestCase):
    def test_no_file_names_both(self):
        names = schedules()
        self.assertGreaterEqual(len(names), 6, "the registry could not be read")
        either = examples = 0
        for path in sorted(p for folder in ("include", "src") for p in (ROOT / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            text, found_examples = EXAMPLES.subn("", path.read_text(encoding="utf-8"))
            examples += found_examples
            found = {word: [name for name in words if re.search(rf"\b{name}(\b|_)", text)]
                     for word, words in (("schedule", names), ("application", APPLICATIONS))}
            either += bool(found["schedule"] or found["application"])
            if path.parent == TOUR or path == UMBRELLA:
                continue
            with self.subTest(path.relative_to(ROOT)):
                self.assertFalse(found["schedule"] and found["application"], f"{path} names {found}")
        self.assertGreater(either, 4, "the sources were not found")
        self.assertGreater(examples, 30, "examples are written otherwise now")

    def test_headers_of_skeletons_and_applications_name_no_schedule(self):
        names = re.compile(rf"\b({'|'.join(schedules())})(?:\b|_)")
        for folder in WITHOUT_SCHEDULES:
            headers = sorted((ROOT / "include/evenly" / folder).rglob("*.hpp"))
            self.assertGreater(len(headers), 2, folder)
            for path in headers:
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    with self.subTest(path.relative_to(ROOT)):
                        self.assertIsNone(names.search(line), f"{path}:{number}: {line}")


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
