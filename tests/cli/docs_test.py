# SPDX-License-Identifier: Apache-2.0
"""What the pages say about files is so: programs shown are the examples that are run, links lead somewhere, every
schedule has its line, its section and its picture, and lines of a program that a page names exist. The argument, the
program, is not used."""
import re
import sys
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)


def schedules():
    """Names as they are in the registry."""
    return re.findall(r'visit\("([^"]+)"', read("include/evenly/schedules/registry.hpp"))


def sections(page):
    """Texts by heading of the second level."""
    parts = re.split(r"^## (.+)$", read(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Docs(unittest.TestCase):
    def test_programs_are_the_examples(self):
        for page, example in (("README.md", "examples/first.cpp"),
                              ("docs/simulated-gpu.md", "examples/find_a_race.cpp"),
                              ("docs/explain.md", "examples/explain_own_kernel.cpp"),
                              ("docs/plans.md", "examples/changing_tiles.cpp"),
                              ("docs/graphs.md", "examples/routes.cpp"),
                              ("docs/tasks.md", "examples/adaptive_quadrature.cpp"),
                              ("docs/tasks.md", "examples/joined_quadrature.cpp"),
                              ("docs/octree.md", "examples/density.cpp"),
                              ("docs/neighbors.md", "examples/lennard_jones.cpp"),
                              ("docs/reorganize.md", "examples/neighbour_sums.cpp"),
                              ("docs/reorganize.md", "examples/changing_lists.cpp"),
                              ("docs/collectives.md", "examples/block_collectives.cpp"),
                              ("docs/distributed.md", "examples/distributed_spmv.cpp")):
            program = read(example).removeprefix("// SPDX-License-Identifier: Apache-2.0\n")
            self.assertIn(program, blocks(page, "cpp"), f"{page} does not show {example} as it is")

    def test_blocks_of_short_pages_are_parts_of_examples(self):
        """Each block of C++ is in an example as it is, but for indentation. The pages are short, and so is README."""
        def stripped(text):
            return "\n".join(line.strip() for line in text.strip().splitlines()) + "\n"

        examples = [stripped(path.read_text(encoding="utf-8")) for path in (ROOT / "examples").glob("*.c*")]
        pages = [path.relative_to(ROOT) for path in PAGES if path.parent.name in ("get-started", "how-do-i")]
        self.assertGreater(len(pages), 11)
        for page in ("README.md", *pages):
            self.assertLessEqual(len(read(page).splitlines()), 150 if page == "README.md" else 100, page)
            for block in blocks(page, "cpp"):
                with self.subTest(page=page, block=block.splitlines()[0]):
                    self.assertTrue(any("\n" + stripped(block) in example for example in examples))

    def test_listings_are_shown_as_they_run(self):
        listings = re.split(r"^(?=## )", read("docs/your-own-kernel.md"), flags=re.M)
        [shown] = [part for part in listings if part.startswith("## Listings 4 and 5\n")]
        found = re.findall(r"^```cpp\n(.*?)^```$", shown, re.M | re.S)
        self.assertEqual(len(found), 2)
        for block in found:
            self.assertIn("\n" + block, read("examples/listings.cpp"))

    def test_readme_counts_the_schedules(self):
        self.assertIn(f"There are {len(schedules())}, from", read("README.md"))

    def test_index_has_every_page(self):
        """Of pages that belong together the first one."""
        index = read("docs/index.md")
        for page in (ROOT / "docs").rglob("*.md"):
            name = str(page.relative_to(ROOT / "docs"))
            if name != "index.md" and not name.startswith(("decisions/", "tutorial/step")):
                with self.subTest(page=name):
                    self.assertIn(f"]({name})", index)

    def test_the_glossary_names_what_there_is(self):
        """Each term once, with its definition; what it has as code is in the sources."""
        rows = [line.split("|")[1:-1] for line in read("docs/glossary.md").splitlines() if line.startswith("| **")]
        terms = [row[0].strip() for row in rows]
        self.assertGreater(len(terms), 40)
        self.assertEqual(len(terms), len(set(terms)))
        self.assertEqual([row[0] for row in rows if len(row) != 5 or not all(cell.strip() for cell in row)], [])
        sources = "".join(path.read_text(encoding="utf-8") for folder in ("include", "src")
                          for path in (ROOT / folder).rglob("*.[hc]pp"))
        names = {name for row in rows for name in re.findall(r"`(\w+)[^`]*`", row[1])}
        self.assertEqual({name for name in names if not re.search(rf"\b{name}\b", sources)}, set())

    def test_five_tasks_are_counted_and_are_the_examples(self):
        """A task has five blocks, one per library; two tasks have a second block of this library."""
        regions = {}
        for example in ("five_tasks.cpp", "five_tasks_thrust.cu"):
            found = re.findall(r"^ *// begin ([^\n]+)\n(.*?)^ *// end$", read(f"examples/{example}"), re.M | re.S)
            regions[example] = [textwrap.dedent(text) for _, text in found]
        table = re.findall(r"^\| \[([^\]]+)\]\(#[\w-]+\) \|([ \d|]+)\|$", read("docs/five-tasks.md"), re.M)
        self.assertEqual(len(table), 5)
        parts, of_ours, of_thrust = sections("docs/five-tasks.md"), [], []
        for title, counts in table:
            shown = re.findall(r"^```cpp\n(.*?)^```$", parts[title], re.M | re.S)
            counted = [len([line for line in text.splitlines() if line.strip()]) for text in shown[:5]]
            self.assertEqual([int(count) for count in counts.split("|")], counted, title)
            self.assertEqual(min(counted), counted[0], title)
            of_ours += [shown[0], *shown[5:]]
            of_thrust.append(shown[1])
        self.assertEqual(of_ours, regions["five_tasks.cpp"])
        self.assertEqual(of_thrust, regions["five_tasks_thrust.cu"])
        self.assertIn(of_ours[-1], blocks("docs/your-own-kernel.md", "cpp"))

    def test_an_application_is_a_screen(self):
        """BFS written out has at most 12 lines of code, PageRank at most 20."""
        def code(text):
            return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]

        bfs = re.findall(r"// begin bfs, written out\n(.*?)// end", read("examples/five_tasks.cpp"), re.S)
        page_rank = re.findall(r"^template <class Executor>\nstd::vector<double> page_rank\(.*?^}$",
                               read("examples/pagerank.cpp"), re.M | re.S)
        self.assertEqual((len(bfs), len(page_rank)), (1, 1))
        self.assertLessEqual(len(code(bfs[0])), 12)
        self.assertLessEqual(len(code(page_rank[0])), 20)

    def test_operations_are_those_of_the_examples(self):
        """Each line of code in the table is in a program that is run."""
        [table, _] = read("docs/operations.md").split("## The environment")
        rows = re.findall(r"^\| (?!operation)(.+) \|$", table, re.M)
        programs = re.sub(r"\s+", " ", read("examples/operations.cpp") + read("examples/read_a_file.cpp"))
        self.assertGreater(len(rows), 20)
        for row in rows:
            for code in re.findall(r"`([^`]*evenly::[^`]*)`", "|".join(row.split("|")[1:3])):
                with self.subTest(code=code):
                    self.assertIn(code, programs)

    def test_tutorial_shows_its_programs(self):
        """In numbered steps, each with its page; what pages say is printed is compared where programs are run."""
        steps = sorted((ROOT / "examples/tutorial").glob("*.cpp"))
        self.assertEqual([path.stem[:5] for path in steps], [f"step{i}" for i in range(1, 6)])
        index = read("docs/tutorial/README.md")
        for path in steps:
            page = f"docs/tutorial/{path.stem}.md"
            program = path.read_text(encoding="utf-8").removeprefix("// SPDX-License-Identifier: Apache-2.0\n")
            self.assertEqual(blocks(page, "cpp"), [program], page)
            self.assertEqual(len(blocks(page, "text")), 1, page)
            self.assertIn(f"]({path.stem}.md)", index)
        self.assertEqual(len(list((ROOT / "docs/tutorial").glob("*.md"))), len(steps) + 1)

    def test_links_lead_to_files(self):
        self.assertGreater(len(PAGES), 5)
        for page in PAGES:
            prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_links_into_pages_lead_to_headings(self):
        def anchors(page):
            headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}

        found = 0
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#\s]*\.md)?#([\w-]+)\)", page.read_text(encoding="utf-8")):
                found += 1
                with self.subTest(page=page.name, anchor=anchor):
                    self.assertIn(anchor, anchors(page.parent / target if target else page))
        self.assertGreater(found, 5)

    def test_files_named_in_backquotes_exist(self):
        folders = "include|src|tests|bench|examples|docs|scripts|cmake"
        for page in PAGES:  # bench/NAME.cpp stands for any file
            for target in re.findall(rf"`((?:{folders})/(?!NAME)[\w/-]+\.\w+)`", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((ROOT / target).exists())

    def test_every_schedule_has_its_line(self):
        self.assertGreaterEqual(len(schedules()), 6)
        page = read("docs/concepts.md")
        for name in {name.split("<")[0] for name in schedules()}:
            self.assertRegex(page, rf"\n\| `{name}\b", f"docs/concepts.md has no line for {name}")

    def test_every_layout_has_its_row(self):
        """And every order that a registered arm takes; layouts that the page shows are those that a test holds."""
        registry, page = read("include/evenly/layouts/registry.hpp"), read("docs/reorganize.md")
        arms = re.findall(r'visit\("\w+", (\w+)(?:<(\w*)>)?', registry)
        self.assertGreaterEqual(len(arms), 12)
        for name in {name for pair in arms for name in pair if name}:
            self.assertRegex(page, rf"\n\| [^|]*`{name}\b", f"docs/reorganize.md has no row for {name}")
        layouts = re.findall(r"^\| .*\| `([a-x]{8,})` \|", page, re.MULTILINE)
        self.assertGreaterEqual(len(layouts), 8)
        for layout in layouts:
            self.assertIn(f'"{layout}"', read("tests/layouts/theory_test.cpp"))

    def test_every_header_of_a_schedule_has_its_section(self):
        """With what it costs: filled from the header, so a header that does not say it fails as well."""
        headers = re.findall(r'#include "evenly/schedules/(\w+)\.hpp"', read("include/evenly/schedules/registry.hpp"))
        self.assertGreaterEqual(len(headers), 6)
        parts = sections("docs/schedules.md")
        [summary] = re.findall(r"^<!-- costs (.+) -->$", read("docs/schedules.md"), re.MULTILINE)
        self.assertEqual(sorted(summary.split()), sorted(headers))
        for name in headers:
            with self.subTest(header=name):
                self.assertIn(f"\n<!-- cost {name} -->\n\n|", parts[name])

    def test_every_schedule_is_in_one_section(self):
        """With its picture and its times; and no other picture is shown, or lies there."""
        parts = sections("docs/schedules.md")
        pictures = {name: re.sub("[<>]", "", name.replace("<", "_")) + ".svg" for name in schedules()}
        for name, picture in pictures.items():
            with self.subTest(schedule=name):
                measured = [title for title, text in parts.items()
                            for names in re.findall(r"^<!-- ratios [^:]+: (.+) -->$", text, re.MULTILINE)
                            if name.split("<")[0] in names.split()]
                shown = [title for title, text in parts.items() if f"](pictures/{picture})" in text]
                self.assertEqual(len(measured), 1)
                self.assertEqual(shown, measured)
                self.assertTrue((ROOT / "docs/pictures" / picture).exists())
        self.assertEqual(len(re.findall(r"\]\(pictures/", read("docs/schedules.md"))), len(pictures))
        self.assertEqual({path.name for path in (ROOT / "docs/pictures").iterdir()}, set(pictures.values()))

    def test_decisions_are_listed_by_their_titles(self):
        folder = ROOT / "docs/decisions"
        titles = [path.read_text(encoding="utf-8").splitlines()[0] + f" {path.name}" for path in folder.glob("0*.md")]
        listed = re.findall(r"^\* (\d+): \[(.+)\]\((\S+)\)$", read(folder / "README.md"), re.MULTILINE)
        self.assertGreater(len(titles), 30)
        self.assertEqual(sorted(f"# {number}. {title} {name}" for number, title, name in listed), sorted(titles))

    def test_reports_name_lines_that_exist(self):
        text = read("docs/simulated-gpu.md")
        named = re.findall(r"\((find_a_race\.cpp):(\d+)\)", text)
        self.assertGreaterEqual(len(named), 2)
        for name, line in named:
            self.assertIn("staged[", read(f"examples/{name}").splitlines()[int(line) - 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
