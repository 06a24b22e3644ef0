"""The parts of a page of the guide that tests run: files and scripts, each named by a comment before it."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
import markdown  # noqa: E402


def blocks_of(page):
    """{"file: serve.yaml": text} of a page below docs/guide."""
    text = (ROOT / "docs/guide" / page).read_text()
    return {block.note: "\n".join(block.lines) + "\n" for block in markdown.blocks(text) if block.note}


def replaced(text, changes):
    """The text with every change made; each must apply, so that a changed page is noticed."""
    for old, new in changes.items():
        if old not in text:
            raise AssertionError(f"the page has no '{old}'")
        text = text.replace(old, new)
    return text
