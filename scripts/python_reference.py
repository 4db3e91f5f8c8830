# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package as Markdown, from the docstrings in python/evenly. The package is parsed, not
imported, so the compiled module is not needed. `python3 scripts/python_reference.py` prints the page."""
import ast
import re
import textwrap
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python/evenly"
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
GROUPS = {  # of names by the module that defines them
    "_matrix": "Matrices", "_solvers": "Matrices", "_segments": "Segments", "_segment_plans": "Segments",
    "_attention": "Segments",
    "_whole_arrays": "Whole arrays", "_gathers": "Whole arrays",
    "_graphs": "Graphs", "_components": "Graphs", "_analysis": "Graphs", "_structures": "Graphs",
    "_neighbors": "Points", "_octree": "Points", "io": "Files", "_worlds": "Ranks",
    "_studies": "Explanations", "_device": "Arrays on a GPU", "_device_arrays": "Arrays on a GPU",
    "_arrays": "Settings", "__init__": "Settings",
}  # fmt: skip


def tree_of(module):
    return ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))


def definitions(module):
    return {node.name: node for node in tree_of(module).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def public_names():
    """(group, name, definition) of each public name; names of io are `io.NAME`."""
    imported, names = {}, []
    for node in tree_of("__init__").body:
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = ast.literal_eval(node.value)
    modules = {module: definitions(module) for module in GROUPS}
    for name in names:
        if name == "io":
            for each, definition in modules["io"].items():
                if not each.startswith("_"):
                    yield GROUPS["io"], f"io.{each}", definition
        else:
            module = imported.get(name, "__init__")
            yield GROUPS[module], name, modules[module][name]


def sections_of(docstring):
    """[("", summary), ("Parameters", text), ...]"""
    parts = SECTION.split(docstring)
    return [("", parts[0].strip()), *zip(parts[1::2], (text.rstrip() for text in parts[2::2]))]


def signature(name, function):
    arguments = function.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args = arguments.args[1:]
    for each in [*arguments.args, *arguments.kwonlyargs, *filter(None, [arguments.vararg])]:
        each.annotation = None
    return f"{name}({ast.unparse(arguments)})"


def prose(text, known):
    """Paragraphs: code, literals and references of reStructuredText as those of Markdown."""
    fence = lambda code: f":\n\n```python\n{textwrap.dedent(code[1]).strip()}\n```\n"
    text = re.sub(r"::\n\n((?: {4}.*\n?)+)", fence, text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    link = lambda name: f"[`{name[1]}`](#{name[1]})" if name[1] in known else name[0]
    return re.sub(r"(?<!`)`(\w+)`(?!`)", link, text)


def items(text, known):
    """`name : type` with an indented description, as a list; text that is not indented so, as prose."""
    if not re.search(r"^ ", text, re.MULTILINE) and " : " not in text and "\n\n" in text:
        return prose(text, known)
    found = []
    for head, body in re.findall(r"^(\S.*)\n((?:(?: .*)?\n)*)", text + "\n", re.MULTILINE):
        name, _, kind = head.partition(" : ")
        described = textwrap.indent(prose(textwrap.dedent(body).strip(), known), "    ")
        kind = f" : {prose(kind, known)}" if kind else ""
        line_break = "\n\n" if described.startswith("    *") else "<br>\n"
        found.append(f"* **{prose(name, known)}**{kind}" + (line_break + described if described else ""))
    return "\n".join(found)


def describe(docstring, known):
    lines = []
    for title, text in sections_of(docstring):
        if title:
            lines.append(f"**{title}**")
        lines.append(prose(text, known) if title in ("", "Notes") else items(text, known))
    return "\n\n".join(lines)


def members_of(definition, known):
    """Public methods and properties that have a docstring, and calls."""
    for node in definition.body:
        if not isinstance(node, ast.FunctionDef) or not ast.get_docstring(node):
            continue
        if node.name.startswith("_") and node.name != "__call__":
            continue
        is_property = any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list)
        title = node.name if is_property else signature("" if node.name == "__call__" else node.name, node)
        yield f"### `{definition.name}{'' if title.startswith('(') else '.'}{title}`\n\n" + describe(
            ast.get_docstring(node), known
        )


def entry(name, definition, known):
    if isinstance(definition, ast.FunctionDef):
        call = signature(name, definition)
    else:
        made = [node for node in definition.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
        fields = [node.target.id for node in definition.body if isinstance(node, ast.AnnAssign)]
        call = signature(name, made[0]) if made else f"{name}({', '.join(fields)})"
    text = f"## {name}\n\n```python\n{call}\n```\n\n{describe(ast.get_docstring(definition), known)}"
    if isinstance(definition, ast.ClassDef):
        text = "\n\n".join([text, *members_of(definition, known)])
    return text


def reference():
    """The page."""
    found = list(public_names())
    known = {name for _, name, _ in found}
    lists, entries = [], []
    for group in dict.fromkeys(GROUPS.values()):
        mine = sorted((name, definition) for each, name, definition in found if each == group)
        links = ", ".join(f"[`{name}`](#{name.replace('.', '')})" for name, _ in mine)
        lists.append(f"* {group}: {links}")
        entries += [entry(name, definition, known) for name, definition in mine]
    head = "# Functions of the Python package\n\n`import evenly as ev`; [Python](python.md) is the introduction.\n"
    return "\n".join([head, *lists, "", "\n\n".join(entries), ""])


if __name__ == "__main__":
    print(reference(), end="")
