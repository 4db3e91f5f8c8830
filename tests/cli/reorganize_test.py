# SPDX-License-Identifier: Apache-2.0
"""evenly reorganize: every arm gives the right results, counts are what was predicted, a bad command line or list of
indices is one line."""
import json
import tempfile
from pathlib import Path

import _program

ANY = ["none", "sort_threads", "reorder_first_access", "reorder_hubs_first", "duplicate", "duplicate_half",
       "pad_simple", "pad", "share", "share_packed", "share_sorted", "share_working_sets",
       "share_accumulate"]
GRAPH = ["sort_threads_by_neighbours", "reorder_by_neighbours", "reorder_reverse_cuthill_mckee",
         "commit_by_neighbours", "share_by_neighbours", "share_propagated", "reorder_metis", "share_metis"]
SUMS = ["sort_threads_left"]
POSITIONS = ["by_neighbours_lists", "sort_threads_hilbert", "reorder_hilbert", "commit_hilbert", "commit_hilbert_share",
             "hilbert_lists", "hilbert_lists_share", "share_hilbert", "share_hilbert_packed"]


class Reorganize(_program.ProgramTest):
    def report(self, *arguments):
        return json.loads(self.succeed("reorganize", *arguments, "--json", "-"))

    def timed(self, *arguments):
        return self.report(*arguments, "--repeat", 1, "--iterations", 2)

    def file(self, text, name="indices.txt"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_every_layout_is_right_on_every_workload(self):
        for workload, arms in (("md:n=300,k=20", ANY + GRAPH + POSITIONS), ("cg:n=144", ANY),
                               ("merge:threads=900,elements=300,skew=1.2", ANY + SUMS),
                               ("random:threads=700,elements=900,k=3", ANY + SUMS),
                               ("random:threads=300,elements=300,k=2", ANY + GRAPH + SUMS),
                               ("random:threads=0,elements=3", ANY + SUMS),
                               ("irreg:n=512", ANY + GRAPH), ("irreg:n=343,lists=random,seed=2", ANY + GRAPH),
                               ("nbf:n=512", ANY + GRAPH + POSITIONS),
                               ("nbf:n=125,k=6,lists=random", ANY + GRAPH + POSITIONS), ("cfd:n=384", ANY + GRAPH),
                               ("cfd:n=6", ANY + GRAPH), ("unwrap:size=24", ANY),
                               ("unwrap:size=16,radii=8,angles=32,seed=3", ANY),  # as many threads as elements
                               ("unwrap:size=2,radii=1,angles=1", ANY), ("nn:n=900,chunk=300,fields=5", ANY),
                               ("nn:n=7,chunk=1,k=7", ANY)):
            for executor in ("cpu", "simt"):
                results = self.timed(workload, "--on", executor, "--change-every", 1)["results"]
                self.assertEqual([each["arm"] for each in results], arms + ["pipeline", "automatic"])
                for each in results:
                    with self.subTest(workload=workload, executor=executor, arm=each["arm"]):
                        if "METIS" not in each.get("refusal", ""):  # a program may be without
                            self.assertTrue(each["ok"], each)
                            self.assertGreaterEqual(min(each["loop_ms"], each["kept_loop_ms"]), 0)

    def test_generators_have_seeds(self):
        """Other seeds are other numberings, or images and records, whose results are right as well."""
        for workload in ("irreg:n=125,k=6", "nbf:n=125,k=6", "cfd:n=48", "unwrap:size=9", "nn:n=64"):
            with self.subTest(workload=workload):
                alike = [self.report(f"{workload},seed={seed}", "--on", "simt", "--count", "--arm", "none")["results"]
                         for seed in (1, 1, 2)]
                self.assertTrue(alike[2][0]["ok"])
                self.assertEqual(alike[0], alike[1])
                if workload[:2] in ("ir", "nb", "cf"):
                    self.assertNotEqual(alike[0], alike[2])

    def test_random_lists_cannot_be_clustered(self):
        """An order saves sectors of a mesh that is numbered at random, and none of a random graph."""
        for name, arm, least in (("irreg", "reorder_reverse_cuthill_mckee", 2), ("nbf", "reorder_hilbert", 1.3)):
            def saved(lists):
                none, ordered = self.report(f"{name}:n=4096,k=6,lists={lists}", "--count", "--arm",
                                            f"none,{arm}")["results"]
                return none["predicted_sectors"] / ordered["predicted_sectors"]
            self.assertGreater(saved("geometric"), least)
            self.assertLess(saved("random"), 1.2)

    def test_molecular_dynamics_is_that_of_shoc(self):
        report = self.timed("md:n=12288", "--on", "cpu", "--arm", "none")
        self.assertEqual((report["threads"], report["references"], report["pairs"]), (12_288, 128, 1_570_334))
        self.assertEqual([(each["arm"], each["ok"]) for each in report["results"]], [("none", True)])

    def test_sharing_takes_little_space_where_blocks_are_clusters(self):
        report = self.timed("md:n=12288", "--on", "cpu", "--arm", "duplicate,pad,share_hilbert_packed")
        duplicate, pad, share = report["results"]
        self.assertTrue(duplicate["ok"] and pad["ok"] and share["ok"])
        self.assertLessEqual(pad["copy_bytes"], duplicate["copy_bytes"])
        self.assertLess(share["copy_bytes"], 0.04 * duplicate["copy_bytes"])
        self.assertLess(share["copy_bytes"] + share["plan_bytes"], 0.175 * duplicate["copy_bytes"])

    def test_counts_are_predicted(self):
        report = self.report("random:threads=2000,elements=500,k=2", "--count")
        self.assertEqual([each["arm"] for each in report["results"]], ANY + SUMS + ["pipeline", "automatic"])
        self.assertIn("depends on measured times", report["results"][-2]["refusal"])
        self.assertIn("chooses by measured times", report["results"][-1]["refusal"])
        for each in report["results"]:
            if each["arm"] in ("share_accumulate", "pipeline", "automatic"):
                continue
            with self.subTest(arm=each["arm"]):
                self.assertNotIn("run_ms", each)
                self.assertEqual((each["counts"]["global_load_requests"], each["counts"]["global_load_sectors"]),
                                 (each["predicted_requests"], each["predicted_sectors"]))

    def test_automatic_says_what_it_chose_and_why(self):
        for workload, executor in (("md:n=3000,k=30", "cpu"), ("md:n=300,k=8", "simt"), ("cg:n=144", "cpu"),
                                   ("random:threads=3000,elements=3000,k=8", "cpu"), ("merge:threads=5000", "cpu"),
                                   ("irreg:n=1000", "cpu"), ("nbf:n=512,lists=random", "simt"), ("cfd:n=750", "cpu"),
                                   ("unwrap:size=32", "cpu"), ("nn:n=2000,chunk=500", "simt")):
            for iterations, every in ((60, 20), (3, 1), (1, 0)):
                with self.subTest(workload=workload, iterations=iterations):
                    report = self.report(workload, "--on", executor, "--arm", "automatic", "--iterations", iterations,
                                         *(("--change-every", every) if every else ()))
                    (found,) = report["results"]
                    self.assertTrue(found["ok"], found)
                    self.assertIn(found["chosen"], ANY + GRAPH + POSITIONS)
                    self.assertTrue(found["why"].startswith(found["chosen"] + ":"), found["why"])
                    self.assertGreater(found["run_ms"], 0)
                    self.assertGreaterEqual(found["loop_ms"], found["run_ms"])
        text = self.succeed("reorganize", "cg:n=16", "--on", "cpu", "--arm", "automatic")
        self.assertRegex(text, r"automatic: \w+: [\d.e-]+ ms a run")

    def test_a_pipeline_says_what_it_did(self):
        for workload, executor, arm in (("md:n=2000,k=30", "cpu", "reorder"), ("merge:threads=3000", "simt", "share"),
                                        ("random:threads=3000,elements=3000,k=8", "cpu", "reorder")):
            for iterations, every in ((40, 10), (6, 1), (1, 0)):
                with self.subTest(workload=workload, iterations=iterations):
                    report = self.report(workload, "--on", executor, "--arm", "pipeline", "--iterations", iterations,
                                         *(("--change-every", every) if every else ()))
                    (found,) = report["results"]
                    self.assertTrue(found["ok"], found)
                    self.assertIn(found["chosen"], ("none", arm))
                    self.assertTrue(found["why"].startswith(found["chosen"]), found["why"])
                    self.assertGreater(found["run_ms"], 0)

    def test_reads_lists_and_matrices(self):
        path = self.file("\ufeff% a thread each\r0 3 % note\r1 3\r\r7 0 # note\r")
        report = self.timed(path, "--on", "cpu")
        self.assertEqual((report["threads"], report["references"], report["elements"]), (3, 2, 8))
        self.assertTrue(all(each["ok"] for each in report["results"]))
        matrix = self.file("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2.5\n2 3 -1\n", "a.mtx")
        report = self.timed(matrix, "--on", "cpu")
        self.assertEqual((report["threads"], report["references"], report["elements"]), (3, 1, 3))
        self.assertTrue(all(each["ok"] for each in report["results"]))
        not_a_number = self.file("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 inf\n", "nan.mtx")
        self.assertTrue(all(each["ok"] for each in self.timed(not_a_number, "--on", "cpu")["results"]))

    def test_refuses_lists_that_are_wrong(self):
        for text, words in (("0 1\n2 -1\n", (":2:", "index 2 of 2")), ("0 1\n2\n", (":2:", "index 2 of 2")),
                            ("0 1\n2 3 4\n", (":2:",)), ("0 x\n", (":1:",)), ("", ("empty",)),
                            ("99999999999\n", (":1:", "index 1 of 1"))):
            line = self.fail_with_line(1, "reorganize", self.file(text), "--on", "cpu")
            for word in words:
                self.assertIn(word, line)

    def test_options(self):
        self.assertTrue(all(each["ok"] for each in self.timed("random:threads=500,elements=90", "--on", "simt",
                                                              "--seed", 3, "--block", 100)["results"]))
        report = self.timed("md:n=300,k=5", "--on", "cpu", "--arm", "share_hilbert,none", "--threads", 1)
        self.assertEqual([each["arm"] for each in report["results"]], ["none", "share_hilbert"])
        self.assertEqual((report["iterations"], report["change_every"]), (2, 0))
        text = self.succeed("reorganize", "cg:n=16", "--on", "cpu", "--repeat", 1)
        for word in ("share_accumulate", "cg:n=16 on cpu", "plan MB", "sectors"):
            self.assertIn(word, text)

    def test_refuses(self):
        for arguments, words in ((("md:n=1",), ("n must be a number from 2",)),
                                 (("md:n=100",), ("k must be less than n = 100",)),
                                 (("cg:n=10",), ("n must be a square",)),
                                 (("merge:skew=1.3",), ("skew must be a number from 0 to 1.2",)),
                                 (("random:size=3",), ("random has no 'size'",)),
                                 (("irreg:n=26",), ("n must be a number from 27",)),
                                 (("irreg:n=1000,k=3",), ("k must be even",)),
                                 (("irreg:n=27,k=128",),
                                  ("k = 128 is too large for 3 nodes per side: a list would reach halfway around",)),
                                 (("nbf:n=1001",), ("n must be a cube, as 1000 is",)),
                                 (("nbf:n=1000,lists=some",), ("lists must be one of geometric, random",)),
                                 (("cfd:n=100",), ("n must be six times a cube, as 162 is",)),
                                 (("unwrap:size=1",), ("size must be a number from 2",)),
                                 (("unwrap:n=3",), ("unwrap has no 'n'",)),
                                 (("nn:n=10,chunk=3",), ("n must be a multiple of chunk = 3",)),
                                 (("nn:n=10,k=11",), ("k must be at most n = 10",)),
                                 (("nn:fields=1",), ("fields must be a number from 2",)),
                                 (("tree:n=3",), ("'tree:n=3' is not a workload",
                                                  "md, irreg, nbf, cfd, cg, unwrap, nn, merge, random")),
                                 (("cg:n=16", "--arm", "fold"), ("'fold' is not a layout", "share_accumulate")),
                                 (("cg:n=16", "--arm", "share_hilbert"), ("does not support share_hilbert",)),
                                 (("cg:n=16", "--iterations", "0"), ("--iterations '0'",)),
                                 (("cg:n=16", "--count", "--iterations", "2"), ("has no effect",)),
                                 (("cg:n=16", "--count", "--on", "cpu"), ("--count runs on simt",))):
            line = self.fail_with_line(2, "reorganize", *arguments)
            for word in words:
                self.assertIn(word, line)


_program.main()
