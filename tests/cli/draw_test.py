# SPDX-License-Identifier: Apache-2.0
"""evenly draw: pictures that hold each atom once, where the schedule's definition says, and look the same again."""
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import _program
import _svg

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
PICTURES = ("spy", "histogram", "lanes", "search", "padding", "layouts", "sharing")
EXAMPLE = [3, 1, 4, 2, 2, 12, 3, 1]  # the sizes that are drawn where no input is named


def matrix_market(sizes):
    cols = max(sizes, default=0) or 1
    entries = [f"{row} {col} 1" for row, size in enumerate(sizes, 1) for col in range(1, size + 1)]
    header = f"%%MatrixMarket matrix coordinate real general\n{len(sizes)} {cols} {len(entries)}\n"
    return header + "".join(line + "\n" for line in entries)


class Visit:
    def __init__(self, group):
        number = lambda name: int(group.get(f"data-{name}"))
        self.launch, self.block, self.thread, self.step = map(number, ("launch", "block", "thread", "step"))
        self.atom, self.tile = number("atom"), number("tile")
        self.coalesced = group.get("data-coalesced") == "yes"
        self.label = group.find(f"{SVG}text").text
        self.dots = len(group.findall(f"{SVG}circle"))
        cell = group.find(f"{SVG}rect")
        self.place = float(cell.get("x")), float(cell.get("y"))

    def when(self):
        return self.launch, self.block, self.step


def visits_in(element):
    return [Visit(group) for group in element.iter(f"{SVG}g") if group.get("data-atom")]


def visits_of(text):
    return visits_in(xml.fromstring(text))


class Draw(_program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        listed = _program.run("draw", "none").stderr.split("or a schedule: ")[1]
        cls.schedules = listed.split(";")[0].split(", ")
        assert len(cls.schedules) >= 9

    def check_picture(self, text, sizes, block, warp):
        """What holds for every schedule."""
        visits = visits_of(text)
        tiles = [tile for tile, size in enumerate(sizes) for _ in range(size)]
        ranks = [rank for size in sizes for rank in range(size)]
        self.assertEqual(sorted(visit.atom for visit in visits), list(range(len(tiles))))
        taken = {(*visit.when(), visit.thread): visit for visit in visits}
        self.assertEqual(len(taken), len(visits), "a thread takes one atom in a step")
        self.assertEqual(len({visit.place for visit in visits}), len(visits), "one atom hides another")
        for visit in visits:
            self.assertLess(visit.thread, block)
            self.assertEqual(visit.tile, tiles[visit.atom])
            self.assertTrue(visit.label.endswith(str(ranks[visit.atom] + 1)))
            neighbours = [(taken.get((*visit.when(), visit.thread + side)), side) for side in (-1, 1)
                          if (visit.thread + side) // warp == visit.thread // warp]
            coalesced = any(other and other.atom == visit.atom + side for other, side in neighbours)
            self.assertEqual((visit.coalesced, visit.dots), (coalesced, int(coalesced)))
        for launch, block_index in {visit.when()[:2] for visit in visits}:
            steps = {visit.step for visit in visits if visit.when()[:2] == (launch, block_index)}
            self.assertEqual(steps, set(range(1, len(steps) + 1)))
        self.check_page(text, len(tiles))
        return visits

    def check_page(self, text, atoms):
        root = xml.fromstring(text)
        strip = [group.get("data-input-atom") for group in root.iter(f"{SVG}g") if group.get("data-input-atom")]
        self.assertEqual(strip, [str(atom) for atom in range(atoms)])
        width, height = float(root.get("width")), float(root.get("height"))
        for rect in root.iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            self.assertTrue(x >= 0 and y >= 0 and x + w <= width and y + h <= height, rect.attrib)
        self.check_ground(root)
        self.assertEqual(text.count("http"), 1, "nothing but the name space")

    def check_ground(self, root):
        """A white ground, as pages may be dark; nothing is clipped; windows may be narrower."""
        self.assertEqual(root[0].get("fill"), "#fff", "dark pages need a ground")
        self.assertEqual([root[0].get(name) for name in ("x", "y", "width", "height")], root.get("viewBox").split())
        self.assertIn("max-width:100%", root.get("style"))
        self.assertEqual(_svg.clipped_texts(root), [])

    def test_no_picture_clips_its_labels(self):
        wide = self.write("a-name-of-a-matrix-that-is-much-longer-than-its-search-or-its-rows.mtx", _program.SMALL)
        for arguments in (("search",), ("search", "grid:x=3,y=1"), ("padding",), ("layouts",), ("sharing",),
                          ("spy", wide), ("histogram", wide), ("lanes", wide), ("merge_path", wide)):
            with self.subTest(arguments):
                self.check_ground(xml.fromstring(self.succeed("draw", *arguments)))

    def test_large_inputs_are_sampled(self):
        for given, note in (("regular:rows=1e5,size=2", "a sample of 200 of 100,000 rows"),
                            ("regular:rows=1e5,size=8", "a sample of 50 of 100,000 rows"),
                            ("regular:rows=400,size=0", "a sample of 200 of 400 rows"),
                            (self.write("dense.mtx", matrix_market([100] * 64)),
                             "a sample of 32 of 64 rows, sizes divided by 8"),
                            (self.write("one.mtx", matrix_market([300] + [1] * 299)), "a sample of 100 of 300 rows")):
            with self.subTest(given):
                text = self.succeed("draw", "merge_path", given)
                self.assertIn(note, text)
                sizes = {}
                for visit in visits_of(text):
                    sizes[visit.tile] = sizes.get(visit.tile, 0) + 1
                self.assertLessEqual(sum(sizes.values()), 400)
                self.assertLess(len(text), 400_000)
        self.assertNotIn("sample", self.succeed("draw", "merge_path", "regular:rows=200,size=2"))

    def test_rows_name_a_part(self):
        path = self.write("m.mtx", matrix_market([3, 0, 5, 1, 2]))
        text = self.succeed("draw", "thread_mapped", path, "--rows", "2:4")
        self.check_picture(text, [5, 1], 8, 4)
        self.assertIn("m.mtx, rows 2 to 3: 6 atoms in 2 tiles", text)
        for picture in ("spy", "histogram"):
            self.assertIn("6 entries in 2 rows", self.succeed("draw", picture, path, "--rows", "2:4"))
        self.assertIn("6 entries in 2 rows", self.succeed("draw", "lanes", path, "--rows", "2:4"))
        self.assertIn("has 5 rows, so END must be at most 5",
                      self.fail_with_line(1, "draw", "spy", path, "--rows", "2:6"))
        for rows in ("2", "4:2", "3:3", "-1:3", "a:b", "1:2:3", "1:99999999999999999999"):
            self.assertIn("FIRST:END", self.fail_with_line(2, "draw", "spy", path, "--rows", rows))
        for arguments in (("search", path), ("padding",), ("merge_path",)):
            self.assertIn("--rows", self.fail_with_line(2, "draw", *arguments, "--rows", "0:1"))

    def test_spy(self):
        """A diagonal has a cell for each row; the view is that of the matrix."""
        diagonal = self.write("d.mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 9\n" +
                              "".join(f"{i} {i}\n" for i in range(1, 10)))
        root = xml.fromstring(self.succeed("draw", "spy", diagonal))
        cells = [re.findall(r"M(\d+) (\d+)h", path.get("d")) for path in root.iter(f"{SVG}path")]
        self.assertEqual(len(cells), 1)
        self.assertEqual(len(cells[0]), 9)
        (x0, y0), (x1, y1) = [tuple(map(int, cell)) for cell in cells[0][:2]]
        self.assertEqual([tuple(map(int, cell)) for cell in cells[0]],
                         [(x0 + i * (x1 - x0), y0 + i * (y1 - y0)) for i in range(9)])
        dense = xml.fromstring(self.succeed("draw", "spy", "regular:rows=1000,size=40"))
        self.assertGreater(len(list(dense.iter(f"{SVG}path"))), 1, "cells are shaded")

    def test_histogram(self):
        path = self.write("m.mtx", matrix_market([0, 0, 1, 2, 3, 4, 9]))
        bins = [tuple(int(group.get(f"data-{name}")) for name in ("from", "to", "rows", "entries"))
                for group in xml.fromstring(self.succeed("draw", "histogram", path)).iter(f"{SVG}g")]
        self.assertEqual(bins, [(0, 0, 2, 0), (1, 1, 1, 1), (2, 3, 2, 5), (4, 7, 1, 4), (8, 15, 1, 9)])

    def test_lanes(self):
        """One row of 512 entries among empty rows occupies one lane; merge_path occupies nearly all."""
        path = self.write("m.mtx", matrix_market([512] + [0] * 31))
        text = self.succeed("draw", "lanes", path)
        busy = {}
        for group in xml.fromstring(text).iter(f"{SVG}g"):
            busy.setdefault(group.get("data-schedule"), []).append(float(group.get("data-busy")))
        self.assertEqual(list(busy), ["thread_mapped", "merge_path"])
        self.assertLess(max(busy["thread_mapped"]), 0.2)
        self.assertGreater(max(busy["merge_path"]), 0.5)
        one = self.succeed("draw", "lanes", path, "--schedule", "nonzero_split")
        self.assertIn('data-schedule="nonzero_split"', one)
        self.assertNotIn("thread_mapped", one)

    def test_pictures_of_matrices_are_bounded(self):
        for given in ("rmat:scale=14,edges=8", "regular:rows=2e5,size=8", "powerlaw:rows=2e4,avg=8,sd=90,max=9000",
                      "one-dense-row:rows=10,long=300000", "regular:rows=1,size=1", "regular:rows=5,size=0"):
            for picture in ("spy", "histogram", "lanes"):
                with self.subTest(given=given, picture=picture):
                    text = self.succeed("draw", picture, given)
                    self.assertLess(len(text), 300_000)
                    self.check_ground(xml.fromstring(text))
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        for picture in ("spy", "histogram", "lanes"):
            self.check_ground(xml.fromstring(self.succeed("draw", picture, empty)))

    def check_every_schedule(self, *shapes):
        """Draws every schedule on several inputs, with these sizes of blocks and warps."""
        inputs = [("", EXAMPLE)]
        for name, sizes in (("uneven", [0, 0, 40, 1, 0, 7, 7, 0, 2, 0]), ("many", [(7 * i) % 5 for i in range(60)]),
                            ("none", [0, 0, 0])):
            inputs.append((self.write(f"{name}.mtx", matrix_market(sizes)), sizes))
        for schedule in self.schedules:
            for path, sizes in inputs:
                for block, warp in shapes:
                    with self.subTest(schedule=schedule, input=str(path), block=block, warp=warp):
                        text = self.succeed("draw", schedule, *filter(None, [path]), "--block", block, "--warp", warp)
                        self.check_picture(text, sizes, block, warp)

    def test_every_schedule(self):
        self.check_every_schedule((8, 4), (1, 4), (64, 32))

    @_program.with_label_all
    def test_every_schedule_in_more_shapes(self):
        self.check_every_schedule((8, 8), (6, 4), (16, 1))

    def test_thread_mapped_is_the_papers_second_figure(self):
        text = self.succeed("draw", "thread_mapped")
        for visit in self.check_picture(text, EXAMPLE, 8, 4):
            self.assertEqual(visit.thread, visit.tile)
            self.assertEqual(visit.step, visit.atom - sum(EXAMPLE[:visit.tile]) + 1)
        self.assertIn("thread_mapped: block_size 8, group 1<", text)
        self.assertIn("28 atoms in 8 tiles; 16 steps of a warp, their threads 44% busy; 2 of 28 atoms coalesced "
                      "(warps of 4)", text)  # 4 and 12 steps, of 4 threads; B1 and C1 are neighbours

    def test_group_per_tile_is_the_papers_third_figure(self):
        for visit in self.check_picture(self.succeed("draw", "group_per_tile<2>"), EXAMPLE, 8, 4):
            rank = visit.atom - sum(EXAMPLE[:visit.tile])
            self.assertEqual(visit.block, visit.tile // 4)
            self.assertEqual(visit.thread, visit.tile % 4 * 2 + rank % 2)
            self.assertEqual(visit.step, rank // 2 + 1)

    def test_merge_path_cuts_tiles(self):
        visits = self.check_picture(self.succeed("draw", "merge_path"), EXAMPLE, 8, 4)
        steps = [[] for _ in range(3)]  # 28 atoms and 8 tile ends are 36 steps, 16 in a block
        path = [atom for tile, size in enumerate(EXAMPLE)
                for atom in [*range(sum(EXAMPLE[:tile]), sum(EXAMPLE[:tile]) + size), None]]
        for at, atom in enumerate(path):
            if atom is not None:
                steps[at // 16].append(atom)
        for block in range(3):
            self.assertEqual([visit.atom for visit in visits if visit.block == block], steps[block])
        for visit in visits:
            at = steps[visit.block].index(visit.atom)
            self.assertEqual((visit.thread, visit.step), (at % 8, at // 8 + 1))

    def test_two_phase_is_the_papers_seventh_figure(self):
        for visit in self.check_picture(self.succeed("draw", "two_phase"), EXAMPLE, 8, 4):
            self.assertEqual(visit.block, visit.atom // 16)
            self.assertEqual((visit.thread, visit.step), (visit.atom % 16 // 2, visit.atom % 2 + 1))

    def test_cta_warp_scan_is_the_papers_fifth_figure(self):
        """F is for the block, C, of half as many atoms as the block has threads, for a group, and the rest for all."""
        text = self.succeed("draw", "cta_warp_scan", "--warp", 8)
        self.check_picture(text, EXAMPLE, 8, 8)
        phases = [group for group in xml.fromstring(text).iter(f"{SVG}g") if group.get("data-sharing")]
        found = [(phase.get("data-sharing"), sorted({visit.label[0] for visit in visits_in(phase)}))
                 for phase in phases]
        self.assertEqual(found, [("a tile per block", ["F"]), ("a tile per group of 8", ["C"]),
                                 ("whole tiles, 8 atoms at a time", list("ABDEGH"))])

    def test_tiles_beyond_z(self):
        labels = [visit.label for visit in visits_of(self.succeed("draw", "thread_mapped", "regular:rows=60,size=1"))]
        self.assertEqual(labels[:2] + labels[25:29] + labels[51:54], ["A1", "B1", "Z1", "AA1", "AB1", "AC1", "AZ1",
                                                                     "BA1", "BB1"])

    def test_same_bytes_again(self):
        for schedule in self.schedules:
            out = self.folder / "a.svg"
            self.assertEqual(self.succeed("draw", schedule, "-o", out), "")
            for environment in ({**os.environ, "LC_ALL": "de_DE.UTF-8"}, {**os.environ, "TZ": "Asia/Tokyo"}):
                self.assertEqual(self.succeed("draw", schedule, env=environment), out.read_text())

    def test_names_are_escaped(self):
        for name in ("a&b<c>\".mtx", "tab\there.mtx", "\u00fcber.mtx"):
            path = self.write(name, _program.SMALL)
            self.check_picture(self.succeed("draw", "thread_mapped", path), [2, 0, 1], 8, 4)
        text = self.succeed("draw", "thread_mapped", self.folder / "a&b<c>\".mtx")
        self.assertIn('a&b<c>".mtx: 3 atoms in 3 tiles', "".join(xml.fromstring(text).itertext()))

    def test_search(self):
        """What is drawn of a search is what its trace says."""
        text = self.succeed("draw", "search", "rmat:scale=8,edges=8")
        drawn = [(group.get("data-level"), group.get("data-way"), group.find(f"{SVG}title").text)
                 for group in xml.fromstring(text).iter(f"{SVG}g")]
        trace = self.succeed("bfs", "rmat:scale=8,edges=8", "--undirected", "--source", "random:1", "--on", "simt",
                             "--trace", "--repeat", 1)
        told = re.findall(r"^ +([0-9]+) +([0-9]+) +([0-9]+) +[0-9]+  ([a-z-]+)$", trace, re.MULTILINE)
        self.assertGreater(len(told), 2)
        self.assertEqual([(level, way) for level, _, _, way in told], [(level, way) for level, way, _ in drawn])
        for (_, vertices, edges, way), (_, _, title) in zip(told, drawn):
            counted = [f"{vertices} {'vertex' if vertices == '1' else 'vertices'}",
                       f"{edges} {'edge' if edges == '1' else 'edges'}", way]
            self.assertEqual(re.sub("^level [0-9]+: ", "", title).replace(",", ""), " ".join(counted))
        long = self.write("long.el", "".join(f"{v} {v + 1}\n" for v in range(300)))
        self.assertIn("a picture can show at most 100", self.fail_with_line(1, "draw", "search", long))
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        self.assertIn("has no edges: a search needs at least one", self.fail_with_line(1, "draw", "search", empty))
        self.assertIn("no --block or --warp", self.fail_with_line(2, "draw", "search", "--block", 4))

    def stores(self, *arguments):
        """The stored elements of each step: (array, index, number of elements that it was combined from)."""
        root = xml.fromstring(self.succeed("draw", *arguments))
        self.check_ground(root)
        steps = {}
        for group in root.iter(f"{SVG}g"):
            if group.get("data-step"):
                steps.setdefault(int(group.get("data-step")), []).append(group)
        return [[(g.get("data-array"), int(g.get("data-index")), len(g.findall(f"{SVG}line"))) for g in steps[step]]
                for step in sorted(steps)]

    def test_trees_are_those_of_the_course(self):
        """Figures 5, 7, 9, 10 and 11: which elements each step combines."""
        interleaved = self.stores("interleaved", 16)
        self.assertEqual([[index for _, index, _ in step] for step in interleaved],
                         [list(range(0, 16, 2)), list(range(0, 16, 4)), [0, 8], [0]])
        sequential = self.stores("sequential", 16)
        self.assertEqual([[index for _, index, _ in step] for step in sequential],
                         [list(range(8)), list(range(4)), [0, 1], [0]])
        for step in interleaved + sequential:
            self.assertEqual({lines for _, _, lines in step}, {2})
        naive = self.stores("naive", 8)
        self.assertEqual([[lines for _, _, lines in step] for step in naive],
                         [[1] + 7 * [2], 2 * [1] + 6 * [2], 4 * [1] + 4 * [2]])
        shared = [step for step in self.stores("work_efficient", 8, "--block", 4)
                  if {array for array, _, _ in step} == {"shared memory"}]
        self.assertEqual([[index for _, index, _ in step] for step in shared],
                         [list(range(8)), [1, 3, 5, 7], [3, 7], [7], [7], [3, 7], [1, 3, 5, 7], list(range(8))])

    def test_trees_mark_sectors_and_conflicts(self):
        text = self.succeed("draw", "work_efficient", 128, "--block", 64)
        self.assertIn('data-conflict="yes"', text)
        self.assertRegex(text, r"[0-9]+ bank conflicts")
        self.assertRegex(text, r"memory: \d+ sectors in \d+ requests")
        padded = self.succeed("draw", "work_efficient_padded", 128, "--block", 64)
        self.assertNotIn('data-conflict="yes"', padded)
        self.assertIn("no conflicts", padded)

    def test_every_version_has_a_picture(self):
        for version in ("interleaved", "sequential", "decomposed_divergent", "decomposed_conflicting", "decomposed",
                        "decomposed_unrolled", "naive", "work_efficient", "work_efficient_padded"):
            for more in ((), (2,), (33, "--block", 4, "--warp", 4)):
                with self.subTest(version=version, more=more):
                    self.assertTrue(self.stores(version, *more)[-1])

    def test_draw_all(self):
        """The script draws every schedule; what docs shows is what it draws."""
        folder = self.folder / "pictures"
        folder.mkdir()
        (folder / "gone.svg").write_text("of a schedule that is no more")
        layouts = self.folder / "layouts"
        layouts.mkdir()
        subprocess.run([ROOT / "scripts/draw_all.sh", _program.PROGRAM, folder, layouts], check=True)
        self.assertEqual(set(os.listdir(layouts)), {"padding.svg", "layouts.svg", "sharing.svg", "search.svg"})
        names = {re.sub("[<>]", "", schedule.replace("<", "_")) + ".svg" for schedule in self.schedules}
        self.assertEqual(set(os.listdir(folder)), names)
        for shown, drawn in ((ROOT / "docs/pictures", folder), (ROOT / "docs/images", layouts)):
            for picture in drawn.glob("*.svg"):
                self.assertEqual((shown / picture.name).read_text(), picture.read_text(),
                                 f"{picture.name} is not what is drawn now: run scripts/draw_all.sh")
        self.assertEqual({path.name for path in (ROOT / "docs/pictures").glob("*.svg")}, names)


class Refusals(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "a.svg"

    def refuse(self, status, *arguments, says=()):
        line = self.fail_with_line(status, "draw", *arguments, "-o", self.out)
        for words in says:
            self.assertIn(words, line)
        self.assertEqual(os.listdir(self.folder), [])

    def test_command_line(self):
        self.refuse(2, says=["schedule"])
        self.refuse(2, "fastest", says=["fastest", *_program.SCHEDULES, *PICTURES])
        self.refuse(2, "matrix.mtx", says=["is not a picture", *PICTURES, "evenly draw spy"])
        self.refuse(2, "histogramm", says=["(did you mean histogram?)"])
        self.refuse(2, "all", says=_program.SCHEDULES)
        self.refuse(2, "merge_path,thread_mapped", says=_program.SCHEDULES)
        self.refuse(2, "merge_path", "mesh:rows=3", says=["mesh", "regular"])
        self.refuse(2, "merge_path", "regular:rows=3", says=["size"])
        self.refuse(2, "merge_path", "--colour", says=["--colour", "--block", "--warp"])
        for block in ("0", "-1", "65", "1e9", "8.5", "many"):
            self.refuse(2, "merge_path", "--block", block, says=["--block"])
        for warp in ("0", "3", "128", "many"):
            self.refuse(2, "merge_path", "--warp", warp, says=["--warp"])
        for option in (["--warp", "8"], ["--block", "16"], ["regular:rows=3,size=2"]):
            self.refuse(2, "padding", *option, says=["'padding' draws a fixed example"])
        small = "regular:rows=3,size=2"
        for picture in ("spy", "histogram", "lanes"):
            self.refuse(2, picture, says=["needs an input"])
            self.refuse(2, picture, small, "--block", "8", says=["no --block or --warp"])
        self.refuse(2, "spy", small, "--schedule", "merge_path", says=["--schedule has no effect"])
        self.refuse(2, "merge_path", small, "--schedule", "merge_path",
                    says=["--schedule has an effect in draw lanes only"])
        self.refuse(2, "lanes", small, "--schedule", "all", says=["needs the names of schedules"])
        self.refuse(2, "lanes", small, "--schedule", "fastest", says=_program.SCHEDULES)

    def test_versions_of_the_ladder(self):
        for elements in ("1", "129", "-4", "grid:x=3,y=3", "many"):
            self.refuse(2, "naive", elements, says=["input", "2", "128"])
        self.refuse(2, "naive", "--block", "12", says=["--block 12", "power of two"])
        self.refuse(2, "naive", "--rows", "0:3", says=["--rows has no effect"])
        self.refuse(2, "decomposedd", says=["did you mean decomposed?"])

    def test_input(self):
        self.refuse(1, "merge_path", self.folder / "missing.mtx", says=["missing.mtx"])

    def test_output(self):
        for out in (self.folder / "no" / "a.svg", self.folder):
            self.assertIn(str(out), self.fail_with_line(1, "draw", "merge_path", "-o", out))
        self.fail_with_line(1, "draw", "merge_path", "-o", "/dev/full")
        self.assertEqual(os.listdir(self.folder), [])
        self.out.write_text("what was there before")
        self.fail_with_line(1, "draw", "merge_path", self.folder / "none.mtx", "-o", self.out)
        self.assertEqual(self.out.read_text(), "what was there before")


_program.main()
