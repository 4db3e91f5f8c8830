# SPDX-License-Identifier: Apache-2.0
"""scripts/train_automatic.py: what it refuses, that the program chooses as its constants say, and that it learns."""
import importlib.util
import json
import math
import re
import subprocess
import sys
import unittest
from pathlib import Path

import _program

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/train_automatic.py"
HAS_LIBRARIES = all(importlib.util.find_spec(name) for name in ("numpy", "scipy", "sklearn"))

spec = importlib.util.spec_from_file_location("train_automatic", SCRIPT)
train = importlib.util.module_from_spec(spec)
spec.loader.exec_module(train)


def numbers(text, array):
    found = re.search(rf"\b{array}\[\] = \{{(.*?)\}};", text, re.S).group(1)
    return [float(n) for n in re.sub(r"//.*", "", found).replace("\n", " ").split(",") if n.strip()]


def compiled_model(executor, name):
    """The constants, plans and spread of each schedule, and the caution, of a model that the program has."""
    others = (ROOT / "src/runtime/choice_models.hpp").read_text(encoding="utf-8")
    candidates = (ROOT / f"include/evenly/schedules/detail/choice_models_{executor}.hpp").read_text(encoding="utf-8")
    name = f"{executor}_{name}"
    names = re.findall(r'"(.+?)"', re.search(r"\bnames\[\] = \{(.*?)\};", others, re.S).group(1))
    terms, caution = re.search(rf"\{{(\d+), {name}, ([0-9.e-]+)\}},", others).groups()
    width = int(terms) + 4
    found = numbers(candidates, name) + numbers(others, name)
    rows = [found[width * i:width * (i + 1)] for i in map(int, numbers(others, f"{executor}_rows"))]
    model = {schedule: (row[:-4], row[-4:-1], row[-1]) for schedule, row in zip(names, rows, strict=True)}
    return model, float(caution)


def least(facts, model, caution):
    """The schedule with the smallest sum, by the terms of the script."""
    terms = train.terms_of(facts)

    def score(schedule):
        constants, plan, spread = model[schedule]
        return (max(1e-6, sum(c * t for c, t in zip(constants, terms))) * math.exp(caution * spread)
                + sum(c * t for c, t in zip(plan, terms)) / train.RUNS)
    return min(model, key=score)


class TrainAutomatic(_program.ProgramTest):
    def train(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=300)

    def refuse(self, *arguments, says):
        done = self.train(*arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Atrain_automatic.py: [^\n]+\n\Z")
        self.assertIn(says, done.stderr)

    def study(self, name, *inputs):
        file = self.folder / name
        self.succeed("study", "choices", *inputs, "--on", "cpu", "--threads", "2", "--json", file)
        return file

    def test_refuses_in_one_line(self):
        good = self.study("good.json", "regular:rows=300,size=7")
        other = json.loads(good.read_text(encoding="utf-8"))
        other["machine"]["cpu"] = "a 6502"
        broken = json.loads(good.read_text(encoding="utf-8"))
        del broken["results"][0]["facts"]["longest"]
        self.refuse(self.folder / "none.json", says="none.json: No such file")
        self.refuse(self.write("text.json", "tiles"), says="text.json: not JSON")
        self.refuse(self.write("tasks.json", '{"study": "tasks"}'), says="study is 'tasks': must be choices")
        self.refuse(self.write("empty.json", '{"study": "choices", "results": []}'), says="no results to learn from")
        self.refuse(self.write("broken.json", json.dumps(broken)), says="not the results of a study of choices")
        self.refuse(good, self.write("other.json", json.dumps(other)),
                    says="on cpu is of a 6502, 2 threads, in the files before")
        self.refuse(good, "--write", says="there are no results of")
        self.refuse("--measure", self.folder / "none", "--on", "cpu", "--results", self.folder, says="No such file")
        costless = json.loads(good.read_text(encoding="utf-8"))
        costless["results"][0]["plan_ms"].pop("merge_path")
        self.refuse(self.write("costless.json", json.dumps(costless)), says="a plan has no time above 0")
        self.refuse(says="say either files or --measure BUILD")
        self.refuse(good, "--on", "gpu", says="--on gpu: must be cpu, cuda or both")
        if HAS_LIBRARIES:
            self.refuse(good, says="too few families of tile sets to leave one out")
            large = json.loads(good.read_text(encoding="utf-8"))
            for each in large["results"]:
                each["facts"]["atoms"] = 2_000_000
            self.refuse(self.write("large.json", json.dumps(large)),
                        says="no tile sets of fewer than 100000 atoms to learn from")
        else:
            self.refuse(good, says="is not installed: scripts/setup.sh bench")

    def test_models_are_of_todays_kernels(self):
        for executor in train.EXECUTORS.values():
            name = f"choice_models_{executor}.hpp"
            text = (train.SHORT_HEADERS / name).read_text(encoding="utf-8").replace("\n//  ", "")
            for work in train.WORKS:
                self.assertRegex(text, rf"// Kernels: .*\b{work} {train.kernels_hash(work)}\b",
                                 f"kernels of {work} have changed since the models were learned: measure again, or run "
                                 "scripts/train_automatic.py --accept REASON")

    def test_accepts_kernels_that_have_changed(self):
        for executor in train.EXECUTORS.values():
            text = (train.SHORT_HEADERS / f"choice_models_{executor}.hpp").read_text(encoding="utf-8")
            self.write(f"choice_models_{executor}.hpp", text.replace(train.kernels_hash("visits"), "0123456789ab"))
        for reason in ("a comment", "words " * 40):
            done = self.train("--accept", reason, "--short-headers", self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        for executor in train.EXECUTORS.values():
            text = (self.folder / f"choice_models_{executor}.hpp").read_text(encoding="utf-8")
            self.assertIn(train.kernels_hash("visits"), text)
            self.assertIn("// Changed since: a comment.\n// Changed since: words words", text)
            self.assertEqual(text.count("words"), 40)
            self.assertLessEqual(max(map(len, text.splitlines())), 120)
        self.refuse("--accept", "two\nlines", says="--accept needs a reason of one line")
        self.refuse("--accept", "why", "--short-headers", self.folder / "none", says="No such file")

    def test_the_program_chooses_as_the_script_would(self):
        inputs = ["regular:rows=20000,size=8", "powerlaw:rows=20000,avg=8,sd=30,max=3000", "mostly-empty:rows=300000",
                  "one-dense-row:rows=1e5,long=1e5", "grid:x=30,y=30", "dense:rows=1,cols=500"]
        facts = {r["input"]: r["facts"] for r in json.loads(
            self.study("facts.json", *inputs).read_text(encoding="utf-8"))["results"]}
        for op, work in (("spmv", "gathered_sums"), ("expand", "visits")):
            out = self.folder / "compared.json"
            self.succeed("compare", *inputs, "--op", op, "--on", "cpu", "--threads", 1, "--schedule", "automatic",
                         "--repeat", 1, "--json", out) # on one thread the models alone decide
            for each in json.loads(out.read_text(encoding="utf-8"))["results"]:
                if each["schedule"] != "automatic":
                    continue
                size = "small" if each["atoms"] < train.SMALL else "large"
                model, caution = compiled_model("cores", f"{work}_{size}")
                self.assertEqual(each["chosen"], least(facts[each["workload"]], model, caution), each)

    @unittest.skipUnless(HAS_LIBRARIES, "numpy, scipy or scikit-learn is not installed: scripts/setup.sh bench")
    def test_learns_the_committed_models(self):
        results = sorted((ROOT / "bench/results").glob("choices-*.json"))
        done = self.train(*results, "--write", "--short-headers", self.folder, "--whole-header",
                          self.folder / "whole.hpp", "--json", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("choice_models_gpu.hpp", "choice_models_cores.hpp"):
            text = (self.folder / name).read_text(encoding="utf-8")
            self.assertEqual(text.count("inline constexpr double"), 10)
        figures = json.loads((self.folder / "automatic-cuda.json").read_text(encoding="utf-8"))
        regret = {(r["op"], r["rule"]): r["mean"] for r in figures["results"]}
        for op in train.WORKS.values():
            self.assertLess(regret[op, "automatic, all"], 1.08)
            self.assertLess(regret[op, "automatic, all"], regret[op, "always merge_path"])


if __name__ == "__main__":
    _program.main()
