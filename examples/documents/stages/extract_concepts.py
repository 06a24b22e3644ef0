#!/usr/bin/env python3
"""Concepts of a document and how they hang together, by rule: a concept is a name of two or more
capitalised words, and two of them belong together when one sentence names both.

Where the gate finds concepts without any tie, the next attempt looks at whole sections instead of
sentences. What the judge cannot find in the text, the next attempt leaves out.
"""

import itertools
import json
import os
import pathlib
import re
import sys

SHORT_NAMES = {"VWB": "Varn Water Board"}
OPENERS = {"A", "At", "By", "Does", "Eleven", "From", "How", "In", "Nobody", "Nothing", "On", "See",
           "The", "This", "What", "When", "Whether", "Who"}
KINDS = {
    "place": {"Bay", "Ladder", "Lake", "Lock", "Mill", "Quay", "Stone", "Varn", "Weir"},
    "body": {"Board", "Family", "Fund", "Office", "Society"},
    "thing": {"Ferry", "Festival"},
}

NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+")
TITLE = re.compile(r'"([^"]+)"')


def sections(markdown: str) -> list[str]:
    """The prose under each heading, without tables and captions."""
    found: list[list[str]] = [[]]
    for block in markdown.split("\n\n"):
        if block.startswith("#"):
            found.append([])
        elif not block.startswith(("|", "**")):
            found[-1].append(" ".join(block.split()))
    return [" ".join(blocks) for blocks in found if blocks]


def names_in(text: str) -> list[dict]:
    """The concepts that a piece of text names, each once, in order."""
    nodes = {}
    text = TITLE.sub("", text)  # titles of other documents are references, not concepts
    for match in NAME.finditer(text):
        words = match[0].split()
        while words and words[0] in OPENERS:
            words.pop(0)
        if len(words) > 1:
            nodes[" ".join(words)] = {"label": " ".join(words)}
    for short, long in SHORT_NAMES.items():
        if re.search(rf"\b{short}\b", text):
            nodes.setdefault(long, {"label": long, "written": short})
    return list(nodes.values())


def kind_of(label: str) -> str:
    last = label.split()[-1]
    return next((kind for kind, words in KINDS.items() if last in words), "person")


def graph_of(markdown: str, by_section: bool, left_out: set[str]) -> dict:
    pieces = sections(markdown)
    if not by_section:
        pieces = [each for text in pieces for each in re.split(r"(?<=[.!?;]) ", text)]
    nodes: dict[str, dict] = {}
    edges: set[tuple[str, str]] = set()
    for piece in pieces:
        found = [node for node in names_in(piece) if node["label"] not in left_out]
        for node in found:
            nodes.setdefault(node["label"], node | {"kind": kind_of(node["label"])})
        labels = sorted(node["label"] for node in found)
        edges.update(itertools.combinations(labels, 2))
    title = markdown.split("\n", 1)[0].removeprefix("# ")
    references = dict.fromkeys(TITLE.findall(" ".join(sections(markdown))))
    return {"title": title, "nodes": [nodes[label] for label in sorted(nodes)],
            "edges": sorted(list(edge) for edge in edges), "references": list(references)}


def main() -> int:
    envelope = json.load(sys.stdin)
    feedback = envelope.get("feedback") or {}
    failed = {each["name"] for each in feedback.get("criteria") or [] if not each["passed"]}
    guidance = feedback.get("guidance")
    left_out = set(guidance.get("leave_out", [])) if isinstance(guidance, dict) else set()

    markdown = pathlib.Path(envelope["in"]["markdown"]).read_text(encoding="utf-8")
    graph = graph_of(markdown, "orphans" in failed, left_out)
    tied = {label for edge in graph["edges"] for label in edge}
    orphans = [node["label"] for node in graph["nodes"] if node["label"] not in tied]

    result = {"output": {"graph": graph, "nodes": len(graph["nodes"]), "orphans": len(orphans)},
              "summary": f"{len(graph['nodes'])} concepts, {len(graph['edges'])} ties"
                         + (f"; without a tie: {', '.join(orphans)}" if orphans else "")}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
