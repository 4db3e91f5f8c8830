# SPDX-License-Identifier: Apache-2.0
"""--report of every command that measures: a page that needs nothing else, has the figures of the JSON and a chart of
them, fits a phone, and is whole or not there."""
import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

import _program
import _svg

SVG = "{http://www.w3.org/2000/svg}"
# Each measures something small on the CPU, or counts.
COMMANDS = {
    "compare": ("compare", "powerlaw:rows=300,avg=4,sd=10,max=60", "grid:x=9,y=9", "--on", "cpu", "--repeat", 3,
                "--schedule", "merge_path,thread_mapped"),
    "ladder": ("ladder", "reduce", "--on", "cpu", "--n", "1e4", "--repeat", 3),
    "counted": ("ladder", "reduce", "--count", "--n", 512),
    "tasks": ("tasks", "fib:n=8", "--on", "cpu", "--repeat", 3),
    "octree": ("octree", "tube:n=300", "--on", "cpu", "--repeat", 3),
    "neighbors": ("neighbors", "uniform:n=300", "--cutoff", 4, "--on", "cpu", "--repeat", 3),
    "reorganize": ("reorganize", "cg:n=16", "--on", "cpu", "--repeat", 3),
    "bfs": ("bfs", "grid:x=9,y=9", "--on", "cpu", "--repeat", 3, "--schedule", "all"),
    "together": ("bfs", "grid:x=9,y=9", "--on", "cpu", "--repeat", 3, "--together"),
    "sssp": ("sssp", "grid:x=9,y=9", "--weights", "hash", "--on", "cpu", "--repeat", 3),
    "study": ("study", "mapping", "regular:rows=60,size=4", "--quick", "--on", "cpu"),
    "explain": ("explain", "powerlaw:rows=300,avg=4,sd=10,max=60"),
}
NAMES = ("schedule", "rung", "pool", "arm")


class Texts(html.parser.HTMLParser):
    """What a page shows, and what a browser would fetch for it."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.fetched = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.fetched += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data")]

    def handle_data(self, data):
        self.texts.append(data.strip())


class Report(_program.ProgramTest):
    pages = {}  # text and JSON of each command of COMMANDS that a test has asked for

    def page_of(self, *arguments):
        """The page as text and as a tree, and the JSON."""
        out, page = self.folder / "out.json", self.folder / "out.html"
        self.succeed(*arguments, "--json", out, "--report", page)
        text = page.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("<!DOCTYPE html>\n"), text[:80])
        return text, xml.fromstring(text), json.loads(out.read_text(encoding="utf-8"))

    def page_of_command(self, name):
        """The same of COMMANDS[name], which runs once for all tests."""
        if name not in self.pages:
            self.pages[name] = self.page_of(*COMMANDS[name])
        return self.pages[name]

    def check_alone(self, text):
        self.assertEqual(Texts(text).fetched, [])
        self.assertNotRegex(text.replace('xmlns="http://www.w3.org/2000/svg"', ""), r"https?:|<script|@import|url\(")
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn("prefers-color-scheme: dark", text)

    def test_every_command_has_one(self):
        for name in COMMANDS:
            with self.subTest(name):
                text, root, _ = self.page_of_command(name)
                self.check_alone(text)
                figures = list(root.iter("figure"))
                self.assertGreater(len(figures), 0)
                for figure in figures:
                    bars = [each for each in figure.iter("span") if each.get("class") == "bar"]
                    drawn = [each for kind in ("polygon", "path", "rect") for each in figure.iter(SVG + kind)]
                    self.assertGreater(len(bars) + len(drawn), 0)
                metas = {each.get("name"): each.get("content") for each in root.iter("meta")}
                self.assertEqual(metas.get("viewport"), "width=device-width, initial-scale=1")
                self.assertIn("color-scheme: light dark", text)
                self.assertFalse([cell for cell in root.iter("td") if re.search(r"[a-z_]=[0-9]", cell.text or "")
                                  and ":" not in cell.text], "a raw key=value")
                self.check_labels(root)
                self.check_tables(root)

    def check_labels(self, root):
        for picture in root.iter(SVG + "svg"):
            if picture.get("viewBox"):  # all but the samples of a legend
                self.assertEqual(_svg.clipped_texts(picture), [])

    def check_tables(self, root):
        """Tables scroll in a box of their own."""
        boxed = {id(table) for box in root.iter("div") if box.get("class") == "scrolls" for table in box.iter("table")}
        self.assertEqual([table for table in root.iter("table") if id(table) not in boxed], [])

    def test_one_search_has_its_sources_and_frontiers(self):
        _, root, data = self.page_of_command("sssp")
        result, = data["results"]
        labels = [each.text for each in root.iter("span") if each.get("class") == "label"]
        self.assertEqual(labels, [f"from {source}" for source in result["sources"]])
        captions = [each.text for each in root.iter("figcaption")]
        self.assertIn("Frontiers: outgoing edges of each, in the last search", captions)

    def test_counts_have_charts_and_tables(self):
        _, root, data = self.page_of_command("counted")
        captions = [each.text for each in root.iter("figcaption")]
        for caption in ("Parallel steps", "Sectors of 32 bytes that loads and stores move",
                        "Requested bytes, as a share of moved bytes", "Active lanes of the 32 of a warp"):
            self.assertIn(caption, captions)
        heads = [each.text for each in root.iter("th")]
        self.assertIn("global load sectors", heads)
        values = [each.text for each in root.iter("span") if each.get("class") == "value"]
        for each in data["counted"]:
            counts = each["counts"]
            self.assertIn(f"{counts['global_load_sectors'] + counts['global_store_sectors']:,}", values)
            self.assertIn(f"{counts['active_lanes']:.1f}", values)

    def test_it_has_the_figures_of_the_json(self):
        for name in ("compare", "ladder", "tasks", "octree", "reorganize", "bfs", "sssp"):
            with self.subTest(name):
                _, root, data = self.page_of_command(name)
                cells = [cell.text for cell in root.iter("td")]
                captions = [caption.text for caption in root.iter("figcaption")]
                charts = [caption for caption in captions if caption.startswith("Time")]
                searches = len(data["results"]) == 1 and "sources" in data["results"][0]
                groups = {tuple(r.get(k) for k in ("workload", "op", "executor", "type")) for r in data["results"]}
                self.assertEqual(len(charts), len(groups))
                in_charts = [each.text for each in root.iter("span") if each.get("class") in ("label", "value")]
                for result in data["results"]:
                    called = next(result[key] for key in NAMES if key in result)
                    if len(data["results"]) > 1:
                        self.assertIn(called, cells)
                    if result.get("ms") is not None:
                        if not searches:
                            self.assertIn(called, in_charts)
                        self.assertIn(f"{result['ms']:.4g}", cells)
                    if result.get("gbps") is not None:
                        self.assertTrue(any(t.startswith(f"{result['gbps']:.4g} GB/s") for t in in_charts), result)
                for fact in (data["commit"], data["date"], data["machine"]["cpu"]):
                    self.assertIn(fact, [d.text for d in root.iter("dd")])
                self.assertRegex(next(d.text for d in root.iter("dd")), rf"evenly {COMMANDS[name][0]} .* --report ")

    def test_compare_shows_its_noise_and_what_is_fastest(self):
        _, root, data = self.page_of("compare", "powerlaw:rows=300,avg=4,sd=10,max=60", "grid:x=9,y=9", "--on", "cpu",
                                     "--repeat", 5, "--schedule", "merge_path,thread_mapped")
        shown = [each.text for each in root.iter("p") if (each.text or "").startswith("Noise of this run")]
        self.assertEqual(len(shown), 2)
        for text, verdict in zip(shown, data["verdicts"]):
            noise = verdict["noise"]
            self.assertIn(f"run: {100 * noise:.{1 if noise < 0.1 else 0}f}%.", text)
            self.assertTrue(text.endswith(f" Fastest within the noise: {', '.join(verdict['fastest'])}."), text)

    def test_compare_shows_the_sizes_of_tiles(self):
        _, root, _ = self.page_of_command("compare")
        captions = [caption.text for caption in root.iter("figcaption")]
        for each in COMMANDS["compare"][1:3]:
            self.assertIn(f"{each}: tiles by size", captions)

    def test_names_may_hold_anything(self):
        name = "a'b \"c\" <i>&amp; $x `y` \\n {d}"
        matrix = self.write(name + ".mtx", _program.SMALL)
        out = self.folder / "out.html"
        self.succeed("compare", matrix, "--on", "cpu", "--repeat", 1, "--report", out)
        text = out.read_text(encoding="utf-8")
        self.check_alone(text)
        shown = "".join(xml.fromstring(text).itertext())
        self.assertIn(name, shown)
        self.assertNotIn("<i>", text)

    def test_standard_output_is_the_page_alone(self):
        done = _program.run(*COMMANDS["tasks"], "--report", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        xml.fromstring(done.stdout)
        self.assertIn("median ms", done.stderr)

    def test_without_gnuplot_nothing_is_measured(self):
        bare = {**os.environ, "PATH": str(self.folder)}
        out, page = self.folder / "out.json", self.folder / "out.html"
        page.write_text("before")
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                line = self.fail_with_line(1, *arguments, "--json", out, "--report", page, env=bare)
                self.assertIn("gnuplot-nox", line)
                self.assertEqual(page.read_text(), "before")
                self.assertFalse(out.exists())
                self.succeed(*arguments, "--json", out, env=bare)  # which draws nothing
                out.unlink()

    def test_a_gnuplot_that_fails_leaves_the_json(self):
        fake = self.write("gnuplot", "#!/bin/sh\nread word || exit 0\necho no memory >&2\nexit 3\n")
        fake.chmod(0o755)
        out, page = self.folder / "out.json", self.folder / "out.html"
        env = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        line = self.fail_with_line_after_table(*COMMANDS["compare"], "--json", out, "--report", page, env=env)
        self.assertIn("no memory", line)
        self.assertFalse(page.exists())
        self.assertGreater(len(json.loads(out.read_text(encoding="utf-8"))["results"]), 0)

    def fail_with_line_after_table(self, *arguments, **options):
        done = _program.run(*arguments, **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Aevenly: [^\n]+\n\Z")
        return done.stderr

    def test_bad_paths(self):
        matrix = self.write("a.mtx", _program.SMALL)
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                self.assertIn("no/such", self.fail_with_line(1, *arguments, "--report", self.folder / "no/such.html"))
                for one, other in (("-", "-"), (self.folder / "a", self.folder / "a")):
                    line = self.fail_with_line(2, *arguments, "--report", one, "--json", other)
                    self.assertRegex(line, "--report|standard output")
        for command in ("compare", "bfs", "sssp"):
            self.assertIn("written as", self.fail_with_line(2, command, matrix, "--report", matrix))
        self.assertEqual(matrix.read_text(encoding="utf-8"), _program.SMALL)

    def test_an_interrupted_command_leaves_a_whole_page(self):
        out = self.folder / "out.html"
        started = subprocess.Popen([_program.PROGRAM, "compare", "regular:rows=200,size=4", "regular:rows=2e6,size=4",
                                    "--on", "cpu", "--schedule", "merge_path", "--repeat", "50", "--report", out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            for line in started.stdout:
                if "x best" in line or "median ms" in line:  # the table of the first
                    break
            time.sleep(0.2)
            os.killpg(started.pid, signal.SIGINT)
            started.communicate(timeout=60)
        finally:
            started.kill()
        self.assertEqual(started.returncode, -signal.SIGINT)
        root = xml.fromstring(out.read_text(encoding="utf-8"))
        self.assertIn("interrupted by SIGINT", "".join(root.itertext()))

    def test_pages_fit_a_phone(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            self.skipTest("no chromium here: nobody looks whether pages fit a phone")
        for name in COMMANDS:
            self.write(f"{name}.html", self.page_of_command(name)[0])
        frames = "".join(f'<iframe id="{name}" src="{name}.html" style="width:390px;height:800px;border:0"></iframe>'
                         for name in COMMANDS)
        frame = self.write("frame.html", f"""<!DOCTYPE html><html><body>{frames}<script>
            window.onload = () => {{
              const width = frame => frame.id + ' has ' + frame.contentDocument.documentElement.scrollWidth + ';';
              document.body.innerHTML = Array.from(document.querySelectorAll('iframe'), width).join('');
            }};
            </script></body></html>""")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                               "--allow-file-access-from-files", f"--user-data-dir={self.folder}/profile",
                               "--virtual-time-budget=5000", "--dump-dom", f"file://{frame}"],
                              capture_output=True, text=True, timeout=120, check=False)
        widths = dict(re.findall(r"(\w+) has (\d+);", done.stdout))
        self.assertEqual(list(widths), list(COMMANDS), done.stderr[-500:])
        for name, width in widths.items():
            self.assertLessEqual(int(width), 390, name)


if __name__ == "__main__":
    _program.main()
