"""Tables that are no CSV: Markdown and JSON, as names and rows of text; names in a sentence."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

BAR, END = re.compile(r"(?<!\\)\|"), re.compile(r"^\||\|$")
#: Of Markdown: footnotes, tags, boldness; of a link its text stays.
MARKUP = re.compile(r"<sup>.*?</sup>|<[^>]*>|\*\*|`|\[([^\]]*)\]\([^)]*\)")


def structured_cells(text: str) -> tuple[list[str], list[list[str]]] | None:
    """Return the names and rows of a table in Markdown or JSON; None for any other text.

    Parameters
    ----------
    text : str
        Markdown's lines between bars; a JSON list of records, or one a line, a record of lists, or
        records by name, as pandas writes by default: names that are no numbers are a column.
    """
    text = text.lstrip("\ufeff").strip()
    if text[:1] in ("[", "{"):
        for whole in (text, f"[{','.join(text.splitlines())}]"):  # or a record a line
            with suppress(ValueError):
                return _json_cells(json.loads(whole))
        return None
    lines = [line.strip() for line in text.splitlines() if "|" in line]
    lines = [line for line in lines if line[0] == "|"] or lines
    rule = [k for k, line in enumerate(lines) if re.fullmatch(r"[|:+\-\s]+", line) and "-" in line]
    cells = [[MARKUP.sub(r"\1", c).strip() for c in BAR.split(END.sub("", line))]
             for line in lines]
    n = len(cells[0]) if cells else 0
    if rule != [1] or any(any(row[n:]) for row in cells):
        return None
    return cells[0], [(row + [""] * n)[:n] for row in cells[2:]]


def _json_cells(found: object) -> tuple[list[str], list[list[str]]] | None:
    if isinstance(found, dict) and found and all(isinstance(v, list | dict)
                                                 for v in found.values()):
        records = [v if isinstance(v, dict) else dict(enumerate(v)) for v in found.values()]
        keys = [*dict.fromkeys(key for record in records for key in record)]
        found = [{"": key} | {n: record.get(key) for n, record in zip(found, records, strict=True)}
                 for key in keys]
    if not isinstance(found, list) or not found or not all(isinstance(r, dict) for r in found):
        return None
    names = list(dict.fromkeys(str(name) for row in found for name in row))
    return names, [["" if row.get(name) is None else str(row[name]) for name in names]
                   for row in found]


def in_words(names: Sequence[str], last: str = "and") -> str:
    """Return names as a sentence has them: a, b and c."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
