# SPDX-License-Identifier: Apache-2.0
"""Rooms that a newcomer can look through: an operation reads few headers, a header of the inside has two includers or
says why not, a header has at most 1,000 lines, the folder of schedules has at most eight headers that are not
schedules, the commands have at most 40 files, each file of src has a unique name, and public names are in the namespace
of their folder."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEDULES = ROOT / "include/evenly/schedules"
CHOICES_OF_SCHEDULES = {"automatic", "combined_heuristic"}
INCLUDE = re.compile(r'^\s*#\s*include "(evenly/[^"]+)"', re.M)
REASONS = ("// One includer: ", "// Written by scripts/")  # second lines of headers with one includer


def includes(path):
    return set(INCLUDE.findall(path.read_text(encoding="utf-8")))


def headers_read_by(*headers):
    """All headers of evenly that a file with these includes reads, under any conditions of the preprocessor."""
    found, left = set(), list(headers)
    while left:
        header = left.pop()
        if header not in found:
            found.add(header)
            left += includes(ROOT / "include" / header)
    return found


class Rooms(unittest.TestCase):
    def test_headers_are_short(self):
        headers = sorted((ROOT / "include").rglob("*.hpp"))
        self.assertGreater(len(headers), 200)
        lines = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in headers}
        self.assertEqual({name: count for name, count in lines.items() if count > 1000}, {})

    def test_an_operation_reads_few_headers(self):
        for limit, *headers in ((30, "sparse/spmv.hpp", "schedules/merge_path.hpp", "execution/cpu.hpp"),
                               (35, "algorithms/reduce_tiles.hpp")):
            with self.subTest(headers[0]):
                read = headers_read_by(*(f"evenly/{header}" for header in headers))
                self.assertGreater(len(read), 15, "the includes were not found")
                self.assertLessEqual(len(read), limit, sorted(read))

    def test_a_header_of_the_inside_has_two_includers_or_a_reason(self):
        includers = {}
        for folder in ("include", "src", "bench", "examples"):
            for path in (ROOT / folder).rglob("*.*"):
                if path.suffix in (".hpp", ".cpp", ".cu"):
                    for header in includes(path):
                        includers.setdefault(header, set()).add(path)
        inside = sorted((ROOT / "include").rglob("detail/*.hpp"))
        self.assertGreater(len(inside), 50)
        for path in inside:
            with self.subTest(path.relative_to(ROOT)):
                count = len(includers.get(str(path.relative_to(ROOT / "include")), ()))
                second_line = path.read_text(encoding="utf-8").split("\n")[1]
                self.assertGreater(count, 0, "nothing includes it")
                if count == 1:
                    self.assertTrue(second_line.startswith(REASONS), "it belongs into the header that includes it")
                else:
                    self.assertFalse(second_line.startswith(REASONS[0]), "it has several includers")

    def test_schedules_are_seen_at_once(self):
        registry = (SCHEDULES / "registry.hpp").read_text(encoding="utf-8")
        schedules = set(re.findall(r'#include "evenly/schedules/(\w+)\.hpp"', registry))
        self.assertGreater(len(schedules), 10)
        beside = {path.stem for path in SCHEDULES.glob("*.hpp")} - schedules - CHOICES_OF_SCHEDULES
        self.assertLessEqual(len(beside), 8, sorted(beside))

    def test_names_of_files_say_the_room(self):
        rooms = {}
        for path in (ROOT / "src").rglob("*.*"):
            if path.name != "CMakeLists.txt":
                rooms.setdefault(path.stem, set()).add(str(path.parent.relative_to(ROOT)))
        self.assertGreater(len(rooms), 200)
        self.assertEqual({stem: sorted(found) for stem, found in rooms.items() if len(found) > 1}, {})

    def test_commands(self):
        self.assertLessEqual(sum(path.is_file() for path in (ROOT / "src/cli").rglob("*")), 40)

    def test_public_names_are_in_the_namespace_of_their_folder(self):
        block = re.compile(r"^namespace evenly \{\n(.*?)^\} // namespace evenly$", re.M | re.S)
        aliases = re.compile(r"(\s*using \w+::\w+(,\s+\w+::\w+)*;)*\s*")
        for folder, space in {"graph": "graphs", "layouts": "layouts", "spatial": "spatial", "tasks": "tasks"}.items():
            headers = sorted((ROOT / "include/evenly" / folder).rglob("*.hpp"))
            texts = {path.name: path.read_text(encoding="utf-8") for path in headers}
            self.assertTrue(any(f"namespace evenly::{space} {{" in text for text in texts.values()))
            for name, text in texts.items():
                for found in block.findall(text):
                    self.assertRegex(found, "^" + aliases.pattern + "$", f"{folder}/{name} declares names in evenly")


if __name__ == "__main__":
    unittest.main()
