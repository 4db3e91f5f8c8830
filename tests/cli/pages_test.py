# SPDX-License-Identifier: Apache-2.0
"""Commands of README.md, docs/get-started and docs/how-do-i run as they stand, in a folder with small files."""
import os
import re
import subprocess
from pathlib import Path

import _program

ROOT = Path(__file__).resolve().parents[2]
NOT_RUN = {"./run", "./run build"}  # builds


def commands():
    """The page of each command, without comments."""
    found = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("get-started/*.md")),
                 *sorted((ROOT / "docs").glob("how-do-i/*.md"))):
        for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            for line in block.splitlines():
                command = line.split(" # ")[0].strip()
                if re.match(r"(evenly|\./run)\b", command) and command not in NOT_RUN:
                    found.setdefault(command, page.name)
    return found


class PagesTest(_program.ProgramTest):
    def test_commands_run(self):
        (self.folder / "run").symlink_to(_program.PROGRAM)
        self.write("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n" "4 4 5\n"
                                 "1 1 2.5\n1 4 -1\n3 2 4\n4 1 1\n4 4 1\n")
        self.write("edges.el", "0 1\n1 2\n2 0\n0 3\n")
        has_gpu = "GPU" in self.succeed("--version") and "no GPU" not in self.succeed("--version")
        found = commands()
        self.assertGreater(len(found), 18)
        path = f"{_program.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
        for command, page in found.items():
            if "--on cuda" in command and not has_gpu:
                continue
            with self.subTest(page=page, command=command):
                # Once, where the command would go on until times settle.
                once = " --repeat 1" if re.search(r"\b(compare|octree)\b", command) else ""
                done = subprocess.run(["bash", "-c", command + once], cwd=self.folder, env={**os.environ, "PATH": path},
                                      check=False, timeout=120, text=True, capture_output=True,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
                for output in re.findall(r"(?:-o|--json|--report) (\S+)", command):
                    self.assertGreater((self.folder / output).stat().st_size, 0, output)


_program.main()
