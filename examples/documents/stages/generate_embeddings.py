#!/usr/bin/env python3
"""Vectors of a document, one for each chunk of a bounded number of tokens.

The embedder hashes: every word adds or takes one at a place that follows from its SHA-256, and the
vector is brought to length one. It knows nothing of meaning, but it is the same everywhere and
always, so two documents that share words are near each other.
"""

import hashlib
import json
import math
import os
import pathlib
import re
import sys

DIMENSIONS = 64


def chunks_of(markdown: str, max_tokens: int) -> list[list[str]]:
    """Whole paragraphs as long as they fit; one that is too long is cut."""
    chunks: list[list[str]] = []
    for block in markdown.split("\n\n"):
        tokens = re.findall(r"\w+", block.lower())
        while tokens:
            room = max_tokens - len(chunks[-1]) if chunks else 0
            if room < min(len(tokens), max_tokens):
                chunks.append([])
                room = max_tokens
            chunks[-1] += tokens[:room]
            tokens = tokens[room:]
    return chunks


def vector_of(tokens: list[str]) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for token in tokens:
        digest = hashlib.sha256(token.encode()).digest()
        vector[digest[0] % DIMENSIONS] += 1.0 if digest[1] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [round(value / length, 6) for value in vector]


def main() -> int:
    envelope = json.load(sys.stdin)
    source = pathlib.Path(envelope["in"]["markdown"])
    chunks = chunks_of(source.read_text(encoding="utf-8"), envelope["in"]["max_tokens"])

    name = source.stem + ".vectors.jsonl"
    with open(os.path.join(os.environ["PAWL_DIR"], name), "w", encoding="utf-8") as file:
        for number, tokens in enumerate(chunks, 1):
            line = {"chunk": number, "tokens": len(tokens), "vector": vector_of(tokens)}
            file.write(json.dumps(line) + "\n")

    longest = max(map(len, chunks), default=0)
    result = {"output": {"vectors": name, "chunks": len(chunks), "longest": longest},
              "summary": f"{len(chunks)} chunks of at most {longest} tokens"}
    unfinished = os.environ["PAWL_RESULT"] + ".tmp"
    pathlib.Path(unfinished).write_text(json.dumps(result), encoding="utf-8")
    os.rename(unfinished, os.environ["PAWL_RESULT"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
