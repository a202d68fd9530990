"""The loudest sentences of the book, each with its number and where that comes from.

``book/claims.csv`` has a row for each: ``sentence`` (``{}`` where the number stands), ``number``,
``population`` (what it is a number of), ``unit`` (what was resampled for its interval, or counted),
``file`` and ``key`` of the fact. After a build, ``python -m chapters.claims`` writes the numbers
anew; a test holds them against the facts.
"""

import sys
from pathlib import Path

import pandas as pd

from chapters.facts import NO_INTERVAL, as_texts
from collection.paths import ROOT

FILE = ROOT / "book" / "claims.csv"
COLUMNS = ("sentence", "number", "population", "unit", "file", "key")


def read_claims(file: Path = FILE) -> pd.DataFrame:
    """Return the list, all columns as text."""
    return pd.read_csv(file, dtype=str, keep_default_na=False)


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
    texts = {file: _texts(root / file) for file in claims["file"].unique()}
    absent = [f"{r.key} of {r.file}" for r in claims.itertuples() if r.key not in texts[r.file]]
    if absent:
        raise LookupError(f"{len(absent)} claims rest on facts that are not there: "
                          f"{', '.join(absent)}. Build the book, or name the facts anew.")
    numbers = [_number_of(texts[r.file], r.key) for r in claims.itertuples()]
    return claims.assign(number=numbers)


def _number_of(texts: dict[str, str], key: str) -> str:
    shown = texts.get(f"{key}.ci", "")
    return texts[key] if NO_INTERVAL in shown or not shown else shown


def _texts(file: Path) -> dict[str, str]:
    if not file.exists():
        return {}
    facts = pd.read_csv(file, dtype={"value": str, "unit": str}, keep_default_na=False,
                        na_values={c: [""] for c in ("low", "high", "digits", "n")})
    facts["value"] = [_number(value) for value in facts["value"]]
    return as_texts(facts)


def _number(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value


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
