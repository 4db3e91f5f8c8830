# SPDX-License-Identifier: Apache-2.0
"""evenly octree: known trees under every pool and in bulk, leaves and pictures as files, bad input is one line."""
import json
import re
import struct

import _program

POOLS = ["static_list", "static_list_launches", "blocking_queue", "lock_free_queue", "stealing", "ticket_ring",
         "scalable_queue", "batched_stealing"]
KEYS = ("nodes", "internal", "leaves", "empty_leaves", "depth", "depth_sum")
TREES = {"uniform:n=1e4": (2137, 267, 1870, 71, 4, 34641), "tube:n=1e4": (3073, 384, 2689, 411, 6, 56814),
         "uniform:n=0": (1, 0, 1, 1, 0, 0), "tube:n=20": (1, 0, 1, 0, 0, 0)}


class Octree(_program.ProgramTest):
    def results(self, *arguments):
        return json.loads(self.succeed("octree", *arguments, "--repeat", 1, "--json", "-"))["results"]

    def test_known_trees_under_every_pool(self):
        for particles, right in TREES.items():
            results = self.results(particles, "--on", "cpu")
            self.assertEqual([r["pool"] for r in results], ["bulk", *POOLS])
            for result in results:
                with self.subTest(particles=particles, pool=result["pool"]):
                    self.assertTrue(result["ok"])
                    self.assertEqual(tuple(result[key] for key in KEYS), right)
                    self.assertEqual(result["tasks"], right[1] if result["is_pool"] else 0)
                    self.assertGreaterEqual(result["ms"], 0)

    def test_octants_cut_among_workers(self):
        right = TREES["tube:n=1e4"]
        for result in self.results("tube:n=1e4", "--on", "cpu", "--cut", 500):
            with self.subTest(pool=result["pool"]):
                self.assertTrue(result["ok"])
                self.assertEqual(tuple(result[key] for key in KEYS), right)
                self.assertEqual(result["cut"], 500 if result["is_pool"] else 0)
                if result["is_pool"]:
                    self.assertGreater(result["tasks"], right[1])
        both = self.results("tube:n=1e5", "--on", "cpu", "--pool", "stealing")
        self.assertEqual([(r["pool"], r["cut"] > 0) for r in both],
                         [("bulk", False), ("stealing", False), ("stealing", True)])
        self.assertEqual(both[1]["tasks"], both[1]["internal"])
        self.assertIn("--cut", self.fail_with_line(2, "octree", "tube:n=20", "--cut", "-1"))

    def test_on_the_simulated_gpu(self):
        for seed in (0, 3):
            results = self.results("tube:n=200", "--on", "simt", "--pool", "stealing", "--seed", seed)
            self.assertEqual([(r["pool"], r["cut"] > 0, r["ok"]) for r in results],
                             [("bulk", False, True), ("stealing", False, True), ("stealing", True, True)])
            self.assertEqual(len({tuple(r[key] for key in KEYS) for r in results}), 1)

    def test_table(self):
        text = self.succeed("octree", "tube:n=1e4", "--on", "cpu", "--repeat", 1, "--pool", "ticket_ring,stealing")
        for word in ("empty leaves", "56814", "bulk", "ticket_ring", "M points/s"):
            self.assertIn(word, text)
        self.assertNotIn("blocking_queue", text)

    def test_balance_and_options_of_pools(self):
        for result in self.results("tube:n=1e5", "--on", "cpu", "--blocks", 2):
            if not result["is_pool"]:
                self.assertNotIn("balance", result)
                continue
            with self.subTest(pool=result["pool"], cut=result["cut"]):
                balance = result["balance"]
                self.assertEqual(balance["workers"], 2)
                self.assertEqual(2 * balance["tasks_mean"], result["tasks"])
                self.assertEqual(len(result["timeline"]["busy"]), 2)
        on = ("tube:n=300", "--on", "simt", "--blocks", 2, "--cut", 0)
        whole = self.results(*on, "--pool", "stealing", "--block-size", 64, "--victims", "random", "--stack", 9)[1]
        self.assertEqual((whole["ok"], whole["balance"]["workers"]), (True, 4))
        self.assertTrue(self.results(*on, "--pool", "lock_free_queue", "--lazy", 1, "--capacity", 300)[1]["ok"])
        page = self.folder / "page.html"
        text = self.succeed("octree", "tube:n=1e5", "--on", "cpu", "--repeat", 1, "--pool", "stealing", "--report",
                            page)
        self.assertIn("failed CAS\n  stealing ", text)
        self.assertIn("stealing, cut: busy workers over time", page.read_text(encoding="utf-8"))

    def test_leaves_and_picture(self):
        tree, picture = self.folder / "tree.txt", self.folder / "slice.svg"
        self.succeed("octree", "tube:n=2000", "--on", "cpu", "--repeat", 1, "--pool", "stealing", "--most", 50, "-o",
                     tree, "--draw", picture)
        leaves = [tuple(map(int, line.split())) for line in tree.read_text().splitlines() if line[0] != "#"]
        self.assertEqual(sum(leaf[4] for leaf in leaves), 2000)
        self.assertEqual(sum(8 ** -leaf[0] for leaf in leaves), 1, "leaves fill space")
        self.assertEqual(len({leaf[:4] for leaf in leaves}), len(leaves))
        self.assertTrue(all(max(leaf[1:4]) < 2 ** leaf[0] and leaf[4] <= 50 for leaf in leaves))
        cut = [leaf for leaf in leaves if leaf[3] == (2 ** leaf[0] // 2 if leaf[0] else 0)]
        shapes = re.findall(r'<rect[^>]*stroke="#888888"', picture.read_text())
        self.assertEqual(len(shapes), len(cut))
        again = self.folder / "again.svg"
        self.succeed("octree", "tube:n=2000", "--on", "cpu", "--repeat", 1, "--pool", "static_list", "--max-per-leaf",
                     50, "--draw", again)
        self.assertEqual(again.read_text(), picture.read_text())

    def test_files_are_fitted(self):
        points = [(i % 5 * 0.25 - 3, i // 5 % 5 * 0.25, i // 25 * 0.25 + 1e3) for i in range(125)]
        xyz = self.write("p.xyz", "".join(f"{x} {y} {z}\n" for x, y, z in points))
        obj = self.write("p.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in points))
        ply = self.write("p.ply", "ply\nformat ascii 1.0\nelement vertex 125\nproperty double x\nproperty double y\n"
                        "property double z\nend_header\n" + "".join(f"{x} {y} {z}\n" for x, y, z in points))
        raw = b"".join(struct.pack("<3d", *point) for point in points)
        pcd = self.folder / "p.pcd"
        pcd.write_bytes(b"# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 25\n"
                        b"HEIGHT 5\nPOINTS 125\nDATA binary\n" + raw)
        npy = self.folder / "p.npy"
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (125, 3), }\n"
        npy.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + raw)
        for path in (xyz, obj, ply, pcd, npy):
            for result in self.results(path, "--on", "cpu"):
                # 2, 1, 1 and 1 places an axis are in the quarters: eight octants of 8 to 27 points, one too many
                self.assertTrue(result["ok"])
                self.assertEqual((result["nodes"], result["internal"], result["depth"]), (17, 2, 2), path)

    def test_how_files_are_read(self):
        points = "".join(f"{x} {y} {z}\n" for x in range(3) for y in range(3) for z in range(3))
        for name, words in (("p.dat", ("--format", "xyz")), ("-", ("--format", "xyz"))):
            where = name if name == "-" else self.write(name, points)
            found = json.loads(self.succeed("octree", where, *words, "--on", "cpu", "--repeat", 1, "--json", "-",
                                            stdin=None, input=points))["results"]
            self.assertEqual([(r["ok"], r["nodes"]) for r in found], [(True, 9)] * len(found), name)
        atoms = "".join(f"H {point}\n" for point in points.strip().splitlines())
        frames = self.write("t.xyz", f"1\na\nO 1 2 3\n27\nb\n{atoms}")
        self.assertEqual([r["nodes"] for r in self.results(frames, "--frame", 2, "--on", "cpu", "--pool", "stealing")],
                         [9, 9])
        self.assertIn("t.xyz: 2 frames: choose one by --frame N, from 1 to 2",
                      self.fail_with_line(1, "octree", frames, "--on", "cpu"))
        self.assertIn("there is no frame 3: the file has 2",
                      self.fail_with_line(1, "octree", frames, "--frame", 3, "--on", "cpu"))
        self.assertIn("frame 1 of .obj points: only .xyz files have frames",
                      self.fail_with_line(1, "octree", self.write("p.obj", "v 1 2 3\n"), "--frame", 1, "--on", "cpu"))
        self.assertIn("'mtx'", self.fail_with_line(2, "octree", frames, "--format", "mtx", "--on", "cpu"))
        self.assertIn("uniform:n=9", self.fail_with_line(1, "octree", "uniform:n=9", "--format", "xyz", "--on", "cpu"))

    def test_info_of_points(self):
        cloud = self.write("c.pcd", "VERSION .7\nFIELDS x y z\nPOINTS 3\nDATA ascii\n1 2 3\nnan nan nan\n-1 5 4\n")
        frames = self.write("t.xyz", "1\na\nO 1 2 3\n2\nProperties=pos:R:3:species:S:1\n1 2 3 H\n-1 5 4 H\n")
        right = {"points": 2, "least": [-1, 2, 3], "greatest": [1, 5, 4]}
        for words in ((cloud,), (frames, "--frame", 2), (cloud, "--format", "pcd")):
            found = json.loads(self.succeed("info", *words, "--json"))
            self.assertEqual({key: found[key] for key in right}, right)
        done = _program.run("info", cloud)
        self.assertEqual(done.stderr, f"evenly: {cloud}: ignored 1 of 3 points, which have NaN coordinates\n")
        self.assertIn("points 2", done.stdout)
        self.assertIn("frame 1 of Matrix Market: only .xyz files have frames",
                      self.fail_with_line(1, "info", self.write("a.mtx", _program.SMALL), "--frame", 1))

    def test_bad_words(self):
        for particles, complaint in (("uniform", "n is missing"), ("uniform:n=-1", "n must be a number from 0"),
                                     ("tube:n=1.5", "n must be a whole number"), ("tube:n=9,m=3", "tube has no 'm'")):
            self.assertIn(complaint, self.fail_with_line(2, "octree", particles, "--on", "cpu"))
        for words, complaint in ((("--pool", "heap"), "'heap' is not a pool"),
                                 (("--stack", 8), "--stack '8': must be a whole number from 9"),
                                 (("--block-size", 64), "--block-size 64 has no effect on cpu in octree"),
                                 (("--lazy", 2, "--pool", "stealing"), "--lazy 2 has no effect in octree"),
                                 (("--most", 0), "--max-per-leaf '0'"),
                                 (("-o", "a", "--draw", "a"), "--output and --draw both write 'a'")):
            self.assertIn(complaint, self.fail_with_line(2, "octree", "tube:n=9", "--on", "cpu", *words))

    def test_bad_files(self):
        tree = self.folder / "tree.txt"
        for name, text, complaint in (
                ("nan.xyz", "1 2 3\n1 nan 3\n", "nan.xyz:2: y is nan: it must be finite"),
                ("cut.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                 "property float z\nend_header\n1 2 3\n", "the file ends before"),
                ("cut.pcd", "VERSION .7\nFIELDS x y z\nPOINTS 2\nDATA ascii\n1 2 3\n",
                 "cut.pcd:5: the file ends before the last of the 2 points in the header"),
                ("comma.xyz", "1,5 2,5 3,5\n", "comma.xyz:1: '1,5' seems to have a comma in a number"),
                ("wide.xyz", "-1.7e308 0 0\n1.7e308 0 0\n", "the extent of the points overflows a double"),
                ("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", "matrix.mtx")):
            with self.subTest(name):
                line = self.fail_with_line(1, "octree", self.write(name, text), "--on", "cpu", "-o", tree)
                self.assertIn(complaint, line)
                self.assertFalse(tree.exists())
        self.assertIn("missing.ply", self.fail_with_line(1, "octree", self.folder / "missing.ply", "--on", "cpu"))


_program.main()
