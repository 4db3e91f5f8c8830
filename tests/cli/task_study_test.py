# SPDX-License-Identifier: Apache-2.0
"""evenly study tasks: quick studies on cpu and simt, their files, and the paper's statements held against made-up
numbers that bear them all out, and that contradict them all."""
import json
import os
import re
import xml.etree.ElementTree as xml

import _program

POOLS = ["static_list", "static_list_launches", "blocking_queue", "lock_free_queue", "stealing", "ticket_ring",
         "scalable_queue", "batched_stealing"]
GRIDS = ("uniform:n=500000", "tube:n=500000")
TREES = {"uniform:n=500000": [1, 8, 64, 512, 4000], "tube:n=500000": [1, 8, 16, 32, 200, 1000, 3000, 900]}
# What the paper saw, as ms by blocks of the best block, and by threads of a block with all blocks.
PRINTED = ["static_list", "static_list_launches", "blocking_queue", "bare_lock_queue", "lock_free_queue", "stealing"]
AS_IN_THE_PAPER = {
    "blocking_queue": {"best": 64, "blocks": {1: 90, 4: 50, 8: 40, 32: 120, 264: 300}, "threads": {8: 3000, 32: 2000}},
    "lock_free_queue": {"best": 64, "blocks": {1: 90, 4: 40, 8: 20, 20: 10, 264: 10}, "threads": {8: 40, 32: 20}},
    "stealing": {"best": 64, "blocks": {1: 90, 8: 20, 20: 9, 32: 6, 264: 6},
                 "threads": {8: 40, 32: 10, 128: 8, 256: 9}},
    "static_list_launches": {"best": 32, "blocks": {264: 6.5}, "threads": {8: 30, 16: 15, 64: 8, 128: 9}}}
NOT_JUDGED = 3  # it takes two GPUs; blocks are whole warps; no values of x


def by_block(study):
    """The same study, with runs in which a block runs a task, and the lock is as printed."""
    runs = [{**run, "experiment": "block_grid", "pool": run["pool"].replace("blocking_queue", "bare_lock_queue")}
            for run in study["results"]]
    lazy = [{**runs[0], "experiment": "lazy", "input": name, "pool": f"lock_free_queue:lazy={x}", "ms": ms,
             "ms_min": ms, "ms_max": ms} for name in GRIDS for x, ms in ((1, 20), (8, 15), (32, 16))]
    return {**study, "results": study["results"] + runs + lazy}


def made_up(pools):
    """A study of these times on cuda, of one pool's best number of blocks all others are in reach."""
    runs = []
    for name in GRIDS:
        for pool, times in pools.items():
            cells = {(times["best"], blocks): ms for blocks, ms in times["blocks"].items()}
            cells.update({(threads, 264): ms for threads, ms in times["threads"].items()})
            for (threads, blocks), ms in cells.items():
                runs.append({"experiment": "grid", "input": name, "pool": pool, "block_size": threads,
                             "blocks": blocks, "full": blocks == 264, "ok": True, "ms": ms, "ms_min": ms,
                             "ms_max": ms, "tasks": sum(TREES[name]), "rounds": 0})
    inputs = [{"input": name, "kind": name.split(":")[0], "points": 500000, "nodes": 1 + 8 * sum(tasks),
               "leaves": 1 + 7 * sum(tasks), "depth": len(tasks), "tasks_by_depth": tasks}
              for name, tasks in TREES.items()]
    return {"study": "tasks", "machine": {"cpu": "a", "cores": 2, "gpu": "b"}, "date": "d", "commit": "c",
            "executor": "cuda", "place": "b", "quick": False, "inputs": inputs, "results": runs, "failed": []}


def with_cells(study, pool, cells):
    """The study in which the pool has only these times, as {threads: {blocks: ms}}."""
    sample = next(run for run in study["results"] if run["pool"] == pool)
    runs = [{**sample, "input": name, "block_size": threads, "blocks": blocks, "full": blocks == max(times), "ms": ms,
             "ms_min": ms, "ms_max": ms}
            for name in GRIDS for threads, times in cells.items() for blocks, ms in times.items()]
    return {**study, "results": [run for run in study["results"] if run["pool"] != pool] + runs}


class TaskStudy(_program.ProgramTest):
    def study(self, *arguments):
        """The JSON; what was printed and the page are in self.text and self.page."""
        self.text = self.succeed("study", "tasks", *arguments, "--json", self.folder / "out.json", "--report",
                                 self.folder / "out.html")
        self.page = (self.folder / "out.html").read_text(encoding="utf-8")
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def verdicts(self, study):
        path = self.write("made_up.json", json.dumps(study))
        return self.study("--from", path)["agreement"]

    def check(self, study, executor):
        self.assertEqual((study["study"], study["executor"], study["quick"]), ("tasks", executor, True))
        self.assertEqual(study["machine"]["cores"], len(os.sched_getaffinity(0)))
        for run in study["results"]:
            self.assertIs(run["ok"], True, run)
            self.assertGreater(run["ms"], 0)
        known = {i["input"]: i for i in study["inputs"]}
        for name in known:
            self.assertEqual(known[name]["nodes"], 1 + 8 * sum(known[name]["tasks_by_depth"]))
        grids = [r for r in study["results"] if r["experiment"] == "grid"]
        self.assertEqual({r["pool"] for r in grids}, set(POOLS))
        blocks = executor != "cpu"  # run tasks
        self.assertEqual({r["pool"] for r in study["results"] if r["experiment"] == "block_grid"},
                         set(PRINTED if blocks else ()))
        self.assertEqual({r["pool"] for r in study["results"] if r["experiment"] == "lazy"},
                         {f"lock_free_queue:lazy={x}" for x in (1, 32) if blocks})
        for run in study["results"]:
            if run["experiment"] not in ("bulk", "workers"):
                self.assertEqual(run["tasks"], sum(known[run["input"]]["tasks_by_depth"]))
        for run in study["results"]:
            self.assertEqual("balance" in run, run["experiment"] != "bulk" and run["tasks"] > 0, run)
            self.assertEqual("timeline" in run, run["experiment"].endswith(("best", "paper")), run)
            if "balance" in run:
                self.assertAlmostEqual(run["balance"]["tasks_mean"] * run["balance"]["workers"], run["tasks"])
        self.assertIn("failed CAS\n  static_list ", self.text)
        for best in study["best"]:
            self.assertEqual(best["ms"], min(r["ms"] for r in grids if (r["input"], r["pool"])
                                             == (best["input"], best["pool"])))
        experiments = {r["experiment"] for r in study["results"]}
        self.assertEqual(experiments, {"grid", "bulk", "best", "workers"} | (
            {"paper", "block_grid", "block_best", "block_paper", "lazy"} if blocks else set()))
        self.assertLessEqual(max(map(len, self.text.splitlines())), 110)
        root = xml.fromstring(self.page)
        captions = [c.text for c in root.iter("figcaption")]
        for caption in ("uniform", "tube", "Tasks (figure 5)"):
            self.assertIn(caption, captions)
        self.assertEqual(sum("busy workers over time" in caption for caption in captions),
                         sum("timeline" in run for run in study["results"]))
        judged = [td for td in root.iter("td") if td.get("class") in ("agrees", "disagrees", "open")]
        self.assertEqual(len(judged), len(study["agreement"]) + len(study.get("agreement_by_block", ())))

    def test_quick_on_cpu(self):
        study = self.study("--quick", "--on", "cpu")
        self.check(study, "cpu")
        self.assertIn("On cpu a block is one thread", self.text)
        self.assertEqual({a["verdict"] for a in study["agreement"]}, {"not measured"})
        self.assertEqual(self.study("--from", self.write("first.json", json.dumps(study))), study)

    def test_quick_on_simt(self):
        study = self.study("--quick", "--on", "simt")
        self.check(study, "simt")
        self.assertIn("say nothing about a GPU", self.text)
        self.assertIn("say nothing about a GPU", self.page)

    def test_counts_are_judged_everywhere(self):
        study = made_up(AS_IN_THE_PAPER)
        study.update(executor="cpu", place="2 threads")
        judged = {a["claim"]: a["verdict"] for a in self.verdicts(study) if a["verdict"] != "not measured"}
        self.assertEqual(list(judged.values()), ["agrees"] * 4)
        self.assertTrue(all(re.search("tasks|rounds|shallow", claim) for claim in judged), judged)
        study["inputs"][1]["points"] = 400000  # and only of as many particles as the paper has
        self.assertEqual({a["verdict"] for a in self.verdicts(study)}, {"not measured"})

    def test_statements_are_borne_out(self):
        found = self.verdicts(made_up(AS_IN_THE_PAPER))
        self.assertGreaterEqual(len(found), 20)
        doubtful = {"The static list behaves like stealing.", "Stealing outperformed the static list."}
        for each in found:
            if each["claim"] not in doubtful:
                self.assertIn(each["verdict"], ("agrees", "not measured"), each)
        self.assertEqual(sum(a["verdict"] == "not measured" for a in found), NOT_JUDGED)
        words = {a["claim"]: a["verdict"] for a in found}
        self.assertEqual([words[claim] for claim in sorted(doubtful)], ["agrees", "agrees"])

    def test_blocks_that_run_tasks_are_judged_by_themselves(self):
        """By the printed lock; the other verdicts do not change."""
        study = made_up(AS_IN_THE_PAPER)
        for run in study["results"]:
            run["ms"] = run["ms_min"] = run["ms_max"] = 5
        flat = self.verdicts(study)
        self.assertNotIn("agreement_by_block", self.study("--from", self.write("made_up.json", json.dumps(study))))
        with_blocks = by_block(made_up(AS_IN_THE_PAPER))
        with_blocks["results"] = study["results"] + [r for r in with_blocks["results"] if r["experiment"] != "grid"]
        found = self.study("--from", self.write("made_up.json", json.dumps(with_blocks)))
        lazy = found["agreement_by_block"][0]
        self.assertEqual((lazy["source"], lazy["verdict"]), ("section 4.3", "agrees"))
        self.assertIn("ms by x: 1: 20.00, 8: 15.00, 32: 16.00", lazy["numbers"])
        self.assertEqual([a["verdict"] for a in found["agreement"]], [a["verdict"] for a in flat])
        self.assertEqual(flat[0]["verdict"], "not measured")  # x is measured where a block runs a task
        self.assertEqual({a["verdict"] for a in found["agreement_by_block"]}, {"agrees", "not measured"})
        self.assertIn("bare_lock_queue, ms by blocks", found["agreement_by_block"][1]["numbers"])
        self.assertIn("disagrees", {a["verdict"] for a in found["agreement"]})
        self.assertEqual({best["pool"] for best in found["best_by_block"]},
                         {"bare_lock_queue", "lock_free_queue", "stealing", "static_list_launches"})

    def test_statements_are_contradicted(self):
        flat = {"best": 128, "blocks": {1: 10, 8: 10, 20: 9.9, 32: 9.9, 264: 1}, "threads": {8: 1, 16: 1, 32: 2, 64: 3}}
        pools = {pool: flat for pool in AS_IN_THE_PAPER}
        pools["blocking_queue"] = {**flat, "blocks": {1: 1, 8: 1, 264: .1}, "threads": {8: .1, 32: .1}}
        pools["static_list_launches"] = {**flat, "blocks": {264: .2}, "threads": {8: .2, 16: .2, 32: .2}}
        study = made_up(pools)
        study["inputs"][1].update(depth=10, nodes=81, leaves=71, tasks_by_depth=[1] * 10)
        found = self.verdicts(study)
        agreeing = {a["claim"] for a in found if a["verdict"] == "agrees"}
        self.assertEqual(agreeing, {"More blocks than needed are no problem: each costs a read."})

    def test_spinning_is_told_from_waiting(self):
        pools = {pool: {**times, "blocks": {1: 9, 8: 5, 264: 5}} for pool, times in AS_IN_THE_PAPER.items()}
        claim = "More blocks than needed are no problem: each costs a read."
        self.assertEqual({a["claim"]: a["verdict"] for a in self.verdicts(made_up(pools))}[claim], "agrees")
        for pool, verdict in (("blocking_queue", "agrees"), ("lock_free_queue", "disagrees")):  # not of the former
            spinning = {**pools, pool: {**pools[pool], "blocks": {1: 9, 8: 5, 264: 50}}}
            self.assertEqual({a["claim"]: a["verdict"] for a in self.verdicts(made_up(spinning))}[claim], verdict)

    def test_spare_blocks_are_compared_with_the_same_threads(self):
        """Only small blocks run in great numbers, and they are slower with any number."""
        claim = "More blocks than needed are no problem: each costs a read."
        for ms, verdict, ratio in ((5.5, "agrees", "1.00 (64 threads)"), (7.2, "disagrees", "1.31 (64 threads)")):
            study = with_cells(made_up(AS_IN_THE_PAPER), "stealing", {512: {1: 40, 20: 3, 132: 1.5},
                                                                      64: {1: 50, 132: 5.5, 1056: ms}})
            found = {a["claim"]: a for a in self.verdicts(study)}[claim]
            self.assertEqual(found["verdict"], verdict)
            self.assertIn("stealing " + ratio, found["numbers"])

    def test_the_lock_suffers_with_the_same_threads(self):
        claim = "The blocking queue is slower with all blocks than with its best number."
        for ms, verdict in ((21, "disagrees"), (110, "agrees")):
            study = with_cells(made_up(AS_IN_THE_PAPER), "blocking_queue", {512: {1: 40, 8: 12, 132: 12},
                                                                            64: {1: 50, 8: 20, 1056: ms}})
            self.assertEqual({a["claim"]: a["verdict"] for a in self.verdicts(study)}[claim], verdict)

    def test_only_methods_of_the_paper_can_be_worst(self):
        study = by_block(made_up(AS_IN_THE_PAPER))
        study["results"] += [{**run, "pool": "blocking_queue", "ms": 9000, "ms_min": 9000, "ms_max": 9000}
                             for run in study["results"]
                             if run["experiment"] == "block_grid" and run["pool"] == "bare_lock_queue"]
        found = self.study("--from", self.write("made_up.json", json.dumps(study)))["agreement_by_block"]
        self.assertEqual([a["verdict"] for a in found if a["source"] == "figure 2a"], ["agrees"])

    def test_processing_units_are_multiprocessors(self):
        for tasks, verdict in ((21, "agrees"), (20, "disagrees")):  # about 14
            study = made_up(AS_IN_THE_PAPER)
            tube = study["inputs"][1]
            tube["tasks_by_depth"] = [1, 8, 16, 32, tasks, 1000, 3000, 900]
            tube.update(nodes=1 + 8 * sum(tube["tasks_by_depth"]), leaves=1 + 7 * sum(tube["tasks_by_depth"]))
            found = {a["claim"]: a for a in self.verdicts(study)}
            each = found["After 3 of these rounds there are a lot more tasks than processing units."]
            self.assertEqual(each["verdict"], verdict)
            self.assertIn("14 multiprocessors", each["numbers"])

    def test_goes_on_where_it_stopped(self):
        whole = self.study("--quick", "--on", "cpu")
        cut = json.loads(json.dumps(whole))
        cut["results"] = cut["results"][:len(cut["results"]) // 2]
        cut["results"][0] = {**cut["results"][0], "ms": 12345.0, "ms_max": 12345.0}  # which is not measured again
        kept = cut["results"][0]
        path = self.write("cut.json", json.dumps(cut))
        self.assertIn("earlier runs are kept",
                      self.succeed("study", "tasks", "--quick", "--on", "cpu", "--json", path, "--resume"))
        found = json.loads(path.read_text(encoding="utf-8"))
        key = lambda r: [r[k] for k in ("experiment", "input", "pool", "block_size", "blocks", "full")]
        self.assertIn(kept, found["results"])
        grids = lambda study: sorted(key(r) for r in study["results"] if r["experiment"] == "grid")
        self.assertEqual(grids(found), grids(whole))
        self.assertEqual(len({str(key(r)) for r in found["results"]}), len(found["results"]))
        self.assertIn("its executor is 'cpu', but here it is 'simt'",
                      self.fail_with_line(2, "study", "tasks", "--quick", "--on", "simt", "--json", path, "--resume"))
        self.assertIn("it was measured with --quick",
                      self.fail_with_line(2, "study", "tasks", "--on", "cpu", "--json", path, "--resume"))
        self.assertIn("--resume needs --json FILE", self.fail_with_line(2, "study", "tasks", "--resume"))
        self.assertIn('study is "tasks": must be mapping',
                      self.fail_with_line(1, "study", "mapping", "--json", path, "--resume"))

    def test_own_particles(self):
        path = self.write("p.xyz", "".join(f"{i % 7} {i % 5} {i % 3}\n" for i in range(100)))
        study = self.study(path, "tube:n=300", "--quick", "--on", "cpu")
        self.assertEqual([(i["kind"], i["points"]) for i in study["inputs"]], [(str(path), 100), ("tube", 300)])
        self.assertEqual({r["experiment"] for r in study["results"]}, {"grid"})

    def test_several_files(self):
        first = self.study("uniform:n=200", "--quick", "--on", "cpu")
        second = self.study("tube:n=200", "--quick", "--on", "cpu")
        files = [self.write(f"{n}.json", json.dumps(s)) for n, s in enumerate((first, second))]
        both = self.study("--from", *files)
        for key in ("inputs", "results"):
            self.assertEqual(both[key], first[key] + second[key])
        self.assertIn("is also in a previous file",
                      self.fail_with_line(1, "study", "tasks", "--from", files[0], files[0]))

    def test_bad_input(self):
        good = made_up(AS_IN_THE_PAPER)
        for change, complaint in (
                (lambda s: s.update(study="mapping"), 'study is "mapping": must be tasks'),
                (lambda s: s["results"][3].update(ms=-1), "results[3].ms is -1"),
                (lambda s: s["results"][3].update(experiment="x"), 'results[3].experiment is "x"'),
                (lambda s: s["results"][3].update(input="x"), "results[3].input"),
                (lambda s: s["results"].append(s["results"][0]), "appears twice"),
                (lambda s: s["results"][3].update(balance={"workers": 0}), "results[3].balance.workers is 0"),
                (lambda s: s["inputs"][0].update(nodes=5), "inputs[0]"),
                (lambda s: s.pop("inputs"), "inputs is missing")):
            study = json.loads(json.dumps(good))
            change(study)
            with self.subTest(complaint):
                line = self.fail_with_line(1, "study", "tasks", "--from", self.write("bad.json", json.dumps(study)))
                self.assertIn("bad.json: not a file of study results: ", line)
                self.assertIn(complaint, line)
        self.assertIn("--from measures nothing",
                      self.fail_with_line(2, "study", "tasks", "tube:n=9", "--from", "a.json"))
        self.assertIn("'other' is not a study", self.fail_with_line(2, "study", "other"))
        missing = self.fail_with_line(1, "study", "tasks", "missing.ply", "--quick", "--on", "cpu", "--json",
                                      self.folder / "m.json")
        self.assertIn("missing.ply", missing)


_program.main()
