# SPDX-License-Identifier: Apache-2.0
"""Rooms that a newcomer can look through: no public header has more than 400 lines, beside the schedules stand at most
eight headers, the commands have at most 40 files, a file of src has a name of its own, and public names are in the
namespace of their folder."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEDULES = ROOT / "include/evenly/schedules"
CHOICES_OF_SCHEDULES = {"automatic", "combined_heuristic"}


class Rooms(unittest.TestCase):
    def test_headers_are_short(self):
        headers = sorted((ROOT / "include").rglob("*.hpp"))
        self.assertGreater(len(headers), 200)
        lines = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in headers}
        self.assertEqual({name: count for name, count in lines.items() if count > 400}, {})

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
