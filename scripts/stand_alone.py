# SPDX-License-Identifier: Apache-2.0
"""Writes the sources that compile each header alone: stand_alone.py INCLUDE SOURCES

SOURCES is a file of lines "HEADER SOURCE"; headers are in the folder INCLUDE.

A header that another header includes first is tested in the source of that header: it is included before the other
one, which then sees nothing new. So a source has a chain of headers, each of which includes those before it, and the
sources of the other headers of the chain are empty. An include counts only if it is outside of any #if and precedes
all code. Sources that would not change are not written."""
import os
import re
import sys


def included_by(path):
    """The headers of ours that are included whatever is defined."""
    found, depth = [], 0
    with open(path, encoding="utf-8") as text:
        for line in text:
            if re.match(r"#\s*if", line):
                depth += 1
            elif re.match(r"#\s*endif", line):
                depth -= 1
            elif depth == 0 and line.startswith("namespace"):
                break
            elif depth == 0 and (include := re.match(r'#\s*include "([^"]+)"', line)):
                found.append(include[1])
    return found


def all_included(header, includes):
    """The same, with what these include."""
    seen, waiting = set(), list(includes[header])
    while waiting:
        each = waiting.pop()
        if each in includes and each not in seen:
            seen.add(each)
            waiting += includes[each]
    return seen - {header}


def chains_of(headers, below):
    """Each header in one list, in which those that follow are among what it includes."""
    left, chains = set(headers), []
    for header in sorted(headers, key=lambda each: (-len(below[each]), each)):
        chain = []
        while header in left:
            chain.append(header)
            left.remove(header)
            header = max(below[header] & left, key=lambda each: (len(below[each]), each), default=None)
        if chain:
            chains.append(chain)
    return chains


def main():
    folder, listed = sys.argv[1:]
    with open(listed, encoding="utf-8") as lines:
        sources = dict(line.rstrip("\n").split(" ", 1) for line in lines)
    includes = {header: included_by(os.path.join(folder, header)) for header in sources}
    below = {header: all_included(header, includes) for header in sources}
    texts = dict.fromkeys(sources, "")
    for chain in chains_of(sources, below):
        texts[chain[0]] = "".join(f'#include "{header}"\n' * 2 for header in reversed(chain))
    for header, source in sources.items():
        if os.path.exists(source):
            with open(source, encoding="utf-8") as before:
                if before.read() == texts[header]:
                    continue
        with open(source, "w", encoding="utf-8") as text:
            text.write(texts[header])


if __name__ == "__main__":
    main()
