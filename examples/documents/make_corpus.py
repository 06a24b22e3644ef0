#!/usr/bin/env python3
"""Makes the PDFs of this example, byte for byte the same on every run.

    make_corpus.py [DIRECTORY]          without a DIRECTORY: corpus/ beside this script

The texts are in corpus_texts.py. A PDF is a list of numbered objects and a table of where each
begins; this writes only what a page of Helvetica needs.
"""

import hashlib
import pathlib
import sys
import textwrap
from collections.abc import Iterator

from corpus_texts import DOCUMENTS

LEFT, TOP, BOTTOM = 72, 770, 60
COLUMN = 140  # from the start of one column to the start of the next
LINE = 14


def text_at(x: int, y: int, size: int, text: str) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET"


def grey_box(y: int, height: int) -> str:
    """What a scanned picture is to a program that reads text: nothing."""
    return f"0.8 g {LEFT} {y - height} 300 {height} re f 0 g"


def page(text: str, set_in_columns: bool) -> Iterator[str]:
    """The drawing commands of a document. A block is a heading (`## `), a table (rows with ` | `),
    a scan (`[scan]`) or a paragraph."""
    title, *blocks = text.strip().split("\n\n")
    y = TOP
    yield text_at(LEFT, y, 18, title)
    y -= 2 * LINE
    for block in blocks:
        if block.startswith("## "):
            y -= LINE // 2
            yield text_at(LEFT, y, 13, block.removeprefix("## "))
            y -= LINE
        elif block == "[scan]":
            yield grey_box(y + LINE // 2, 60)
            y -= 60
        elif " | " in block:
            for row in block.split("\n"):
                cells = row.split(" | ")
                if set_in_columns and len(cells) > 1:
                    for number, cell in enumerate(cells):
                        yield text_at(LEFT + number * COLUMN, y, 11, cell)
                else:
                    yield text_at(LEFT, y, 11, row)
                y -= LINE
        else:
            for line in textwrap.wrap(" ".join(block.split()), 80, break_on_hyphens=False):
                yield text_at(LEFT, y, 11, line)
                y -= LINE
        y -= LINE // 2
    if y < BOTTOM:
        raise ValueError(f"'{title}' is longer than a page")


def rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


class Lock:
    """The oldest password protection of PDF (RC4, 40 bits): enough to be refused."""

    PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    PERMISSIONS = -4

    def __init__(self, password: str, file_id: bytes):
        padded = (password.encode() + self.PAD)[:32]
        self.owner = rc4(hashlib.md5(padded).digest()[:5], padded)
        permissions = self.PERMISSIONS.to_bytes(4, "little", signed=True)
        self.key = hashlib.md5(padded + self.owner + permissions + file_id).digest()[:5]
        self.user = rc4(self.key, self.PAD)

    def dictionary(self) -> bytes:
        return (f"<< /Filter /Standard /V 1 /R 2 /P {self.PERMISSIONS} "
                f"/O <{self.owner.hex()}> /U <{self.user.hex()}> >>").encode()

    def close(self, number: int, data: bytes) -> bytes:
        key = hashlib.md5(self.key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        return rc4(key, data)


def pdf(content: str, password: str | None) -> bytes:
    stream = content.encode("cp1252")
    file_id = hashlib.md5(stream).digest()
    lock = Lock(password, file_id) if password else None
    if lock:
        stream = lock.close(4, stream)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    if lock:
        objects.append(lock.dictionary())

    out = bytearray(b"%PDF-1.4\n")
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for start in starts:
        out += b"%010d 00000 n \n" % start
    sealed = b"/Encrypt %d 0 R " % len(objects) if lock else b""
    out += b"trailer\n<< /Size %d /Root 1 0 R %s/ID [<%s> <%s>] >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, sealed, file_id.hex().encode(), file_id.hex().encode(), table)
    return bytes(out)


def corpus() -> dict[str, bytes]:
    return {document.name: pdf("\n".join(page(document.text, document.set_in_columns)),
                               document.password)
            for document in DOCUMENTS}


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "corpus"
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in corpus().items():
        (directory / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
