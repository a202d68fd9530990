"""The report as one self-contained HTML page: the answer in words, one figure, then the tables."""

import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from analysis.leaderboards.wilcoxon import draw_ranks
from analysis.small_data.comparison.judge import Verdict, short_names
from collection.small.recipe import LOGISTIC

STYLE = Path(__file__).with_name("page.css")
SHOWN = 30  # kinds of failures on the page; every one is in the file
WORDS = {"error": "error", "timeout": "out of time", "memory": "out of memory",
         "not_run": "not run"}


def write_page(verdict: Verdict, own: Sequence[str], how: str, lost: Mapping[str, int]) -> str:
    """Return the page; it loads nothing.

    Parameters
    ----------
    verdict : Verdict
    own : sequence of str
        The learners in question.
    how : str
        How it was done, in words.
    lost : mapping of str to int
        Reasons why fits could not be made, and how many.
    """
    short = short_names(list(verdict.test.columns))
    parts = [
        f"<h1>{html.escape(' and '.join(short.get(m, m) for m in own) or LOGISTIC)}, "
        "compared</h1>",
        _list(_in_short(verdict, own, short), "answers"),
        *(f"<p class='warning'>{html.escape(f'{count} fit(s) could not be made: {why}')}</p>"
          for why, count in lost.items()),
        _list(map(html.escape, verdict.notes), "soft"),
        _ranks(verdict, short), _practical(verdict, short),
        _section("Test AUC", _table(_named(_scores(verdict.test), short),
                                    "Mean over folds; – where a fit failed.", 3)),
        _section("Training AUC", _table(_named(_scores(verdict.train), short),
                                        "Fitted and scored on all rows.", 3)),
        _section("By number of rows", _table(_bands(verdict.bands, short),
                                             "Median test AUC, lower and upper quartile.", 3)),
        _chosen(verdict.chosen, short), _failures(verdict.failures, short),
        _section("How it was done", f"<p>{html.escape(how)}</p>"),
    ]
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            "<title>Learners compared</title>"
            f"<style>{STYLE.read_text()}</style></head><body>{''.join(parts)}</body></html>\n")


def _in_short(verdict: Verdict, own: Sequence[str], short: Mapping[str, str]) -> Iterator[str]:
    """Yield what is said of each learner in question, in words."""
    for method in own:
        name = f"<strong>{html.escape(short.get(method, method))}</strong>"
        told = [f"{name} {_became(verdict, method)}"]
        if method in verdict.ranks:
            place = list(verdict.ranks.index).index(method) + 1
            told.append(f"its mean rank is {verdict.ranks[method]:.2f}, place {place} of "
                        f"{len(verdict.ranks)}")
        against = verdict.practical
        for row in against[against["method"] == method].itertuples() if len(against) else ():
            told.append(f"against logistic regression it wins on {row.wins}, is equal in practice "
                        f"on {row.ties} and loses on {row.losses} datasets (better with a "
                        f"probability of {row.p_better:.2f}, equal {row.p_equal:.2f}, worse "
                        f"{row.p_worse:.2f})")
        yield "; ".join(told) + "."


def _became(verdict: Verdict, method: str) -> str:
    """Say on how many datasets a method has a result, and why not on the others."""
    if method not in verdict.test:
        return "has no result"
    scores = verdict.test[method]
    told = f"has a test AUC on {scores.notna().sum()} of {len(scores)} datasets"
    failed = verdict.failures[verdict.failures["method"] == method]
    for status, some in failed.groupby("status", sort=False):
        told += (f", <em>{WORDS.get(status, status)}</em> in {len(some)} fit(s) on "
                 f"{some['dataset'].nunique()} dataset(s)")
    if scores.notna().any():
        told += f", median {scores.median():.3f}"
    return told


def _ranks(verdict: Verdict, short: Mapping[str, str]) -> str:
    if verdict.ranks.empty:
        return ""
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "comparison", "font.size": 11,
                         "figure.constrained_layout.use": True}):
        figure = draw_ranks(verdict.ranks, verdict.groups, short)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    drawn = text.getvalue()[text.getvalue().index("<svg"):]
    pairs = verdict.pairs.assign(one=verdict.pairs["one"].map(short),
                                 other=verdict.pairs["other"].map(short))
    pairs = pairs.sort_values("p_adjusted", kind="stable")[
        ["one", "other", "wins", "ties", "losses", "difference", "p_adjusted"]]
    pairs = pairs.rename(columns={"difference": "median difference", "p_adjusted": "adjusted p"})
    return _section("Ranks", (
        f"<figure role='img' aria-label='Mean ranks of the methods'>{drawn}<figcaption>Mean ranks; "
        "methods joined by a bar are not told apart (Wilcoxon's signed-rank test, Holm-adjusted "
        "p ≥ 0.05).</figcaption></figure><details><summary>All pairs</summary>"
        + _table(pairs, "Wins, ties and losses of the first.", 3) + "</details>"))


def _practical(verdict: Verdict, short: Mapping[str, str]) -> str:
    if verdict.practical.empty:
        return ""
    table = verdict.practical.drop(columns="against").assign(
        method=verdict.practical["method"].map(short))
    table = table.set_axis([c.replace("p_", "probability ") for c in table.columns], axis=1)
    return _section("Against logistic regression", _table(
        table, "Datasets won, equal in practice and lost, and the posterior probabilities of the "
        "Bayesian signed-rank test that better, equal or worse is the likeliest.", 3))


def _scores(table: pd.DataFrame) -> pd.DataFrame:
    return table.reset_index()


def _named(table: pd.DataFrame, short: Mapping[str, str]) -> pd.DataFrame:
    return table.rename(columns=short)


def _bands(bands: pd.DataFrame, short: Mapping[str, str]) -> pd.DataFrame:
    return bands.assign(method=bands["method"].map(short)).set_axis(
        [c.replace("_", " ").replace("n datasets", "datasets") for c in bands.columns], axis=1)


def _chosen(chosen: pd.DataFrame, short: Mapping[str, str]) -> str:
    table = chosen[chosen["split"] == "train"].drop(columns="split")
    if table.empty:
        return ""
    table = table.assign(method=table["method"].map(short))
    return _section("Hyperparameters chosen", _table(table, "On all rows of the dataset."))


def _failures(failures: pd.DataFrame, short: Mapping[str, str]) -> str:
    if failures.empty:
        return _section("Errors met", "<p>None.</p>")
    table = failures.assign(method=failures["method"].map(short),
                            status=failures["status"].map(lambda s: WORDS.get(s, s)))
    table = table.groupby(["method", "status", "message"], sort=False)["dataset"].agg(
        fits="size", datasets=lambda names: ", ".join(dict.fromkeys(names))).reset_index()
    more = (f"<p class='soft'>The first {SHOWN} of {len(table)}; every fit is in failures.csv.</p>"
            if len(table) > SHOWN else "")
    return _section("Errors met", _table(
        table.head(SHOWN), "Fits that are not ok; a dataset with one has no score.") + more)


def _section(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>"


def _list(sentences: Iterator[str], kind: str) -> str:
    return f"<ul class='{kind}'>{''.join(f'<li>{s}</li>' for s in sentences)}</ul>"


def _table(table: pd.DataFrame, caption: str, digits: int = 2) -> str:
    kinds = (" class='words'" if table.iloc[:, k].dtype == object else ""
             for k in range(table.shape[1]))
    head = "".join(f"<th scope='col'{kind}>{html.escape(str(c))}</th>"
                   for c, kind in zip(table.columns, kinds, strict=True))
    rows = "".join(f"<tr>{''.join(_cell(value, digits) for value in row)}</tr>"
                   for row in table.itertuples(index=False))
    return (f"<div class='scroll' tabindex='0'><table><caption>{caption}</caption><thead><tr>{head}"
            f"</tr></thead><tbody>{rows}</tbody></table></div>")


def _cell(value: object, digits: int) -> str:
    if isinstance(value, float):
        return f"<td>{'–' if pd.isna(value) else f'{value:.{digits}f}'}</td>"
    if isinstance(value, int):
        return f"<td>{value:,}</td>"
    text = re.sub(r"\s+", " ", str(value))
    return f"<td class='words'>{html.escape(text)}</td>"
