# SPDX-License-Identifier: Apache-2.0
"""What takes more than a second says on a terminal how far it has come, and nowhere else."""
import os
import pty
import subprocess
import threading

import _program

LONG = ("compare", "powerlaw:rows=5e4,avg=8,sd=20,max=999", "--on", "simt", "--op", "expand")


class Progress(_program.ProgramTest):
    def on_terminal(self, *arguments):
        """What a terminal sees on standard error, and standard output."""
        ours, theirs = pty.openpty()
        shown = []

        def read():
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:  # the other end is closed
                    return
                if not part:
                    return
                shown.append(part)

        reader = threading.Thread(target=read)
        reader.start()
        done = subprocess.run([_program.PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=theirs, timeout=240,
                              check=True)
        os.close(theirs)
        reader.join(timeout=10)
        os.close(ours)
        text = b"".join(shown).decode()
        self.assertTrue(text.endswith("\x1b[K"), text[-40:])  # the last line is taken away
        return text, done.stdout.decode()

    def test_measuring(self):
        text, output = self.on_terminal(*LONG)
        self.assertRegex(text, r"\rmeasuring: [0-9]+ of [0-9]+ \([0-9]+%\), (checking|timing) [a-z_]+")
        self.assertNotIn("measuring", output)

    def test_writing(self):
        text, _ = self.on_terminal("spmm", "regular:rows=2e5,size=1", "--width", "120", "--type", "float",
                                   "--on", "cpu", "-o", "/dev/null")
        self.assertRegex(text, r"\rwriting /dev/null: [0-9]+ of 24000000 \([0-9]+%\)")
        text, _ = self.on_terminal("spgemm", "regular:rows=2e5,size=10", "--on", "cpu", "-o", "/dev/null")
        self.assertRegex(text, r"\rmultiplying: [0-9]+ of 200000 \([0-9]+%\)")

    def test_none_in_pipes(self):
        done = subprocess.run([_program.PROGRAM, *LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=True)
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    _program.main()
