"""Tables as the field's tools write them: each with who must come first and last, or what is said.

Ours stand in ``tests/orders/layouts``. Those at hand beside the project (``cases/orders``) come
with who must be first and last; what must be said of some stands in ``tests/orders/shared.csv``:
where there are no ends, where nothing says what was measured (a normalised RMSE could look like
it), and where the file's own counts are meant.
"""

import csv
from pathlib import Path

from published_data import PUBLISHED

CASES = PUBLISHED.parent / "cases"
SHARED = (CASES / "orders", CASES / "orders2")
OURS = Path(__file__).parent / "orders"


def _expected(path):
    """Return by file its first and last, or what must be said of it."""
    with open(path, encoding="utf-8", newline="") as rows:
        return {row["file"]: (row["first"], row["last"]) if row["first"] else row.get("said")
                for row in csv.DictReader(rows)}


def layouts():
    """Return by name the text of each table, and its first and last, or what must be said."""
    folder, also = OURS / "layouts", _expected(OURS / "shared.csv")
    found = {Path(name).stem.replace("_", " "): ((folder / name).read_text(), must)
             for name, must in _expected(folder / "EXPECTED.csv").items()}
    for folder in filter(Path.exists, SHARED):
        found |= {name: ((folder / name).read_text(), also.get(name, must))
                  for name, must in _expected(folder / "EXPECTED.csv").items()}
    return found


def holds(must, said):
    """Tell whether a first line, or the question or refusal in its place, says what it must."""
    if isinstance(must, str):
        return must in said
    read = said.partition("): ")[2].partition(" Left out:")[0]
    read = read if read.count(" … ") else said.rpartition("): ")[2].partition(" Left out:")[0]
    return read.startswith(must[0]) and must[1] in read.partition(" … ")[2]
