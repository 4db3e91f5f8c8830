# SPDX-License-Identifier: Apache-2.0
"""./run in a copy of the repository whose cmake is a stand-in: what is built for which words, and what is said where
nothing can be built."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Notes its targets; a built program prints its own name and its words. The driver's --target is the table of the test.
CMAKE = """#!/usr/bin/env bash
if [ "$1" = -S ]; then mkdir -p build; touch build/build.ninja; echo configured >>log; exit; fi
echo "${@: -1}" >>log
case "${@: -1}" in
  evenly) program=build/bin/evenly ;;
  evenly_program) program=build/share/man/man1/evenly.1 ;;
  *) program=build/libexec/evenly/${@: -1} ;;
esac
mkdir -p "${program%/*}"
cat >"$program" <<'END'
#!/usr/bin/env bash
if [ "$1" = --target ]; then
  case "$2" in bfs) echo evenly-graph ;; man) echo evenly_program ;; *) echo evenly ;; esac
  exit
fi
echo "${0##*/} $*"
END
chmod +x "$program"
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copy(ROOT / "run", self.root)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/build.sh", self.root / "scripts")
        self.write("scripts/setup.sh", '#!/usr/bin/env bash\necho "set up $*" >>log\n')
        for tool in ("ninja", "c++"):
            self.write(f"tools/{tool}", "#!/bin/sh\n")
        self.write("tools/cmake", CMAKE)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def run_(self, *words, path=None):
        (self.root / "log").write_text("", encoding="utf-8")
        environment = {**os.environ, "PATH": path or f"{self.root}/tools:{os.environ['PATH']}"}
        done = subprocess.run([self.root / "run", *words], cwd=self.root, capture_output=True, text=True, timeout=60,
                              env=environment, check=False)
        return done, (self.root / "log").read_text(encoding="utf-8").split("\n")[:-1]

    def test_what_is_built_for_which_words(self):
        for words, built, printed in (([], ["evenly-tour"], "evenly-tour \n"),
                                      (["bfs", "a b"], ["evenly", "evenly-graph"], "evenly bfs a b\n"),
                                      (["help"], ["evenly"], "evenly help\n"),
                                      (["man"], ["evenly", "evenly_program"], "evenly man\n"),
                                      (["build"], ["evenly_program"], f"{self.root}/build/bin/evenly\n")):
            with self.subTest(words):
                shutil.rmtree(self.root / "build", ignore_errors=True)
                done, log = self.run_(*words)
                self.assertEqual((done.returncode, done.stdout), (0, printed), done.stderr)
                self.assertEqual([line for line in log if line != "set up program"], ["configured", *built])
                self.assertIn("set up program", log)

    def test_help_that_is_not_built_yet_says_what_it_builds(self):
        done, _ = self.run_("bfs", "--help")
        self.assertIn("building evenly-graph, which prints its own help (./run help lists all commands), in ",
                      done.stderr)
        done, _ = self.run_("bfs", "--help")
        self.assertEqual(done.stderr, "")

    def test_what_is_built_is_built_again_but_not_configured_or_set_up(self):
        self.run_("bfs")
        done, log = self.run_("bfs")
        self.assertEqual((done.returncode, done.stderr, log), (0, "", ["evenly", "evenly-graph"]))

    def test_without_a_compiler_one_line_says_what_to_do(self):
        (self.root / "tools/c++").unlink()
        for tool in ("bash", "dirname", "readlink", "mkdir", "cat"):
            (self.root / "tools" / tool).symlink_to(shutil.which(tool))
        for words in ([], ["bfs"]):
            with self.subTest(words):
                done, _ = self.run_(*words, path=str(self.root / "tools"))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, r"\Abuilding [^\n]*\n[^\n]*run: nothing can be built without c\+\+: "
                                              r"scripts/setup.sh installs it, or names the package\n\Z")

    def test_a_build_folder_that_cannot_be_made(self):
        (self.root / "build").write_text("", encoding="utf-8")
        for words, before in ((("bfs",), r"building [^\n]*\n"), (("python",), "")):
            done, _ = self.run_(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, rf"\A{before}[^\n]*: cannot write to [^\n]*/build; copy [^\n]*\n\Z")

    def test_a_build_that_fails_shows_what_the_compiler_said(self):
        self.write("tools/cmake", '#!/usr/bin/env bash\n[ "$1" = -S ] && exit\necho "x.cpp:1: error: y"\nexit 1\n')
        done, _ = self.run_()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("x.cpp:1: error: y\nfailed: nice cmake --build ", done.stderr)

    def test_python_is_installed_once(self):
        for name in ("include/a", "src/a", "python/a", "cmake/a", "CMakeLists.txt", "pyproject.toml"):
            self.write(name, "")
        self.write("tools/python3", f"""#!/usr/bin/env bash
mkdir -p "$3/bin"
printf '#!/usr/bin/env bash\\necho "python $*" | tee -a {self.root}/log\\n' >"$3/bin/python"
chmod +x "$3/bin/python"
""")
        install = f"python -m pip install {self.root}[scipy]"
        done, log = self.run_("python", "-c", "1")
        self.assertEqual((done.returncode, done.stdout), (0, "python -c 1\n"), done.stderr)
        self.assertEqual(log, ["set up program python", install, "python -c 1"])
        self.assertEqual(self.run_("python")[1], ["set up program python", "python "])
        os.utime(self.root / "src/a", (2**31, 2**31))
        self.assertIn(install, self.run_("python")[1])


if __name__ == "__main__":
    unittest.main()
