# SPDX-License-Identifier: Apache-2.0
"""evenly tasks: every pool finds the known answers, results are written as JSON, a bad command line is one line."""
import json
import pathlib
import resource
import tempfile
import unittest

import _program

POOLS = ["static_list", "static_list_launches", "blocking_queue", "lock_free_queue", "stealing", "ticket_ring",
         "scalable_queue", "batched_stealing"]
# workload: value, tasks
ANSWERS = {
    "fib:n=0": (0, 1),
    "fib:n=1": (1, 1),
    "fib:n=15": (610, 1973),
    "nqueens:n=1": (1, 2),
    "nqueens:n=3": (0, 6),
    "nqueens:n=8": (92, 2057),
    "chain:n=1": (1, 1),
    "chain:n=300": (300, 300),
    "burst:n=0": (0, 1),
    "burst:n=1e3": (1000, 1001),
}
TREES = ("uts:d=4", "uts:t=geo,a=linear,d=6,b=3,r=34", "uts:a=exp,d=5,b=2,r=7", "uts:a=cyclic,d=3,b=2,r=502",
         "uts:t=bin,b=100,q=0.2,m=4,r=42", "uts:t=hybrid,a=linear,d=6,b=3,q=0.2,m=4,r=1")


class Tasks(_program.ProgramTest):
    def report(self, *arguments):
        return json.loads(self.succeed("tasks", *arguments, "--repeat", 1, "--json", "-"))

    def test_every_pool_finds_the_answers(self):
        for executor in ("cpu", "simt"):
            for workload, (value, tasks) in ANSWERS.items():
                report = self.report(workload, "--on", executor)
                self.assertEqual([r["pool"] for r in report["results"] if r["is_pool"]], POOLS)
                for result in report["results"]:
                    with self.subTest(executor=executor, workload=workload, pool=result["pool"]):
                        self.assertTrue(result["ok"])
                        self.assertEqual((result["value"], result["tasks"]), (value, tasks))
                        self.assertGreaterEqual(result["ms"], 0)

    def test_joins_find_the_answers(self):
        for executor in ("cpu", "simt"):
            for workload, (value, tasks) in ANSWERS.items():
                if workload.startswith("burst"):
                    continue
                report = self.report(workload + ",join=1", "--on", executor)
                self.assertEqual([r["pool"] for r in report["results"] if r["is_pool"]], POOLS)
                for result in report["results"]:
                    with self.subTest(executor=executor, workload=workload, pool=result["pool"]):
                        self.assertEqual((result["ok"], result["value"], result["tasks"]), (True, value, tasks))
            for tree in TREES:
                report = self.report(tree + ",join=1", "--on", executor)
                self.assertTrue(all(r["ok"] and r["value"] == r["tasks"] > 0 for r in report["results"]), tree)
        self.assertEqual([r["pool"] for r in self.report("fib:n=5,join=1", "--on", "cpu")["results"]],
                         [*POOLS, "serial", "tbb::task_group"])
        [deep] = self.report("chain:n=1e6,join=1", "--on", "cpu", "--pool", "batched_stealing")["results"]
        self.assertEqual((deep["ok"], deep["value"], deep["tasks"]), (True, 1_000_000, 1_000_000))
        [plain] = self.report("fib:n=5,join=0", "--on", "cpu", "--pool", "batched_stealing")["results"]
        self.assertTrue(plain["ok"])

    def test_every_pool_finds_the_trees(self):
        for executor in ("cpu", "simt"):
            for tree in TREES:
                report = self.report(tree, "--on", executor)
                self.assertTrue(all(r["ok"] and r["value"] == r["tasks"] > 0 for r in report["results"]), tree)
                self.assertEqual(len({r["value"] for r in report["results"]}), 1)

    def test_a_large_tree(self):
        """The upper levels of the published tree."""
        [result] = self.report("uts:t=geo,a=fixed,d=7,b=4,r=19", "--on", "cpu", "--pool", "batched_stealing")["results"]
        self.assertEqual((result["ok"], result["value"], result["tasks"]), (True, 63_914, 63_914))

    @_program.with_label_all
    def test_a_published_tree(self):
        report = self.report("uts:t=geo,a=fixed,d=10,b=4,r=19", "--on", "cpu", "--pool", "batched_stealing")
        [result] = report["results"]
        self.assertEqual((result["ok"], result["value"], result["tasks"]), (True, 4_130_071, 4_130_071))

    def test_compares_with_others_on_cpu(self):
        for workload, others in (("fib:n=10", ["serial", "tbb::task_group"]),
                                 ("uts:d=3", ["serial", "tbb::task_group"]), ("nqueens:n=4", ["serial"])):
            results = self.report(workload, "--on", "cpu")["results"]
            self.assertEqual([r["pool"] for r in results if not r["is_pool"]], others)
            self.assertEqual(len({(r["value"], r["tasks"]) for r in results}), 1)

    def test_options(self):
        for arguments in (["--on", "cpu", "--threads", 1], ["--on", "cpu", "--blocks", 5],
                          ["--on", "simt", "--seed", 3], ["--on", "simt", "--blocks", 3],
                          ["--on", "simt", "--pool", "all"]):
            self.assertTrue(all(r["ok"] for r in self.report("fib:n=12", *arguments)["results"]))
        report = self.report("fib:n=5", "--on", "cpu", "--pool", "stealing,ticket_ring")
        self.assertEqual([r["pool"] for r in report["results"]], ["stealing", "ticket_ring"])
        self.assertEqual((report["workload"], report["executor"]), ("fib:n=5", "cpu"))

    def check_balance(self, result, tasks):
        balance, timeline = result["balance"], result["timeline"]
        self.assertLessEqual(balance["tasks_min"], balance["tasks_mean"])
        self.assertLessEqual(balance["tasks_mean"], balance["tasks_max"])
        self.assertAlmostEqual(balance["tasks_mean"] * balance["workers"], tasks)
        for key in ("taken", "failed", "spins", "failed_cas"):
            self.assertGreaterEqual(balance[key], 0)
        self.assertTrue(0 <= balance["idle"] <= 1)
        self.assertGreater(timeline["ms_of_part"], 0)
        self.assertLessEqual(len(timeline["busy"]), min(balance["workers"], 16))
        self.assertEqual(len({len(row) for row in timeline["busy"]}), 1)
        self.assertTrue(all(0 <= percent <= 100 for row in timeline["busy"] for percent in row))

    def test_shows_how_tasks_are_distributed(self):
        for executor in ("cpu", "simt"):
            for workload in ("fib:n=15", "fib:n=10,join=1"):
                for result in self.report(workload, "--on", executor)["results"]:
                    with self.subTest(executor=executor, workload=workload, pool=result["pool"]):
                        if result["is_pool"]:
                            self.check_balance(result, result["tasks"])
                        else:
                            self.assertNotIn("balance", result)
        [alone] = self.report("fib:n=20", "--on", "cpu", "--blocks", 1, "--pool", "blocking_queue")["results"]
        balance = alone["balance"]
        self.assertEqual((balance["workers"], balance["tasks_min"], balance["tasks_max"], balance["taken"]),
                         (1, alone["tasks"], alone["tasks"], alone["tasks"] - 1))
        self.assertLess(balance["idle"], 0.5, "one worker has a task until the end")
        [lazy] = self.report("chain:n=2e4", "--on", "cpu", "--blocks", 8, "--pool", "stealing")["results"]
        self.assertGreater(lazy["balance"]["idle"], 0.5, "a chain is the work of one")
        text = self.succeed("tasks", "fib:n=12", "--on", "cpu", "--repeat", 1, "--pool", "stealing")
        self.assertRegex(text, r"tasks per worker +workers +min +mean +max +taken +failed +idle +spins +failed CAS\n"
                         r"  stealing +\d+ +\d+ +[\d.]+ +\d+ +\d+ +\d+ +[\d.]+% +\d+ +\d+\n")

    def test_a_page_shows_timelines(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            self.succeed("tasks", "fib:n=15", "--on", "cpu", "--repeat", 1, "--report", page)
            text = page.read_text(encoding="utf-8")
        for pool in POOLS:
            self.assertIn(pool + ": busy workers over time", text)
        self.assertIn("<th>tasks max</th>", text)

    def test_options_of_pools(self):
        def balance(*words):
            [result] = self.report(*words)["results"]
            self.assertTrue(result["ok"])
            return result["balance"], result
        on = ("--on", "simt", "--blocks", 2)
        self.assertEqual(balance("fib:n=8", *on, "--pool", "stealing", "--block-size", 64)[0]["workers"], 4)
        self.assertEqual(balance("fib:n=8", *on, "--pool", "stealing", "--block-size", 8)[0]["workers"], 2)
        for order in ("in_turn", "random"):
            balance("fib:n=9", *on, "--pool", "stealing", "--victims", order)
        balance("fib:n=9", "--on", "cpu", "--pool", "lock_free_queue", "--lazy", 1)
        one = ("--on", "cpu", "--blocks", 1, "--pool", "batched_stealing")
        small = balance("fib:n=20", *one, "--stack", 3, "--capacity", 100)[1]
        self.assertLess(small["bytes"], balance("fib:n=20", *one)[1]["bytes"])
        full = _program.run("tasks", "fib:n=20", "--on", "cpu", "--blocks", 1, "--pool", "stealing", "--stack", 3,
                            "--capacity", 0)
        self.assertEqual(full.returncode, 1)
        self.assertRegex(" ".join(full.stdout.split()), r"the pool, with room for 0, is full, and so is a stack, "
                         r"with room for 3; a capacity of \d+ is enough for these")

    @unittest.skipIf(_program.SANITIZED, "a sanitizer takes more memory than the limit")
    def test_more_memory_than_available_is_refused_beforehand(self):
        def refused(*words):
            done = _program.run("tasks", "fib:n=8", "--pool", "stealing", *words,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9,) * 2))
            self.assertEqual(done.returncode, 1)
            return " ".join((done.stdout + done.stderr).split())
        amounts = r"[0-9.]+ GB of memory are needed, but [0-9.]+ GB are available \(.*\); "
        self.assertRegex(refused("--on", "simt", "--blocks", 1024, "--block-size", 1024),
                         "stacks of 1,048,576 simulated threads: " + amounts + "decrease --blocks or --block-size")
        for where in ("simt", "cpu"):
            self.assertRegex(refused("--on", where, "--capacity", 10**9),
                             "FAILED stealing: tasks: " + amounts + "decrease --capacity")

    def test_prints_a_table(self):
        text = self.succeed("tasks", "nqueens:n=5", "--on", "cpu", "--repeat", 1)
        for word in (*POOLS, "nqueens:n=5 on cpu", "M tasks/s", "serial"):
            self.assertIn(word, text)

    def test_refuses(self):
        for workload, words in (("tree:n=1", ("'tree' is not a workload", "nqueens")),
                                ("fib", ("n is missing",)), ("fib:n=61", ("n must be a number from 0 to 60",)),
                                ("fib:n=1.5", ("whole number",)), ("fib:n=2,n=3", ("n is given twice",)),
                                ("fib:m=3,n=2", ("fib has no 'm'",)), ("fib:n", ("'n' must be KEY=VALUE",)),
                                ("nqueens:n=17", ("from 1 to 16",)), ("chain:n=0", ("from 1",)),
                                ("uts:t=oak", ("t must be one of geo",)),
                                ("uts:t=bin,q=0.5,m=2", ("q * m must be less",)),
                                ("burst:n=5,join=1", ("burst has no join=1",)),
                                ("fib:n=5,join=2", ("join must be a number from 0 to 1",))):
            line = self.fail_with_line(2, "tasks", workload, "--on", "cpu")
            for word in words:
                self.assertIn(word, line)
        self.assertIn("'heap' is not a pool", self.fail_with_line(2, "tasks", "fib:n=3", "--pool", "heap"))
        self.assertIn("--blocks '0'", self.fail_with_line(2, "tasks", "fib:n=3", "--blocks", 0))
        for words, complaint in (
                (("--on", "cpu", "--block-size", 32), "--block-size 32 has no effect on cpu in tasks, only on simt"),
                (("--on", "simt", "--block-size", 33), "--block-size 33: must be a multiple of 32, or less than 32"),
                (("--on", "cpu", "--capacity", -1), "--capacity '-1'"), (("--on", "cpu", "--stack", 0), "--stack '0'"),
                (("--on", "cpu", "--lazy", 0), "--lazy '0'"),
                (("--on", "cpu", "--lazy", 2, "--pool", "stealing"), "--lazy 2 has no effect in tasks"),
                (("--on", "cpu", "--victims", "random", "--pool", "ticket_ring"), "--victims random has no effect"),
                (("--on", "cpu", "--victims", "all"), "'all' is not an order; choose one of in_turn, random")):
            self.assertIn(complaint, self.fail_with_line(2, "tasks", "fib:n=3", *words))
        for workload in ("fib:n=3", "fib:n=3,join=1"):
            self.assertIn("stack = 33: must be at least 34",
                          self.fail_with_line(1, "tasks", workload, "--on", "simt", "--stack", 33))


_program.main()
