# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it, small matrices, and a folder that goes away.

A test is called with the path of the program as its first argument; others go to unittest.
"""
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
# The programs of groups of commands, which the program finds in ../libexec/evenly of its folder.
GROUPS = PROGRAM.parent.parent / "libexec/evenly" if PROGRAM else None
# A sanitizer's runtime takes address space by the terabyte, and time.
SANITIZED = PROGRAM is not None and any(name in PROGRAM.read_bytes() for name in (b"__asan_init", b"__tsan_init"))
SCHEDULES = ("thread_mapped", "group_per_tile<4>", "warp_mapped", "block_mapped", "merge_path", "direct_search")
BASELINES = ("serial", "openmp_static", "openmp_dynamic")  # on cpu

# Two rows of sizes 2 and 1 with an empty one between.
SMALL = "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 2.5\n1 4 -1\n3 2 4\n"


def lines(values):
    return "".join(f"{each}\n" for each in values)


def run(*arguments, **options):
    """Runs the program; its output as text, unless options say otherwise."""
    options = {"capture_output": True, "text": True, "timeout": 120, "stdin": subprocess.DEVNULL, **options}
    if "stdout" in options or "stderr" in options:
        options.pop("capture_output")
    return subprocess.run([PROGRAM, *map(str, arguments)], check=False, **options)


def run_under_mpi(ranks, *arguments):
    """Runs the program on processes of mpirun; its output as text."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    return subprocess.run(["mpirun", "-np", str(ranks), PROGRAM, *map(str, arguments)], env=environment,
                          capture_output=True, text=True, timeout=120, check=False)


def run_on_terminal(*arguments, columns=80, stream="stdout"):
    """Runs the program with one stream on a terminal: what the terminal shows, and what the other stream has.

    This function writes the last byte, a mark: a terminal that all writers have closed may lose unread output.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = bytearray()

    def read():
        while not shown.endswith(b"\0"):
            shown.extend(os.read(ours, 4096))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    other = "stderr" if stream == "stdout" else "stdout"
    done = run(*arguments, timeout=240, **{stream: theirs, other: subprocess.PIPE})
    os.write(theirs, b"\0")
    reader.join(timeout=60)
    assert not reader.is_alive(), f"{arguments}: the end of what a terminal shows did not come"
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0, f"{arguments}: {done.stdout} {done.stderr}"
    return shown[:-1].decode(), getattr(done, other)


def copy_program(folder, groups):
    """Copies the program and these of its groups into a folder as they are installed; its path there."""
    (folder / "bin").mkdir(parents=True)
    (folder / "libexec/evenly").mkdir(parents=True)
    for group in groups:
        shutil.copy(GROUPS / group, folder / "libexec/evenly" / group)
    return Path(shutil.copy(PROGRAM, folder / "bin/evenly"))


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def succeed(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def fail_with_line(self, status, *arguments, **options):
        """The one line that the program leaves on standard error."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout} {done.stderr}")
        self.assertRegex(done.stderr, r"\Aevenly: [^\n]+\n\Z", f"{arguments}")
        return done.stderr.rstrip("\n")

    def refuse_on_cpu(self, *cases):
        """Each case: arguments that fail on cpu, and words of the error, whose last line is the program's."""
        for arguments, words in cases:
            done = run(*arguments, "--on", "cpu")
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(words, done.stderr)
            self.assertTrue(done.stderr.strip().splitlines()[-1].startswith("evenly:"), done.stderr)


def with_label_all(test):
    """For a test of ./test all: it repeats on more examples what another one holds."""
    test.has_label_all = True
    return test


class Loader(unittest.TestLoader):
    """Loads tests with the label all if EVENLY_LABEL is all, and the others if it is not (tests/CMakeLists.txt)."""

    def getTestCaseNames(self, testCaseClass):
        wanted = os.environ.get("EVENLY_LABEL") == "all"
        return [name for name in super().getTestCaseNames(testCaseClass)
                if hasattr(getattr(testCaseClass, name), "has_label_all") == wanted]


def main():
    if PROGRAM is None:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM [UNITTEST-ARGUMENTS]")
    unittest.main(testLoader=Loader())
