#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/compared.md: times of other libraries / times of evenly.

    scripts/chart.py [FOLDER]    writes peers-light.svg and peers-dark.svg; FOLDER is docs/images by default

The chart has a row for each peer in the first place <!-- peers ... --> of each section. A dot is the geometric mean of
the peer's time / time of evenly over all cases, and a line spans their minimum and maximum. The axis ends at AXIS[1]; a
line that continues has an arrow."""
import math
import re
import statistics
import sys
from pathlib import Path

import tables

PAGE = tables.ROOT / "docs/compared.md"
AXIS = (0.5, 16)
WIDTH, LEFT, RIGHT, ROW = 760, 290, 60, 20
THEMES = {"light": {"text": "#1f2328", "faint": "#59636e", "grid": "#d1d9e0", "ahead": "#0a7d5a", "behind": "#b35900"},
          "dark": {"text": "#f0f6fc", "faint": "#9198a1", "grid": "#3d444d", "ahead": "#3fb98f", "behind": "#e09b4a"}}


def rows():
    """Of each machine: the operation, the peer, and the ratios of all cases."""
    found = {}
    page = PAGE.read_text(encoding="utf-8")
    for title, section in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", page, re.MULTILINE):
        place = re.search(r"^<!-- peers (\S+): (.+) -->$", section, re.MULTILINE)
        if place:
            report = tables.load(tables.ROOT / f"bench/results/{place[1]}.json")
            machine = report["machine"].get("gpu") or report["machine"]["cpu"]
            for peer, ratios in tables.ratios_to_peers(report, place[2].split()).items():
                found.setdefault(machine, []).append((title.split(" on a ")[0], peer, list(ratios.values())))
    return found


def x_of(ratio):
    left, right = map(math.log, AXIS)
    return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(min(max(ratio, AXIS[0]), AXIS[1])) - left) / (right - left)


def text(x, y, words, colour, anchor="start", weight="normal"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{words}</text>')


def row(y, operation, peer, ratios, colours):
    mean, low, high = statistics.geometric_mean(ratios), min(ratios), max(ratios)
    colour = colours["ahead" if mean > 1 else "behind"]
    ends = f"M{x_of(low):.1f} {y}H{x_of(high):.1f}" + ("m-5 -4l5 4l-5 4" if high > AXIS[1] else "")
    return [text(10, y + 4, operation, colours["text"]), text(LEFT - 12, y + 4, peer, colours["text"], "end"),
            f'<path d="{ends}" stroke="{colour}" stroke-width="2" fill="none"/>',
            f'<circle cx="{x_of(mean):.1f}" cy="{y}" r="5" fill="{colour}"/>',
            text(WIDTH - 10, y + 4, tables.times(mean), colours["text"], "end")]


def chart(found, colours):
    parts, y = [], 52
    for machine, rows_of_machine in found.items():
        parts.append(text(10, y + 4, machine, colours["text"], weight="bold"))
        before = None
        for operation, peer, ratios in rows_of_machine:
            y += ROW
            parts += row(y, "" if operation == before else operation, peer, ratios, colours)
            before = operation
        y += ROW + 8
    ratio, grid = AXIS[0], []
    while ratio <= AXIS[1]:
        at_one = ratio == 1
        grid += [f'<path d="M{x_of(ratio):.1f} 36V{y - 16}" '
                 f'stroke="{colours["faint" if at_one else "grid"]}" stroke-width="{2 if at_one else 1}"/>',
                 text(x_of(ratio), y, f"{ratio:g}", colours["faint"], "middle")]
        ratio *= 2
    head = [text(x_of(1) + 4, 18, "evenly is faster", colours["faint"]),
            text(x_of(1) - 4, 18, "other library is faster", colours["faint"], "end"),
            text(WIDTH - 10, 18, "mean", colours["faint"], "end")]
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 12}" width="{WIDTH}" '
                      f'height="{y + 12}" font-family="system-ui, sans-serif" font-size="13">',
                      "<title>Time of other libraries / time of evenly</title>", *grid, *head, *parts,
                      "</svg>"]) + "\n"


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else tables.ROOT / "docs/images"
    found = rows()
    for theme, colours in THEMES.items():
        (folder / f"peers-{theme}.svg").write_text(chart(found, colours), encoding="utf-8")


if __name__ == "__main__":
    main()
