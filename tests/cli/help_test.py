# SPDX-License-Identifier: Apache-2.0
"""--help, --version, the manual page, completions: examples run, exit statuses are so, every option is everywhere."""
import functools
import os
import re
import shutil
import signal
import subprocess
import unittest

import _program

EDGES = "0 1\n0 2\n1 2\n2 3\n"


@functools.cache
def help_of(*command):
    return _program.run(*command, "--help").stdout


def commands():
    text = help_of()
    part = text[text.index("Subcommands:"):text.index("evenly COMMAND --help")]
    return re.findall(r"^  (\w+) +\S", part, re.MULTILINE)


def options_of(command):
    text = help_of(command)
    part = text[text.index("\nOptions:"):text.index("\nExamples:")]
    return [name for line in re.findall(r"^  (-\S+)", part, re.MULTILINE) for name in line.split(",")]


def examples_of(command):
    text = help_of(command)
    part = text[text.index("\nExamples:\n") + 11:text.index("\nExit status:")]
    return re.findall(r"^  (\S.*)$", part, re.MULTILINE)


class Help(_program.ProgramTest):
    def shell(self, line, shell="bash"):
        """The line, run by a shell that knows the program as evenly."""
        bin_folder = self.folder / "bin"
        bin_folder.mkdir(exist_ok=True)
        if not (bin_folder / "evenly").exists():
            (bin_folder / "evenly").symlink_to(_program.PROGRAM)
        environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        return subprocess.run([shell, "-c", line], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120, stdin=subprocess.DEVNULL, check=False)

    def test_examples_run(self):
        self.assertGreaterEqual(len(commands()), 13)
        self.write("matrix.mtx", _program.SMALL)
        self.write("vectors.mtx", "%%MatrixMarket matrix array real general\n4 2\n1\n2\n3\n4\n0\n1\n0\n1\n")
        self.write("x.txt", "1\n2\n3\n4\n")
        self.write("edges.el", EDGES)
        for command in commands():
            lines = examples_of(command)
            self.assertGreaterEqual(len(lines), 1, command)
            for line in lines:
                with self.subTest(line=line):
                    self.assertIn(f"evenly {command}", line)
                    done = self.shell("set -o pipefail; " + line)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_help_is_a_command(self):
        self.assertEqual(self.succeed("help"), help_of())
        for command in commands():
            self.assertEqual(self.succeed("help", command), help_of(command), command)
        self.assertIn("(did you mean spmv?)", self.fail_with_line(2, "help", "smpv"))

    def test_slips_are_recognised(self):
        for arguments, meant in ((("comapre",), "compare"),
                                 (("spmv", "grid:x=2,y=2", "--shcedule", "merge_path"), "--schedule"),
                                 (("spmv", "grid:x=2,y=2", "--schedule", "mergepath"), "merge_path"),
                                 (("compare", "grid:x=2,y=2", "--on", "cup"), "cpu"),
                                 (("spmv", "grid:x=2,y=2", "--on", "CUDA"), "cuda"),
                                 (("info", "grd:x=2,y=2"), "grid"), (("info", "a.mtx", "--format", "mxt"), "mtx")):
            self.assertIn(f"(did you mean {meant}?)", self.fail_with_line(2, *arguments))
        self.assertNotIn("did you mean", self.fail_with_line(2, "frobnicate"))

    def test_help_fits_the_terminal(self):
        for width in (50, 80, 132):
            for command in ("", *commands()):
                shown, _ = _program.run_on_terminal(*filter(None, [command]), "--help", columns=width)
                text = shown.replace("\r\n", "\n")
                for line in text.splitlines():
                    is_example = line.startswith("  evenly ") or " | evenly " in line
                    self.assertTrue(len(line) <= width or is_example or " " not in line.strip(), (width, line))
                self.assertEqual(re.sub(r"\s+", " ", text), re.sub(r"\s+", " ", help_of(*filter(None, [command]))))

    def test_help_is_at_most_80_columns_wide(self):
        for command in ("", *commands()):
            for line in help_of(*filter(None, [command])).splitlines():
                self.assertLessEqual(len(line), 80, f"{command}: {line}")

    def test_wrapped_lines_are_indented_like_their_description(self):
        self.assertRegex(help_of(), r"\n  128 \+ N  \w[^\n]*\n {11}\w")

    def test_a_reader_that_leaves_is_no_error(self):
        done = self.shell("set -o pipefail; evenly transpose rmat:scale=12,edges=8 | head -n 1")
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))

    def test_exit_statuses(self):
        for text in [help_of()] + [help_of(each) for each in commands()]:
            part = text[text.index("Exit status:\n"):]
            self.assertEqual(re.findall(r"^  (0|1|2|128 \+ N) +\w", part, re.MULTILINE), ["0", "1", "2", "128 + N"])
        self.assertEqual(_program.run("info", "grid:x=2,y=2").returncode, 0)
        self.fail_with_line(1, "info", self.folder / "none.mtx")
        self.fail_with_line(2, "info", "grid:x=2,z=two")
        self.fail_with_line(2, "completion", "tcsh")
        ended = self.shell("evenly info - < <(exec 2>&-; sleep 9) & sleep 1; kill $!; wait $!")
        self.assertEqual(ended.returncode, 143)

    def test_version_names_devices(self):
        self.write("libcuda.so.1", "no library")  # as where the driver is broken
        broken = {**os.environ, "LD_LIBRARY_PATH": str(self.folder)}
        for options in ({}, {"env": broken}):
            lines = self.succeed("--version", **options).splitlines()
            self.assertRegex(lines[0], r"\Aevenly \d+\.\d+\.\d+ \([^)]+\)\Z")
            self.assertRegex(lines[1], r"\ACPU: .+, \d+ threads\Z")
            self.assertGreaterEqual(len(lines), 3)
            for line in lines[2:]:
                self.assertRegex(line, r"\A(GPU|no GPU): .")

    def test_no_colour(self):
        for variables in ({}, {"NO_COLOR": "1"}):
            done = _program.run("compare", "grid:x=9,y=9", "--on", "cpu", "--repeat", 1,
                               env={**os.environ, **variables})
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_manual(self):
        page = self.succeed("man")
        shown = page.replace("\\-", "-").replace("\\e", "\\")
        for command in commands():
            part = shown.split(f"\n.SS evenly {command}\n")[1].split("\n.SS ")[0]
            for option in options_of(command):
                self.assertRegex(part, rf"(?m)^\.B .*(?<!\S){re.escape(option)}(?!\S)", f"{command} {option}")
            for line in examples_of(command):
                self.assertIn(line.replace("\\", "\\e"), part)
        self.assertIn("\n.SH EXIT STATUS\n", page)
        if shutil.which("groff"):
            made = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True,
                                  check=True)
            self.assertEqual(made.stderr, "")

    def test_completions_have_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.succeed("completion", shell)
            for command in commands():
                for option in options_of(command):
                    if shell == "fish":
                        dashes = " -l " if option.startswith("--") else " -s "
                        found = rf"seen_subcommand_from {command}'.*{dashes}{option.lstrip('-')}(?!\S)"
                    elif shell == "bash":
                        found = rf"(?m)^    {command}\) options='([^']* )?{option}[ ']"
                    else:
                        found = rf"(?s)\n    {command}\)\n((?!;;).)*'\*?{option}\["
                    self.assertRegex(script, found, f"{shell}: {command} {option}")
            if shutil.which(shell):
                path = self.write(f"script.{shell}", script)
                self.assertEqual(subprocess.run([shell, "-n", path], check=False).returncode, 0)

    def test_bash_completes(self):
        def complete(*words):
            quoted = " ".join(f"'{word}'" for word in ("evenly", *words))
            done = self.shell(f"source <(evenly completion bash); COMP_WORDS=({quoted}); "
                              f"COMP_CWORD={len(words)}; _evenly; echo \"${{COMPREPLY[*]}}\"")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.split()

        self.assertEqual(complete("comp"), ["compare", "components", "completion"])
        self.assertEqual(sorted(complete("")), sorted([*commands(), "-h", "--help", "--version"]))
        self.assertEqual(sorted(complete("compare", "-")), sorted(options_of("compare")))
        self.assertEqual(complete("compare", "--op", ""),
                         ["spmv", "spmm:32", "expand", "update", "segmented_reduce", "segmented_scan"])
        self.assertEqual(complete("explain", "--op", ""), ["spmv", "expand", "update"])
        self.assertEqual(complete("compare", "--on", "cpu,s"), ["cpu,simt"])
        self.assertEqual(complete("ladder", "s"), ["scan"])
        self.assertEqual(complete("ladder", "scan", "--type", ""), ["int", "float"])
        self.assertEqual(complete("spmv", "--warm", "rm"), ["rmat"])
        self.assertEqual(complete("info", "--json", "band"), ["banded", "band27"])
        self.assertEqual(complete("compare", "--json", "s"), [])  # files, which are readline's
        for schedule in complete("spmv", "--schedule", "group"):
            self.succeed("spmv", "grid:x=2,y=2", "--schedule", schedule)


if __name__ == "__main__":
    _program.main()
