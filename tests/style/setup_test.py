# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh on systems without dpkg: it names that system's packages and lets what called it go on."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/setup.sh"


def set_up(release, system, *words):
    """The exit status of the script and what it says, where these are all the tools and /etc/os-release."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "os-release").write_text(release, encoding="utf-8")
        (folder / "uname").write_text(f"#!/bin/sh\necho {system}\n", encoding="utf-8")
        (folder / "uname").chmod(0o755)
        (folder / "sed").symlink_to(shutil.which("sed"))
        script = SCRIPT.read_text(encoding="utf-8").replace("/etc/os-release", str(folder / "os-release"))
        (folder / "setup.sh").write_text(script, encoding="utf-8")
        run = subprocess.run([shutil.which("bash"), folder / "setup.sh", *words], capture_output=True, text=True,
                             check=False, env={**os.environ, "PATH": name})
        return run.returncode, run.stdout, run.stderr


class SetUp(unittest.TestCase):
    def test_other_systems_are_told_their_packages(self):
        for release, system, said in (('NAME="Fedora Linux"\nID=fedora\n', "Linux", "dnf install gcc-c++ "),
                                      ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "Linux", "dnf install gcc-c++ "),
                                      ("ID=arch\n", "Linux", "pacman -S --needed base-devel "),
                                      ("ID=manjaro\nID_LIKE=arch\n", "Linux", "pacman -S --needed base-devel "),
                                      ("", "Darwin", "brew install cmake "),
                                      ("ID=opensuse\n", "Linux", "the likes of Debian's build-essential ")):
            with self.subTest(release):
                status, out, error = set_up(release, system)
                self.assertEqual((status, out, error.count("\n")), (0, "", 1), error)
                self.assertIn(said, error)

    def test_a_set_that_there_is_not(self):
        status, _, error = set_up("ID=arch\n", "Linux", "nonsense")
        self.assertEqual((status, error), (2, "scripts/setup.sh: 'nonsense' is no set of packages; "
                                              "there are: program, clang, develop, bench, site, python\n"))


if __name__ == "__main__":
    unittest.main()
