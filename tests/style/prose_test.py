# SPDX-License-Identifier: Apache-2.0
"""Plain English, as far as a search can tell: pages, comments of include, src and examples, and texts in src.

    person   no who, whoever, whom, nobody or somebody: threads load, blocks write
    long     no sentence has more than 40 words
    bound    no name begins with most_ or least_: bounds are max_x and min_x
    header   a header that a comment names exists

EXCEPTIONS are sentences and names that stay, each with its reason. `prose_test.py --show FILE...` prints breaches."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("include", "src", "examples")
MAX_WORDS = 40
EXCEPTIONS = {  # a name, or how a sentence begins: why it stays
    "# Completion for bash": "a program for the shell",
    "#compdef evenly": "a program for the shell",
    "Constants are ms for each of": "the terms of a model, in generated files",
    "least_blocks": "the former name of a member of kernels, in the message that refuses it",
    "most_blocks": "as least_blocks",
    "most_children": "the former name of a member of bodies, which is accepted",
    "most_frequent": "an adjective: the most frequent stride",
}

WORD = re.compile(r"[\"'(*]*\w")  # not .mtx, not --option
PERSON = re.compile(r"\b(?:who|whoever|whom|nobody|somebody)\b", re.IGNORECASE)
BOUND = re.compile(r"\b(?:most|least)_\w+")
HEADER = re.compile(r"(?<![\w/.<])(?:\w+/)*[a-z]\w*\.hpp\b")
HEADERS = ["/" + str(path.relative_to(ROOT)) for folder in (*FOLDERS, "bench", "tests")
           for path in (ROOT / folder).rglob("*.hpp")]
PLACE = re.compile(r"^<!-- (?!end of )(\w+) ([^\n]*) -->\n.*?^<!-- end of \1 \2 -->$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^\s*///?<?(?: (.*))?$")
TRAILING = re.compile(r"""^(?!\s*//)(?:[^"'\n]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')*?\s//+<? (.*)$""", re.MULTILINE)
LITERALS = re.compile(r'R"\((.*?)\)"|"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def prose_of_page(text):
    """Without programs and filled tables; of links what is shown."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", PLACE.sub("", text), flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"^#+ (.*)$", r"\n\1\n", text, flags=re.MULTILINE)


def prose_of_comments(text):
    """Those with lines of their own, paragraph by paragraph, then those behind code. Indented lines are formulas."""
    found = (COMMENT.match(line) for line in text.splitlines() if "SPDX" not in line)
    lines = ((match[1] or "") if match else "" for match in found)
    lines = (f"\n{line}\n" if line.startswith("  ") else line for line in lines)
    return "\n\n".join(("\n".join(lines), *TRAILING.findall(text)))


def prose_of_literals(text):
    """Literals that stand beside each other are one text."""
    code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    texts = (match[1] or "".join(LITERAL.findall(match[0])) for match in LITERALS.finditer(code))
    return "\n\n".join(texts).replace("\\n", "\n\n").replace('\\"', '"')


def sentences(prose):
    """Code in backquotes is one word; a cell of a table ends a sentence."""
    prose = re.sub(r"``.+?``|`[^`]*`", "CODE", prose, flags=re.DOTALL)
    for part in re.split(r"\n\s*\n|^\s*(?:[*-]|\d+\.) |\|", prose, flags=re.MULTILINE):
        for sentence in re.split(r"(?<=[.!?])[)\"*]*\s+", " ".join(part.split())):
            if sentence:
                yield sentence


def is_header(name):
    return any(path.endswith("/" + name) for path in HEADERS)


def breaches(prose, code="", comments=""):
    """Of each rule the sentences, or the names, that break it."""
    found = [s for s in sentences(prose) if not s.startswith(tuple(EXCEPTIONS))]
    return {"person": [s for s in found if PERSON.search(s)],
            "long": [s for s in found if sum(bool(WORD.match(word)) for word in s.split()) > MAX_WORDS],
            "bound": [name for name in BOUND.findall(code) if name not in EXCEPTIONS],
            "header": [name for name in HEADER.findall(comments) if not is_header(name)]}


def files():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
               if path.suffix in (".hpp", ".cpp", ".cu")]
    return {str(path.relative_to(ROOT)): path for path in sorted(pages + sources)}


def prose_of(path, text):
    if path.suffix == ".md":
        return prose_of_page(text)
    literals = prose_of_literals(text) if path.is_relative_to(ROOT / "src") else ""
    return prose_of_comments(text) + "\n\n" + literals


def all_breaches():
    for name, path in files().items():
        text = path.read_text(encoding="utf-8")
        comments = "" if path.suffix == ".md" else prose_of_comments(text)
        for rule, places in breaches(prose_of(path, text), text, comments).items():
            yield name, rule, places


def show(names):
    for name, rule, places in all_breaches():
        for place in places if name in names else []:
            print(f"{name}: {rule}: {place}")


class Prose(unittest.TestCase):
    def test_rules_find_breaches(self):
        """Before anything is said about the sources."""
        self.assertEqual(breaches("Nobody waits. Blocks wait for whoever is late.")["person"],
                         ["Nobody waits.", "Blocks wait for whoever is late."])
        self.assertEqual(breaches("Blocks whose whole work is done wait.")["person"], [])
        for words, broken in ((MAX_WORDS, 0), (MAX_WORDS + 1, 1)):
            self.assertEqual(len(breaches("One sentence.\n\n" + "word " * words)["long"]), broken)
        self.assertEqual(breaches("word\n* " * 50 + "`a b " + "c " * 50 + "`")["long"], [])
        self.assertEqual(breaches("", "int most_tiles, max_tiles, at_most, least_sectors;")["bound"],
                         ["most_tiles", "least_sectors"])
        self.assertEqual(breaches("", "", "See core/monoid.hpp, view.hpp, core/view.hpp and NAME.hpp.")["header"],
                         ["core/view.hpp"])

    def test_prose_is_found(self):
        page = "# Who\n```cpp\n// who\n```\n<!-- table a -->\nwho\n<!-- end of table a -->\n| a | [who](who.md) |\n"
        self.assertEqual([s for s in sentences(prose_of_page(page)) if PERSON.search(s)], ["Who", "who"])
        code = ('// SPDX who\n/// One\n/// two.\nint a; ///< four\n//\n// Three.\n'
                'use("http://a b", "six\\n" "seven"\n    "8");\n')
        self.assertEqual(list(sentences(prose_of_comments(code))), ["One two.", "Three.", "four"])
        self.assertEqual(list(sentences(prose_of_literals(code))), ["http://a b", "six", "seven8"])

    def test_files(self):
        names = set()
        for name, rule, places in all_breaches():
            names.add(name)
            with self.subTest(file=name, rule=rule):
                self.assertEqual(places, [])
        self.assertGreater(len(names), 800)

    def test_exceptions_are_needed(self):
        texts = {path: path.read_text(encoding="utf-8") for path in files().values()}
        found = [s for path, text in texts.items() for s in sentences(prose_of(path, text))]
        names = {name for text in texts.values() for name in BOUND.findall(text)}
        self.assertEqual([key for key in EXCEPTIONS
                          if key not in names and not any(s.startswith(key) for s in found)], [])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        show(sys.argv[2:])
    else:
        unittest.main()
