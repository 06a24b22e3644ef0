#!/usr/bin/env python3
"""Links of a document to others, kept in one database that all documents share.

    cross_reference.py --db FILE

The database allows one writer at a time, so the stage's pool has a place for one; should another
program hold it all the same, exit code 75 asks for another try. The rows of this document are
replaced as a whole, so an attempt that runs twice leaves nothing twice.

A reviewer who asks for changes is heard: `leave out "TITLE"` in the note drops that link.
"""

import argparse
import json
import os
import pathlib
import re
import sqlite3
import sys

EX_TEMPFAIL = 75
SCHEMA = """
CREATE TABLE IF NOT EXISTS link (document TEXT, title TEXT, PRIMARY KEY (document, title));
CREATE TABLE IF NOT EXISTS concept (document TEXT, label TEXT, PRIMARY KEY (document, label));
"""


def remember(path: str, document: str, links: list[dict], labels: list[str]) -> None:
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, timeout=1.0)
    try:
        with database:  # one transaction
            database.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA.strip().splitlines():
                database.execute(statement)
            database.execute("DELETE FROM link WHERE document = ?", (document,))
            database.execute("DELETE FROM concept WHERE document = ?", (document,))
            database.executemany("INSERT INTO link VALUES (?, ?)",
                                 [(document, link["title"]) for link in links])
            database.executemany("INSERT INTO concept VALUES (?, ?)",
                                 [(document, label) for label in labels])
    finally:
        database.close()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", required=True)
    arguments = parser.parse_args()
    envelope = json.load(sys.stdin)
    graph = envelope["in"]["graph"]
    note = (envelope.get("feedback") or {}).get("summary") or ""
    left_out = set(re.findall(r'leave out "([^"]+)"', note))

    links = [{"title": title, "why": "named in the text"}
             for title in graph["references"] if title not in left_out]
    try:
        remember(arguments.db, envelope["item"]["id"], links,
                 [node["label"] for node in graph["nodes"]])
    except sqlite3.OperationalError as error:
        print(f"{arguments.db}: {error}", file=sys.stderr)
        return EX_TEMPFAIL

    result = {"output": {"links": links, "count": len(links)},
              "summary": f"{len(links)} links" + (f", {len(left_out)} left out" if left_out else "")}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
