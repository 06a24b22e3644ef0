#!/usr/bin/env python3
"""The judge: does every concept stand in the text?

A gate reads the same envelope as its stage, with the stage's output as "out", and answers with a
verdict. This one is sure of a concept that stands in the text word for word, and of one that does
not stand there at all. Of a name that only stands there in short it is not sure: a person decides.
"""

import json
import os
import pathlib
import re
import sys


def main() -> int:
    envelope = json.load(sys.stdin)
    text = pathlib.Path(envelope["in"]["markdown"]).read_text(encoding="utf-8")
    text = " ".join(text.split())

    criteria, invented, unsure = [], [], []
    for node in envelope["out"]["graph"]["nodes"]:
        label, short = node["label"], node.get("written")
        if label in text:
            actual = "in the text"
        elif short and re.search(rf"\b{re.escape(short)}\b", text):
            actual = f'only as "{short}"'
            unsure.append(f'"{label}" stands in the text only as "{short}"')
        else:
            actual = "not in the text"
            invented.append(label)
        criteria.append({"name": label, "expected": "in the text", "actual": actual,
                         "passed": actual == "in the text"})

    if invented:
        answer = {"verdict": "rejected", "summary": "not in the text: " + ", ".join(invented),
                  "guidance": {"leave_out": invented}}
    elif unsure:
        answer = {"verdict": "uncertain", "summary": "; ".join(unsure)}
    else:
        answer = {"verdict": "accepted", "summary": f"all {len(criteria)} concepts are in the text"}

    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(answer | {"criteria": criteria}),
                                        encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
