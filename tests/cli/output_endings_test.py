# SPDX-License-Identifier: Apache-2.0
"""Every output of every command has the format that its ending names, or the ending is refused."""
import bz2
import gzip
import io
import json
import lzma
import shutil
import struct
import subprocess
import zipfile

import _program

EDGES = "0 1 2\n1 2 3\n0 3 9\n"
PLAIN = ("", ".txt", ".out")  # endings that name no format
NAMED = (".npy", ".npz", ".mtx", ".json", ".html", ".svg", ".NPY", ".Mtx")
FOREIGN = (".csv", ".png", ".mat", ".h5", ".el", ".pdf", ".zip")


def unzstd(content):
    return subprocess.run(["zstd", "-dc"], input=content, capture_output=True, check=True).stdout


CODINGS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress, ".zst": unzstd}

VECTOR, DENSE, SPARSE, TABLE = ("text", "npy", "mtx"), ("mtx", "npy"), ("mtx", "npz"), ("text", "npy")
# Command line without the output's option, that option, and what can be written there: first what plain endings are.
OUTPUTS = (
    (("spmv", "grid:x=3,y=2"), "-o", VECTOR),
    (("bfs", "edges.wel", "--source", "0", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("bfs", "edges.wel", "--source", "0", "--on", "cpu", "--repeat", "1"), "--parents", VECTOR),
    (("bfs", "edges.wel", "--together", "--source", "random:2", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("sssp", "edges.wel", "--source", "0", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("dfs", "edges.wel", "--source", "0", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("scc", "edges.wel", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("components", "edges.wel", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("triangles", "edges.wel", "--undirected", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("betweenness", "edges.wel", "--on", "cpu", "--repeat", "1"), "-o", VECTOR),
    (("sssp", "edges.wel", "--source", "0", "--on", "cpu", "--repeat", "1"), "--parents", VECTOR),
    (("bfs", "edges.wel", "--renumber", "--source", "0", "--on", "cpu", "--repeat", "1"), "--map", ("text",)),
    (("spgemm", "grid:x=3,y=2", "--on", "cpu"), "-o", SPARSE),
    (("transpose", "grid:x=3,y=2"), "-o", SPARSE),
    (("convert", "grid:x=3,y=2"), "-o", SPARSE),
    (("spmm", "grid:x=3,y=2", "--width", "2", "--on", "cpu"), "-o", DENSE),
    (("solve", "grid:x=3,y=2", "--laplacian", "--on", "cpu"), "-o", VECTOR),
    (("trsv", "grid:x=3,y=2", "--unit-diagonal", "--on", "cpu"), "-o", VECTOR),
    (("octree", "uniform:n=50", "--on", "cpu", "--repeat", "1", "--pool", "stealing"), "--output", TABLE),
    (("octree", "uniform:n=50", "--on", "cpu", "--repeat", "1", "--pool", "stealing"), "--draw", ("svg",)),
    (("neighbors", "uniform:n=50", "--cutoff", "3", "--on", "cpu", "--repeat", "1"), "-o", TABLE),
    (("draw", "merge_path"), "-o", ("svg",)),
    (("compare", "grid:x=3,y=2", "--on", "cpu", "--repeat", "1", "--schedule", "merge_path"), "--json", ("json",)),
    (("explain", "grid:x=3,y=2"), "--json", ("json",)),
    (("ladder", "scan", "--count", "--n", "1000"), "--json", ("json",)),
    (("tasks", "fib:n=8", "--on", "cpu", "--repeat", "1"), "--json", ("json",)),
    (("reorganize", "random:threads=200,elements=200", "--on", "cpu", "--arm", "none", "--repeat", "1"), "--json",
     ("json",)),
    (("study", "mapping", "regular:rows=200,size=8", "--quick", "--on", "cpu"), "--json", ("json",)),
)
PAGES = (
    ("compare", "grid:x=3,y=2", "--on", "cpu", "--repeat", "1", "--schedule", "merge_path"),
    ("explain", "grid:x=3,y=2"),
)


def format_of(content):
    if content.startswith(b"\x93NUMPY"):
        return "npy"
    if content.startswith(b"PK"):
        return "npz"
    if content.startswith(b"%%MatrixMarket"):
        return "mtx"
    if content.lstrip().startswith(b"{"):
        return "json"
    if b"<svg" in content[:200]:
        return "svg"
    if content.lower().startswith(b"<!doctype html"):
        return "html"
    return "text"


def npy_of(content):
    """Type, shape and elements of an array of NumPy."""
    length = struct.unpack("<H", content[8:10])[0]
    head = eval(content[10:10 + length], {"__builtins__": {}}, {})  # a literal dictionary
    count = 1
    for each in head["shape"]:
        count *= each
    code = {"<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d", "|b1": "?"}[head["descr"]]
    return head["descr"], head["shape"], struct.unpack(f"<{count}{code}", content[10 + length:])


class OutputEndings(_program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("edges.wel", EDGES)

    def write_as(self, arguments, option, ending):
        """The output's content, or nothing where the ending is refused."""
        path = self.folder / f"out{ending}"
        path.unlink(missing_ok=True)
        done = _program.run(*arguments, option, path, cwd=self.folder)
        if done.returncode == 0:
            return path.read_bytes()
        self.assertEqual(done.returncode, 2, f"{arguments} {option} {path.name}: {done.stderr}")
        self.assertRegex(done.stderr, rf"\Aevenly: {option}[^\n]* written as [^\n]+\n\Z", arguments)
        self.assertFalse(path.exists())
        self.assertEqual([each.name for each in self.folder.iterdir() if each.name.startswith(".evenly")], [])
        return None

    def check_endings(self, endings):
        for arguments, option, possible in OUTPUTS:
            for ending in endings:
                with self.subTest(command=arguments[0], option=option, ending=ending):
                    content = self.write_as(arguments, option, ending)
                    named = ending.lower().lstrip(".")
                    if ending in PLAIN:
                        self.assertEqual(format_of(content), possible[0])
                    elif ending in NAMED and named in possible:
                        self.assertEqual(format_of(content), named)
                    else:
                        self.assertIsNone(content)

    def test_an_ending_is_kept_or_refused(self):
        self.check_endings(PLAIN + NAMED + FOREIGN[:1])

    @_program.with_label_all
    def test_more_foreign_endings_are_refused(self):
        self.check_endings(FOREIGN[1:])

    def test_every_output_is_compressed_by_its_ending(self):
        codings = [each for each in CODINGS if each != ".zst" or shutil.which("zstd")]
        for number, (arguments, option, possible) in enumerate(OUTPUTS):
            coding = codings[number % len(codings)]
            for kind in possible:
                if kind == "npz":
                    continue
                ending = {"text": ".txt"}.get(kind, f".{kind}") + coding
                with self.subTest(command=arguments[0], option=option, ending=ending):
                    self.assertEqual(format_of(CODINGS[coding](self.write_as(arguments, option, ending))), kind)
        self.assertEqual(_program.run("transpose", "grid:x=3,y=2", "-o", self.folder / "a.npz.gz").returncode, 2)

    def test_pages(self):
        for arguments in PAGES:
            self.assertEqual(format_of(self.write_as(arguments, "--report", ".html")), "html")
            self.assertEqual(format_of(gzip.decompress(self.write_as(arguments, "--report", ".html.gz"))), "html")
            self.assertIsNone(self.write_as(arguments, "--report", ".pdf"))

    def test_arrays_hold_what_text_holds(self):
        for arguments, option, possible in OUTPUTS:
            if "npy" not in possible:
                continue
            with self.subTest(command=arguments[0], option=option):
                kind, shape, values = npy_of(self.write_as(arguments, option, ".npy"))
                self.assertIn(kind, ("<i4", "<i8", "<f8"))
                other = self.write_as(arguments, option, ".mtx" if "mtx" in possible else ".txt").decode()
                lines = [line for line in other.splitlines() if line[0] not in "%#"]
                if "mtx" in possible:
                    rows, cols = map(int, lines.pop(0).split())
                    by_columns = [float(line) for line in lines]
                    read = [by_columns[c * rows + r] for r in range(rows) for c in range(cols)]
                    self.assertEqual(shape, (rows,) if len(shape) == 1 else (rows, cols))
                else:
                    read = [float(word) for line in lines for word in line.split()]
                self.assertEqual([float(value) for value in values], read)

    def test_sparse_archives_hold_what_matrix_market_holds(self):
        product = ("spgemm", "rmat:scale=5,edges=4", "--on", "cpu")
        for arguments in (("transpose", "rmat:scale=5,edges=4"), product, (*product, "--memory", "100k")):
            content = self.write_as(arguments, "-o", ".npz")
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                self.assertIsNone(archive.testzip())
                names = archive.namelist()
                self.assertEqual(sorted(names), ["data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy"])
                self.assertTrue(archive.read("format.npy").endswith(b"csr"))
                data, indices, indptr, shape = (npy_of(archive.read(f"{name}.npy"))[2]
                                                for name in ("data", "indices", "indptr", "shape"))
            rows = [(r + 1, indices[k] + 1, data[k]) for r in range(shape[0]) for k in range(indptr[r], indptr[r + 1])]
            lines = self.write_as(arguments, "-o", ".mtx").decode().splitlines()[2:]
            self.assertEqual(rows, [(int(r), int(c), float(v)) for r, c, v in map(str.split, lines)])
            self.assertEqual(self.succeed("info", self.folder / "out.npz").splitlines()[1:],
                             self.succeed("info", self.folder / "out.mtx").splitlines()[1:])

    def test_json_survives_compression(self):
        arguments = next(each[0] for each in OUTPUTS if each[1] == "--json")
        content = gzip.decompress(self.write_as(arguments, "--json", ".json.gz"))
        self.assertTrue(json.loads(content)["results"])


if __name__ == "__main__":
    _program.main()
