# SPDX-License-Identifier: Apache-2.0
"""The reference pages: Doxygen makes them of the headers without a warning, every link leads somewhere, every public
header is listed with its purpose, and every example is shown with the names that it uses."""
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from links import broken_links
STYLE = Path("/usr/share/doxygen-awesome-css/doxygen-awesome.css")


class Api(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pages = Path(cls.folder.name)
        subprocess.run([DOXYGEN, ROOT / "docs/api/Doxyfile"], check=True, env={
            **os.environ, "EVENLY_VERSION": "0", "EVENLY_SOURCE": str(ROOT), "EVENLY_API": cls.folder.name,
            "EVENLY_API_STYLE": str(STYLE) if STYLE.exists() else ""})
        cls.text = {path.name: path.read_text(encoding="utf-8") for path in cls.pages.glob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_no_warning(self):
        self.assertEqual((self.pages / "warnings.txt").read_text(encoding="utf-8"), "")

    def test_links(self):
        count, broken = broken_links(self.pages)
        self.assertGreater(count, 10000, "the pages have no links")
        self.assertEqual(broken, [])

    def test_every_public_header_is_described(self):
        index = self.text["files.html"]
        headers = [path.relative_to(ROOT / "include") for path in sorted((ROOT / "include").rglob("*.hpp"))
                   if "detail" not in path.parts]
        self.assertGreater(len(headers), 150)
        rows = dict(re.findall(r'>([a-z_0-9]+\.hpp)</a></td><td class="desc">(.*?)</td>', index, re.S))
        self.assertEqual([str(path) for path in headers if not rows.get(path.name)], [])
        groups = {path.parts[1] for path in headers if len(path.parts) > 2}  # a folder's, with those in it
        self.assertEqual([each for each in sorted(groups) if f"group__{each}.html" not in self.text], [])

    def test_nothing_of_the_inside(self):
        self.assertEqual([name for name in self.text if "_1_1detail" in name], [])

    def test_every_example_is_listed(self):
        pages = (ROOT / "docs/api/pages.dox").read_text(encoding="utf-8")
        listed = re.findall(r"@example (\S+)", pages)
        there = [str(path.relative_to(ROOT / "examples")) for path in (ROOT / "examples").rglob("*.c*")
                 if path.suffix in (".cpp", ".cu")]
        self.assertEqual(sorted(listed), sorted(there))

    def test_an_entry_has_its_signature_arguments_and_examples(self):
        page = self.text["group__algorithms.html"]
        entry = page[page.index('<h2 class="memtitle">', page.index("Function Documentation")):]
        entry = entry[entry.index("reduce_tiles()"):]
        entry = html.unescape(re.sub(r"<[^>]+>", "", entry[:entry.index('<h2 class="memtitle">')]))
        for word in ("Rest &&", "skeleton_call", "Examples"):
            self.assertIn(word, entry)
        self.assertIn("own_tile_set.cpp", entry)


if __name__ == "__main__":
    DOXYGEN = shutil.which("doxygen")
    if not DOXYGEN:
        print("skipped: no doxygen here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
