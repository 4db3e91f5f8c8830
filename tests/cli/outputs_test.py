# SPDX-License-Identifier: Apache-2.0
"""Files that are written over keep what they are, and interruptions and failures keep what was measured."""
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import time
import xml.etree.ElementTree as xml

import _program

PRODUCT = "1.5\n0\n4\n"  # of _program.SMALL with ones
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
NOBODY = 65534
BAD = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n4 1 1\n"  # its sizes look right


class Permissions(_program.ProgramTest):
    """As a user without privileges. As root, the test changes to such a user, since root may write everything."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.program = _program.copy_program(self.folder, ["evenly-files"])  # where every user can run it
        self.matrix = self.write("a.mtx", _program.SMALL)
        self.inner = self.folder / "inner"
        self.inner.mkdir()
        self.out = self.inner / "y.txt"
        self.out.write_text("old")

    def own(self, *paths):
        if os.geteuid() == 0:
            for path in paths:
                os.chown(path, NOBODY, NOBODY)

    def spmv(self):
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run([self.program, "spmv", self.matrix, "-o", self.out], capture_output=True, text=True,
                              check=False, timeout=120, **user)

    def test_a_read_only_file_is_refused(self):
        self.own(self.inner, self.out)
        self.out.chmod(0o444)
        done = self.spmv()
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"evenly: {self.out}: cannot write: Permission denied\n"))
        self.assertEqual(self.out.read_text(), "old")
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o444)

    def test_a_folder_where_only_the_file_is_writable(self):
        self.own(self.inner, self.out)
        self.out.chmod(0o640)
        self.inner.chmod(0o555)
        self.addCleanup(self.inner.chmod, 0o755)
        before = self.out.stat()
        done = self.spmv()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.out.read_text(), PRODUCT)
        after = self.out.stat()
        self.assertEqual((after.st_mode, after.st_uid, after.st_ino), (before.st_mode, before.st_uid, before.st_ino))
        self.assertEqual(os.listdir(self.inner), ["y.txt"])

    def test_a_new_file_in_a_folder_that_is_not_writable(self):
        self.own(self.inner)
        self.out.unlink()
        self.inner.chmod(0o555)
        self.addCleanup(self.inner.chmod, 0o755)
        done = self.spmv()
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"evenly: {self.out}: cannot create: Permission denied\n"))

    def test_a_file_of_another_user(self):
        self.own(self.inner)
        if os.geteuid() == 0:  # the file stays root's
            self.out.chmod(0o666)
        before = self.out.stat()
        done = self.spmv()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.out.read_text(), PRODUCT)
        after = self.out.stat()
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid), (before.st_mode, before.st_uid, before.st_gid))


class Mounted(_program.ProgramTest):
    def test_a_file_that_something_is_mounted_on(self):
        """As containers have them: it cannot be replaced."""
        if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0:
            self.skipTest("there are no mount namespaces for this user")
        matrix, real, out = self.write("a.mtx", _program.SMALL), self.write("real", "old"), self.write("y.txt", "")
        commands = f"mount --bind '{real}' '{out}' && '{_program.PROGRAM}' spmv '{matrix}' -o '{out}'"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", commands], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((real.read_text(), out.read_text()), (PRODUCT, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.mtx", "real", "y.txt"])


class Interrupted(_program.ProgramTest):
    def start(self, *arguments, ignored=(), **options):
        def prepare():
            for each in SIGNALS:  # they may be ignored where tests run in the background
                signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)
        process = subprocess.Popen([_program.PROGRAM, *map(str, arguments)], text=True, preexec_fn=prepare,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def stop(self, process, how):
        """Sends the signal, which must end the process, as one that is not watched would, at once."""
        start = time.monotonic()
        process.send_signal(how)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -how)
        self.assertLess(time.monotonic() - start, 5)

    def wait_for_line(self, process, text):
        for line in process.stdout:
            if text in line:
                return
        self.fail(f"no line with {text}: {process.stderr.read()}")

    def test_no_temporary_file_is_left(self):
        inner = self.folder / "inner"
        inner.mkdir()
        out = inner / "y.txt"
        for linked in (False, True):
            for how in SIGNALS:
                out.write_text("old")
                if linked and not (inner / "link").exists():
                    os.link(out, inner / "link")
                process = self.start("spmv", "regular:rows=5e6,size=1", "-o", out,
                                     env={**os.environ, "TMPDIR": str(self.folder)})
                while not [*self.folder.rglob(".evenly-*")]:
                    self.assertIsNone(process.poll())
                    time.sleep(0.005)
                self.stop(process, how)
                self.assertEqual(out.read_text(), "old")
                self.assertEqual(sorted(os.listdir(inner)), ["link", "y.txt"] if linked else ["y.txt"])
                self.assertEqual(os.listdir(self.folder), ["inner"])

    def test_a_signal_that_is_ignored_stays_so(self):
        out = self.folder / "y.txt"
        process = self.start("spmv", "regular:rows=1e6,size=1", "-o", out, ignored=[signal.SIGHUP])
        while not [*self.folder.glob(".evenly-*")]:
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(out.read_text().splitlines()), 1000000)

    def test_a_study_keeps_what_was_measured(self):
        inputs = ["regular:rows=60,size=4", "powerlaw:rows=2e6,avg=4,sd=10,max=60", "regular8:scale=0.001"]
        out, page = self.folder / "out.json", self.folder / "out.html"
        process = self.start("study", "mapping", *inputs, "--on", "cpu", "--json", out, "--report", page)
        self.wait_for_line(process, "2,000,000 tiles")
        process.send_signal(signal.SIGTERM)  # as timeout does it: twice
        self.stop(process, signal.SIGTERM)
        study = json.loads(out.read_text())
        self.assertEqual({run["op"] for run in study["results"] if run["workload"] == "regular"},
                         {"update", "expand", "spmv"})
        self.assertEqual(study["failed"], [
            {"input": inputs[1], "error": "interrupted by SIGTERM"},
            {"input": inputs[2], "error": "not begun: interrupted by SIGTERM"}])
        self.assertIn("regular", study["workloads"][0]["name"])
        xml.fromstring(page.read_text(encoding="utf-8"))
        self.assertIn("agree", self.succeed("study", "mapping", "--from", out))
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.html", "out.json"])

    def test_a_ladder_keeps_what_was_measured(self):
        for arguments, results in (([], "results"), (["--count"], "counted")):
            out = self.folder / "out.json"
            process = self.start("ladder", "scan", "--on", "simt", "--n", "2^20", *arguments, "--json", out)
            time.sleep(1)
            self.assertIsNone(process.poll())
            self.stop(process, signal.SIGINT)
            ladder = json.loads(out.read_text())
            self.assertEqual(ladder["ladder"], "scan")
            self.assertIsInstance(ladder[results], list)
            self.assertEqual(ladder["failed"], [{"input": "inclusive scan", "error": "interrupted by SIGINT"}])

    def test_before_anything_is_measured_nothing_is_written(self):
        out = self.write("out.json", "old")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        process = self.start("info", pipe)  # waits for a writer
        time.sleep(0.3)
        self.stop(process, signal.SIGINT)
        line = self.fail_with_line(2, "study", "mapping", "regular8:scale=0.001", "regular8:scale=7", "--json", out)
        self.assertIn("regular8:scale=7: scale = '7' must be 0 to 1", line)
        self.assertEqual(out.read_text(), "old")


class Failures(_program.ProgramTest):
    def test_an_input_that_fails_does_not_end_the_study(self):
        bad = self.write("bad.mtx", BAD)
        out, page = self.folder / "out.json", self.folder / "out.html"
        line = self.fail_with_line(1, "study", "mapping", "regular:rows=60,size=4", bad, "grid:x=5,y=4", "--on", "cpu",
                                   "--quick", "--json", out, "--report", page)
        self.assertIn(f"{bad}:4: the row is '4'", line)
        study = json.loads(out.read_text())
        self.assertEqual({run["workload"] for run in study["results"]}, {"regular", "grid"})
        self.assertEqual([each["input"] for each in study["failed"]], [str(bad)])
        self.assertIn(study["failed"][0]["error"], line)
        xml.fromstring(page.read_text(encoding="utf-8"))

    def test_all_is_measured(self):
        out = self.folder / "out.json"
        self.succeed("study", "mapping", "grid:x=5,y=4", "--on", "cpu", "--quick", "--json", out)
        self.assertEqual(json.loads(out.read_text())["failed"], [])
        self.succeed("ladder", "reduce", "--n", 100, "--on", "cpu", "--json", out)
        self.assertEqual(json.loads(out.read_text())["failed"], [])

    def test_a_typo_is_found_before_the_first_is_measured(self):
        out = self.folder / "out.json"
        for bad, status in (("missing.mtx", 1), ("gird:x=5,y=4", 2), ("grid:x=5,z=4", 2), ("regular:rows=5,size=9", 2)):
            done = _program.run("study", "mapping", "grid:x=5,y=4", bad, "--on", "cpu", "--json", out)
            self.assertEqual(done.returncode, status)
            self.assertNotIn("20 tiles", done.stdout)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertFalse(out.exists())

    def test_an_output_is_no_input(self):
        matrix = self.write("a", _program.SMALL)
        x = self.write("x", "1\n2\n3\n4\n")
        (self.folder / "soft").symlink_to(matrix)
        os.link(matrix, self.folder / "hard")
        for name in ("a", "soft", "hard", "../" + self.folder.name + "/a"):
            out = self.folder / name
            for command in (("spmv", matrix, "-o", out),
                            ("compare", "grid:x=5,y=4", matrix, "--on", "cpu", "--json", out),
                            ("draw", "merge_path", matrix, "-o", out),
                            ("draw", "spy", matrix, "-o", out),
                            ("study", "mapping", matrix, "--on", "cpu", "--report", out)):
                self.assertIn("write to another file", self.fail_with_line(2, *command))
        self.assertIn("write to another file", self.fail_with_line(2, "spmv", matrix, "--x", x, "-o", x))
        self.assertEqual(matrix.read_text(), _program.SMALL)

    def test_a_limit_of_file_sizes_is_a_full_disk(self):
        out = self.folder / "y.txt"
        line = self.fail_with_line(1, "spmv", "grid:x=300,y=300", "-o", out,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertIn("y.txt: cannot write: File too large", line)
        self.assertEqual(os.listdir(self.folder), [])

    def test_tables_that_cannot_be_written_end_a_command_and_results_are_kept(self):
        out = self.folder / "out.json"
        with open("/dev/full", "w", encoding="ascii") as full:
            done = _program.run("ladder", "reduce", "--n", 100, "--on", "cpu", "--json", out, stdout=full,
                                stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "evenly: standard output: cannot write: No space left on device\n"))
        self.assertGreater(len(json.loads(out.read_text())["results"]), 0)


_program.main()
