# SPDX-License-Identifier: Apache-2.0
"""Bad input and bad command lines: one line, the right exit status, in time, and nothing left behind."""
import gzip
import json
import os
import re
import signal
import resource
import subprocess
import time
import unittest
from pathlib import Path

import _program

BANNER = "%%MatrixMarket matrix coordinate real general\n"

# What is in the file, and the line that the message must name.
BAD_FILES = {
    "truncated": (BANNER + "3 3 3\n1 1 1\n2 2 2\n", 4),
    "cut in a line": (BANNER + "3 3 2\n1 1 1\n2 2", 4),
    "oversized": (BANNER + "3 3 1\n1 1 1\n2 2 2\n", 4),
    "negative row": (BANNER + "3 3 1\n-1 1 1\n", 3),
    "negative count": (BANNER + "3 3 -1\n", 2),
    "row 0": (BANNER + "3 3 1\n0 1 1\n", 3),
    "row out of range": (BANNER + "3 3 1\n4 1 1\n", 3),
    "column out of range": (BANNER + "3 3 2\n3 3 1\n1 4 1\n", 4),
    "not a number": (BANNER + "3 3 1\n1 1 one\n", 3),
    "half a number": (BANNER + "3 3 1\n1 1 1x\n", 3),
    "no value": (BANNER + "3 3 1\n1 1\n", 3),
    "too many fields": (BANNER + "3 3 1\n1 1 1 1\n", 3),
    "fraction as index": (BANNER + "3 3 1\n1.5 1 1\n", 3),
    "wrong banner": ("%%MatrixMarket tensor coordinate real general\n3 3 0\n", 1),
    "no banner": ("3 3 0\n", 1),
    "array of patterns": ("%%MatrixMarket matrix array pattern general\n2 2\n1\n2\n3\n4\n", 1),
    "too few values": ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5),
    "half a number": ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", 3),
    "imaginary diagonal": ("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 1\n", 3),
    "diagonal of a skew one": ("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n", 3),
    "no size line": (BANNER + "% a comment\n", 2),
    "size line of two": (BANNER + "3 3\n", 2),
    "rows beyond 32 bits": (BANNER + "2147483648 3 0\n", 2),
    "entries beyond 32 bits": (BANNER + "3 3 2147483648\n1 1 1\n", 2),
    "10^15 entries": (BANNER + "3 3 1000000000000000\n1 1 1\n", 2),
    "10^15 rows": (BANNER + "1000000000000000 1000000000000000 1\n1 1 1\n", 2),
    "2*10^9 entries claimed": (BANNER + "100000 100000 2000000000\n1 1 1\n", 3),
    "symmetric, not square": ("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n", 2),
    "nul bytes": (BANNER + "3 3 1\n1 1 \0\n", 3),
}


class ReadingOptions(_program.ProgramTest):
    def test_they_are_for_files(self):
        for command in ("info", "spmv", "compare", "explain", "transpose", "convert", "spgemm", "spmm", "solve", "trsv",
                        "bfs"):
            for option in (("--columns", "src,dst"), ("--renumber",)):
                line = self.fail_with_line(2, command, "grid:x=3,y=3", *option)
                self.assertIn("grid:x=3,y=3", line)
        self.assertIn("--format has no effect", self.fail_with_line(2, "info", "grid:x=3,y=3", "--format", "el"))
        path = self.write("a.el", "0 1\n")
        self.succeed("compare", "grid:x=3,y=3", path, "--columns", "src,dst", "--on", "cpu", "--repeat", 1)

    def test_endings_are_names_of_formats(self):
        page = (Path(__file__).resolve().parents[2] / "docs/inputs.md").read_text()
        table = re.findall(r"^\| [^|]+ \| ([^|]+) \| ((?:`\.[^|]+)) \|", page, re.MULTILINE)
        formats = [re.findall(r"`(\w+)`", names) for names, _ in table]
        self.assertGreaterEqual(len(formats), 10)
        for names, (_, endings) in zip(formats, table):
            if "hb" not in names:  # which also has an ending for each kind of matrix
                self.assertEqual(names, re.findall(r"`\.(\w+)`", endings))
            for name in names:
                line = self.fail_with_line(1, "info", self.folder / "none", "--format", name)
                self.assertIn("No such file", line)
        for name in next(names for names in formats if "csv" in names):
            self.assertIn("rows 3", self.succeed("info", self.write("list", "0,1\n1,2\n"), "--format", name))

    def test_roles_of_columns(self):
        path = self.write("a.el", "0 1\n")
        for columns in ("src", "src,src,dst", "src,dst,weight,weight", "dst,-"):
            self.assertIn("one column must be src, one dst", self.fail_with_line(2, "info", path, "--columns", columns))
        self.assertIn("(did you mean dst?)", self.fail_with_line(2, "info", path, "--columns", "src,dt"))


class BadFiles(_program.ProgramTest):
    def refuse(self, path, *arguments):
        """The message, which must come in under a second: on a busy machine, at one of three tries."""
        for _ in range(3):
            start = time.monotonic()
            line = self.fail_with_line(1, *arguments[:1], path, *arguments[1:])
            if time.monotonic() - start < 1:
                break
        else:
            self.fail(f"took a second or more: {line}")
        return line

    def test_file_and_line_are_named(self):
        for name, (text, number) in BAD_FILES.items():
            with self.subTest(name):
                path = self.write("bad.mtx", text)
                self.assertIn(f"{path}:{number}: ", self.refuse(path, "info"))

    def test_every_command(self):
        path = self.write("bad.mtx", BAD_FILES["row out of range"][0])
        for arguments in (["info", "--json"], ["compare", "--on", "cpu"], ["spmv"]):
            self.assertIn(f"{path}:3: ", self.refuse(path, *arguments))

    def test_what_cannot_be_read(self):
        self.assertIn(str(self.folder), self.refuse(self.folder, "info"))
        for name in ("empty.mtx", "empty.npy", "empty.npz", "empty.hb"):
            self.assertIn(f"{name}: the file is empty", self.refuse(self.write(name, ""), "info"))
        self.assertIn("missing.mtx", self.refuse(self.folder / "missing.mtx", "info"))
        if os.geteuid() != 0:
            path = self.write("secret.mtx", _program.SMALL)
            path.chmod(0)
            self.assertIn("secret.mtx", self.refuse(path, "info"))

    def test_damaged_compression(self):
        packed = gzip.compress(_program.SMALL.encode() * 100)
        for name, content in (("cut.mtx.gz", packed[:-12]), ("wrong.mtx.gz", packed[:20] + b"\xff" * 20 + packed[40:])):
            self.assertIn(name, self.refuse(self.write(name, content), "info"))

    def test_bad_vectors(self):
        matrix = self.write("a.mtx", _program.SMALL)
        for text, number in (("1\n2\nx\n4\n", 3), ("1\n2 3\n3\n4\n", 2)):
            path = self.write("x.txt", text)
            self.assertIn(f"{path}:{number}: ", self.refuse(matrix, "spmv", "--x", path))
        self.refuse(matrix, "spmv", "--x", self.folder / "missing.txt")

    @unittest.skipIf(_program.SANITIZED, "a sanitizer takes memory of its own")
    def test_memory_stays_small(self):
        for name in ("10^15 entries", "2*10^9 entries claimed", "10^15 rows"):
            self.refuse(self.write("big.mtx", BAD_FILES[name][0]), "info")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 512 * 1024)


class BadCommandLines(_program.ProgramTest):
    def refuse(self, *arguments, names=()):
        line = self.fail_with_line(2, *arguments)
        for name in names:
            self.assertIn(name, line)

    def test_lists_what_there_is(self):
        self.refuse("compare", "--bogus", "grid:x=2,y=2", names=("--bogus", "--schedule", "--json"))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "fastest", names=("fastest", *_program.SCHEDULES))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "merge_path", "--op", "sort", names=("spmv", "expand"))
        self.refuse("compare", "grid:x=2,y=2", "--on", "tpu", names=("cpu", "simt", "cuda"))
        for command in ("compare", "spmv"):
            self.refuse(command, "grid:x=2,y=2", "--on", "gpu", names=("cuda is the GPU", "cpu, simt, cuda"))
        self.refuse("compare", "grid:x=2,y=2", "--type", "half", names=("float", "double"))
        self.refuse("info", "mesh:rows=3", names=("mesh", "regular", "powerlaw", "circuit5M"))
        self.refuse("info", "nonsense", names=("nonsense", "regular"))
        self.refuse("info", "regular:rows=3,length=2", names=("length", "size"))
        self.refuse("info", "regular:rows=3", names=("size",))
        self.refuse("info", "--yaml", "regular:rows=3,size=1", names=("--yaml", "--json"))
        self.refuse("spmv", "grid:x=2,y=2", "--schedule", "none", names=_program.SCHEDULES)
        self.refuse("spmv", "grid:x=2,y=2", "--schedule", "all", names=_program.SCHEDULES)
        self.refuse("frobnicate", names=("info", "compare", "spmv"))
        self.refuse(names=("info", "compare", "spmv"))

    def test_numbers(self):
        for option in ("--repeat", "--block", "--threads"):
            for value in ("0", "-1", "many", "1e30"):
                self.refuse("compare", "grid:x=2,y=2", option, value, names=(option,))
        self.refuse("compare", "grid:x=2,y=2", "--block", "1025", names=("--block",))
        self.refuse("compare", "grid:x=2,y=2", "--repeat", names=("--repeat",))
        self.refuse("info", names=("info: input is required: a file with a matrix", "evenly info --help"))
        self.refuse("spmv")
        for text in ("regular:rows=-1,size=2", "regular:rows=1e99,size=2", "regular:rows=3,size=4",
                     "regular:rows=1e9,size=1e3", "regular:rows=x,size=2"):
            self.refuse("info", text)

    def test_seeds(self):
        for seed in ("99999999999999999999", "18446744073709551616", "-1", "1.5", "1e3", "0x10", "+1", " 1", "1 ",
                     "many"):
            for command in (["compare", "grid:x=2,y=2", "--on", "simt"], ["ladder", "scan", "--on", "simt", "--n", 10]):
                self.refuse(*command, "--seed", seed, names=(f"--seed '{seed}'", "0 to 18446744073709551615"))
        for seed in (0, 2**64 - 1):
            self.succeed("compare", "grid:x=2,y=2", "--on", "simt", "--schedule", "merge_path", "--seed", seed)

    def test_numbers_are_digits(self):
        for command, option in ((["compare", "grid:x=2,y=2"], "--repeat"), (["spmv", "grid:x=2,y=2"], "--threads"),
                                (["draw", "merge_path"], "--block"), (["draw", "merge_path"], "--warp"),
                                (["ladder", "reduce"], "--repeat"), (["study", "mapping"], "--threads")):
            for value in ("0", "-1", "1.5", "2x", "0x2", "1e1", "99999999999999999999"):
                self.refuse(*command, option, value, names=(f"{option} '{value}'", "whole number"))
        self.refuse("draw", "merge_path", "--warp", 3, names=("--warp 3", "power of two"))

    def test_empty_values(self):
        for command, options in ((["compare", "grid:x=2,y=2"],
                                  ("--on", "--schedule", "--type", "--op", "--json", "--repeat",
                                                                "--seed", "--threads", "--block")),
                                 (["spmv", "grid:x=2,y=2"], ("--on", "--schedule", "--x", "-o")),
                                 (["draw", "merge_path"], ("-o", "--block", "--warp")),
                                 (["ladder", "reduce"], ("--on", "--rung", "--n", "--type", "--json", "--seed")),
                                 (["study", "mapping"], ("--on", "--report", "--json", "--from", "--threads"))):
            for option in options:
                self.refuse(*command, option, "", names=(f"{option}: the value is empty",))
                if option.startswith("--"):
                    self.refuse(*command[:1], f"{option}=", *command[1:], names=(f"{option}: the value is empty",))
        self.refuse("info", "", names=("input: the value is empty",))
        self.refuse("compare", "grid:x=2,y=2", "", names=("inputs: the value is empty",))

    def test_lists(self):
        for option, holes, twice in (("--on", ("cpu,,simt", "cpu,", ",cpu", ","), "cpu,simt,cpu"),
                                     ("--schedule", ("merge_path,,binned", "binned,", ","),
                                      "binned,merge_path,binned")):
            for value in holes:
                self.refuse("compare", "grid:x=2,y=2", option, value, names=(f"{option}: the list has an empty name",))
            self.refuse("compare", "grid:x=2,y=2", option, twice, names=(option, "named twice"))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "group_per_tile<8>,group_per_tile_8",
                    names=("'group_per_tile<8>' is named twice",))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "merge_path:block_size=64,binned,merge_path_:x=1",
                    names=("'merge_path_'", *_program.SCHEDULES))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "binned:block_size=64,binned:block_size=64",
                    names=("twice",))
        self.refuse("compare", "grid:x=2,y=2", "--schedule", "all,binned", names=("'all'",))
        report = json.loads(self.succeed("compare", "grid:x=2,y=2", "--on", "cpu", "--repeat", 1, "--json", "-",
                                         "--schedule", "group_per_tile_8,local_warp_search_registers"))
        self.assertEqual([r["schedule"] for r in report["results"] if r["schedule"] not in _program.BASELINES],
                         ["group_per_tile<8>", "local_warp_search<registers>"])

    def test_parameters_of_schedules(self):
        grid = "grid:x=2,y=2"
        self.refuse("spmv", grid, "--schedule", "merge_path:items=4", names=("merge_path: 'items'", "block_size"))
        self.refuse("spmv", grid, "--schedule", "merge_path:block_size=0",
                    names=("merge_path: block_size = 0", "1 to 1024"))
        self.refuse("spmv", grid, "--schedule", "merge_path:block_size", names=("'block_size'", "KEY=VALUE"))
        self.refuse("spmv", grid, "--schedule", "merge_path:block_size=x", names=("'x'", "whole number"))
        self.refuse("draw", "merge_path:block_size=4", names=("merge_path:block_size=4", "--block"))
        report = json.loads(self.succeed(
            "compare", grid, "--on", "simt", "--repeat", 1, "--block", 96, "--json", "-", "--schedule",
            "cta_warp_scan:warp_threshold=8,block_size=64,merge_path,group_per_tile_8:block_size=32"))
        self.assertEqual([(r["schedule"], r["parameters"]["block_size"]) for r in report["results"]],
                         [("group_per_tile<8>:block_size=32", 32),
                          ("cta_warp_scan:warp_threshold=8,block_size=64", 64), ("merge_path", 96)])

    def test_too_many_words(self):
        for words, names in ((["info", "a", "b"], ("info takes one input", "'b'")),
                             (["spmv", "a", "b"], ("spmv takes one input", "'b'")),
                             (["draw", "merge_path", "a", "b"], ("draw takes one schedule and one input", "'b'")),
                             (["ladder", "scan", "reduce"], ("ladder takes one ladder", "'reduce'")),
                             (["info", "grid:x=2,y=2", "compare"], ("info takes one input", "'compare'"))):
            self.refuse(*words, names=names)
        self.refuse("compare", "grid:x=2,y=2", "--seed", 1, "--seed", 2, names=("--seed is given twice",))
        self.refuse("spmv", "grid:x=2,y=2", "-o", "a", "-o", "b", names=("-o is given twice",))
        self.refuse("compare", "grid:x=2,y=2", "--on", names=("--on: the value is missing",))
        self.refuse("info", "-", "-", names=("info takes one input", "'-'"))
        for flag in (["compare", "grid:x=2,y=2", "--warm=false"], ["info", "grid:x=2,y=2", "--json=5"]):
            self.refuse(*flag, names=(flag[-1].split("=", maxsplit=1)[0],))

    def test_names_after_two_dashes(self):
        self.write("--json=5", _program.SMALL)
        self.assertIn("3 x 4", self.succeed("compare", "--on", "cpu", "--repeat", 1, "--", "--json=5", cwd=self.folder))
        self.assertIn("rows 3", self.succeed("info", "--", "--json=5", cwd=self.folder))

    def test_standard_input_is_read_once(self):
        for words in (["compare", "-", "-"], ["spmv", "-", "--x", "-"], ["study", "mapping", "-", "-"],
                      ["study", "mapping", "--from", "-", "-"]):
            self.refuse(*words, names=("standard input", "twice"))

    def test_options_without_effect(self):
        """Each option with each executor, in each activity that has the option."""
        everywhere = {"cpu", "simt", "cuda"}
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        dense = self.write("dense.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n")
        timed = {"--threads 1": {"cpu", "simt"}, "--warm": {"cuda"}, "--seed 1": {"simt"}, "--repeat 1": everywhere}
        blocks = {**timed, "--block 32": {"simt", "cuda"}}
        works_on = {
            ("compare", "grid:x=2,y=2"): {**blocks, "--seed 1": everywhere, "--type double": everywhere},
            ("compare", "grid:x=2,y=2", "--op", "spmm:3"): {
                **blocks, "--seed 1": everywhere, "--type double": everywhere, "--format csr": everywhere},
            ("compare", "grid:x=2,y=2", "--op", "expand"): {**blocks, "--type double": set(), "--type float": set()},
            ("compare", "grid:x=2,y=2", "--op", "update"): {"--seed 1": {"simt"}, "--type float": set()},
            ("spmv", "grid:x=2,y=2"): {"--threads 1": {"cpu", "simt"}, "--block 32": {"simt", "cuda"}},
            ("study", "mapping", "regular:rows=4,size=1"): {"--quick": everywhere},
            ("study", "mapping", "regular:rows=4,size=1", "--quick"): {"--threads 1": {"cpu", "simt"}},
            ("ladder", "reduce", "--n", "10"): {**blocks, "--type float": everywhere, "--operation max": everywhere},
            ("ladder", "reduce", "--n", "10", "--count"): {
                "--threads 1": {"simt"}, "--block 32": {"simt"}, "--warm": set(), "--seed 1": {"simt"},
                "--type float": set(), "--operation max": set(), "--repeat 1": set()},
            ("reorganize", "random:threads=9,elements=5"): {
                **timed, "--block 32": everywhere, "--seed 1": everywhere, "--iterations 1": everywhere,
                "--change-every 1": everywhere},
            ("reorganize", "random:threads=9,elements=5", "--count"): {
                "--threads 1": {"simt"}, "--block 32": {"simt"}, "--warm": set(), "--seed 1": {"simt"},
                "--repeat 1": set(), "--iterations 1": set(), "--change-every 1": set()},
            ("gap", "grid:x=2,y=2", "--trials", "1"): {"--threads 1": {"cpu", "simt"}, "--ranks 2": {"cpu"}},
            ("spgemm", "grid:x=2,y=2"): {**timed, "--type float": everywhere},
            ("spgemm", "grid:x=2,y=2", "-o", "-"): {"--warm": set(), "--repeat 1": set(), "--type float": everywhere},
            ("spmm", "grid:x=2,y=2"): {**blocks, "--seed 1": everywhere, "--type float": everywhere},
            ("spmm", "grid:x=2,y=2", "--b", dense): {**blocks, "--type float": everywhere},
            ("spmm", "grid:x=2,y=2", "-o", "-"): {"--warm": set(), "--repeat 1": set(), "--seed 1": everywhere},
            ("spmm", "grid:x=2,y=2", "--b", dense, "-o", "-"): {
                "--warm": set(), "--repeat 1": set(), "--seed 1": {"simt"}},
            ("solve", "grid:x=2,y=2", "--laplacian"): {**timed, "--type float": everywhere},
            ("solve", "grid:x=2,y=2", "--laplacian", "-o", "-"): {
                "--warm": set(), "--repeat 1": set(), "--type float": everywhere},
            ("trsv", "grid:x=2,y=2", "--unit-diagonal"): {**timed, "--type float": everywhere},
            ("trsv", "grid:x=2,y=2", "--unit-diagonal", "-o", "-"): {
                "--warm": set(), "--repeat 1": set(), "--type float": everywhere},
            ("tasks", "fib:n=3"): timed, ("octree", "uniform:n=30"): timed,
            ("neighbors", "uniform:n=30", "--cutoff", "3"): timed,
            **{(name, "grid:x=2,y=2"): timed for name in ("bfs", "sssp", "dfs", "pagerank", "kcore", "triangles",
                                                          "betweenness", "scc", "components", "forest")},
            ("colour", "grid:x=2,y=2"): {**timed, "--seed 1": everywhere},
        }
        for command, options in works_on.items():
            for option, where in options.items():
                for executor in ("simt",) if "--count" in command else ("cpu", "simt", "cuda"):
                    with self.subTest(command=command, option=option, executor=executor):
                        words = [*command, *option.split(), "--on", executor]
                        if executor in options.get("--repeat 1", ()) and option not in ("--repeat 1", "--warm"):
                            words += ["--repeat", 1]  # it is the option that is tested, and not how times settle
                        if executor not in where:
                            self.refuse(*words, names=(f"{option} has no effect",))
                        elif executor == "cuda":  # obeyed, so it is the GPU that is missed
                            self.assertIn("cuda cannot be used", self.fail_with_line(1, *words, env=no_gpu))
                        else:
                            self.succeed(*words)
        self.refuse("compare", "grid:x=2,y=2", "--on", "cuda", "--threads", 1,
                    names=("--threads 1 has no effect on cuda",))
        self.refuse("spmv", "grid:x=2,y=2", "--block", 32, names=("--block 32 has no effect on cpu",))
        self.refuse("study", "mapping", "--from", "x.json", "--threads", 1, names=("--threads 1", "--from"))
        self.refuse("study", "mapping", "--from", "x.json", "--on", "cpu", names=("--on cpu", "--from"))
        for words in (["--block", 32], ["--threads", 1], ["--seed", 7, "--op", "expand"]):
            self.succeed("compare", "grid:x=2,y=2", "--on", "cpu,simt", "--schedule", "merge_path", "--repeat", 1,
                         *words)
        line = self.fail_with_line(2, "compare", "grid:x=2,y=2", "--warm", env=no_gpu)
        self.assertIn("--warm has no effect on cpu, simt", line)
        self.assertIn("; cuda cannot be used", line)

    def test_help(self):
        for arguments in ([], ["info"], ["compare"], ["spmv"]):
            text = self.succeed(*arguments, "--help")
            self.assertLessEqual(max(map(len, text.splitlines())), 130)
            if arguments:
                for name in ("regular", "powerlaw", "mostly-empty", "kron_g500-logn20"):
                    self.assertIn(name, text)
            if arguments in (["compare"], ["spmv"]):
                for name in _program.SCHEDULES:
                    self.assertIn(name, text)
        self.assertRegex(self.succeed("--version"), r"\Aevenly \d+\.\d+\.\d+")


class BadOutputs(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write("a.mtx", _program.SMALL)

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for arguments in (["info", self.matrix], ["info", self.matrix, "--json"], ["spmv", self.matrix],
                              ["compare", self.matrix, "--on", "cpu", "--repeat", 1], ["--help"], ["--version"]):
                done = _program.run(*arguments, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertRegex(done.stderr, r"\Aevenly: [^\n]*No space left on device\n\Z")
        self.fail_with_line(1, "spmv", self.matrix, "-o", "/dev/full")
        self.fail_with_line(1, "compare", self.matrix, "--on", "cpu", "--repeat", 1, "--json", "/dev/full")

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = _program.run("info", self.matrix, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def test_closed_standard_output(self):
        command = f"exec '{_program.PROGRAM}' info '{self.matrix}' >&-"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)

    def test_nothing_is_left(self):
        bad = self.write("bad.mtx", BAD_FILES["row out of range"][0])
        for out in (self.folder / "y.txt", self.folder / "no" / "y.txt", self.folder):
            self.fail_with_line(1, "spmv", bad, "-o", out)
        for out in (self.folder / "no" / "y.txt", self.folder):
            self.assertIn(str(out), self.fail_with_line(1, "spmv", self.matrix, "-o", out))
            self.assertIn(str(out), self.fail_with_line(1, "compare", self.matrix, "--on", "cpu", "--json", out))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.mtx", "bad.mtx"])

    def test_no_gpu(self):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        for command in ("compare", "spmv"):
            line = self.fail_with_line(1, command, self.matrix, "--on", "cuda", env=environment)
            self.assertIn("cuda", line)


_program.main()
