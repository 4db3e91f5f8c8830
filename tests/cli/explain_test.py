# SPDX-License-Identifier: Apache-2.0
"""evenly explain: figures are those that are known for simple work, parts add up, pages are whole, a bad command line
is one line; and the example of docs/explain.md is what the program says."""
import html.parser
import json
import re
import sys
from pathlib import Path

import _program

ROOT = Path(__file__).resolve().parents[2]
SUMS = ("request_lanes", "requests", "turns", "bytes_wanted", "bytes_moved", "global_load_sectors",
        "global_store_sectors", "storage_load_wavefronts", "atomics")


class Page(html.parser.HTMLParser):
    """Whether every element ends, and what a browser would fetch."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.seen = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "data")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)


def without_places(text):
    """Lines and columns in the source change with it, and columns with the compiler."""
    text = re.sub(r"^ +\| [^\n]*\n", "", text, flags=re.MULTILINE)  # lines of the source, where it is there
    return re.sub(r"\s+", " ", re.sub(r"(\.\w+):\d+:\d+", r"\1", text))


class Explain(_program.ProgramTest):
    def explain(self, *arguments):
        return json.loads(self.succeed("explain", *arguments, "--json", "-"))

    def check_sums(self, report):
        for launch in report["launches"]:
            counts = launch["counts"]
            for key in SUMS:
                self.assertEqual(sum(site["counts"][key] for site in launch["sites"]), counts[key], key)
            warps = launch["by_warp"]
            self.assertEqual(sum(warps["turns"]), counts["turns"])
            self.assertEqual(sum(warps["requests"]), counts["requests"])
            self.assertEqual(sum(warps["lanes"]), counts["request_lanes"])
            self.assertEqual(32 * sum(warps["sectors"]), counts["bytes_moved"])
            self.assertEqual(len(warps["turns"]), launch["blocks"] * -(-launch["block_size"] // 32))
            self.assertEqual(len(launch["by_block"]["turns"]), launch["blocks"])
            self.assertEqual(sum(launch["by_slot"]["blocks"]), launch["blocks"])
            self.assertEqual(sum(launch["by_slot"]["turns"]), sum(launch["by_block"]["turns"]))
            self.assertLessEqual(len(launch["by_slot"]["turns"]), launch["slots_of_multiprocessor"])
            for part in launch["idle"].values():
                self.assertTrue(0 <= part <= 1, launch["idle"])
            self.assertLessEqual(counts["global_load_least_sectors"], counts["global_load_sectors"])
            self.assertLessEqual(counts["global_load_block_sectors"], counts["global_load_sectors"])
            self.assertLessEqual(counts["global_load_lines"], counts["global_load_sectors"])

    def test_known_figures(self):
        """A lane stores the numbers of eight atoms, 32 bytes: each store of a warp touches 32 sectors."""
        report = self.explain("regular:rows=256,size=8", "--op", "expand", "--schedule", "thread_mapped")
        self.check_sums(report)
        self.assertEqual((report["rows"], report["atoms"], report["op"], report["schedule"]),
                         (256, 2048, "expand", "thread_mapped"))
        launch, = report["launches"]
        counts = launch["counts"]
        self.assertEqual(counts["global_store_requests"], 8 * 8)
        self.assertEqual(counts["global_store_sectors"], 8 * 8 * 32)
        self.assertEqual(counts["global_store_lines"], 8 * 8 * 8)
        self.assertEqual(counts["global_store_bytes"], 2048 * 4)
        self.assertEqual(counts["global_store_least_sectors"], 8 * 8 * 4)
        self.assertEqual(counts["global_store_scattered"], 64)
        self.assertEqual(counts["global_store_block_sectors"], 256)
        self.assertEqual(counts["global_load_requests"], 2 * 8)
        self.assertEqual(counts["request_lanes"], 32 * counts["requests"])
        self.assertEqual(launch["idle"]["lanes"], 0)
        site = launch["sites"][0]
        self.assertEqual((site["file"], site["kind"], site["bytes"]), ("evenly/algorithms/expand.hpp", "store", 4))

    def test_findings(self):
        """Each has a place, a cost and a sentence; the greatest cost is first; page and report have them too."""
        arguments = ("regular:rows=256,size=8", "--op", "expand", "--schedule", "thread_mapped")
        launch, = self.explain(*arguments)["launches"]
        first = launch["findings"][0]
        self.assertEqual((first["kind"], first["file"]), ("strided_access", "evenly/algorithms/expand.hpp"))
        self.assertIn("store: lane i writes 32 bytes from lane i + 1: strided access", first["observation"])
        self.assertRegex(first["advice"], r"^[A-Z][^.]*\.$")
        site = launch["sites"][0]
        self.assertEqual((site["lane_stride"], site["strided_requests"]), (32, 64))
        costs = [each["cost"] for each in launch["findings"]]
        self.assertEqual(costs, sorted(costs, reverse=True))
        self.assertTrue(all(0 < cost <= 1 for cost in costs))
        page = " ".join(self.succeed("explain", *arguments).split())
        report = self.succeed("explain", *arguments, "--report", "-")
        for text in (page, report):
            self.assertIn("lane i writes 32 bytes from lane i + 1", text)
            self.assertIn(first["advice"], text)
        coalesced, = self.explain("regular:rows=8192,size=1", "--op", "expand", "--schedule",
                                  "thread_mapped")["launches"]
        found = [(each["kind"], each["file"]) for each in coalesced["findings"] if each["kind"].endswith("access")]
        # Where a tile ends is where the next one begins: neighboring offsets, one beyond those of the begins.
        self.assertEqual(found, [("misaligned_access", "evenly/schedules/group_per_tile.hpp")])

    def test_divergence_is_seen(self):
        """One row of 96 among 32: the other lanes wait."""
        text = "%%MatrixMarket matrix coordinate pattern general\n32 96 96\n"
        path = self.write("one.mtx", text + "".join(f"1 {k}\n" for k in range(1, 97)))
        launch, = self.explain(path, "--schedule", "thread_mapped")["launches"]
        loads = [site for site in launch["sites"] if site["file"].endswith("spmv.hpp") and site["kind"] == "load"]
        self.assertEqual([site["counts"]["request_lanes"] for site in loads], [96] * 3)
        self.assertEqual([site["counts"]["requests"] for site in loads], [96] * 3)
        self.assertGreater(launch["idle"]["lanes"], 0.9)

    def test_parts_add_up_under_schedules_and_operations(self):
        for schedule in ("thread_mapped", "warp_mapped", "merge_path", "nonzero_split", "binned", "streamed",
                         "dynamic_group_per_tile", "cta_warp_scan", "block_search", "group_mapped<32>"):
            for op in ("spmv", "expand", "update"):
                with self.subTest(schedule=schedule, op=op):
                    report = self.explain("powerlaw:rows=1000,avg=8,sd=40,max=600", "--schedule", schedule, "--op", op)
                    self.check_sums(report)
                    stored = sum(launch["counts"]["global_store_bytes"] for launch in report["launches"])
                    atoms = 4 * report["atoms"]
                    self.assertGreaterEqual(stored, 4 * 1000 if op == "spmv" else atoms)
                    if op == "expand":
                        self.assertEqual(stored, atoms)

    def test_layouts(self):
        for workload, arm in (("md:n=300,k=9", "share_hilbert"), ("random:threads=500,elements=90", "pad"),
                              ("merge:threads=400,elements=90", "share_accumulate"), ("cg:n=64", "none")):
            with self.subTest(workload=workload, arm=arm):
                report = self.explain(workload, "--layout", arm)
                self.check_sums(report)
                self.assertEqual((report["workload"], report["arm"], report["executor"]), (workload, arm, "simt"))
                counted, = (each for each in json.loads(self.succeed(
                    "reorganize", workload, "--count", "--arm", arm, "--json", "-"))["results"] if each["arm"] == arm)
                self.assertEqual(sum(launch["counts"]["global_load_sectors"] for launch in report["launches"]),
                                 counted["counts"]["global_load_sectors"])
        self.assertEqual(self.explain("md:n=300,k=9")["arm"], "none")
        text = self.succeed("explain", "random:threads=5000,elements=90", "--arm", "share_sorted", "--block", 64)
        self.assertIn("5,000 threads with 1 reference each to 90 elements, under share_sorted", " ".join(text.split()))
        self.assertIn("view.hpp", text)
        for arguments, words in ((("cg:n=16", "--arm", "fold"), ("'fold' is not a layout",)),
                                 (("cg:n=16", "--arm", "share_hilbert"), ("does not support share_hilbert",)),
                                 (("cg:n=16", "--op", "expand"), ("--schedule and --op apply to tiles",)),
                                 (("cg:n=16", "--type", "double"), ("has no effect in explain --layout",)),
                                 (("tree:n=16", "--arm", "none"), ("is not a workload",))):
            line = self.fail_with_line(2, "explain", *arguments)
            for word in words:
                self.assertIn(word, line)

    def test_options_do_something(self):
        small = ("explain", "grid:x=20,y=20", "--schedule", "thread_mapped", "--json", "-")
        usual = json.loads(self.succeed(*small))
        self.assertEqual(usual["type"], "float")
        for more in (["--type", "double"], ["--block", 64]):
            self.assertNotEqual(json.loads(self.succeed(*small, *more))["launches"], usual["launches"], more)
        for more in (["--seed", 3], ["--threads", 1]):  # counts do not depend on the order of threads
            self.assertEqual(json.loads(self.succeed(*small, *more))["launches"], usual["launches"], more)
        usual = json.loads(self.succeed("explain", "grid:x=2,y=2", "--json", "-"))
        self.assertEqual(usual["schedule"], "automatic")
        chosen = usual["choice"].split(":")[0]
        page = " ".join(self.succeed("explain", "grid:x=2,y=2").split())
        self.assertIn(f"under {chosen}, counted on simt automatic chose {usual['choice']}", page)

    def test_the_page(self):
        text = self.succeed("explain", "powerlaw:rows=2000,avg=8,sd=60,max=900", "--schedule", "merge_path")
        for part in ("spmv (float) of", "merge_path", "2,000 tiles", "requests", "sectors", "minimum", "lines", "used",
                     "bytes requested", "bank conflicts", "active:", "idle:", "turns by place", "not coalesced",
                     "warps in order", "spmv.hpp:"):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.assertIn("nothing was launched", self.succeed("explain", empty, "--op", "expand"))

    def test_the_report(self):
        path = self.folder / "report.html"
        said = self.succeed("explain", "powerlaw:rows=2000,avg=8,sd=60,max=900", "--report", path)
        self.assertIn("turns by place", said)
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual((page.open, page.fetched), ([], []))
        self.assertNotRegex(text.replace('xmlns="http://www.w3.org/2000/svg"', ""), r"https?://|@import|url\(")
        self.assertIn("svg", page.seen)
        for part in ("turns by place", "Warps in order", "Not coalesced", "slots of one multiprocessor", "<polygon"):
            self.assertIn(part, text)
        self.assertEqual(self.succeed("explain", "grid:x=9,y=9", "--report", "-")[:9], "<!DOCTYPE")

    def test_patterns(self):
        """Figures 1 and 2 of the course, with the sectors and banks of today's GPUs, and 16 banks."""
        found = self.explain("--patterns")["patterns"]
        memory = {each["memory"]: (each["lines"], each["sectors"]) for each in found if "memory" in each}
        self.assertEqual({name: memory[name] for name in ("aligned", "permuted in 128 bytes", "offset 1", "offset 8",
                                                          "stride 2", "stride 3", "one word")},
                         {"aligned": (1, 4), "permuted in 128 bytes": (1, 4), "offset 1": (2, 5), "offset 8": (2, 4),
                          "stride 2": (2, 8), "stride 3": (3, 12), "one word": (1, 1)})
        shared = {each["shared"]: (each["passes_32_banks"], each["passes_16_banks"] / each["min_passes_16_banks"])
                  for each in found if "shared" in each}
        self.assertEqual({name: shared[name] for name in ("linear", "stride 2", "stride 3", "stride 32",
                                                          "stride 32, padded", "random permutation", "broadcast",
                                                          "partial broadcast", "two words of a bank")},
                         {"linear": (1, 1), "stride 2": (2, 2), "stride 3": (1, 1), "stride 32": (32, 16),
                          "stride 32, padded": (1, 1), "random permutation": (1, 1), "broadcast": (1, 1),
                          "partial broadcast": (1, 1), "two words of a bank": (2, 2)})
        text = self.succeed("explain", "--patterns")
        for words in ("stride 3", "2-way", "32-way", "broadcast", "16 banks"):
            self.assertIn(words, text)

    def test_bad_command_lines(self):
        small = "grid:x=2,y=2"
        for words, names in (((), ("input",)),
                             ((small, "--schedule", "merge"), ("merge", "merge_path")),
                             ((small, "--schedule", "merge_path,binned"), ("merge_path,binned",)),
                             ((small, "--op", "sum"), ("sum", "spmv")),
                             ((small, "--type", "half"), ("half", "double")),
                             ((small, "--op", "expand", "--type", "double"), ("--type double has no effect",)),
                             ((small, "--block", "0"), ("--block '0'",)),
                             ((small, "--on", "cuda"), ("--on",)),
                             ((small, small), ("one argument too many",)),
                             (("nothing:x=2",), ("nothing",)),
                             ((small, "--patterns"), ("--patterns", small)),
                             (("--patterns", "--op", "expand"), ("--op", "--patterns")),
                             ((small, "--json", "-", "--report", "-"), ("--report",)),
                             ((small, "--json", self.folder / "a", "--report", self.folder / "a"), ("--report",))):
            with self.subTest(words=words):
                line = self.fail_with_line(2, "explain", *words)
                for name in names:
                    self.assertIn(name, line)
        matrix = self.write("a.mtx", _program.SMALL)
        for option in ("--json", "--report"):
            self.assertIn("written as", self.fail_with_line(2, "explain", matrix, option, matrix))
        self.assertEqual(matrix.read_text(encoding="utf-8"), _program.SMALL)

    def test_bad_input(self):
        broken = self.write("broken.mtx", _program.SMALL.replace("3 2 4", "9 2 4"))
        report = self.folder / "out.json"
        self.assertIn("broken", self.fail_with_line(1, "explain", broken, "--json", report))
        failed = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual((failed["launches"], len(failed["failed"])), ([], 1))
        self.fail_with_line(1, "explain", self.folder / "none.mtx")
        self.fail_with_line(1, "explain", "grid:x=2,y=2", "--json", self.folder / "no" / "folder.json")

    def test_the_page_in_the_docs_is_what_is_said(self):
        page = (ROOT / "docs/explain.md").read_text(encoding="utf-8")
        command, shown = re.search(r"^```sh\n\./run (explain [^\n]*)\n```\n\n```\n(.*?)^```$", page,
                                   re.MULTILINE | re.DOTALL).groups()
        self.assertEqual(without_places(self.succeed(*command.split())), without_places(shown))


if __name__ == "__main__":
    if _program.SANITIZED:
        print("what is counted is the same, and takes too long")
        sys.exit(0)
    _program.main()
