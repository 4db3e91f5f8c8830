# SPDX-License-Identifier: Apache-2.0
"""Copied code: pairs of places in src and bench with six or more equal lines do not increase.

Lines are compared without white space. Blank lines, comments, includes and lines of brackets alone do not count. A run
of equal lines is extended as far as it goes, and counts once per pair of places. `copies_test.py --show` prints the
pairs."""
import re
import sys
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTH = 6
MAX_PAIRS = 1
SKIPPED = re.compile(r"//|#\s*(include|pragma|if|el|endif)|[\]})(;{,]*$|} // namespace|namespace |import |from ")
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".py"}


def lines_of(path):
    """The lines that count, as pairs of their number and their text without white space."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if text and not SKIPPED.match(text) and not (path.suffix == ".py" and text.startswith("#")):
            yield number, "".join(text.split())


def copies(folders=("src", "bench"), root=ROOT):
    """Pairs of places with LENGTH or more equal lines: (length, file, line, file, line), the longest first."""
    files = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                files[str(path.relative_to(root))] = list(lines_of(path))
    places = defaultdict(list)
    for name, lines in files.items():
        for i in range(len(lines) - LENGTH + 1):
            places[tuple(text for _, text in lines[i:i + LENGTH])].append((name, i))
    found = []
    for same in places.values():
        for n, (a, i) in enumerate(same):
            for b, j in same[n + 1:]:
                if a == b and j - i < LENGTH:
                    continue
                if i > 0 and j > 0 and files[a][i - 1][1] == files[b][j - 1][1]:
                    continue  # the run began before
                length = LENGTH
                while (i + length < len(files[a]) and j + length < len(files[b])
                       and files[a][i + length][1] == files[b][j + length][1]):
                    length += 1
                found.append((length, a, files[a][i][0], b, files[b][j][0]))
    return sorted(found, reverse=True)


class Copies(unittest.TestCase):
    def test_pairs_do_not_increase(self):
        self.assertGreater(sum(1 for _ in (ROOT / "src").rglob("*.cpp")), 50, "the sources were not found")
        found = copies()
        self.assertLessEqual(len(found), MAX_PAIRS, "\n".join(f"{n} lines: {a}:{i} and {b}:{j}"
                                                              for n, a, i, b, j in found))


if __name__ == "__main__":
    if "--show" in sys.argv:
        for length, a, i, b, j in copies():
            print(f"{length} lines: {a}:{i} and {b}:{j}")
    else:
        unittest.main()
