# SPDX-License-Identifier: Apache-2.0
"""evenly study mapping: quick studies on cpu and simt, their files, and the paper's statements held against made-up
numbers that bear them all out, and that contradict them all."""
import gzip
import json
import os
import pathlib
import random
import re
import unittest
import xml.etree.ElementTree as xml

import _program

WORKLOADS = ["great-britain_osm", "cit-Patents", "web-NotreDame", "regular8", "circuit5M", "as-Skitter",
             "kron_g500-logn20"]
TECHNIQUES = ("work-items to threads", "virtual warps", "dynamic virtual warps", "CTA+warp+scan", "direct search",
              "local warp search", "block search", "two-phase search", "multi-phase mapping")
OPERATIONS = ["update", "expand", "spmv"]
FORMS = {"paper_direct_search", "paper_block_search", "paper_cta_warp_scan"}  # of techniques that are improved here
SMALL = ("regular:rows=60,size=4", "powerlaw:rows=80,avg=4,sd=10,max=60")


class Study(_program.ProgramTest):
    def study(self, *arguments):
        """The JSON; what was printed and the page are in self.text and self.page."""
        self.text = self.succeed("study", "mapping", *arguments, "--json", self.folder / "out.json", "--report",
                                 self.folder / "out.html")
        self.page = (self.folder / "out.html").read_text(encoding="utf-8")
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def check_page(self, study):
        root = xml.fromstring(self.page)
        self.assertEqual(root.tag, "html")
        self.assertNotRegex(self.page.replace('xmlns="http://www.w3.org/2000/svg"', ""),
                            r"https?:|<script|<link|<img|<iframe|@import|url\(|\ssrc=|\shref=")
        captions = [c.text for c in root.iter("figcaption")]
        for workload in study["workloads"]:
            self.assertGreaterEqual(captions.count(workload["name"]), len(study["operations"]))
        bars = [span for span in root.iter("span") if span.get("class") == "bar"]
        self.assertGreaterEqual(len(bars), len(study["best"]))
        verdicts = [td for td in root.iter("td") if td.get("class") in ("agrees", "disagrees")
                    or td.get("class") == "open" and td.text in ("not measured", "too close")]
        self.assertEqual(len(verdicts), len(study["agreement"]))

    @staticmethod
    def about(study, about):
        return [a for a in study["agreement"] if a["about"] == about]

    def check_whole(self, study, executor):
        self.assertEqual(study["study"], "mapping")
        self.assertEqual(study["executor"], executor)
        self.assertEqual([w["name"] for w in study["workloads"]], WORKLOADS)
        self.assertEqual(study["operations"], OPERATIONS)
        self.assertEqual(study["machine"]["cores"], len(os.sched_getaffinity(0)))
        report = json.loads(self.succeed("compare", "grid:x=4,y=4", "--on", "cpu", "--repeat", 1, "--json", "-"))
        schedules = {r["schedule"] for r in report["results"]} - {*_program.BASELINES, "automatic"}
        for workload in WORKLOADS:
            for op in OPERATIONS:
                runs = [r for r in study["results"] if (r["workload"], r["op"]) == (workload, op)]
                forms = FORMS if executor == "simt" and op == "update" else set()
                self.assertEqual({r["schedule"] for r in runs}, schedules | forms)
                best = [b for b in study["best"] if (b["workload"], b["op"]) == (workload, op)]
                self.assertLessEqual(set(TECHNIQUES) - (set() if forms else {"direct search", "CTA+warp+scan",
                                                                             "block search"}),
                                     {b["technique"] for b in best})
                self.assertEqual(min(b["of_fastest"] for b in best), 1)
                for b in best:
                    self.assertEqual(b["ms"], min(r["ms"] for r in runs if r["schedule"] == b["schedule"]
                                                  and r["block_size"] == b["block_size"]))
        for r in study["results"]:
            self.assertIs(r["ok"], True, r)
            self.assertGreater(r["ms"], 0)
            self.assertGreater(r["threads"], 0, r)
            self.assertGreaterEqual(r["memory"], 0)
        for about in OPERATIONS + ["multi-phase mapping"]:
            self.assertGreater(len(self.about(study, about)), 10)
        self.assertIn("Where this agrees with Busato & Bombieri", self.text)
        self.assertLessEqual(max(map(len, self.text.splitlines())), 140)
        self.assertRegex(self.text.splitlines()[-1], r"^\d+ agree, \d+ disagree, \d+ too close, \d+ not measured$")
        self.check_page(study)

    @_program.with_label_all
    def test_quick_on_cpu(self):
        study = self.study("--quick", "--on", "cpu")
        self.check_whole(study, "cpu")
        self.assertEqual({r["block_size"] for r in study["results"]}, {1})
        self.assertEqual(study["phases"], [])
        self.assertEqual({a["verdict"] for a in study["agreement"]}, {"not measured"})  # GPUs, and whole workloads
        self.assertRegex(self.text, r"not measured +\d+ statements\n +"
                                    r"the statement is about GPUs, and cpu is not a GPU")
        self.assertIn("On cpu a block is one thread", self.text)
        self.assertIn("a block is one thread", self.page)
        again = self.study("--from", self.write("first.json", json.dumps(study)))
        self.assertEqual(again, study)

    def test_quick_on_simt(self):
        study = self.study("--quick", "--on", "simt")
        self.check_whole(study, "simt")
        self.assertIn("say nothing about a GPU", self.text)
        self.assertIn("say nothing about a GPU", self.page)
        for a in study["agreement"]:  # times of a simulation are no reason to agree
            if a["verdict"] != "not measured" and a["about"] not in ("counts", "workloads"):
                self.assertRegex(a["claim"], "memory|number of threads")
        self.assertNotIn("median ms", self.text)
        self.check_counts(study)
        for r in study["results"]:
            if r["op"] == "update" and r["schedule"] == "multi_phase":
                self.assertGreater(r["storage"], 0)
                self.assertGreater(r["memory"], 0)
        self.check_phases(study["phases"])
        again = self.study("--from", self.write("first.json", json.dumps(study)))
        self.assertEqual(again, study)

    def check_counts(self, study):
        """Table 2 of the paper: five statements on each of nine techniques."""
        self.assertEqual(len(self.about(study, "counts")), 45)
        judged = {a["claim"]: a["verdict"] for a in self.about(study, "counts") if a["verdict"] != "not measured"}
        self.assertGreaterEqual(len(judged), 44)
        self.assertGreaterEqual(list(judged.values()).count("agrees"), 30)
        for claim in ("direct search: the work is O(W log N).", "virtual warps: it takes N |VirtualWarp| threads.",
                      "work-items to threads: the parallel complexity is O(Wmax).",
                      "multi-phase mapping: accesses to the work-units are coalesced.",
                      "two-phase search: accesses to the work-units are not coalesced."):
            self.assertEqual(judged[claim], "agrees", claim)
        for run in study["counted"]:  # the operation loads and stores every atom
            self.assertNotIn("error", run)
            self.assertGreaterEqual(run["counts"]["request_lanes"], 2 * run["atoms"], run)
        self.assertRegex(self.text, r"counts on simt +tiles +threads +accesses an atom")
        wrong = json.loads(json.dumps(study))
        for run in wrong["counted"]:
            if run["schedule"] == "paper_direct_search":
                run["counts"]["request_lanes"] = run["atoms"]
            if run["schedule"] == "two_phase":
                run["counts"]["global_store_sectors"] = run["counts"]["global_store_least_sectors"]
        again = self.study("--from", self.write("wrong.json", json.dumps(wrong)))
        verdicts = {a["claim"]: a["verdict"] for a in self.about(again, "counts")}
        self.assertEqual(verdicts["direct search: the work is O(W log N)."], "disagrees")
        self.assertEqual(verdicts["two-phase search: accesses to the work-units are not coalesced."], "disagrees")

    def check_phases(self, phases):
        variants = {"supply": ["per_chunk", "resident", "several_per_resident"],
                    "stages": ["load", "load and search", "whole"], "searches": [str(n) for n in range(1, 9)],
                    "partition": ["binary", "interpolation"], "block_size": ["partition", "expansion"],
                    "without": ["nothing", "unrolling", "prefetching", "vectors", "warp barriers"]}
        for workload in WORKLOADS:
            for experiment, expected in variants.items():
                runs = [p for p in phases if (p["workload"], p["experiment"]) == (workload, experiment)]
                self.assertEqual([p["variant"] for p in runs], expected)
                for run in runs:
                    self.assertIs(run["ok"], True, run)
                    self.assertGreater(run["threads"], 0)

    def test_without_a_gpu_it_says_so(self):
        self.text = self.succeed("study", "mapping", SMALL[0], "--quick")
        self.assertRegex(self.text, r"No usable GPU \([^()]*\): the\s+study\s+runs\s+on\s+cpu|on cuda")

    def test_own_inputs_and_several_files(self):
        path = self.write("regular8.mtx", _program.SMALL)
        first = self.study(path, SMALL[0], "--quick", "--on", "simt")
        self.assertEqual([(w["name"], w["input"]) for w in first["workloads"]],
                         [("regular8", str(path)), ("regular", SMALL[0])])
        second = self.study(SMALL[1], "--quick", "--on", "simt")
        files = [self.write(f"{n}.json", json.dumps(s)) for n, s in enumerate((first, second))]
        both = self.study("--from", *files)
        for key in ("workloads", "results", "phases"):
            self.assertEqual(both[key], first[key] + second[key])
        self.assertEqual(len(both["best"]), len(first["best"]) + len(second["best"]))
        self.check_page(both)
        twice = self.fail_with_line(1, "study", "mapping", "--from", files[0], files[0])
        self.assertIn("update on regular8 is also in a previous file", twice)
        other = self.write("cpu.json", json.dumps(self.study(SMALL[1], "--quick", "--on", "cpu")))
        self.assertIn("measured on another machine",
                      self.fail_with_line(1, "study", "mapping", "--from", files[0], other))

    def test_resumed(self):
        path = self.folder / "out.json"
        whole = self.study(SMALL[0], "--quick", "--on", "simt")
        halved = dict(whole, results=whole["results"][:30], phases=whole["phases"][:5])
        path.write_text(json.dumps(halved), encoding="utf-8")
        self.succeed("study", "mapping", SMALL[0], "--quick", "--on", "simt", "--json", path, "--resume")
        again = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(again["results"][:30], whole["results"][:30])
        self.assertEqual(again["phases"][:5], whole["phases"][:5])
        for key, names in (("results", ("op", "schedule", "block_size")),
                           ("phases", ("experiment", "variant", "block_size"))):
            self.assertEqual(sorted(str([r[n] for n in names]) for r in again[key]),
                             sorted(str([r[n] for n in names]) for r in whole[key]))
        for change, words in (({"commit": "of another program"}, "a study is of one commit"),
                              ({"executor": "cpu"}, "its executor is"),
                              ({"workloads": [dict(whole["workloads"][0], empty=1)]}, "has other tiles")):
            path.write_text(json.dumps(dict(halved, **change)), encoding="utf-8")
            self.assertIn(words, self.fail_with_line(2, "study", "mapping", SMALL[0], "--quick", "--on", "simt",
                                                     "--json", path, "--resume"))
            left = json.loads(path.read_text(encoding="utf-8"))  # nothing is lost
            self.assertEqual((left["results"], left["phases"]), (halved["results"], halved["phases"]))

    def test_without_work(self):
        path = self.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n5 4 0\n")
        for executor in ("cpu", "simt"):
            self.study(path, "--quick", "--on", executor)

    def test_to_standard_output(self):
        for option, start in (("--json", "{"), ("--report", "<!DOCTYPE html>")):
            self.assertEqual(self.succeed("study", "mapping", SMALL[0], "--quick", "--on", "cpu", option, "-")
                             [:len(start)], start)

    def test_one_file_does_not_take_both_outputs(self):
        same = self.write("same", "")
        (self.folder / "hard").hardlink_to(same)
        (self.folder / "soft").symlink_to("same")
        (self.folder / "inner").mkdir()
        for one, other in (("x", "./x"), ("x", "inner/../x"), ("x", self.folder / "x"), ("same", "soft"),
                           ("same", "hard")):
            self.assertIn("--report and --json both write", self.fail_with_line(
                2, "study", "mapping", "--report", one, "--json", other, cwd=self.folder))
        self.assertEqual(same.read_text(), "")
        self.assertFalse((self.folder / "x").exists())

    def test_what_is_wrong_is_said_in_a_line(self):
        out = ("--json", self.folder / "no.json", "--report", self.folder / "no.html")
        for arguments, words in ((("weather",), "not a study; choose one of mapping"), ((), "study"),
                                 (("mapping", "--on", "gpu"), "choose one of cpu, simt, cuda"),
                                 (("mapping", "--fast"), "not an option"),
                                 (("mapping", "--from", "x.json", "--quick"), "--from"),
                                 (("mapping", "no-such-input"), "no-such-input"),
                                 (("mapping", SMALL[0], "regular:rows=7,size=2", "--quick", "--on", "cpu"),
                                  "both called"),
                                 (("mapping", "--json", "-", "--report", "-"), "standard output")):
            files = out if "-" not in arguments else ()
            self.assertIn(words, self.fail_with_line(2, "study", *arguments, *files))
        self.assertIn("no/such", self.fail_with_line(1, "study", "mapping", "--report", self.folder / "no/such.html"))
        good = made_up(PAPER_TIMES, paper=True)
        broken = dict(good, results=[dict(good["results"][0], ms=-1)])
        for text in ("", "[]", '{"study": "weather"}', json.dumps(broken), json.dumps(dict(good, executor=3)),
                     json.dumps(dict(good, results=[{}]))):
            path = self.write("bad.json", text)
            self.assertIn("not a file of study results",
                          self.fail_with_line(1, "study", "mapping", "--from", path, *out))
        self.fail_with_line(1, "study", "mapping", "--from", self.folder / "none.json", *out)
        self.assertEqual(os.listdir(self.folder), ["bad.json"])

    def test_impossible_figures_are_refused_with_their_place(self):
        good = made_up(PAPER_TIMES, paper=True)

        def with_(key, **changes):
            return dict(good, **{key: [dict(good[key][0], **changes), *good[key][1:]]})

        def without(key, member):
            return dict(good, **{key: [{k: v for k, v in good[key][0].items() if k != member}, *good[key][1:]]})

        for study, words in (
                (with_("results", ms=-1), "results[0].ms is -1"),
                (with_("results", ms=0, ms_min=0), "results[0].ms is 0"),
                (with_("results", ms=None), "results[0].ms is null"),
                (with_("results", ms="1"), 'results[0].ms is "1"'),
                (with_("results", ms=True), "results[0].ms is true"),
                (with_("results", ms_min=5), "results[0].ms_min is 5"),
                (with_("results", ms_max=0.5), "results[0].ms_max is 0.5"),
                (with_("results", ok=False), "results[0].ms is "),
                (with_("results", ok="yes"), 'results[0].ok is "yes"'),
                (with_("results", error="none"), 'results[0].error is "none"'),
                (with_("results", plan_ms=-0.5), "results[0].plan_ms is -0.5"),
                (with_("results", memory=-1), "results[0].memory is -1"),
                (with_("results", threads=1.5), "results[0].threads is 1.5"),
                (with_("results", block_size=2048), "results[0].block_size is 2048"),
                (with_("results", parameters={"group": 2**40}), "results[0].parameters.group is 1099511627776"),
                (with_("results", parameters=[]), "results[0].parameters is []"),
                (with_("results", workload="elsewhere"), 'results[0].workload is "elsewhere"'),
                (with_("results", op="sort"), 'results[0].op is "sort"'),
                (without("results", "ms_min"), "results[0].ms_min is missing"),
                (dict(good, results=good["results"] + good["results"][:1]), "appears twice"),
                (dict(good, results={}), "results is {}: must be an array"),
                (with_("phases", ms=-1), "phases[0].ms is -1"),
                (dict(good, phases=good["phases"] + good["phases"][:1]), "appears twice"),
                (with_("workloads", atoms=0), "workloads[0].longest is 1000000"),
                (with_("workloads", average=1), "workloads[0].average is 1"),
                (with_("workloads", empty=10**7), "workloads[0].empty is 10000000"),
                (with_("workloads", longest=1), "workloads[0].longest is 1"),
                (with_("workloads", standard_deviation=10**7), "workloads[0].standard_deviation is 10000000"),
                (dict(good, workloads=good["workloads"] + good["workloads"][:1]), "appears twice"),
                (dict(good, operations=["update", "update"]), "operations[1] is "),
                (dict(good, executor="tpu"), 'executor is "tpu": must be one of cpu, simt, cuda'),
                (dict(good, machine={"cpu": "none", "cores": 0}), "machine.cores is 0"),
                ({k: v for k, v in good.items() if k != "quick"}, "quick is missing")):
            with self.subTest(words):
                path = self.write("bad.json", json.dumps(study))
                line = self.fail_with_line(1, "study", "mapping", "--from", path)
                self.assertIn(f"{path}: not a file of study results: ", line)
                self.assertIn(words, line)
        for number in ("1e999", "NaN", "-Infinity"):
            text = json.dumps(with_("results", ms="here")).replace('"here"', number)
            self.fail_with_line(1, "study", "mapping", "--from", self.write("bad.json", text))
        other = dict(good, operations=["spmv"], phases=[], results=[dict(good["results"][0], op="spmv")],
                     workloads=[dict(good["workloads"][0], empty=1)])
        files = [self.write(f"{n}.json", json.dumps(s)) for n, s in enumerate((good, other))]
        self.assertIn("other tiles", self.fail_with_line(1, "study", "mapping", "--from", *files))

    def test_results_from_standard_input(self):
        text = json.dumps(made_up(PAPER_TIMES, paper=True))
        for content in (text.encode(), gzip.compress(text.encode())):
            done = _program.run("study", "mapping", "--from", "-", stdin=None, input=content, text=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = _program.run("study", "mapping", "--from", "-", stdin=None, input="{}")
        self.assertRegex(done.stderr, r"\Aevenly: standard input: not a file of study results: [^\n]*\n\Z")
        self.assertIn("twice", self.fail_with_line(2, "study", "mapping", "--from", "-", "-"))

    def test_names_that_control_a_terminal(self):
        study = made_up(PAPER_TIMES, paper=True)
        for r in study["results"]:
            r["schedule"] = r["schedule"].replace("direct_search", "\x1b[2J\x9b\n\u202edirect")
        self.examine(study)
        self.assertNotRegex(self.text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        self.assertNotRegex(self.page, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_help(self):
        text = self.succeed("study", "--help")
        self.assertLessEqual(max(map(len, text.splitlines())), 130)
        for words in ("mapping", "--from", "kron_g500-logn20"):
            self.assertIn(words, text)

    # --- the statements

    def examine(self, results):
        study = self.study("--from", self.write("made_up.json", json.dumps(results)))
        self.check_page(study)
        return study

    def test_numbers_that_bear_all_statements_out(self):
        study = self.examine(made_up(PAPER_TIMES, paper=True))
        for a in study["agreement"]:
            if a["about"] != "workloads":
                self.assertEqual(a["verdict"], "not measured" if self.is_never_judged(a) else "agrees", a)
            self.assertTrue(a["numbers"], a)
        self.assertRegex(self.text,
                         r"\d+ statements on techniques: \d+ agree, 0 disagree, 0 too close, 0 not measured")
        self.assertRegex(self.text.splitlines()[-1], r"^\d+ agree, 7 disagree, 0 too close, 2 not measured$")

    @staticmethod
    def is_never_judged(found):
        return bool(re.search("[Hh]oisted|read-only cache", found["claim"]))

    def test_numbers_that_contradict_all_statements(self):
        study = self.examine(made_up(OTHER_TIMES, paper=False))
        for a in study["agreement"]:
            if a["about"] != "workloads":
                self.assertEqual(a["verdict"], "not measured" if self.is_never_judged(a) else "disagrees", a)

    def test_times_within_the_spread_are_too_close(self):
        """Times that nearly contradict a statement are too close, and so are any times with wide rounds."""
        results = made_up(PAPER_TIMES, paper=True)
        claim = "regular8: virtual warps are the fastest."
        for rival, spread, verdict in ((1.1, 0, "agrees"), (1.02, 0, "too close"), (0.98, 0, "too close"),
                                       (0.9, 0, "disagrees"), (1.1, 0.2, "too close"), (0.9, 0.2, "too close")):
            for r in results["results"]:
                if r["workload"] == "regular8" and r["schedule"] == "dynamic_group_per_tile":
                    ms = rival * BLOCKS_OF_PAPER[r["block_size"]]
                    r.update(ms=ms, ms_min=ms / 2, ms_max=ms * 2)
                    if spread:
                        r.update(ms_q1=ms * (1 - spread), ms_q3=ms * (1 + spread))
            found = {a["claim"]: a["verdict"] for a in self.about(self.examine(results), "update")}
            self.assertEqual(found[claim], verdict, (rival, spread))

    def test_noise_flips_no_verdict(self):
        """2% of noise on all times of the committed results turns no verdict from agrees to disagrees or back."""
        path = pathlib.Path(__file__).parents[2] / "bench" / "results" / "study-h200.json"
        committed = json.loads(path.read_text(encoding="utf-8"))
        before = self.study("--from", path)["agreement"]
        self.assertGreater(len({a["verdict"] for a in before}), 2)
        for seed in range(3):
            chance = random.Random(seed)
            noisy = json.loads(json.dumps(committed))
            for r in noisy["results"] + noisy["phases"]:
                for times in (r, r.get("with_plan") or {}):
                    factor = chance.uniform(0.98, 1.02)
                    for key in ("ms", "ms_min", "ms_max", "ms_q1", "ms_q3"):
                        if times.get(key):
                            times[key] *= factor
            after = self.study("--from", self.write("noisy.json", json.dumps(noisy)))["agreement"]
            for a, b in zip(before, after, strict=True):
                self.assertEqual(a["claim"], b["claim"])
                self.assertNotEqual({a["verdict"], b["verdict"]}, {"agrees", "disagrees"}, (seed, a, b))

    def test_plans_included(self):
        """Verdicts for both, where the paper does not say whether plans count."""
        results = made_up(PAPER_TIMES, paper=True)
        self.assertEqual(self.about(self.examine(results), "update, plan included"), [])
        for r in results["results"]:
            slow = 10 if r["schedule"] == "multi_phase" else 1
            r["with_plan"] = {"ms": slow * r["ms"], "ms_min": slow * r["ms"], "ms_max": slow * r["ms"]}
        study = self.examine(results)
        claim = "Multi-phase mapping has the best performance over all kinds of data."
        for about, verdict in (("update", "agrees"), ("update, plan included", "disagrees")):
            self.assertEqual([a["verdict"] for a in self.about(study, about) if a["claim"] == claim], [verdict])
        self.assertIn("With plans included, other verdicts:", self.text)
        for b in study["best"]:
            if b["technique"] == "multi-phase mapping":
                self.assertAlmostEqual(b["ms_with_plan"] / b["ms"], 10)
        results["results"][0]["with_plan"]["ms"] = 0
        self.assertIn("results[0].with_plan.ms", self.fail_with_line(
            1, "study", "mapping", "--from", self.write("bad.json", json.dumps(results))))

    def test_workloads_are_held_against_table_3(self):
        path = pathlib.Path(__file__).parents[2] / "bench" / "results" / "study-h200.json"
        found = {a["claim"].split()[0]: a for a in self.about(self.study("--from", path), "workloads")}
        self.assertEqual([found[name]["verdict"] for name in WORKLOADS],
                         ["agrees", "agrees", "disagrees", "agrees", "agrees", "agrees", "disagrees"])
        self.assertIn("the paper's own units and items give an average of 4.6", found["web-NotreDame"]["numbers"])
        self.assertIn("give an average of 85.1", found["kron_g500-logn20"]["numbers"])

    def test_equal_launches_are_not_compared(self):
        results = made_up(PAPER_TIMES, paper=True)
        for p in results["phases"]:
            if p["experiment"] == "supply":
                p["threads"] = 1000
        found = {a["source"]: a["verdict"] for a in self.examine(results)["agreement"]}
        self.assertEqual(found["figure 11"], "not measured")

    def test_block_sizes_without_kernels_of_their_own_are_not_compared(self):
        results = made_up(PAPER_TIMES, paper=True)
        del results["sizes_compiled"]
        study = self.examine(results)
        for a in study["agreement"]:
            if a["source"] == "figure 17" or "128 to 256 threads" in a["claim"]:
                self.assertEqual((a["verdict"], a["numbers"]),
                                 ("not measured", "only blocks of 128 threads have kernels of their own"))

    def test_numbers_are_those_of_the_results(self):
        study = self.examine(made_up(PAPER_TIMES, paper=True))
        numbers = {a["claim"]: a["numbers"] for a in self.about(study, "update")}
        self.assertEqual(numbers["web-NotreDame: multi-phase mapping is almost twice as fast as virtual warps."],
                         "web-NotreDame: virtual warps over multi-phase mapping 2.00")
        self.assertTrue(numbers["regular8: virtual warps are the fastest."].startswith(
            "virtual warps 1.000 ms, dynamic virtual warps 1.10x"))
        self.assertIn("two-phase search 1,000 bytes", numbers[
            "Two-phase search and multi-phase mapping need extra memory, the others none."])

    def test_what_was_not_measured_is_not_judged(self):
        whole = made_up(PAPER_TIMES, paper=True)
        alone = dict(whole, phases=[], dynamic_parallelism=[],
                     results=[r for r in whole["results"] if r["schedule"] == "thread_mapped"
                              and r["block_size"] == 128])
        self.assertEqual({a["verdict"] for a in self.examine(alone)["agreement"] if a["about"] != "workloads"},
                         {"not measured"})
        failed = dict(whole, results=[dict(r, ok=False, error="out of memory", ms=None, ms_min=None, ms_max=None)
                                      if r["schedule"] == "paper_cta_warp_scan" else r
                                      for r in whole["results"]])
        path = self.write("failed.json", json.dumps(failed))
        done = _program.run("study", "mapping", "--from", path, "--json", self.folder / "out.json")
        self.assertEqual(done.returncode, 1)
        for a in json.loads((self.folder / "out.json").read_text())["agreement"]:
            if "CTA+warp+scan" in a["claim"]:
                self.assertEqual(a["verdict"], "not measured", a)
        for executor, judged in (("cpu", "nothing"), ("simt", "extra memory|number of threads")):
            for a in self.examine(dict(whole, executor=executor))["agreement"]:
                if a["about"] == "workloads":
                    continue
                self.assertEqual(a["verdict"], "agrees" if re.search(judged, a["claim"]) else "not measured", a)
                self.assertTrue(a["numbers"], a)

    def test_a_new_schedule_is_a_technique_of_its_own(self):
        results = made_up(PAPER_TIMES, paper=True)
        results["results"] += [dict(r, schedule="brand_new<3>") for r in results["results"]
                               if r["schedule"] == "thread_mapped"]
        study = self.examine(results)
        self.assertIn("brand_new", {b["technique"] for b in study["best"] if not b["in_paper"]})
        self.assertEqual({a["verdict"] for a in self.about(study, "update")}, {"agrees"})


# --- made-up numbers: milliseconds of thread_mapped, the best virtual warps, dynamic_group_per_tile, cta_warp_scan,
# local_warp_search, two_phase and multi_phase; direct_search and block_search are far behind, or not.
NAMES = ("thread_mapped", "group_per_tile", "dynamic_group_per_tile", "paper_cta_warp_scan",
         "local_warp_search<registers>", "two_phase", "multi_phase")
PAPER_TIMES = {
    "great-britain_osm": (1, 1.05, 1.2, 2, 1.6, 1.7, 1.1),
    "cit-Patents": (2, 1.6, 1.5, 1.7, 1.6, 1.7, 1),
    "web-NotreDame": (4, 2, 2.2, 3.5, 3, 3, 1),
    "regular8": (1.4, 1, 1.1, 1.3, 2, 2, 1.2),
    "circuit5M": (20, 15, 12, 1.2, 5, 1.3, 1),
    "as-Skitter": (3, 2.1, 2, 1.1, 3, 3, 1),
    "kron_g500-logn20": (2, 1.3, 1.3, 1, 2, 2, 1.1),
}
OTHER_TIMES = {name: (1, 1.01, 2, 0.55, 0.5, 0.52, 2) for name in WORKLOADS}
SIZES = {  # average, standard deviation, the best size of virtual warps
    "great-britain_osm": (2.1, 0.5, 2), "cit-Patents": (4.4, 7.5, 2), "web-NotreDame": (4.6, 21.4, 4),
    "regular8": (8, 0, 4), "circuit5M": (10.7, 1356, 8), "as-Skitter": (13.1, 136, 16),
    "kron_g500-logn20": (96, 1033, 32)}
BLOCKS_OF_PAPER = {64: 1.2, 128: 1, 256: 1.02, 512: 1.3}
BLOCKS_OTHERWISE = {64: 1.5, 128: 1.4, 256: 1.3, 512: 1}


def result(workload, op, schedule, block, ms, memory=0):
    return {"workload": workload, "op": op, "schedule": schedule, "block_size": block,
            "parameters": {"block_size": block}, "ok": True, "ms": ms, "ms_min": ms, "ms_max": ms, "plan_ms": 0.1,
            "threads": 1000, "memory": memory, "storage": 0}


def virtual_warps(workload, ms, paper):
    """(schedule, ms) of each size: `ms` at the best one. Otherwise than in the paper the best is smaller where tiles
    are longer, and it hardly matters."""
    rank = sorted(SIZES, key=lambda name: SIZES[name][0]).index(workload)
    best = SIZES[workload][2] if paper else max(2, min(32, 64 >> rank))
    for size in (2, 4, 8, 16, 32):
        steps = abs(size.bit_length() - best.bit_length())
        yield ("warp_mapped" if size == 32 else f"group_per_tile<{size}>"), ms * (1 + steps * (0.5 if paper else 0.08))


def made_up(times, paper):
    results = []
    for op in ("update", "expand"):
        for workload, row in times.items():
            for block, slower in (BLOCKS_OF_PAPER if paper else BLOCKS_OTHERWISE).items():
                for name, ms in zip(NAMES, row):
                    extra = 1000 if (name in ("two_phase", "multi_phase")) == paper else 0
                    for schedule, its in (virtual_warps(workload, ms, paper) if name == "group_per_tile"
                                          else ((name, ms),)):
                        results.append(result(workload, op, schedule, block, its * slower, extra))
                for name in ("paper_direct_search", "paper_block_search"):
                    results.append(result(workload, op, name, block, (1000 if paper else 1) * slower))
    workloads = [{"name": name, "input": name, "tiles": 10**6, "atoms": round(SIZES[name][0] * 10**6),
                  "average": SIZES[name][0], "standard_deviation": SIZES[name][1], "longest": 10**6, "empty": 0}
                 for name in times]
    return {"study": "mapping", "machine": {"cpu": "made up", "cores": 1, "gpu": "made up"},
            "date": "2026-01-01T00:00:00Z", "commit": "unknown", "executor": "cuda", "place": "made up", "quick": False,
            "operations": ["update", "expand"], "workloads": workloads, "results": results, "sizes_compiled": True,
            "dynamic_parallelism": [{"workload": name, "where": "made up", "with_ms": 2 if paper else 1,
                                     "without_ms": 1 if paper else 2} for name in times],
            "phases": [p for name in times for p in made_up_phases(name, paper)]}


def made_up_phases(workload, paper):
    def phase(experiment, variant, ms, block=128, threads=1000):
        return {"workload": workload, "experiment": experiment, "variant": variant, "block_size": block, "ok": True,
                "ms": ms, "ms_min": ms, "ms_max": ms, "threads": threads}
    average, deviation, _ = SIZES[workload]
    alike = average < 9 and deviation < 8
    for variant, ms, threads in zip(("per_chunk", "resident", "several_per_resident"),
                                    (1.1, 1.2, 1) if paper else (1, 1.1, 1.2), (3000, 10, 320)):
        yield phase("supply", variant, ms, threads=threads)
    for variant in ("nothing", "unrolling", "prefetching", "vectors", "warp barriers"):
        yield phase("without", variant, 1 if variant == "nothing" else 1.2 if paper else 0.8)
    for variant, ms in zip(("load", "load and search", "whole"), (0.15, 0.6, 1) if paper else (0.5, 0.7, 1)):
        yield phase("stages", variant, ms)
    for searches, ms in enumerate((1.3, 1.1, 1, 1, 1.1, 1.3, 2, 3) if paper else (3, 2.5, 2, 1.5, 1.2, 1.1, 1, 1), 1):
        yield phase("searches", str(searches), ms, threads=8000 // searches if paper else 1000)
    for variant, ms in (("binary", 1), ("interpolation", 0.5 if alike == paper else 2)):
        yield phase("partition", variant, ms)
    for block, partition, expansion in zip((64, 128, 256, 512), (0.08, 0.04, 0.02, 0.01) if paper else (0.01,) * 4,
                                           (1.1, 1, 1, 1.3) if paper else (2, 1.5, 1.2, 1)):
        yield phase("block_size", "partition", partition, block)
        yield phase("block_size", "expansion", expansion, block)


_program.main()
