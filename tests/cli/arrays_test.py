# SPDX-License-Identifier: Apache-2.0
"""Files of NumPy and SciPy, made here byte by byte, lists of edges and points, as inputs of the commands."""
import gzip
import io
import json
import struct
import zipfile
from pathlib import Path

import _program

DATA = Path(__file__).resolve().parents[1] / "io" / "data"


def npy(kind, values, shape=None):
    """An array; kind as struct has it, or D for complex values."""
    types = {"i": "<i4", "q": "<i8", "d": "<f8", "S": "|S3", "D": "<c16"}
    shape = f"({len(values)},)" if shape is None else shape
    header = f"{{'descr': '{types[kind]}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    if kind == "D":
        kind, values = "d", [part for value in values for part in (value.real, value.imag)]
    data = values.encode() if kind == "S" else struct.pack(f"<{len(values)}{kind}", *values)
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


def numbers(content):
    """Of a .npy file that the program wrote."""
    assert content[:8] == b"\x93NUMPY\1\0"
    length = struct.unpack("<H", content[8:10])[0]
    header = eval(content[10:10 + length])  # pylint: disable=eval-used
    assert header == {"descr": "<f8", "fortran_order": False, "shape": header["shape"]}
    return list(struct.unpack(f"<{header['shape'][0]}d", content[10 + length:]))


def archive(members, how=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as out:
        for name, content in members.items():
            out.writestr(name + ".npy", content)
    return file.getvalue()


def csr():
    return {"format": npy("S", "csr", "()"), "shape": npy("q", [3, 4]), "indptr": npy("i", [0, 2, 2, 3]),
            "indices": npy("i", [0, 3, 1]), "data": npy("d", [2.5, -1, 4])}


class Arrays(_program.ProgramTest):
    def test_every_command_takes_a_matrix_of_scipy(self):
        for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = self.write("a.npz", archive(csr(), how))
            same = self.write("a.mtx", _program.SMALL)
            for arguments in (["info", "--json"], ["spmv"], ["draw", "merge_path"], ["bfs", "--format", "npz"],
                              ["explain"], ["compare", "--on", "cpu", "--repeat", "1"]):
                if arguments[0] == "bfs":  # not square
                    self.assertIn("3 rows and 4 columns", self.fail_with_line(1, *arguments, path))
                elif arguments[0] in ("explain", "compare"):
                    self.succeed(*arguments, path)
                else:
                    self.assertEqual(self.succeed(*arguments, path).replace("a.npz", "a.mtx"),
                                     self.succeed(*arguments, same))

    def test_archives_through_pipes_and_packed(self):
        content = archive(csr())
        for each in (content, gzip.compress(content)):
            done = _program.run("spmv", "-", stdin=None, input=each, text=False)
            self.assertEqual((done.returncode, done.stdout), (0, b"1.5\n0\n4\n"), done.stderr)

    def test_vectors_of_numpy(self):
        matrix = self.write("a.npz", archive(csr()))
        x = self.write("x.npy", npy("d", [1, 2, 3, 4]))
        out = self.folder / "y.npy"
        self.assertEqual(self.succeed("spmv", matrix, "--x", x, "-o", out), "")
        self.assertEqual(numbers(out.read_bytes()), [-1.5, 0, 8])
        self.assertEqual(self.succeed("spmv", matrix, "--x", self.write("i", npy("q", [1, 2, 3, 4]))), "-1.5\n0\n8\n")
        column = npy("d", [1, 2, 3, 4], "(4, 1)")
        self.assertEqual(self.succeed("spmv", matrix, "--x", self.write("c", column)), "-1.5\n0\n8\n")

    def test_complex_arrays(self):
        matrix = self.write("a.npy", npy("D", [1 + 2j, 0j, 0j, 3j], "(2, 2)"))
        x = self.write("x.npy", npy("D", [1j, 2 + 0j]))
        out = self.folder / "y.npy"
        self.assertEqual(self.succeed("spmv", matrix, "--x", x, "-o", out), "")
        content = out.read_bytes()
        self.assertIn(b"'<c16'", content)
        self.assertEqual(struct.unpack("<4d", content[-32:]), (-2, 1, 0, 6))
        real = self.write("r.npz", archive(csr()))
        product = self.succeed("spmv", real, "--x", self.write("w.npy", npy("D", [1j, 0j, 0j, 1j], "(4, 1)")))
        self.assertEqual(product.split("\n")[:3], ["%%MatrixMarket matrix array complex general", "3 1", "0 1.5"])
        self.assertEqual(json.loads(self.succeed("info", matrix, "--json"))["atoms"], 4)
        self.succeed("draw", "merge_path", matrix, "-o", self.folder / "a.svg")
        self.assertIn("must be real", self.fail_with_line(1, "compare", matrix, "--on", "cpu"))

    def test_complex_values_take_some_schedules(self):
        matrix = self.write("a.npy", npy("D", [1 + 2j, 0j, 0j, 3j], "(2, 2)"))
        for executor in ("cpu", "simt"):
            for schedule in ("automatic", "thread_mapped", "warp_mapped:block_size=64", "merge_path"):
                with self.subTest(executor=executor, schedule=schedule):
                    product = self.succeed("spmv", matrix, "--on", executor, "--schedule", schedule)
                    self.assertEqual(product.split("\n")[1:4], ["2 1", "1 2", "0 3"])
            error = self.fail_with_line(1, "spmv", matrix, "--on", executor, "--schedule", "streamed")
            self.assertIn("streamed: complex values need one of automatic, thread_mapped, warp_mapped, merge_path",
                          error)

    def test_what_is_damaged_leaves_one_line_and_no_output(self):
        whole = archive(csr())
        broken = {
            "short": (whole[:-30], "the file is cut off or damaged (Unrecognized archive format); copy or download it"),
            "nested": (archive({**csr(), "data": whole}), "data.npy: not a NumPy array: it has the wrong first bytes"),
            "offsets": (archive({**csr(), "indptr": npy("i", [0, 2, 1, 3])}), "offsets must not decrease"),
            "outside": (archive({**csr(), "indices": npy("i", [0, 4, 1])}), "element 1 is 4: it must be 0 to 3"),
            "bomb": (archive({**csr(), "data": npy("d", [], "(3,)") + bytes(200_000_000)}), "more bytes than the"),
            "huge": (archive({**csr(), "data": npy("d", [1], "(2000000000,)")}), "the data end before the end"),
            "missing": (archive({k: v for k, v in csr().items() if k != "data"}), "the archive has no data.npy"),
        }
        for name, (content, words) in broken.items():
            out = self.folder / "y.txt"
            line = self.fail_with_line(1, "spmv", self.write(name, content), "-o", out)
            self.assertIn(f"{name}: ", line)
            self.assertIn(words, line)
            self.assertFalse(out.exists())

    def test_files_that_numpy_and_scipy_wrote(self):
        for path in DATA.glob("c*scipy*.npz"):
            self.assertEqual(self.succeed("spmv", path), "-0.5\n0\n3.25\n", path)
        for name in ("f4.npy", "version2.npy", "version3.npy", "big_endian_column.npy"):
            self.assertEqual(self.succeed("spmv", "dense:rows=1,cols=3", "--x", DATA / name).count("\n"), 1)
        self.assertEqual(json.loads(self.succeed("info", DATA / "csr_complex.npz", "--json"))["atoms"], 4)
        for name, atoms in (("bsr.npz", 16), ("dia.npz", 3)):
            self.assertEqual(json.loads(self.succeed("info", DATA / name, "--json"))["atoms"], atoms)

    def test_content_goes_before_the_ending(self):
        for name, content in (("a.npz", _program.SMALL), ("a.mtx", archive(csr())), ("a.graph", archive(csr()))):
            self.assertEqual(self.succeed("spmv", self.write(name, content)), "1.5\n0\n4\n")
        road = self.write("road", "c\np sp 2 1\na 1 2 7\n")
        self.assertEqual(self.succeed("sssp", road, "--source", "1", "-o", "-").split()[:2], ["0", "7"])
        self.assertEqual(self.succeed("spmv", road), "7\n0\n")
        line = self.fail_with_line(1, "info", self.write("a.dat", "0 1\n"))
        self.assertIn("a.dat: unknown format: Matrix Market, Harwell-Boeing, .npz", line)

    def test_points(self):
        path = self.write("two.xyz", "1 2 3\n-0.5 0 2e5\n")
        found = json.loads(self.succeed("info", path, "--json"))
        self.assertEqual(found, {"workload": str(path), "points": 2, "least": [-0.5, 0, 3], "greatest": [1, 2, 2e5]})
        self.assertEqual(self.succeed("info", path),
                         f"{path}\n\n  points 2\n  x: -0.5 to 1\n  y: 0 to 2\n  z: 3 to 200000\n")
        ply = ("ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
               "property float z\nend_header\n").encode() + struct.pack(">3f", 1, 2, 3)
        done = _program.run("info", "-", "--json", stdin=None, input=gzip.compress(ply), text=False)
        self.assertEqual(json.loads(done.stdout)["greatest"], [1, 2, 3])
        self.assertIn("points, but a matrix or a graph is needed", self.fail_with_line(1, "spmv", path))


_program.main()
