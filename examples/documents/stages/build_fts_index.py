#!/usr/bin/env python3
"""The full-text index of one document: a segment, which the report joins with the others."""

import json
import os
import pathlib
import sqlite3
import sys


def sections_of(markdown: str) -> list[tuple[str, str]]:
    """Heading and body of each section; the title is the heading of what stands first."""
    found: list[tuple[str, list[str]]] = []
    for block in markdown.strip().split("\n\n"):
        if block.startswith("#"):
            found.append((block.lstrip("# "), []))
        elif found:
            found[-1][1].append(block.replace("**", "").replace("|", " "))
    return [(heading, "\n".join(body)) for heading, body in found]


def main() -> int:
    envelope = json.load(sys.stdin)
    source = pathlib.Path(envelope["in"]["markdown"])
    sections = sections_of(source.read_text(encoding="utf-8"))

    name = source.stem + ".fts.db"
    with sqlite3.connect(os.path.join(os.environ["PAWL_DIR"], name)) as database:
        database.execute("CREATE VIRTUAL TABLE section USING fts5(document, heading, body)")
        database.executemany("INSERT INTO section VALUES (?, ?, ?)",
                             [(envelope["item"]["id"], *section) for section in sections])
        database.execute("CREATE VIRTUAL TABLE term USING fts5vocab(section, row)")
        terms, = database.execute("SELECT count(*) FROM term").fetchone()
    database.close()

    result = {"output": {"segment": name, "terms": terms},
              "summary": f"{len(sections)} sections, {terms} terms"}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
