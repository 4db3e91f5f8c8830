# SPDX-License-Identifier: Apache-2.0
"""What takes more than a second says on a terminal how far it has come, and nowhere else."""
import os
import pty
import subprocess
import threading

import _program

LONG = ("compare", "powerlaw:rows=5e4,avg=8,sd=20,max=999", "--on", "simt", "--op", "expand")


class Progress(_program.ProgramTest):
    def test_measuring(self):
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
        done = subprocess.run([_program.PROGRAM, *LONG], stdout=subprocess.PIPE, stderr=theirs, timeout=120, check=True)
        os.close(theirs)
        reader.join(timeout=10)
        os.close(ours)
        text = b"".join(shown).decode()
        self.assertRegex(text, r"\rmeasuring: [0-9]+ of [0-9]+ \([0-9]+%\), (checking|timing) [a-z_]+")
        self.assertTrue(text.endswith("\x1b[K"), text[-40:])  # the last line is taken away
        self.assertNotIn("measuring", done.stdout.decode())

    def test_none_in_pipes(self):
        done = subprocess.run([_program.PROGRAM, *LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=True)
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    _program.main()
