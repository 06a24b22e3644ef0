"""The parts of Markdown that the checks of the documents need: tables, code blocks, links, headings."""

import dataclasses
import pathlib
import re
from collections.abc import Iterator


@dataclasses.dataclass
class Row:
    """One row of a table, with the names of its columns in lower case."""
    line: int
    columns: list[str]
    cells: list[str]

    def __getitem__(self, column: str) -> str:
        return self.cells[self.columns.index(column)]


@dataclasses.dataclass
class Block:
    """A fenced block; `note` is the text of an HTML comment on the line before it."""
    line: int
    language: str
    note: str
    lines: list[str]


FENCE = re.compile(r"^```(\w*)\s*$")
NOTE = re.compile(r"^<!--\s*(.*?)\s*-->$")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block, in order."""
    open_block: Block | None = None
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if open_block is not None:
            if line.startswith("```"):
                yield open_block
                open_block = None
            else:
                open_block.lines.append(line)
        elif fence:
            note = NOTE.match(before)
            open_block = Block(number, fence[1], note[1] if note else "", [])
        if line.strip():
            before = line.strip()


def prose(text: str) -> str:
    """The text with fenced blocks blanked; every line keeps its number."""
    lines = text.splitlines()
    for block in blocks(text):
        for i in range(block.line - 1, block.line + len(block.lines) + 1):
            lines[i] = ""
    return "\n".join(lines)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def rows(text: str) -> Iterator[Row]:
    """Every row of every table."""
    lines = prose(text).splitlines()
    columns: list[str] | None = None
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("|"):
            columns = None
            continue
        if columns is None:
            columns = [cell.lower() for cell in _cells(line)]
        elif not re.fullmatch(r"[\s|:-]+", line):
            yield Row(number, columns, _cells(line))


def links(text: str) -> Iterator[tuple[int, str]]:
    """The target of every inline link, with its line."""
    for number, line in enumerate(prose(text).splitlines(), 1):
        for match in LINK.finditer(re.sub(r"`[^`]*`", lambda m: "`" * len(m[0]), line)):
            yield number, match[1]


def anchors(text: str) -> set[str]:
    """The anchors of the headings, as forges generate them."""
    found = set()
    for line in prose(text).splitlines():
        if heading := re.match(r"#+\s+(.*)", line):
            plain = re.sub(r"[`*_]", "", heading[1]).strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def code_spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def documents(root: pathlib.Path) -> list[pathlib.Path]:
    """Every Markdown file of the project."""
    ignored = {"build", ".git", ".cache", ".pawl", "documents"}
    return sorted(path for path in root.rglob("*.md")
                  if not ignored & set(path.relative_to(root).parts[:-1]))
