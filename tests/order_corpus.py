"""Small tables of results as people have them: each with what must be read, or be said.

They stand in ``tests/orders/corpus``; ``EXPECTED.csv`` there has the first line that must be said
of each (or words of the refusal, the page's own beside it). Those that are no text are made here.
"""

import bz2
import csv
import gzip
from pathlib import Path

FOLDER = Path(__file__).parent / "orders" / "corpus"


def _corpus():
    """Return by name of the file its bytes, and what must be said: words, or either of two."""
    with open(FOLDER / "EXPECTED.csv", encoding="utf-8", newline="") as rows:
        found = {row["file"]: ((FOLDER / row["file"]).read_bytes(),
                               (row["said"], row["or"]) if row["or"] else row["said"])
                 for row in csv.DictReader(rows)}
    plain, read = found["wide.csv"]
    text, packed = plain.decode(), gzip.compress(plain, mtime=0)
    return found | {
        "utf16.csv": (text.encode("utf-16"), read), "bom.csv": (text.encode("utf-8-sig"), read),
        "cp1252.csv": (text.replace("RF", "Wälder").encode("cp1252"),
                       read.replace("RF", "Wälder")),
        "packed.csv.gz": (packed, read), "cut.csv.gz": (packed[:-40], "cannot be unpacked"),
        "cut.csv.bz2": (bz2.compress(plain)[:-9], ("cannot be unpacked", "reads text and .gz")),
        "binary.csv": (b"\x89PNG\r\n\x1a\n\0\0\0", "not a text file"),
        "wide_header.csv": (b",".join(b"c%d" % k for k in range(30_000)) + b"\n1\n",
                            "at most 20")}


CORPUS = _corpus()
