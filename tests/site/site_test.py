# SPDX-License-Identifier: Apache-2.0
"""The site of docs: scripts/site.sh builds it without a warning, every page is in its navigation, every link and anchor
leads somewhere, the search knows pages, and nothing is fetched from elsewhere."""
import json
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


def missing():
    """Why it cannot be built here."""
    for tool in ("mkdocs", "doxygen"):
        if not shutil.which(tool):
            return f"no {tool} here"
    def says(*words):
        return subprocess.run(["mkdocs", *words], capture_output=True, text=True, check=False).stdout

    version = re.search(r"version (\d+)\.(\d+)", says("--version"))
    if not version or (int(version[1]), int(version[2])) < (1, 4):
        return "mkdocs is older than 1.4, which has no hooks"
    return "" if "material" in says("build", "--help") else "mkdocs has no theme material here"


class Site(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = Path(cls.folder.name) / "a site"
        subprocess.run([ROOT / "scripts/site.sh", cls.site], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, name):
        return (self.site / name).read_text(encoding="utf-8")

    def test_links(self):
        count, broken = broken_links(self.site, ignored="api")  # style.api_test looks at those
        self.assertGreater(count, 30000, "the pages have no links")
        self.assertEqual(broken, [])

    def test_every_page_is_in_the_navigation(self):
        navigation = self.read("index.html")
        for page in (ROOT / "docs").rglob("*.md"):
            name = re.sub(r"(^|/)README\.html$", r"\1index.html",
                          str(page.relative_to(ROOT / "docs").with_suffix(".html")))
            with self.subTest(page=name):
                self.assertRegex(navigation, rf'<a href="(\./)?{re.escape(name)}" class="md-nav__link')

    def test_nothing_is_fetched_from_elsewhere(self):
        for page in self.site.rglob("*.html"):
            fetched = re.findall(r'<(?:script|link|img|source)\b[^>]*(?:src|href|srcset)="((?:https?:)?//[^"]+)"',
                                 page.read_text(encoding="utf-8"))
            self.assertEqual(fetched, [], page)

    def test_the_search_finds_pages(self):
        found = {each["location"].split("#")[0] for each in json.loads(self.read("search/search_index.json"))["docs"]}
        self.assertIn("how-do-i/find-a-race.html", found)
        self.assertEqual([name for name in found if name.startswith("source/include")], [])
        self.assertIn('class="highlight"', self.read("source/examples/first.cpp.html"))
        self.assertTrue(self.read("search/search_index.js").startswith("var __index = {"))

    def test_python_functions_have_a_reference(self):
        page = self.read("python-reference.html")
        for name in ("matrix", "segment_reduce", "bfs", "ioread"):
            self.assertIn(f'id="{name}"', page)
        self.assertIn("offsets[s + 1]", page)

    def test_pictures_are_there_for_both_colours(self):
        for name in ("peers-light.svg#only-light", "peers-dark.svg#only-dark"):
            self.assertIn(f'src="images/{name}"', self.read("index.html"))


if __name__ == "__main__":
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
