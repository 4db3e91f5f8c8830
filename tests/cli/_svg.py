# SPDX-License-Identifier: Apache-2.0
"""Texts of SVG pictures, and the room that they need in Helvetica, Arial or Liberation Sans, which are equally wide."""
import math
import re

SVG = "{http://www.w3.org/2000/svg}"
# In thousandths of the size; other characters: as wide as the widest letters.
NARROW = {" .,:;/|!'ijlIt[]f()-`r": 340, "{}*": 390, "\"": 360, "abdeghnopqu0123456789_?L$#": 560,
          "cksvxyzJ": 500, "FTZ": 620, "ABEKPSVXY&": 670, "CDHNRUw+<>=~": 730, "GOQ": 780, "mM": 840, "W%@": 1020}
WIDTHS = {letter: width for letters, width in NARROW.items() for letter in letters}


def text_width(words, size, bold=False):
    return sum(WIDTHS.get(letter, 1020) for letter in words) / 1000 * size * (1.07 if bold else 1)


class Text:
    """A text's anchor, its direction in degrees, and its width."""

    def __init__(self, element, place, style):
        self.words = "".join(element.itertext()).strip()
        size = float(style.get("font-size", 12))
        self.width = text_width(self.words, size, style.get("font-weight") == "bold")
        self.size = size
        self.x, self.y, self.turn = place
        start = {"end": -self.width, "middle": -self.width / 2}.get(style.get("text-anchor"), 0)
        self.ends = [self.at(start), self.at(start + self.width)]

    def at(self, along):
        return (self.x + along * math.cos(math.radians(self.turn)), self.y + along * math.sin(math.radians(self.turn)))


def texts_in(picture):
    """All texts of an SVG element that show something."""
    found = []

    def visit(element, place, style):
        style = {**style, **{name: element.get(name) for name in ("font-size", "text-anchor", "font-weight")
                             if element.get(name)}}
        x, y, turn = place
        for kind, values in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
            numbers = [float(value) for value in re.split("[ ,]+", values.strip())]
            if kind == "translate":
                x, y = x + numbers[0], y + numbers[1]
            elif kind == "rotate":
                turn += numbers[0]
        if element.tag == SVG + "text":
            inner = next(element.iter(SVG + "tspan"), element)
            style = {**style, **{name: inner.get(name) for name in ("font-size",) if inner.get(name)}}
            text = Text(element, (x + float(element.get("x", 0)), y + float(element.get("y", 0)), turn), style)
            if text.words:
                found.append(text)
            return
        for child in element:
            visit(child, (x, y, turn), style)

    visit(picture, (0.0, 0.0, 0.0), {})
    return found


def clipped_texts(picture):
    """Those that are not wholly inside of the picture's view box, in words."""
    left, top, width, height = map(float, picture.get("viewBox").split())
    return [f"{text.words!r} from {text.ends[0]} to {text.ends[1]} of {width} x {height}" for text in texts_in(picture)
            if not all(left - 0.5 <= x <= left + width + 0.5 and top - 0.5 <= y <= top + height + 0.5
                       for x, y in text.ends)]
