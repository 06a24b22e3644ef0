#!/usr/bin/env python3
"""Once, when every document has come to its end: a report about all of them, and one search index.

A stage with `scope: all` gets no item but a file with one line for each: its id, its state and the
outputs of its stages. Documents that failed are in it too, and are told in the report.
"""

import json
import os
import pathlib
import sqlite3
import sys


def table(*rows: tuple) -> str:
    head, *rest = rows
    return "\n".join("| " + " | ".join(map(str, row)) + " |"
                     for row in [head, ["---"] * len(head), *rest])


def join_segments(path: pathlib.Path, documents: list[dict]) -> None:
    with sqlite3.connect(path) as index:
        index.execute("CREATE VIRTUAL TABLE section USING fts5(document, heading, body)")
        for document in documents:
            segment = sqlite3.connect(document["outputs"]["build_fts_index"]["segment"])
            index.executemany("INSERT INTO section VALUES (?, ?, ?)",
                              segment.execute("SELECT document, heading, body FROM section"))
            segment.close()
    index.close()


def report_of(published: list[dict], others: list[dict]) -> str:
    titles = {each["outputs"]["extract_concepts"]["graph"]["title"] for each in published}
    rows, lost = [("document", "title", "words", "tables", "concepts", "links")], []
    named_in: dict[str, int] = {}
    for each in published:
        outputs = each["outputs"]
        graph = outputs["extract_concepts"]["graph"]
        markdown, links = outputs["pdf_to_markdown"], outputs["final_review"]["links"]
        rows.append((each["id"], graph["title"], markdown["words"], markdown["tables"],
                     len(graph["nodes"]), len(links)))
        lost += [f'- {each["id"]} names "{link["title"]}"'
                 for link in links if link["title"] not in titles]
        for node in graph["nodes"]:
            named_in[node["label"]] = named_in.get(node["label"], 0) + 1

    shared = sorted(((label, count) for label, count in named_in.items() if count > 1),
                    key=lambda pair: (-pair[1], pair[0]))
    parts = ["# Corpus report",
             f"{len(published)} documents published, {len(others)} not.",
             table(*rows),
             "## Concepts of several documents", table(("concept", "documents"), *shared),
             "## Links that lead nowhere", "\n".join(lost) or "None."]
    if others:
        parts += ["## Not published", table(("document", "state"),
                                            *((each["id"], each["state"]) for each in others))]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    envelope = json.load(sys.stdin)
    with open(envelope["items_file"], encoding="utf-8") as lines:
        items = sorted(map(json.loads, lines), key=lambda item: item["id"])
    published = [item for item in items if item["state"] == "succeeded"]
    others = [item for item in items if item["state"] != "succeeded"]

    directory = pathlib.Path(os.environ["PAWL_DIR"])
    (directory / "report.md").write_text(report_of(published, others), encoding="utf-8")
    join_segments(directory / "search.db", published)

    result = {"output": {"report": "report.md", "index": "search.db"},
              "summary": f"{len(published)} documents published, {len(others)} not"}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
