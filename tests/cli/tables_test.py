# SPDX-License-Identifier: Apache-2.0
"""scripts/tables.py: tables of results that are written here, and of some that the program wrote; places in pages; and
that the pages of docs show what results and headers say."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import _program

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/tables.py"


def result(workload, executor, schedule, ms, op="spmv", **others):
    return {"workload": workload, "rows": 2, "cols": 2, "atoms": 12345, "op": op, "executor": executor,
            "schedule": schedule, "parameters": {}, "type": "float" if op == "spmv" else "int", "ok": ms is not None,
            "ms": ms, "ms_min": ms, "ms_max": ms, "gbps": 1, "copy_gbps": 1, "plan_ms": 0, **others}


def report(*results):
    return {"machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"}, "date": "2026-01-31T23:59:59Z",
            "commit": "0123456789abcdef", "results": list(results)}


SPMV = report(result("one", "cuda", "merge_path", 0.0921), result("one", "cuda", "cusparse_alg1", 0.0921 / 0.9),
              result("one", "cuda", "group<block>", 0.1), result("two", "cuda", "merge_path", None),
              result("two", "cuda", "cusparse_alg1", 1.2345), result("one", "cpu", "merge_path", 2.5))
EXPAND = report(result("one", "cuda", "group<2>", 0.5, "expand", gbps=3000, copy_gbps=4000, fill_gbps=3750),
                result("one", "cuda", "group<block>", 12.5, "expand", gbps=120, copy_gbps=4000, fill_gbps=3750),
                result("two", "cuda", "group<2>", None, "expand", gbps=None, copy_gbps=4000, fill_gbps=3750),
                result("two", "cuda", "group<block>", 0.1, "expand", gbps=4000, copy_gbps=4000, fill_gbps=3200))
WHERE = "cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab"
WITH_EMPTY_KERNEL = """\
| merge_path | **20.0** | **3.50** |
| empty kernel | 2.90 | 2.80 |
"""
SPMV_ON_CUDA = f"""\
spmv of float on {WHERE}; median, us. Bold: the best schedule.

|  | one | two |
| --- | ---: | ---: |
| atoms | 12,345 | 12,345 |
| merge_path | **92.1** | failed |
| group\\<block> | 100 |  |
| cusparse_alg1 | 102 | 1,234 |
| best schedule / best baseline | 0.90 |  |
"""
EXPAND_ON_CUDA = f"""\
expand of int on {WHERE}; median, us. Bold: the best schedule.

|  | one | two |
| --- | ---: | ---: |
| atoms | 12,345 | 12,345 |
| group\\<2> | **500** | failed |
| group\\<block> | 12,500 | **100** |
| best schedule, % of copy speed | 75% | 100% |
| best schedule, % of fill speed | 80% | 125% |
"""
BEST = f"""\
spmv of float on {WHERE}; median, us.

| workload | best schedule | time |
| --- | --- | ---: |
| one | `merge_path` | 92.1 |
| two |  |  |

expand of int on {WHERE}; median, us.

| workload | best schedule | time |
| --- | --- | ---: |
| one | `group<2>` | 500 |
| two | `group<block>` | 100 |
"""
RATIOS = """\
| time / best time | one | two |
| --- | ---: | ---: |
| spmv, `group<block>` | 1.09 |  |
| expand, `group<2>` | **1.00** | failed |
| expand, `group<block>` | 25.0 | **1.00** |
"""


def best_run(technique, workload, ms, of_fastest, op="update"):
    return {"op": op, "workload": workload, "technique": technique, "in_paper": True, "schedule": "some",
            "block_size": 128, "ms": ms, "of_fastest": of_fastest}


def phase(experiment, variant, block_size, ms, workload="one"):
    return {"workload": workload, "experiment": experiment, "variant": variant, "block_size": block_size,
            "ok": ms is not None, "ms": ms, "threads": 1}


def finding(about, verdict, numbers="1 < 2"):
    return {"about": about, "source": "figure 13", "claim": "One | two.", "verdict": verdict, "numbers": numbers}


STUDY = {"study": "mapping", "machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"}, "executor": "cuda",
         "date": "2026-01-31T23:59:59Z", "commit": "0123456789abcdef", "workloads": [{"name": "one"}, {"name": "two"}],
         "best": [best_run("virtual warps", "one", 0.05, 1.0), best_run("two-phase", "one", 0.1, 2.0),
                  best_run("two-phase", "two", 0.004, 1.0), best_run("two-phase", "two", 0.004, 1.0, "expand")],
         "phases": [phase("supply", "resident", 128, 0.025), phase("supply", "resident", 128, None, "two"),
                    phase("block_size", "partition", 64, 0.002), phase("block_size", "partition", 128, 0.001)],
         "agreement": [finding("update", "agrees"), finding("update", "disagrees", "2 < 1"),
                       finding("expand", "agrees"), finding("multi-phase mapping", "not measured")]}
TECHNIQUES = f"""\
update on {WHERE}; median, us, of the best configuration. Bold: the best technique.

| technique | one | two |
| --- | ---: | ---: |
| virtual warps | **50.0** | failed |
| two-phase | 100 | **4.00** |
"""
PHASES = f"""\
On {WHERE}; median, us.

| experiment | variant | one | two |
| --- | --- | ---: | ---: |
| supply | resident | 25.0 | failed |
| block_size | partition, blocks of 64 | 2.00 |  |
| block_size | partition, blocks of 128 | 1.00 |  |
"""
COUNTED = {"gpu": "some GPU", "date": "2026-01-31T23:59:59Z", "commit": "0123456789abcdef",
           "results": [{"workload": "one", "op": "spmv", "schedule": "group<4>", "us": 1234.5, "memory_percent": 50,
                        "l2_percent": 40, "load_sectors_per_request": 4, "store_sectors_per_request": 31.97,
                        "busy_multiprocessors_percent": 99, "warps_percent": 60, "issue_percent": 8.25,
                        "waits_for_memory": 7, "waits_for_queue": 0, "waits_for_storage": 0.5, "waits_for_barrier": 2}]}
COUNTERS = """\
some GPU, 2026-01-31T23:59:59Z, commit 0123456789ab.

| workload | operation | schedule | us | memory % | L2 % | sectors per load | sectors per store | \
multiprocessors busy % | warps % | issuing % | stall: memory | stall: memory queue | stall: shared memory | \
stall: barrier |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| one | spmv | group\\<4> | 1,234 | 50 | 40 | 4 | 32 | 99 | 60 | 8.25 | 7 | 0 | 0.5 | 2 |
"""
AGREEMENT = f"""\
On {WHERE}.

* update: 1 agrees, 1 disagrees
* expand: 1 agrees
* multi-phase mapping: 1 not measured

| about | paper | statement | measured here | numbers |
| --- | --- | --- | --- | --- |
| update | figure 13 | One \\| two. | agrees | 1 \\< 2 |
| update | figure 13 | One \\| two. | disagrees | 2 \\< 1 |
| multi-phase mapping | figure 13 | One \\| two. | not measured | 1 \\< 2 |
"""


REORGANIZE = {"study": "reorganize", "machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"}, "executor": "cuda",
              "date": "2026-01-31T23:59:59Z", "commit": "0123456789abcdef",
              "table_1": [{"benchmark": "MD", "best of all": "share<1>"}, {"benchmark": "CG", "best of all": "none"}],
              "table_2": [{"benchmark": "MD", "here": "0.50"}],
              "agreement": [{"source": "figure 7", "claim": "One.", "verdict": "agrees", "numbers": "1"}]}
TASKS = {**REORGANIZE, "study": "tasks",
         "agreement_by_block": [{"source": "figure 7", "claim": "One.", "verdict": "disagrees", "numbers": "2"}]}
ROWS = f"""\
On {WHERE}.

| benchmark | best layout |
| --- | --- |
| MD | share\\<1> |
| CG | none |
"""
STATEMENTS = f"""\
On {WHERE}.

| paper | statement | measured here | numbers |
| --- | --- | --- | --- |
| figure 7 | One. | agrees | 1 |
"""
STATEMENTS_OF_BOTH = f"""\
On {WHERE}.

| paper | statement | a block runs a task | a warp runs a task |
| --- | --- | --- | --- |
| figure 7 | One. | disagrees | agrees |
"""


def place(words, text=""):
    return f"<!-- {words} -->\n" + (f"\n{text}\n" if text else "") + f"<!-- end of {words} -->\n"


class TablesTest(_program.ProgramTest):
    def script(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.notes = done.stderr
        return done.stderr if status else done.stdout

    def results(self, **reports):
        for name, content in reports.items():
            self.write(f"{name}.json", json.dumps(content))


class Comparisons(TablesTest):
    def setUp(self):
        super().setUp()
        self.results(spmv=SPMV, expand=EXPAND)

    def test_one_executor(self):
        self.assertEqual(self.script(self.folder / "spmv.json", "--on", "cuda"), SPMV_ON_CUDA)

    def test_without_baselines(self):
        self.assertEqual(self.script(self.folder / "expand.json"), EXPAND_ON_CUDA)

    def test_beside_an_empty_kernel(self):
        self.results(small=report(result("one", "cuda", "merge_path", 0.02, empty_ms=0.0029),
                                  result("two", "cuda", "merge_path", 0.0035, empty_ms=0.0028)))
        self.assertIn(WITH_EMPTY_KERNEL, self.script(self.folder / "small.json"))

    def test_all_executors_in_other_units(self):
        text = self.script(self.folder / "spmv.json", "--unit", "ms")
        self.assertIn("| group\\<block> | 0.10 |  |", text)
        self.assertIn("| merge_path | **0.09** | failed |", text)
        self.assertIn("on cpu (some CPU, 2 cores)", text)
        self.assertIn("| merge_path | **2.50** |\n", text)

    def test_a_report_of_the_program(self):
        path = self.folder / "out.json"
        self.succeed("compare", "regular:rows=50,size=3", "--on", "cpu", "--repeat", 1, "--json", path)
        text = self.script(path)
        self.assertIn("|  | regular:rows=50,size=3 |\n", text)
        self.assertIn("| atoms | 150 |\n", text)
        for name in (*_program.SCHEDULES, "openmp_static"):
            self.assertIn("\n| " + name.replace("<", "\\<") + " | ", text)

    def test_bad_input(self):
        for words, *arguments in (("No such file", self.folder / "none.json"),
                                  ("Expecting value", self.write("empty.json", "")),
                                  ("is not a report", self.write("other.json", "{}")),
                                  ("is not a report", self.write("list.json", "[1]")),
                                  ("no results of the executor simt", self.folder / "spmv.json", "--on", "simt")):
            error = self.script(*arguments, status=1)
            self.assertRegex(error, r"\Atables\.py: [^\n]+\n\Z")
            self.assertIn(words, error)
        self.assertIn("is needed", self.script(status=2))
        self.assertIn("is needed", self.script(self.folder / "spmv.json", "--fill", "page.md", status=2))


class Pages(TablesTest):
    def fill(self, page, status=0):
        path = self.write("page.md", page)
        error = self.script("--fill", path, "--results", self.folder, status=status)
        return error if status else path.read_text()

    def test_every_kind(self):
        self.results(spmv=report(*SPMV["results"][:-1]), expand=EXPAND, study=STUDY, counted=COUNTED,
                     reorganize=REORGANIZE, tasks=TASKS)
        texts = {"table spmv": SPMV_ON_CUDA, "table expand": EXPAND_ON_CUDA, "best spmv expand": BEST,
                 "ratios spmv expand: group": RATIOS, "ratios spmv: unknown other": "",
                 "techniques study: update": TECHNIQUES, "phases study: supply block_size": PHASES,
                 "counters counted": COUNTERS, "agreement study": AGREEMENT, "rows reorganize: table_1": ROWS,
                 "agreement reorganize": STATEMENTS, "agreement tasks": STATEMENTS_OF_BOTH}
        for words, text in texts.items():
            with self.subTest(words):
                page = f"before\n{place(words, text)}\n<!-- a remark -->\n"
                self.assertEqual(self.fill(f"before\n{place(words)}\n<!-- a remark -->\n"), page)
                self.assertEqual(self.fill(page.replace("|", "||")), page)
        self.assertEqual(self.fill("".join(map(place, texts))), "".join(place(*item) for item in texts.items()))

    def test_pivot(self):
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2, "gpu": "some GPU"},
                           "date": "2026-01-31T23:59:59Z", "commit": "0123456789abcdef", "results": [
                               {"workload": "one", "size": 8, "by": "a<1>", "executor": "cuda", "ok": True, "ms": 0.5,
                                "of": 1.0},
                               {"workload": "one", "size": 8, "by": "b", "executor": "cuda", "ok": False, "ms": 0.25,
                                "of": 0.5},
                               {"workload": "two", "size": 9, "by": "b", "executor": "cuda", "ok": True, "ms": 0.0125,
                                "of": 12.5}]})
        page = self.fill(place("pivot runs: workload size | by | ms") + place("pivot runs: size | by | of"))
        self.assertIn("cuda (some GPU), 2026-01-31T23:59:59Z, commit 0123456789ab; time in us.\n\n"
                      "| workload | size | a\\<1> | b |\n| --- | --- | ---: | ---: |\n"
                      "| one | 8 | 500 | failed |\n| two | 9 |  | 12.5 |\n", page)
        self.assertIn("; of.\n\n| size | a\\<1> | b |\n| --- | ---: | ---: |\n| 8 | 1.00 | failed |\n| 9 |  | 12.5 |\n",
                      page)
        page = self.fill(place("pivot runs: workload=one workload=two by=b workload | size | of"))
        self.assertIn("; of; a column for each value of size.\n\n| workload | 8 | 9 |\n| --- | ---: | ---: |\n"
                      "| one | failed |  |\n| two |  | 12.5 |\n", page)
        page = self.fill(place("pivot runs: by:kind | workload | ms"))
        self.assertIn("| kind | one | two |\n", page)
        self.assertIn("'none' is missing", self.fill(place("pivot runs: none | by | ms"), status=1))

    def test_python(self):
        about = {"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                 "commit": "0123456789abcdef"}

        def timed(what, subject, seconds, **ratios):
            return {"what": what, "subject": subject, "seconds": {"evenly": seconds}, "ratios": ratios}

        def on_gpu(library, **times):
            of = {"evenly": 4.04, **times}
            return {"what": "A @ x", "subject": "one", "type": "float32", "library": library, "host_us": of,
                    "gpu_us": of}

        rows = [timed("spmv", "one", 0.001, scipy=1.5), timed("spmv", "two", 0.002, scipy=2.5),
                timed("spmv", "three", 0.004, scipy=2.0), timed("bfs", "four", 0.5, igraph=8)]
        self.results(cpu={**about, "rows": rows},
                     gpu={**about, "machine": {"gpu": "some GPU"}, "rows": [
                         on_gpu("cupy"), on_gpu("torch", torch=12.6), {**on_gpu("cupy"), "type": "float64"}]})
        page = self.fill(place("python cpu:") + place("python gpu: float32"))
        self.assertIn("some CPU, 2 cores; 2026-01-31T23:59:59Z, commit 0123456789ab.\n\n"
                      "| operation | input | evenly, ms | time / time of evenly |\n"
                      "| --- | --- | --- | --- |\n"
                      "| spmv | 3 matrices | 2 (1 to 4) | SciPy 2 (1.5 to 2.5) |\n"
                      "| bfs | four | 500 | igraph 8 |\n", page)
        self.assertIn("some GPU; 2026-01-31T23:59:59Z, commit 0123456789ab.\n\n"
                      "| float32 | input | evenly, arrays of CuPy | CuPy | evenly, arrays of PyTorch | PyTorch |\n"
                      "| --- | --- | --- | --- | --- | --- |\n"
                      "| `A @ x` | one | 4.0, 4.0 | - | 4.0, 4.0 | 13, 13 |\n", page)

    def test_dense(self):
        of = {"workload": "a<1>", "width": 8, "layout": "row"}
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "results": [
                               {**of, "name": "evenly", "threads": 2, "ok": True, "ms": 1.0},
                               {**of, "name": "evenly", "threads": 1, "ok": True, "ms": 2.0},
                               {**of, "name": "one", "threads": 2, "ok": True, "ms": 0.5},
                               {**of, "name": "one", "threads": 1, "ok": True, "ms": 3.0},
                               {**of, "name": "wrong", "threads": 1, "ok": False},
                               {**of, "layout": "column", "name": "evenly", "threads": 1, "ok": True, "ms": 100.4}]})
        self.assertIn("cpu (some CPU, 2 cores), 2026-01-31T23:59:59Z, commit 0123456789ab; ms; a number after a "
                      "name is its number of threads.\n\n"
                      "| A | B and C stored by | columns of B | evenly, 2 | evenly, 1 | one, 2 | one, 1 | wrong, 1 "
                      "| fastest other library / evenly, 1 thread |\n"
                      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                      "| a\\<1> | row | 8 | 1.00 | 2.00 | 0.50 | 3.00 | failed | 1.50 |\n"
                      "| a\\<1> | column | 8 |  | 100 |  |  |  |  |\n", self.fill(place("dense runs")))

    def test_dense_compares_automatic_with_peers(self):
        of = {"workload": "a", "width": 8, "layout": "row", "threads": 1, "ok": True}
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "results": [
                               {**of, "name": "automatic", "ms": 2.0}, {**of, "name": "merge_path", "ms": 1.0},
                               {**of, "name": "one", "ms": 3.0}]})
        self.assertIn("| A | B and C stored by | columns of B | automatic, 1 | merge_path, 1 | one, 1 "
                      "| fastest other library / automatic, 1 thread |\n"
                      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
                      "| a | row | 8 | 2.00 | 1.00 | 3.00 | 1.50 |\n", self.fill(place("dense runs")))

    def test_peers_have_versions(self):
        of = {"workload": "a", "op": "spmv", "ok": True}
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "peers": {"One": "1.2.3", "Two": "4"},
                           "results": [{**of, "name": "automatic", "ms": 2.0}, {**of, "name": "one", "ms": 3.0}]})
        self.assertIn("commit 0123456789ab, with One 1.2.3, Two 4.\n",
                      self.fill(place("peers runs: automatic / One: one")))

    def test_peers(self):
        of = {"workload": "a<1>", "op": "spmm", "ok": True}
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "results": [
                               *(of | {"width": width, "name": "evenly, bulk", "threads": threads, "ms": ms}
                                 for width, threads, ms in ((8, 1, 2.0), (8, 2, 1.0), (32, 1, 4.0), (64, 1, 1.0))),
                               *(of | {"width": width, "name": name, "ms": ms} for width, name, ms in (
                                   (8, "one", 8.0), (8, "cusparse_a", 9.0), (8, "cusparse_b", 3.0), (32, "one", 2.0),
                                   (32, "cusparse_a", 4.0), (128, "one", 7.0))),
                               {**of, "width": 64, "name": "one", "ok": False}]})
        ours = "peers runs: evenly,bulk threads=1"
        self.assertIn("\ncpu (some CPU, 2 cores), 2026-01-31T23:59:59Z, commit 0123456789ab.\n\n"
                      "| time / time of evenly | cases | geometric mean | minimum | maximum | evenly is faster |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: |\n"
                      "| One | 2 | 1.41 | 0.50 (32) | 4.00 (8) | 1 of 2 |\n"
                      "| Two | 2 | 1.22 | 1.00 (32) | 1.50 (8) | 1 of 2 |\n",
                      self.fill(place(f"{ours} / One: one / Two: baseline")))
        self.assertIn("no case has both", self.fill(place(f"{ours} / One: one width=128"), status=1))

    def test_the_chart_is_that_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", ROOT / "scripts/chart.py", folder], check=True)
            for theme in ("light", "dark"):
                name = f"peers-{theme}.svg"
                drawn = (Path(folder) / name).read_text(encoding="utf-8")
                self.assertEqual(drawn, (ROOT / "docs/images" / name).read_text(encoding="utf-8"),
                                 "run scripts/chart.py")
                self.assertGreater(drawn.count("<circle"), 10)

    def test_memory(self):
        of = {"workload": "one", "executor": "cpu", "ok": True}
        self.results(runs={"machine": {"cpu": "some CPU", "cores": 2}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "results": [
                               of | {"pool": "serial", "threads": 1},
                               of | {"pool": "a", "threads": 2, "reserved_bytes": 2_500_000,
                                     "bytes_by_the_text": 1_250_000, "high_water": 1234},
                               of | {"pool": "b", "reserved_bytes": 12_500, "bytes_by_the_text": None,
                                     "high_water": 5}]})
        page = self.fill(place("memory runs: one") + place("memory runs: two"))
        self.assertIn("commit 0123456789ab; one.\n\n"
                      "| pool | reserved, MB | by the formula of the paper, MB | maximum tasks per worker |\n"
                      "| --- | ---: | ---: | ---: |\n| a, threads 2 | 2.50 | 1.25 | 1,234 |\n| b | 0.01 |  | 5 |\n",
                      page)
        self.assertIn(place("memory runs: two"), page)

    def test_layouts(self):
        of = {"workload": "md:n=9", "ok": True, "refresh_ms": 0, "build_ms": 0.5, "iterations": 20,
              "change_every": 10}
        self.results(runs={"machine": {"gpu": "some GPU"}, "date": "2026-01-31T23:59:59Z",
                           "commit": "0123456789abcdef", "results": [
                               of | {"arm": "none", "run_ms": 2, "loop_ms": 41, "kept_loop_ms": 41, "plan_bytes": 0,
                                     "copy_bytes": 0},
                               of | {"arm": "b", "run_ms": 0.125, "loop_ms": 10, "kept_loop_ms": 4.1,
                                     "plan_bytes": 2_500_000, "copy_bytes": 125_000_000},
                               of | {"arm": "c", "ok": False},
                               of | {"arm": "d", "run_ms": 1, "loop_ms": 20.5, "copy_bytes": 0}]})
        page = self.fill(place("layouts runs: md:n=9") + place("layouts runs: two"))
        self.assertIn("commit 0123456789ab; md:n=9, ms; 20 runs, a plan every 10.\n\n"
                      "| layout | run | refresh | plan | loop | none / layout | none / layout, constant A | plan, MB "
                      "| copy, MB |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                      "| none | 2.00 | 0.00 | 0.50 | 41.0 | 1.00 | 1.00 | 0.00 | 0.00 |\n"
                      "| b | 0.12 | 0.00 | 0.50 | 10.0 | 4.10 | 10.0 | 2.50 | 125 |\n"
                      "| c |  |  |  |  |  |  |  |  |\n"
                      "| d | 1.00 | 0.00 | 0.50 | 20.5 | 2.00 |  |  | 0.00 |\n", page)
        self.assertIn(place("layouts runs: two"), page)

    def test_compared(self):
        def of(name, simt, gpu, lanes):
            same = {"simt": 7, "gpu": 7}
            nothing = {"simt": 0, "gpu": 0}
            return {"name": name, "within": abs(simt - gpu) <= 0.02 * gpu, "active_lanes": lanes, "counters": {
                "global_load_requests": {"simt": simt, "gpu": gpu}, "global_load_sectors": same,
                "global_store_requests": nothing, "global_store_sectors": {"simt": simt, "gpu": 0}}}

        lanes = {"simt": 32, "gpu": 31.5}
        self.results(counted={"gpu": "some GPU", "date": "2026-01-31T23:59:59Z", "commit": "0123456789abcdef",
                              "simt_commit": "fedcba9876543210", "programs": [{"program": "a", "results": [
                                  of("kind one x<2>", 99, 100, lanes), of("kind two x<2>", 110, 100, lanes)]},
                                           {"program": "b", "results": [
                                               of("kind y", 0, 0, {"simt": None, "gpu": 8}), of("kinder", 1, 1, lanes)]}
                                           ]})
        page = self.fill(place("compared counted: kind"))
        self.assertIn("Nsight Compute on some GPU, 2026-01-31T23:59:59Z, commit 0123456789ab, simt at commit "
                      "fedcba987654. 3 results: 1 equal, 2 within 2%.\n", page)
        self.assertIn("| x\\<2> | +10.0% | = |  | +inf% | 32.0 | 31.5 |\n| y |  | = |  |  |  | 8.0 |\n", page)

    def test_costs(self):
        page = self.fill(place("costs thread_mapped cta_warp_scan") + place("cost cta_warp_scan"))
        self.assertIn("| [`thread_mapped`](#thread_mapped) | O(W) | O(M) | N | yes | no | none |\n", page)
        self.assertIn("| [`cta_warp_scan`](#cta_warp_scan) | O(W) | O(L / block + M / warp + R / block) | N |", page)
        self.assertIn("| for N tiles and W atoms |  |\n", page)
        self.assertIn(": the maximum over blocks, where L, M and R are the atoms of its large, its medium", page)
        self.assertRegex(page, r"\n\n\*\*Limits:\*\* barriers of the block .+\n\n\*\*Wins\*\* when .+\n\n<!-- end of")

    def test_programs(self):
        shown = self.fill(place("program first.cpp"))
        self.assertIn("<!-- program first.cpp -->\n\n```cpp\n// y = A x", shown)
        self.assertIn("}\n```\n\n<!-- end of program first.cpp -->\n", shown)

    def test_figures_in_prose(self):
        def of(workload, form, schedule, ms):
            return result(workload, "cuda", schedule, ms, format=form)

        wide = ({"name": name, "workload": "x:y=1", "width": width, "ok": True, "ms": ms}
                for name, width, ms in (("a", 8, 1), ("a", 32, 9), ("cusparse_x", 8, 3)))
        self.results(spmv=SPMV, wide=report(*wide), forms=report(
            of("one", "csr", "a", 1), of("one", "csr", "cusparse_x", 2), of("one", "ell", "a", 4),
            of("two", "csr", "a", 1), of("two", "csr", "b", 0.5), of("two", "csr", "cusparse_x", 4),
            of("two", "ell", "a", 0.75), of("two", "ell", "b", None), of("two", "ell", "cusparse_x", 1.5)))
        for words, text in (("geomean csr baseline / csr best", "4.00"), ("minimum baseline / best", "2.00"),
                            ("maximum baseline / best", "8.00"), ("maximum ell best / csr best", "4.00"),
                            ("percent minimum ell best / csr best", "50"), ("maximum two csr a / two csr b", "2.00"),
                            ("geomean ell best / csr baseline", "0.61")):
            with self.subTest(words):
                mark = f"<!-- figure forms: {words} -->"
                page = f"it is {text}{mark}% or {text}{mark}.\n"
                self.assertEqual(self.fill(f"it is 1,234.5{mark}% or 9{mark}.\n"), page)
        self.assertEqual(self.fill("0<!-- figure spmv: maximum best / baseline --> times\n"),
                         "0.90<!-- figure spmv: maximum best / baseline --> times\n")
        self.assertEqual(self.fill("1<!-- figure wide: maximum x:y=1 width=8 baseline / width=8 a --> or "
                                   "1<!-- figure wide: maximum x:y=1 width=32 best / best -->.\n"),
                         "3.00<!-- figure wide: maximum x:y=1 width=8 baseline / width=8 a --> or "
                         "9.00<!-- figure wide: maximum x:y=1 width=32 best / best -->.\n")
        for words, page in (("right before <!-- figure", "of <!-- figure forms: maximum best / baseline -->\n"),
                            ("right before <!-- figure", "1<!-- figure forms: maximum best\n/ baseline -->\n"),
                            ("no result fits c", "1<!-- figure forms: maximum c / best -->"),
                            ("no workload has both", "1<!-- figure forms: maximum one csr b / two csr b -->"),
                            ("write a figure as [percent] geomean", "1<!-- figure forms: mean a / b -->"),
                            ("write a figure as [percent] geomean", "1<!-- figure forms: percent -->"),
                            ("has two sides", "1<!-- figure forms: maximum a / -->"),
                            ("none.json is missing, but its numbers are shown", "1<!-- figure none: maximum a / b -->"),
                            ("the JSON has other contents", "1<!-- figure forms spmv: most a / b -->")):
            with self.subTest(page):
                error = self.fill(page, status=1)
                self.assertRegex(error, r"\Atables\.py: [^\n]+\n\Z")
                self.assertIn(words, error)

    def test_missing_files(self):
        self.results(spmv=SPMV)
        page = place("best spmv expand") + place("ratios spmv expand: group") + place("agreement study")
        self.assertEqual(self.fill(page), page)
        self.assertRegex(self.notes, r"\A\S+ \S+expand\.json is missing: places that stay empty: 2\n"
                                     r"\S+ \S+study\.json is missing: places that stay empty: 1\n\Z")
        self.assertIn("expand.json is missing, but its numbers are shown",
                      self.fill(place("best spmv expand", BEST), status=1))

    def test_bad_pages(self):
        self.results(spmv=SPMV, study=STUDY, list=[1])
        for words, page in (("needs its two lines", "<!-- table spmv -->\n"),
                            ("needs its two lines", place("table spmv") + "<!-- end of table spmv -->\n"),
                            ("needs its two lines", place("table spmv") + "<!-- cost plan -->\n"),
                            ("there is no tables; there are table, best,", place("tables spmv")),
                            ("no results of merge", place("techniques study: merge")),
                            ("there is no table_3; there are table_1, table_2", place("rows study: table_3")),
                            ("no experiment waves", place("phases study: waves")),
                            ("best spmv list: the JSON has other contents", place("best spmv list")),
                            ("'best' is missing", place("techniques spmv: update")),
                            ("'results' is missing", place("table study")),
                            ("first comment needs `For N tiles", place("cost plan")),
                            ("No such file", place("cost none"))):
            with self.subTest(page):
                error = self.fill(page, status=1)
                self.assertRegex(error, r"\Atables\.py: [^\n]+\n\Z")
                self.assertIn(words, error)
                self.assertEqual((self.folder / "page.md").read_text(), page)
        self.assertIn("No such file", self.script("--fill", self.folder / "none.md", status=1))

    def join(self, *words):
        return subprocess.run([sys.executable, "-B", ROOT / "scripts/join_results.py", *map(str, words)],
                              capture_output=True, text=True, check=False)

    def test_joined_results_of_commands(self):
        parts = []
        for source in ("grid:x=20,y=20", "regular:rows=300,size=5"):
            parts.append(self.folder / f"part{len(parts)}.json")
            self.succeed("spgemm", source, "--on", "cpu", "--threads", "1", "--repeat", "1", "--json", parts[-1])
        results = self.folder / "results"
        results.mkdir()
        joined = results / "joined.json"
        self.assertEqual(self.join(joined, "threads=1", *parts).returncode, 0)
        report = json.loads(joined.read_text())
        self.assertEqual([(r["workload"], r["executor"], r["threads"], r["name"]) for r in report["results"]],
                         [(f"{source} x {source}", "cpu", 1, name)
                          for source in ("grid:x=20,y=20", "regular:rows=300,size=5")
                          for name in ("whole call", "planned")])
        page = self.write("page.md", "<!-- products joined -->\n<!-- end of products joined -->\n")
        self.script("--fill", page, "--results", results)
        self.assertIn("| A in C = A A | products, 10^6 | entries of C, 10^6 | whole call, 1 | planned, 1 "
                      "| fastest other library / evenly |",
                      page.read_text())
        failed = self.join(self.folder / "other.json", "threads=1")
        self.assertEqual((failed.returncode, failed.stderr), (1, "join_results.py: there is no FILE\n"))
        failed = self.join(self.folder / "other.json", self.folder / "missing.json")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr, r"\Ajoin_results.py: .*missing.json.*\n\Z")

    def test_docs_show_what_results_and_headers_say(self):
        shutil.copytree(ROOT / "docs", self.folder / "docs")
        shutil.copy(ROOT / "README.md", self.folder)
        pages = [self.folder / "README.md", *sorted((self.folder / "docs").rglob("*.md"))]
        self.script("--fill", *pages)
        for page in pages:
            with self.subTest(page.name):
                self.assertEqual(page.read_text(), (ROOT / page.relative_to(self.folder)).read_text(),
                                 "run scripts/tables.py --fill")


_program.main()
