# SPDX-License-Identifier: Apache-2.0
"""What the pages say about files is so: programs shown are the examples that are run, links lead somewhere, every
schedule has its line, and lines of a program that a page names exist. The argument, the program, is not used."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)


class Docs(unittest.TestCase):
    def test_programs_are_the_examples(self):
        for page, example in (("README.md", "examples/first.cpp"), ("docs/simulated-gpu.md", "examples/find_a_race.cpp")):
            program = read(example).removeprefix("// SPDX-License-Identifier: Apache-2.0\n")
            self.assertIn(program, blocks(page, "cpp"), f"{page} does not show {example} as it is")

    def test_links_lead_to_files(self):
        self.assertGreater(len(PAGES), 5)
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_files_named_in_backquotes_exist(self):
        folders = "include|src|tests|bench|examples|docs|scripts|cmake"
        for page in PAGES:  # bench/NAME.cpp stands for any file
            for target in re.findall(rf"`((?:{folders})/(?!NAME)[\w/-]+\.\w+)`", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((ROOT / target).exists())

    def test_every_schedule_has_its_line(self):
        names = re.findall(r'visit\("(\w+)', read("include/evenly/schedules/registry.hpp"))
        self.assertGreaterEqual(len(names), 6)
        page = read("docs/concepts.md")
        for name in set(names):
            self.assertRegex(page, rf"\n\| `{name}\b", f"docs/concepts.md has no line for {name}")

    def test_reports_name_lines_that_exist(self):
        text = read("docs/simulated-gpu.md")
        named = re.findall(r"\((find_a_race\.cpp):(\d+)\)", text)
        self.assertGreaterEqual(len(named), 2)
        for name, line in named:
            self.assertIn("staged[", read(f"examples/{name}").splitlines()[int(line) - 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
