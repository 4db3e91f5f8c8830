# SPDX-License-Identifier: Apache-2.0
"""evenly plan: what ranks hold and send, against sums computed here."""
import json
import unittest

import _program


def split(sizes, ranks, group):
    """The atoms and the stored rows of each rank: the merge path of rows and atoms, cut at groups."""
    owner_of_atom, owner_of_row, step = [], [], 0
    groups = -(-(sum(sizes) + len(sizes)) // group)
    first = [groups // ranks * r + groups % ranks * r // ranks for r in range(ranks + 1)]

    def owner():
        return max(r for r in range(ranks) if first[r] <= step // group < first[r + 1])

    for size in sizes:
        for _ in range(size):
            owner_of_atom.append(owner())
            step += 1
        owner_of_row.append(owner())
        step += 1
    return owner_of_atom, owner_of_row


class Plan(_program.ProgramTest):
    def plan(self, *words):
        return json.loads(self.succeed("plan", *words, "--json"))["plans"]

    def test_figures_of_a_file(self):
        sizes = [row * 7 % 23 for row in range(900)]
        sizes[450] = 880
        columns = [sorted({(row * 31 + k * (1 if row == 450 else 37)) % 900 for k in range(size)})
                   for row, size in enumerate(sizes)]
        sizes = [len(row) for row in columns]
        lines = [f"{row + 1} {column + 1} 1" for row, of in enumerate(columns) for column in of]
        path = self.write("some.mtx", f"%%MatrixMarket matrix coordinate real general\n900 900 {len(lines)}\n"
                          + "\n".join(lines) + "\n")
        plans = self.plan(path, "--ranks", 7, "--block-size", 1)
        self.assertEqual([plan["ranks"] for plan in plans], [1, 2, 4, 7])
        for plan in plans:
            ranks = plan["ranks"]
            of_atom, of_row = split(sizes, ranks, 64 * 12)
            flat = [column for row in columns for column in row]
            needed = {(rank, column) for rank, column in zip(of_atom, flat) if of_row[column] != rank}
            pairs = {(of_row[column], rank) for rank, column in needed}
            steps = [of_atom.count(r) + of_row.count(r) for r in range(ranks)]
            self.assertAlmostEqual(plan["imbalance"], max(steps) * ranks / sum(steps))
            self.assertEqual(plan["max_entries"], max(of_atom.count(r) for r in range(ranks)))
            self.assertEqual(plan["max_bytes_received"],
                             8 * max(sum(rank == r for rank, _ in needed) for r in range(ranks)))
            carries = plan["bytes_sent"] // 8 - len(needed)  # sums of rows that ranks share: a few per cut
            self.assertGreaterEqual(carries, 0)
            self.assertLessEqual(carries, 2 * (ranks - 1))
            most = max([sum(source == r for source, _ in pairs) for r in range(ranks)])
            self.assertIn(plan["max_messages"] - most, (0, 1))

    def test_thousands_of_ranks(self):
        plans = self.plan("rmat:scale=12,edges=16", "--ranks", 1000, "--block-size", 1)
        self.assertEqual([plan["ranks"] for plan in plans], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000])
        self.assertEqual((plans[0]["max_messages"], plans[0]["bytes_sent"], plans[0]["imbalance"]), (0, 0, 1))
        self.assertLess(plans[4]["max_entries"], plans[0]["max_entries"] / 10)

    def test_expected_plans(self):
        """What degrees let expect is close to real plans: sums within 1%, maxima as far as heavy vertices make them."""
        for graph in "rmat:scale=14", "rmat:scale=13,edges=6,a=0.5,b=0.1,c=0.3,d=0.1", "kron:13", "urand:13":
            real = self.plan(graph, "--ranks", 8, "--block-size", 4)
            expected = self.plan(graph, "--ranks", 8, "--block-size", 4, "--expected")
            self.assertEqual([plan["ranks"] for plan in expected], [1, 2, 4, 8])
            for one, other in zip(real, expected):
                with self.subTest(graph, ranks=one["ranks"]):
                    self.assertEqual(one["max_messages"], other["max_messages"])
                    self.assertAlmostEqual(one["imbalance"], other["imbalance"], delta=0.02)
                    for key, tolerance in (("max_entries", 0.02), ("max_bytes", 0.02), ("bytes_sent", 0.01),
                                           ("max_bytes_received", 0.12), ("max_bytes_sent", 0.12)):
                        self.assertAlmostEqual(one[key], other[key], delta=tolerance * one[key], msg=key)
        large = self.plan("rmat:scale=30", "--ranks", 1000)
        self.assertGreater(large[0]["max_entries"], 2**34)
        self.assertLess(large[-1]["max_entries"] * 1000, 1.01 * large[0]["max_entries"])
        self.assertEqual(large[-1]["max_messages"], 1000)
        self.assertIn("rmat:scale=30, expected\n", self.succeed("plan", "rmat:scale=30"))
        self.assertIn("--expected is for", self.fail_with_line(2, "plan", "grid:x=9,y=9", "--expected"))
        self.fail_with_line(2, "plan", "rmat:scale=41")

    def test_predictions(self):
        speeds = ["--ns-per-step", 2, "--us-per-message", 3, "--gb-per-second", 4]
        one, two = self.plan("regular:rows=400000,size=1", "--ranks", 2, *speeds)
        self.assertAlmostEqual(one["predicted_us"], 800000 * 2e-3)
        self.assertLess(two["predicted_us"], 0.9 * one["predicted_us"])
        self.assertIn("\n  use 2 ranks: ", self.succeed("plan", "regular:rows=400000,size=1", "--ranks", 2, *speeds))
        small = json.loads(self.succeed("plan", "grid:x=9,y=9", *speeds, "--json"))  # in one group
        self.assertEqual(small["ranks_to_use"], 1)
        self.assertNotIn("predicted_us", self.plan("grid:x=9,y=9")[0])
        self.assertIn("predicted us", self.succeed("plan", "grid:x=9,y=9", *speeds))

    def test_no_work(self):
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.assertEqual([plan["max_bytes"] for plan in self.plan(empty, "--ranks", 2)], [0, 0])

    def test_refusals(self):
        self.fail_with_line(2, "plan", "grid:x=9,y=9", "--ranks", 0)
        self.fail_with_line(2, "plan", "grid:x=9,y=9", "--ns-per-step", "fast")
        self.assertIn("give all three, or none", self.fail_with_line(2, "plan", "grid:x=9,y=9", "--ns-per-step", 1))


_program.main()
