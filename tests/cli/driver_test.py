# SPDX-License-Identifier: Apache-2.0
"""The driver and the programs of groups: what works without them, and what is said of one that is not there."""
import os
import re
import subprocess

import _program

def groups():
    return sorted(path.name for path in _program.GROUPS.iterdir() if path.is_file())


class Driver(_program.ProgramTest):
    def tree(self, *names, is_build=False):
        """A folder with a copy of the driver and with these groups; returns the driver."""
        root = self.folder / ("build" if is_build else "installed")
        driver = _program.copy_program(root, [])
        for name in names:
            (root / "libexec/evenly" / name).symlink_to(_program.GROUPS / name)
        if is_build:
            (root / "CMakeCache.txt").touch()
        return driver

    def run_driver(self, driver, *words):
        return subprocess.run([driver, *map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL)

    def line(self, driver, status, *words):
        done = self.run_driver(driver, *words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), words)
        self.assertRegex(done.stderr, r"\Aevenly: [^\n]+\n\Z", words)
        return done.stderr

    def test_without_groups(self):
        driver = self.tree()
        self.assertEqual(self.run_driver(driver, "--help").stdout, self.succeed("--help"))
        self.assertEqual(self.run_driver(driver, "help").stdout, self.succeed("help"))
        self.assertEqual(self.run_driver(driver, "help", "man").stdout, self.succeed("man", "--help"))
        self.assertIn("(did you mean spmv?)", self.line(driver, 2, "smpv"))
        self.assertIn("a command is missing; choose one of info, ", self.line(driver, 2))
        version = self.run_driver(driver, "--version").stdout.splitlines()
        self.assertRegex(version[0], r"\Aevenly \d+\.\d+\.\d+ \([^)]+\)\Z")
        self.assertEqual(version[1], self.succeed("--version").splitlines()[1])
        self.assertEqual(version[2:], ["no GPU: no command that can use one is built"])

    def test_a_missing_group_is_named(self):
        others = [name for name in groups() if name != "evenly-graph"]
        driver = self.tree(*others)
        for words in (("bfs", "grid:x=3,y=3"), ("bfs", "--help"), ("help", "bfs"), ("man",), ("completion", "bash")):
            self.assertIn(f"bfs needs the program {self.folder}/installed/libexec/evenly/evenly-graph, which is not "
                          "installed", self.line(driver, 1, *words))
        self.assertIn("rows 9", self.run_driver(driver, "info", "grid:x=3,y=3").stdout)

    def test_in_a_build_folder_it_says_how_to_build_it(self):
        driver = self.tree(is_build=True)
        line = self.line(driver, 1, "sssp", "grid:x=3,y=3")
        self.assertIn("sssp is not built yet: ./run sssp builds it, ", line)
        self.assertIn(f"cmake --build {self.folder}/build --target evenly-graph", line)

    def test_a_group_that_cannot_be_used(self):
        driver = self.tree()
        program = self.folder / "installed/libexec/evenly/evenly-files"
        program.write_text("#!/bin/sh\necho something else\n")
        program.chmod(0o755)
        self.assertIn("something else", self.line(driver, 1, "man"))
        program.write_text("#!/bin/sh\n")
        self.assertIn(f"{program} does not have info", self.line(driver, 1, "man"))
        program.write_text("#!/bin/sh\nexit 3\n")
        self.assertIn(f"{program} does not describe its commands", self.line(driver, 1, "man"))
        program.chmod(0o644)
        self.assertIn(f"{program}: cannot be started: Permission denied", self.line(driver, 1, "info", "grid:x=3,y=3"))

    def test_every_group_is_needed_and_has_its_commands(self):
        commands = re.findall(r"^  (\w+) +\S", self.succeed("--help").split("Subcommands:")[1], re.MULTILINE)
        described = []
        for name in groups():
            if name == "evenly-tour":  # which is compare without words
                self.assertEqual(self.succeed("--target", "compare"), name + "\n")
                continue
            done = subprocess.run([_program.GROUPS / name, "--describe"], capture_output=True, text=True, check=True)
            own = re.findall(r"^command\t(\w+)\t", done.stdout, re.MULTILINE)
            self.assertTrue(own, name)
            for command in own:
                self.assertEqual(self.succeed("--target", command, "whatever"), name + "\n")
            described += own
        self.assertEqual(sorted([*described, "help", "man", "completion"]), sorted(commands[:len(described) + 3]))

    def test_targets(self):
        for words, target in (((), "evenly"), (("--version",), "evenly"), (("--help",), "evenly"),
                              (("help",), "evenly"), (("help", "bfs"), "evenly-graph"), (("help", "man"), "evenly"),
                              (("smpv",), "evenly"),
                              (("man",), "evenly_program"), (("completion", "zsh"), "evenly_program"),
                              (("info", "-", "--json"), "evenly-files")):
            self.assertEqual(self.succeed("--target", *words), target + "\n", words)

    def test_a_link_to_the_driver(self):
        link = self.folder / "evenly"
        link.symlink_to(_program.PROGRAM)
        self.assertIn("rows 9", self.run_driver(link, "info", "grid:x=3,y=3").stdout)
        os.chdir(self.folder)
        self.assertIn("rows 9", self.run_driver("./evenly", "info", "grid:x=3,y=3").stdout)


_program.main()
