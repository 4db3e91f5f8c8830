# SPDX-License-Identifier: Apache-2.0
"""What takes more than a second says on a terminal how far it has come, and nowhere else."""
import subprocess
import time

import _program


def measured(size):
    return "compare", f"powerlaw:rows={3 * size}e4,avg=8,sd=20,max=999", "--on", "simt", "--op", "expand"


class Progress(_program.ProgramTest):
    def on_terminal(self, *arguments):
        """What a terminal sees on standard error, and standard output."""
        text, output = _program.run_on_terminal(*arguments, stream="stderr")
        if "\x1b[K" in text:  # it took long enough to show something, and every line ends so
            self.assertTrue(text.endswith("\r\x1b[K"), text[-40:])  # the last one is taken away
        return text, output

    def test_measuring(self):
        text, output = self.long_enough(measured)
        self.assertRegex(text, r"\rmeasuring: [0-9]+ of [0-9]+ \([0-9]+%\)(, about [0-9]+ (s|min|h) left)?, "
                               r"(checking|timing) [a-z_]+")
        self.assertNotIn("measuring", output)

    def long_enough(self, command):
        """What on_terminal(*command(size)) gives for the first size with which it takes a while."""
        for size in (1, 2, 4, 8, 16):
            start = time.monotonic()
            seen = self.on_terminal(*command(size))
            if time.monotonic() - start > 2:
                break
        return seen

    def test_writing(self):
        text, _ = self.long_enough(lambda size: ("spmm", f"regular:rows={size}e5,size=1", "--width", "30", "--type",
                                                 "float", "--on", "cpu", "-o", "/dev/null"))
        self.assertRegex(text, r"\rwriting /dev/null: [0-9]+ of [0-9]+000000 \([0-9]+%\)")
        text, _ = self.long_enough(lambda size: ("spgemm", f"regular:rows={size}e4,size=10", "--on", "cpu", "-o",
                                                 "/dev/null"))
        self.assertRegex(text, r"\rmultiplying: [0-9]+ of [0-9]+0000 \([0-9]+%\)")

    def test_none_in_pipes(self):
        done = subprocess.run([_program.PROGRAM, *measured(2)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=True)
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    _program.main()
