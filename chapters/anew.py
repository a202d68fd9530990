"""The numbers of chapters on LCDB 1.0, on the curves that were gathered anew (``make recompute``).

They take minutes, and the installed package is without the curves, so they are kept.
"""

import os
from unittest import mock

import pandas as pd

from analysis.published.computed import NotAtHandError
from chapters import da3, da4
from chapters.chapter import Chapter
from collection.shipped.anew import NAME


def compute(chapters: tuple[Chapter, ...] = (da3.chapter, da4.chapter),
            database: str = NAME) -> pd.DataFrame:
    """Return the numbers of chapters on another database: facts, with a column ``chapter``.

    Parameters
    ----------
    chapters : tuple of Chapter
        Whose database the reader may choose.
    database : str
        As of ``make book DATABASE=…``.

    Raises
    ------
    NotAtHandError
        The database has not what a chapter needs; says what.
    """
    parts = []
    with mock.patch.dict(os.environ, DATABASE=database):
        for chapter in chapters:
            study = chapter.compute()
            if study.note:
                raise NotAtHandError(study.note)
            facts = chapter.facts(study).assign(chapter=chapter.name)
            parts.append(facts[[not isinstance(value, str) for value in facts["value"]]])
    return pd.concat(parts, ignore_index=True).astype({"value": float})


KEPT = {"anew_facts": compute}
