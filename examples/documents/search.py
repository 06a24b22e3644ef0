#!/usr/bin/env python3
"""Asks the search index that the workflow made.

    search.py INDEX WORD...
"""

import sqlite3
import sys


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    words = " ".join('"' + word.replace('"', '""') + '"' for word in sys.argv[2:])
    database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    found = database.execute(
        "SELECT document, heading, snippet(section, 2, '[', ']', ' ... ', 8) FROM section "
        "WHERE section MATCH ? ORDER BY rank, document", (words,)).fetchall()
    for document, heading, snippet in found:
        print(f"{document}  {heading}  {' '.join(snippet.split())}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
