"""The loudest sentences of the book, each with its number and where that comes from.

``book/claims.csv`` has a row for each: ``sentence`` (``{}`` where the number stands), ``number``,
``population`` (what it is a number of), its ``numerator`` and ``denominator`` and the ``filter``
between them and the population (what was left out, or chosen how), ``rivals`` (what else was
considered, and where that stands), ``unit`` (what was resampled
for its interval, or counted), ``file`` and ``key`` of the fact. After a build,
``python book/claims.py`` writes the numbers anew; a test holds them against the facts.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.notebook import COLUMNS as NUMBERS
from analysis.notebook import Number, read_numbers
from collection.project.paths import ROOT

FILE = ROOT / "book" / "claims.csv"
COLUMNS = ("sentence", "number", "population", "numerator", "denominator", "filter", "rivals",
           "unit", "file", "key")


def read_claims() -> pd.DataFrame:
    """Return the list, all columns as text."""
    return pd.read_csv(FILE, dtype=str, keep_default_na=False)


def state(claims: pd.DataFrame, root: Path = ROOT) -> pd.DataFrame:
    """Return the list with the numbers that a build wrote, as the book shows them.

    Parameters
    ----------
    claims : pandas.DataFrame
        From `read_claims`.
    root : Path
        Below which each ``file`` lies.

    Raises
    ------
    LookupError
        Naming every fact that is not there.
    """
    kept = {file: _numbers(root / file) for file in claims["file"].unique()}
    absent = [f"{r.key} of {r.file}" for r in claims.itertuples()
              if r.key not in kept[r.file].index]
    if absent:
        raise LookupError(f"{len(absent)} claims rest on numbers that are not there: "
                          f"{', '.join(absent)}. Build the book, or name the numbers anew.")
    return claims.assign(number=[_as_shown(kept[r.file].loc[r.key]) for r in claims.itertuples()])


def export(claims: pd.DataFrame, root: Path = ROOT) -> list[dict[str, object]]:
    """Return the claims as a build has them, for ``claims.json`` and others' programs.

    Each has the list's columns, its number as the page shows it, and besides ``value``, ``low``
    and ``high`` (None where it has no interval), ``page`` and ``anchor``. Claims on facts that the
    build lacks, of other databases, are left out.

    Parameters
    ----------
    claims, root
        As for `state`.
    """
    facts = {file: _numbers(root / file) for file in claims["file"].unique()}
    known, told = [r.key in facts[r.file].index for r in claims.itertuples()], []
    for row in state(claims[known], root).to_dict("records"):
        fact = facts[row["file"]].loc[row["key"]]
        numbers = {name: None if pd.isna(fact[name]) else fact[name]
                   for name in ("value", "low", "high")}
        told.append(row | numbers | {"page": f"book/{chapter_of(row['file'])}.html",
                                     "anchor": anchor(row["key"])})
    return told


def chapter_of(file: str) -> str:
    """Return the chapter whose facts a file holds."""
    return Path(file).parent.name


def anchor(key: str) -> str:
    """Return the name of the place on its chapter's page where a claim's number stands."""
    return f"claim-{key}"


def with_links(text: str, keys: Iterable[str]) -> str:
    """Make of the first place of a chapter that cites each key a link to itself.

    Parameters
    ----------
    text : str
        The chapter, in Markdown.
    keys : iterable of str
        Of the claims that rest on its facts.
    """
    prose = re.split(r"(^```\{code-cell\}.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for key in keys:
        cited = re.compile(rf"\{{glue:text\}}`{re.escape(key)}(\.\w+)?`")
        linked = f'<a class="claim" id="{anchor(key)}" href="#{anchor(key)}">'
        for i in range(0, len(prose), 2):
            prose[i], found = cited.subn(lambda at, to=linked: f"{to}{at[0]}</a>", prose[i], 1)
            if found:
                break
    return "".join(prose)


def _numbers(file: Path) -> pd.DataFrame:
    """Return what a page has kept by its keys; nothing where it is not there."""
    table = read_numbers(file) if file.exists() else pd.DataFrame(columns=list(NUMBERS))
    return table.set_index("key", drop=False)


def _as_shown(row: pd.Series) -> str:
    return Number(row["value"], row["low"], row["high"], row["unit"], row["digits"]).ci


def main() -> int:
    """Write the numbers of the last build into the list; say which changed."""
    claims = read_claims()
    stated = state(claims)
    for before, now in zip(claims["number"], stated.itertuples(), strict=True):
        if before != now.number:
            print(f"{now.file}, {now.key}: {before or 'new'} → {now.number}")
    stated.to_csv(FILE, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
