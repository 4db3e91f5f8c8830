# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh: on systems without dpkg it names their packages and continues; on Debian it installs those optional
packages that the release has, and names the others."""
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


def set_up_debian(absent, not_in_release):
    """As set_up with the words `python site`, on a Debian where all packages but `absent` are installed. Also returns
    the calls of apt-get."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        last = 'for last in "$@"; do :; done\n'
        for tool, text in (("dpkg-query", f'{last}case " {absent} " in *" $last "*) ;; *) printf installed ;; esac\n'),
                           ("apt-cache", f'{last}case " {not_in_release} " in *" $last "*) exit 1 ;; esac\n'),
                           ("apt-get", f'echo "$*" >>"{folder}/calls"\n'), ("id", "echo 0\n")):
            (folder / tool).write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
            (folder / tool).chmod(0o755)
        for tool in ("env", "mktemp", "rm", "cat"):
            (folder / tool).symlink_to(shutil.which(tool))
        (folder / "a_Packages").touch()
        script = SCRIPT.read_text(encoding="utf-8")
        lists = "'/var/lib/apt/lists/*Packages*'"
        assert lists in script
        (folder / "setup.sh").write_text(script.replace(lists, f"'{folder}/*Packages*'"), encoding="utf-8")
        run = subprocess.run([shutil.which("bash"), folder / "setup.sh", "python", "site"], capture_output=True,
                             text=True, check=False, env={**os.environ, "PATH": name})
        calls = folder / "calls"
        return run.returncode, run.stdout, run.stderr, calls.read_text(encoding="utf-8") if calls.exists() else ""


class SetUp(unittest.TestCase):
    def test_optional_packages_that_the_release_has(self):
        status, out, error, calls = set_up_debian("clang-format-19 mkdocs mkdocs-material", "clang-format-19")
        self.assertEqual((status, out), (0, ""), error)
        self.assertEqual(error, "scripts/setup.sh: this release has no clang-format-19; some tests will be skipped\n"
                                "installing mkdocs mkdocs-material\n")
        self.assertRegex(calls, r"(?s) update\n.* install --no-install-recommends mkdocs\n"
                                r".* install --no-install-recommends mkdocs-material\n\Z")
        self.assertNotIn("clang-format", calls)

    def test_nothing_to_install(self):
        self.assertEqual(set_up_debian("", ""), (0, "", "", ""))
        status, out, error, calls = set_up_debian("mkdocs-material", "mkdocs-material")
        self.assertEqual((status, out, calls), (0, "", ""))
        self.assertEqual(error, "scripts/setup.sh: this release has no mkdocs-material; some tests will be skipped\n")

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
