"""What the chapter on the ledger shows: rows that were compared, counts as bars, its numbers."""

from string import ascii_lowercase

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import figure
from analysis.drawing.tables import write_results
from analysis.published.computed import recall
from analysis.published.printed import (
    CLOSE,
    DIFFERENT,
    EQUAL,
    NEEDS,
    NEEDS_SUMMARY,
    published_table,
)
from chapters.facts import Facts
from chapters.ledger.build import NAME, count_known, count_verdicts, ledger_at_hand
from chapters.ledger.published import load_inconsistencies
from collection.paths import ROOT

COLOURS = {EQUAL: "#009E73", CLOSE: "#56B4E9", DIFFERENT: "#D55E00", NEEDS_SUMMARY: "#E69F00",
           NEEDS: "#CCCCCC"}


def compared_rows(ledger: pd.DataFrame, sources: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return the rows that were computed, or were when the summary was at hand, for a page.

    Parameters
    ----------
    ledger : DataFrame
        From `build_ledger`.
    sources : tuple of str
        How the names of the sources wanted start; all by default.

    Returns
    -------
    DataFrame
        Columns ``source`` (if there are several), ``item``, ``paper``, ``ours`` (as printed, or
        what came out when it last was computed), ``procedure``, ``difference``, ``verdict``,
        ``why`` (a letter of `reasons`, if any); without columns that are empty throughout. Rows of
        one number stand beside each other.
    """
    letters = reasons(ledger).set_index("reason")["why"]
    rows = ledger[ledger["verdict"] != NEEDS]
    if sources:
        rows = rows[rows["source"].str.startswith(sources)]
    rows = rows.sort_values(["source", "item"], kind="stable", ignore_index=True)
    rows["item"] = rows["item"].str.replace("LCDB 1.1 ", "").str.replace("_", " ")
    waits = rows["verdict"] == NEEDS_SUMMARY
    rows["why"] = rows["reason"].where(~waits, "").map(letters).fillna("")
    rows["computed"] = rows["computed"].mask(waits, rows["reason"])
    rows["procedure"] = rows["procedure"].mask(waits, "")  # the reason names it
    empty = [c for c in ("procedure", "difference", "why") if rows[c].isin(["", np.nan]).all()]
    unwanted = ["database", "reason", *empty,
                *([] if rows["source"].nunique() > 1 else ["source"])]
    return rows.rename(columns={"published": "paper", "computed": "ours"}).drop(columns=unwanted)


def reasons(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return why computed numbers differ: ``why`` (a letter), ``reason``, ``rows`` (how many)."""
    different = ledger.loc[ledger["verdict"].isin([CLOSE, DIFFERENT]), "reason"]
    counts = different.value_counts(sort=False).rename("rows").reset_index()
    counts.insert(0, "why", list(ascii_lowercase[: len(counts)]))
    return counts


def never_equal(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return ``source, item`` of the numbers that no procedure gives, now or when last at hand."""
    waits = ledger["verdict"] == NEEDS_SUMMARY
    near = ledger["verdict"].isin([EQUAL, CLOSE]) | (
        waits & ledger["reason"].str.contains(f"{EQUAL}|{CLOSE}"))
    known = ledger[waits | ledger["verdict"].isin([EQUAL, CLOSE, DIFFERENT])]
    by_number = near[known.index].groupby([known["source"], known["item"]]).any()
    return by_number[~by_number].index.to_frame(index=False)


def chapter_titles(names: str) -> str:
    """Return the titles of chapters, up to a colon, given the names of their files.

    Parameters
    ----------
    names : str
        Separated by a comma and a space, such as ``da1, closeup``.
    """
    texts = [(ROOT / "book" / f"{name}.md").read_text() for name in names.split(", ")]
    heads = [next(line for line in text.splitlines() if line.startswith("# ")) for text in texts]
    return "; ".join(head.removeprefix("# ").partition(":")[0] for head in heads)


@figure
def draw_verdicts(counts: pd.DataFrame) -> Figure:
    """Draw how many numbers of each source have which verdict, as a share of its rows.

    Parameters
    ----------
    counts : DataFrame
        From `count_verdicts`; its last row, the sum, is drawn as well.
    """
    verdicts = [v for v in COLOURS if v in counts and counts[v].any()]
    shares = counts[verdicts].div(counts[verdicts].sum(axis=1), axis=0) * 100
    labels = [f"{name} ({n:,})" for name, n in counts[verdicts].sum(axis=1).items()]
    figure, ax = plt.subplots(figsize=(7.5, 0.25 * len(counts) + 1.2))
    left = pd.Series(0.0, index=shares.index)
    for verdict in verdicts:
        ax.barh(labels, shares[verdict], left=left, color=COLOURS[verdict], label=verdict)
        left += shares[verdict]
    ax.invert_yaxis()
    ax.set(xlabel="% of the rows of each source", xlim=(0, 100))
    ax.tick_params(axis="y", labelsize="small")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=len(verdicts), fontsize="small")
    return figure


def write_ledger() -> pd.DataFrame:
    """Build the ledger from the databases at hand and write it with its counts; return it."""
    ledger, _ = ledger_at_hand()
    write_results("ledger", {
        "ledger": ledger, "counts": count_verdicts(ledger).reset_index(),
        "numbers": count_known(ledger), "reasons": reasons(ledger),
        "counterparts": published_table("counterparts").fillna(""),
        "inconsistencies": load_inconsistencies()})
    return ledger


def facts(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences, as `chapters.facts.Facts.table`."""
    rows, counts = Facts(), count_known(ledger).set_index("verdict")
    numbers = counts["numbers"]
    rows.update({"numbers": int(numbers.sum()), "known": int(numbers.drop(NEEDS).sum()),
                 "equal": int(numbers[EQUAL]), "close": int(numbers[CLOSE]),
                 "different": int(numbers[DIFFERENT]), "waiting": int(numbers[NEEDS]),
                 "kept": int(counts["kept"].sum())}, note="published numbers, each counted once")
    rows.add("kept_on", str(recall(NAME)["computed_on"].max()))
    rows.add("unexplained_in", ", ".join(sorted(set(never_equal(ledger)["source"]))) or "none")
    return rows.table()
