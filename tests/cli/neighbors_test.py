# SPDX-License-Identifier: Apache-2.0
"""evenly neighbors: known lists, boxes of files and of options, pairs as files, bad input is one line."""
import itertools
import json

import _program

# A lattice of 4 x 4 x 4 atoms, one apart.
LATTICE = list(itertools.product(range(4), repeat=3))
ATOMS = "".join(f"H {x} {y} {z}\n" for x, y, z in LATTICE)
BOX = 'Lattice="4 0 0 0 4 0 0 0 4" Properties=species:S:1:pos:R:3'


class Neighbors(_program.ProgramTest):
    def pairs(self, *arguments):
        found = json.loads(self.succeed("neighbors", *arguments, "--on", "cpu", "--repeat", 1, "--json", "-"))
        (result,) = found["results"]
        self.assertTrue(result["ok"])
        return result["pairs"]

    def test_boxes(self):
        in_box = self.write("box.xyz", f"64\n{BOX}\n{ATOMS}")
        slab = self.write("slab.xyz", f'64\n{BOX} pbc="T T F"\n{ATOMS}')
        open_one = self.write("open.xyz", f"64\na remark\n{ATOMS}")
        for words, right in (((in_box,), 64 * 6), ((in_box, "--box", "none"), 2 * 3 * 3 * 16), ((open_one,), 288),
                             ((open_one, "--box", "4,4,4"), 384), ((slab,), 64 * 4 + 2 * 3 * 16),
                             ((open_one, "--box", "4,0,0,0,4,0,0,0,4"), 384), ((in_box, "--half"), 192),
                             ((in_box, "--nearest", 2), 128), ((in_box, "--box", "5,5,5"), 288),
                             ((slab, "--box", "4,4,4"), 64 * 4 + 2 * 3 * 16)):
            self.assertEqual(self.pairs(*words, "--cutoff", 1.1), right, words)

    def test_executors_agree(self):
        text = [self.succeed("neighbors", "uniform:n=300,seed=3", "--cutoff", 3, "--on", on, "--repeat", 1, "-o", "-")
                for on in ("cpu", "simt")]
        self.assertEqual(text[0], text[1])
        self.assertTrue(text[0].startswith("# point neighbor a b c\n"))

    def test_pairs_as_file(self):
        line = self.write("line.xyz", "1 0 0\n2.5 0 0\n9 0 0\n")
        out = self.folder / "pairs.txt"
        words = ("neighbors", line, "--cutoff", 2.1, "--box", "10,10,10", "--on", "cpu", "--repeat", 1, "-o", out)
        self.succeed(*words)
        self.assertEqual(out.read_text(),
                         "# point neighbor a b c\n0 1 0 0 0\n0 2 -1 0 0\n1 0 0 0 0\n2 0 1 0 0\n")
        self.succeed(*words, "--nearest", 1)
        self.assertEqual(out.read_text(), "# point neighbor a b c\n0 1 0 0 0\n1 0 0 0 0\n2 0 1 0 0\n")
        self.assertEqual(self.pairs("uniform:n=0", "--cutoff", 1), 0)

    def test_table(self):
        text = self.succeed("neighbors", "uniform:n=2e3", "--cutoff", 5, "--on", "cpu", "--repeat", 1)
        self.assertRegex(text, r"uniform:n=2e3 +2000 +\d+ +\d+\.?\d* +\d+ +0\n")

    def test_bad_words(self):
        for words, complaint in (
                (("uniform:n=9",), "--cutoff"),
                (("uniform:n=9", "--cutoff", 0), "--cutoff"),
                (("uniform:n=9,density=0", "--cutoff", 1), "density must be a number from"),
                (("uniform:n=9", "--cutoff", 1, "--box", "1,2"), "--box '1,2': must be 3 or 9 numbers"),
                (("uniform:n=9", "--cutoff", 1, "--box", "1,x,2"), "--box '1,x,2': must be 3 or 9 numbers"),
                (("uniform:n=9", "--cutoff", 1, "--box", "1,-1,2"), "--box '1,-1,2': lengths must be positive"),
                (("uniform:n=9", "--cutoff", 1, "--nearest", 0), "--nearest '0'"),
                (("uniform:n=9", "--cutoff", 1, "--nearest", 2, "--half"), "leave out --half")):
            self.assertIn(complaint, self.fail_with_line(2, "neighbors", *words, "--on", "cpu"))

    def test_bad_files(self):
        out = self.folder / "pairs.txt"
        for name, text, complaint in (
                ("few.xyz", 'Lattice="1 2 3"', "few.xyz:2: Lattice has 3 numbers: it must have 9"),
                ("many.xyz", 'Lattice="1 0 0 0 1 0 0 0 1 5"', "many.xyz:2: Lattice has more than 9 numbers"),
                ("nan.xyz", 'Lattice="1 0 0 0 nan 0 0 0 1"', "nan.xyz:2: Lattice must have finite numbers"),
                ("flat.xyz", 'Lattice="1 0 0 0 1 0 1 1 0"', "the box has volume 0"),
                ("pbc.xyz", 'Lattice="1 0 0 0 1 0 0 0 1" pbc="T maybe F"', "pbc.xyz:2: 'maybe' in pbc")):
            with self.subTest(name):
                line = self.fail_with_line(1, "neighbors", self.write(name, f"1\n{text}\nH 0 0 0\n"), "--cutoff", 1,
                                           "--on", "cpu", "-o", out)
                self.assertIn(complaint, line)
                self.assertFalse(out.exists())


_program.main()
