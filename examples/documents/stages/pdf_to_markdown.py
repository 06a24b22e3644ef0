#!/usr/bin/env python3
"""PDF to markdown, with pdftotext.

A table that was typed with bars survives the quick way of reading. One that was set in columns
falls apart; then the gate says which criterion failed, and the next attempt reads more slowly.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

# How to read, in the order in which it is tried: each time a gate has said no, the next.
WAYS = [[], ["-layout"], ["-layout", "-fixed", "5"]]

EX_DATAERR, EX_TEMPFAIL, EX_CONFIG = 65, 75, 78


def give_up(code: int, why: str) -> None:
    print(why, file=sys.stderr)  # the last line of stderr becomes the error's message
    sys.exit(code)


def text_of(pdf: str, way: list[str]) -> str:
    try:
        done = subprocess.run(["pdftotext", *way, "-enc", "UTF-8", "-nopgbrk", "--", pdf, "-"],
                              capture_output=True, check=False)
    except FileNotFoundError:
        give_up(EX_CONFIG, "pdftotext is not installed; it comes with poppler-utils")
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode == 0:
        return done.stdout.decode("utf-8")
    if "password" in said.lower():
        give_up(EX_DATAERR, "encrypted pdf")
    if done.returncode in (1, 3):  # cannot be opened; may not be copied
        print(said, file=sys.stderr)
        give_up(EX_DATAERR, "damaged pdf")
    give_up(EX_TEMPFAIL, f"pdftotext ended with {done.returncode}: {said}")


def cells(line: str) -> list[str]:
    """The cells of a row; a single one means that the line is no row."""
    return [cell.strip() for cell in re.split(r" \| | {2,}", line.strip())]


def rows_below(lines: list[str], caption: int) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines[caption + 1:]:
        row = cells(line)
        if len(row) < 2 or (rows and len(row) != len(rows[0])):
            break
        rows.append(row)
    return rows if len(rows) > 1 else []


def to_markdown(text: str) -> tuple[str, int, int]:
    """The markdown, the tables in it, and the tables that the document says it has."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    blocks = ["# " + lines[0].strip()]
    paragraph: list[str] = []
    tables = source_tables = 0

    def end_paragraph() -> None:
        if paragraph:
            blocks.append(" ".join(paragraph))
            paragraph.clear()

    at = 1
    while at < len(lines):
        line = lines[at].strip()
        if re.fullmatch(r"\d+\. [A-Z][^.]*", line):
            end_paragraph()
            blocks.append("## " + line)
        elif re.match(r"Table \d+: ", line):
            end_paragraph()
            blocks.append(f"**{line}**")
            source_tables += 1
            if rows := rows_below(lines, at):
                tables += 1
                rows.insert(1, ["---"] * len(rows[0]))
                blocks.append("\n".join("| " + " | ".join(row) + " |" for row in rows))
                at += len(rows) - 1
        elif line:
            paragraph.append(line)
        else:
            end_paragraph()
        at += 1
    end_paragraph()
    return "\n\n".join(blocks) + "\n", tables, source_tables


def main() -> int:
    envelope = json.load(sys.stdin)
    pdf = envelope["in"]["pdf"]
    refused = sum(each.get("verdict") == "rejected" for each in envelope.get("previous") or [])
    way = WAYS[min(refused, len(WAYS) - 1)]

    markdown, tables, source_tables = to_markdown(text_of(pdf, way))
    name = pathlib.Path(pdf).stem + ".md"
    pathlib.Path(os.environ["PAWL_DIR"], name).write_text(markdown, encoding="utf-8")
    words = len(re.findall(r"\w[\w.,'-]*", markdown))

    how = " ".join(["pdftotext", *way])
    result = {"output": {"markdown": name, "words": words, "tables": tables,
                         "source_tables": source_tables},
              "summary": f"{how}: {words} words, {tables} of {source_tables} tables"}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])  # all of it or nothing
    return 0


if __name__ == "__main__":
    sys.exit(main())
