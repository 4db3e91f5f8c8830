# SPDX-License-Identifier: Apache-2.0
"""evenly study reorganize: quick studies on cpu and simt, their files, and the text's statements held against made-up
numbers that bear them all out, and that contradict them all."""
import json
import os
import xml.etree.ElementTree as xml

import _program

EIGHT = ["MD", "IRREG", "NBF", "CFD", "CG", "UNWRAP", "NN", "MERGE"]
HARD = "random graph"
# threads, references, elements, their bytes, a block's working set
SHAPES = {"MD": (4000, 128, 4000, 16, 9000), "IRREG": (4000, 14, 4000, 4, 4000), "NBF": (4000, 18, 4000, 16, 9000),
          "CFD": (6000, 4, 6000, 32, 9000), "CG": (5000, 1, 1000, 8, 2000), "UNWRAP": (4000, 4, 9000, 4, 2000),
          "NN": (1000, 2, 8000, 4, 2000), "MERGE": (4000, 1, 1000, 4, 1000)}
FIGURE_6 = {"MD": "share", "IRREG": "share", "NBF": "share", "CFD": "share", "CG": "share", "UNWRAP": "duplicate",
            "NN": "duplicate", "MERGE": "pad"}
# As the text saw it: run, refresh and plan in ms, copy as a part of duplicate's, sectors as a part of none's.
GRAPH = {"none": (10, 0, 0, 0, 1), "duplicate": (5, 40, 0, 1, 0.2), "pad": (8, 20, 50, 0.5, 0.2),
         "share_packed": (4, 1, 10, 0.04, 0.1)}
AS_IN_THE_TEXT = {name: dict(GRAPH) for name in ("MD", "IRREG", "NBF")} | {
    "CFD": dict(GRAPH, duplicate=(3, 40, 0, 1, 0.2)),
    "CG": {"none": (10, 0, 0, 0, 1), "duplicate": (5, 2, 0, 1, 0.2), "pad": (8, 5, 50, 0.9, 0.2),
           "share_packed": (6.1, 0.5, 12, 0.9, 0.2)},
    "UNWRAP": {"none": (10, 0, 0, 0, 1), "duplicate": (4, 2, 0, 1, 0.2), "pad": (8, 5, 50, 0.9, 0.2),
               "share_packed": (6, 1, 10, 0.9, 0.2)},
    "NN": {"none": (10, 0, 0, 0, 1), "duplicate": (4, 2, 0, 1, 0.2), "share_packed": (6, 2, 10, 1, 0.2)},
    "MERGE": {"none": (10, 0, 0, 0, 1), "duplicate": (5, 4, 0, 1, 0.2), "pad": (4.9, 1, 5, 0.3, 0.2),
              "share_packed": (6, 1, 10, 0.9, 0.2)}}
NOT_JUDGED = {"A GPU without a cache gains more than one with it."}
# The text does not say all of it of the same numbers: these are looked at alone.
DOUBTFUL = {"Six of eight workloads gain the most from padding or sharing.",
            "Padding is applicable to MERGE only.",
            "The guidelines, with references for T, give the best of the three algorithms, or lose less than 5%."}


def made_up(numbers, chosen_is_best=True, longer=0):
    """A study of these numbers on cuda: loops of 100 runs with plans every 10. In a long loop automatic takes so many
    times as long as the best."""
    runs, workloads = [], []
    for name, arms in numbers.items():
        threads, references, elements, size, working_set = SHAPES[name]
        workloads.append({"name": name, "workload": name.lower(), "threads": threads, "references": references,
                          "elements": elements, "element_bytes": size, "working_set_bytes": working_set,
                          "one_pattern": name == "MERGE", "independent": name in ("UNWRAP", "NN")})
        loops = {arm: 100 * (run + refresh) + 10 * plan for arm, (run, refresh, plan, _, _) in arms.items()}
        best = (min if chosen_is_best else max)(loops, key=loops.get)

        def add(experiment, arm, every, of):
            run, refresh, plan, copy, sectors = arms[of]
            plans = 100 // every if every else 1
            runs.append({"experiment": experiment, "workload": name, "arm": arm, "iterations": 100,
                         "change_every": every, "ok": True, "plan_bytes": 1000,
                         "copy_bytes": round(copy * threads * references * size), "footprint_bytes": 1000,
                         "requests": 1000, "sectors": max(1, round(sectors * threads * references * size / 32 * 5)),
                         "run_ms": run, "refresh_ms": refresh, "build_ms": plan,
                         "loop_ms": 100 * (run + refresh) + plans * plan,
                         **({"chosen": of, "why": "because"} if arm == "automatic" else {})})
        for arm in arms:
            add("arms", arm, 10, arm)
            for every in (1, 0):
                add("change", arm, every, arm)
        add("arms", "automatic", 10, best)
        if longer:
            for arm in dict.fromkeys(("none", best)):
                add("long", arm, 10, arm)
            add("long", "automatic", 10, best)
            runs[-1]["loop_ms"] *= longer
    return {"study": "reorganize", "machine": {"cpu": "a", "cores": 2, "gpu": "b"}, "date": "d", "commit": "c",
            "executor": "cuda", "place": "b", "quick": False, "workloads": workloads, "results": runs, "failed": []}


class AccessStudy(_program.ProgramTest):
    def study(self, *arguments):
        """The JSON; what was printed and the page are in self.text and self.page."""
        self.text = self.succeed("study", "reorganize", *arguments, "--json", self.folder / "out.json", "--report",
                                 self.folder / "out.html", timeout=280)
        self.page = (self.folder / "out.html").read_text(encoding="utf-8")
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def verdicts(self, study):
        found = self.study("--from", self.write("made_up.json", json.dumps(study)))
        return {each["claim"]: each["verdict"] for each in found["agreement"]}

    def check(self, study, executor):
        self.assertEqual((study["study"], study["executor"], study["quick"]), ("reorganize", executor, True))
        self.assertEqual(study["machine"]["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual([w["name"] for w in study["workloads"]], EIGHT + [HARD])
        for run in study["results"]:
            if not run["ok"]:
                self.assertIn("METIS", run["refusal"])  # a program may be without
        self.assertEqual([row["benchmark"] for row in study["table_1"]], EIGHT + [HARD])
        self.assertEqual([row["benchmark"] for row in study["table_2"]], EIGHT + [HARD])
        for row, figures in zip(study["table_1"], study["figures"]):
            loops, longer = ({r["arm"]: r["loop_ms"] for r in study["results"]
                              if r["ok"] and (r["experiment"], r["workload"]) == (experiment, row["benchmark"])}
                             for experiment in ("arms", "long"))
            del loops["automatic"], loops["share_accumulate"]
            self.assertEqual(row["best of all"], min(loops, key=loops.get))
            self.assertEqual(figures["best"]["arm"], row["best of all"])
            self.assertEqual(set(longer), {"none", row["best of all"], "automatic"})
            chosen = longer.pop("automatic")
            self.assertAlmostEqual(figures["selected"]["speedup"], longer["none"] / chosen, 6)
            self.assertEqual(row["chosen over best"], f"{chosen / min(longer.values()):.2f}")
            self.assertIn(row["chosen by us"], loops)
        for name in EIGHT:
            self.assertIn(name, self.text)
        self.assertLessEqual(max(map(len, self.text.splitlines())), 150)
        root = xml.fromstring(self.page)
        captions = [c.text for c in root.iter("figcaption")]
        for figure in ("7", "9", "11", "8", "10", "2"):
            self.assertTrue(any(f"(figure {figure})" in c for c in captions), (figure, captions))
        for name in EIGHT:
            self.assertIn(name, captions)  # of changes
        judged = [td for td in root.iter("td") if td.get("class") in ("agrees", "disagrees", "open")]
        self.assertEqual(len(judged), len(study["agreement"]))

    @_program.with_label_all
    def test_quick_on_cpu(self):
        study = self.study("--quick", "--on", "cpu")
        self.check(study, "cpu")
        self.assertIn("Times on cpu say nothing about a GPU", self.text)
        judged = {a["claim"]: a["numbers"] for a in study["agreement"] if a["verdict"] != "not measured"}
        self.assertTrue(all("fast" not in claim for claim in judged), judged)
        copies = judged["Duplication leaves no non-coalesced access."]
        self.assertEqual(copies.count("1.00"), 7)
        self.assertIn("CFD: 0.50", copies)  # two requests for elements of 32 bytes

    def test_quick_on_simt(self):
        study = self.study("--quick", "--on", "simt")
        self.check(study, "simt")
        self.assertIn("say nothing about a GPU", self.text)
        self.assertIn("say nothing about a GPU", self.page)
        judged = {a["claim"]: a["numbers"] for a in study["agreement"] if a["verdict"] != "not measured"}
        self.assertTrue(all("fast" not in claim for claim in judged), judged)
        copies = judged["Duplication leaves no non-coalesced access."]
        self.assertGreaterEqual(copies.count("1.00"), 5, copies)
        self.assertIn("CFD: 0.50", copies)  # two requests for elements of 32 bytes
        self.assertEqual(self.study("--from", self.write("first.json", json.dumps(study))), study)

    def test_figure_6_counts_references(self):
        """By threads, as it is printed, it duplicates for molecular dynamics, where table 1 has sharing."""
        rows = {row["benchmark"]: row for row in self.study(
            "--from", self.write("made_up.json", json.dumps(made_up(AS_IN_THE_TEXT))))["table_1"]}
        self.assertEqual({name: row["figure 6"] for name, row in rows.items()}, FIGURE_6)
        self.assertEqual([rows[name]["by threads"] for name in ("MD", "IRREG", "NBF", "CFD")], ["duplicate"] * 4)

    def test_tables_of_the_text_are_as_printed(self):
        """Also where they contradict each other: CFD on M2, and the column of MERGE's 0.6."""
        found = self.study("--from", self.write("made_up.json", json.dumps(made_up(AS_IN_THE_TEXT))))
        table_1 = {row["benchmark"]: row for row in found["table_1"]}
        table_2 = {row["benchmark"]: row for row in found["table_2"]}
        self.assertEqual((table_1["CFD"]["text on M2"], table_2["CFD"]["GTX480 too"]), ("Sharing", "shut down"))
        self.assertEqual((table_1["MERGE"]["text on M1"], table_2["MERGE"]["Sharing C1060"]), ("Padding", "0.60"))
        self.assertEqual(table_2["UNWRAP"]["GTX480"], "not runnable")

    def test_shares_are_of_the_whole(self):
        """x = run / (run + overhead) while the others run; of independent calls the one before hides it."""
        rows = {row["benchmark"]: row for row in self.study(
            "--from", self.write("made_up.json", json.dumps(made_up(AS_IN_THE_TEXT))))["table_2"]}
        self.assertEqual(rows["MD"]["here"], f"{10 / (10 + 40):.2f}")
        self.assertEqual(rows["MD"]["here too"], f"{10 / (10 + 1 + 10 / 10):.2f}")
        self.assertEqual(rows["UNWRAP"]["here"], "1.00")
        numbers = dict(AS_IN_THE_TEXT, MD=dict(GRAPH, duplicate=(11, 1, 0, 1, 0.2)))
        rows = {row["benchmark"]: row for row in self.study(
            "--from", self.write("made_up.json", json.dumps(made_up(numbers))))["table_2"]}
        self.assertEqual(rows["MD"]["here"], "shut off")

    def test_statements_are_borne_out(self):
        found = self.verdicts(made_up(AS_IN_THE_TEXT))
        self.assertGreaterEqual(len(found), 25)
        for claim, verdict in found.items():
            if claim not in DOUBTFUL | NOT_JUDGED:
                with self.subTest(claim):
                    self.assertEqual(verdict, "agrees")
        self.assertEqual({found[claim] for claim in NOT_JUDGED}, {"not measured"})
        self.assertEqual(found["Padding is applicable to MERGE only."], "disagrees")

    def test_statements_are_contradicted(self):
        slow = {"none": (10, 0, 0, 0, 1), "duplicate": (9, 0.1, 0, 1, 3), "pad": (30, 1, 1, 2, 3),
                "share_packed": (30, 1, 100, 0.8, 3)}
        found = self.verdicts(made_up({name: slow for name in EIGHT}, chosen_is_best=False))
        allowed = NOT_JUDGED | {"The more often lists change, the less is gained (MD, IRREG, NBF).",
                                "Duplication is the better one for CG, overhead in.",
                                "Duplication is faster than sharing for UNWRAP and NN.",
                                "Of UNWRAP all can be transformed, since its calls are independent."}
        for claim, verdict in found.items():
            if claim not in allowed:
                with self.subTest(claim):
                    self.assertEqual(verdict, "disagrees")
        other = {"none": (10, 0, 0, 0, 1), "duplicate": (9, 30, 0, 1, 1), "pad": (5, 0, 0, 1, 1),
                 "share_packed": (5, 0, 0, 1, 1)}
        found = self.verdicts(made_up({name: other for name in EIGHT}))
        for claim in allowed - NOT_JUDGED:
            with self.subTest(claim):
                self.assertEqual(found[claim], "disagrees")

    def test_choosing_is_judged_by_long_loops(self):
        """Where there are some: what it costs to choose is the same in loops of any length."""
        claims = ("The selection is the best there is, or loses less than 5%.",
                  "No workload is slowed down by the selected algorithm, all overhead in.")
        for times, verdict in ((1.04, "agrees"), (1.2, "disagrees")):
            made = made_up(AS_IN_THE_TEXT, longer=times)
            self.assertEqual(self.verdicts(made)[claims[0]], verdict)
            found = self.study("--from", self.write("made_up.json", json.dumps(made)))
            self.assertEqual({row["chosen over best"] for row in found["table_1"]}, {f"{times:.2f}"})
        self.assertEqual(self.verdicts(made_up(AS_IN_THE_TEXT, longer=20))[claims[1]], "disagrees")

    def test_what_was_not_measured_is_not_judged(self):
        found = self.verdicts(made_up({"MD": AS_IN_THE_TEXT["MD"]}))
        self.assertEqual(found["Sharing takes 96% less space than duplication for MD."], "agrees")
        self.assertEqual(found["Padding is the best of the three for MERGE."], "not measured")
        self.assertEqual(found["No workload is slowed down by the selected algorithm, all overhead in."],
                         "not measured")

    def test_goes_on_where_it_stopped(self):
        own = ("irreg:n=125,k=6", "unwrap:size=12")
        whole = self.study(*own, "--quick", "--on", "cpu")
        self.assertIn("Times on cpu say nothing about a GPU", self.text)
        cut = json.loads(json.dumps(whole))
        cut["results"] = cut["results"][:len(cut["results"]) // 2]
        cut["results"][0] = {**cut["results"][0], "run_ms": 12345.0}  # which is not measured again
        path = self.write("cut.json", json.dumps(cut))
        self.assertIn("earlier runs are kept", self.succeed("study", "reorganize", *own, "--quick", "--on", "cpu",
                                                                 "--json", path, "--resume"))
        found = json.loads(path.read_text(encoding="utf-8"))
        key = lambda r: [r[k] for k in ("experiment", "workload", "arm", "change_every")]
        # Of a long loop the third arm is what was fastest, which may be another one when that is measured again.
        keys = lambda study: sorted(key(r) for r in study["results"]
                                    if r["experiment"] != "long" or r["arm"] in ("none", "automatic"))
        self.assertIn(cut["results"][0], found["results"])
        self.assertEqual(keys(found), keys(whole))
        failed = json.loads(json.dumps(whole))  # what failed is measured again
        spoiled = next(r for r in failed["results"] if r["arm"] not in ("none", "automatic"))
        spoiled.update(ok=False, error="the result was wrong")
        for each in ("run_ms", "refresh_ms", "build_ms", "loop_ms"):
            del spoiled[each]
        path.write_text(json.dumps(failed), encoding="utf-8")
        self.succeed("study", "reorganize", *own, "--quick", "--on", "cpu", "--json", path, "--resume")
        found = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(keys(found), keys(whole))
        self.assertNotIn("error", {k for r in found["results"] for k in r})
        for arguments, words in ((("--quick", "--on", "simt"), "its executor is 'cpu', but here it is 'simt'"),
                                 (("--on", "cpu"), "it was measured with --quick")):
            self.assertIn(words, self.fail_with_line(2, "study", "reorganize", *own, *arguments, "--json", path,
                                                     "--resume"))
        self.assertIn("--resume needs --json FILE", self.fail_with_line(2, "study", "reorganize", "--resume"))

    def test_several_files(self):
        first = self.study("irreg:n=27,k=4", "--quick", "--on", "cpu")
        second = self.study("cfd:n=48", "--quick", "--on", "cpu")
        files = [self.write(f"{n}.json", json.dumps(s)) for n, s in enumerate((first, second))]
        both = self.study("--from", *files)
        for list_of in ("workloads", "results", "table_1", "table_2", "figures"):
            self.assertEqual(both[list_of], first[list_of] + second[list_of])
        self.assertIn("is also in a previous file",
                      self.fail_with_line(1, "study", "reorganize", "--from", files[0], files[0]))

    def test_bad_input(self):
        good = made_up(AS_IN_THE_TEXT)
        for change, complaint in (
                (lambda s: s.update(study="tasks"), 'study is "tasks": must be reorganize'),
                (lambda s: s["results"][3].update(run_ms=-1), "results[3].run_ms is -1"),
                (lambda s: s["results"][3].update(loop_ms=0), "results[3].loop_ms is 0"),
                (lambda s: s["results"][3].update(experiment="x"), 'results[3].experiment is "x"'),
                (lambda s: s["results"][3].update(workload="x"), "results[3].workload"),
                (lambda s: s["results"][3].update(ok=False), "results[3].ok"),
                (lambda s: s["results"].append(s["results"][0]), "appears twice"),
                (lambda s: s["workloads"].append(s["workloads"][0]), "appears twice"),
                (lambda s: s.pop("workloads"), "workloads is missing")):
            study = json.loads(json.dumps(good))
            change(study)
            with self.subTest(complaint):
                line = self.fail_with_line(1, "study", "reorganize", "--from",
                                           self.write("bad.json", json.dumps(study)))
                self.assertIn("bad.json: not a file of study results: ", line)
                self.assertIn(complaint, line)
        self.assertIn("--from measures nothing",
                      self.fail_with_line(2, "study", "reorganize", "cfd:n=6", "--from", "a.json"))
        self.assertIn("n must be six times a cube",
                      self.fail_with_line(2, "study", "reorganize", "cfd:n=7", "--quick", "--on", "cpu"))


_program.main()
