"""The report as one self-contained HTML page: plain words first, one figure, then detail."""

import html
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.ticker import StrMethodFormatter

from analysis.drawing.style import PALETTE
from analysis.report.answers import FACTORS, FARTHEST, WORTH, Answers
from collection.learners.names import LEARNERS

DRAWN = 4  # learners in the figure, the best now
CERTAIN, LIKELY = 0.9, 0.6  # chances from which a learner is called clearly, or probably, best
STYLE = Path(__file__).with_name("report.css")
CANNOT = (
    "Whether tomorrow's rows are like these. If the world drifts, or new rows come from elsewhere, "
    "all of this can be off.",
    "How many labels are wrong. Some error cannot be removed by more rows, and what is called out "
    "of reach may be due to labels.",
    "What other features, other learners or tuning would bring; often more than rows do.",
)


def draw_report(errors: xr.DataArray, answers: Answers, label: str) -> str:
    """Draw the best learners' measured curves and their forecast; return SVG text.

    Parameters
    ----------
    errors : xarray.DataArray, dims (learner, …, anchor)
        As `analysis.report.answers.answer` takes them.
    answers : Answers
    label : str
        What an error is, for the axis.
    """
    repeats = [d for d in errors.dims if d not in ("learner", "anchor")]
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "report", "font.size": 11}):
        figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
        for colour, learner in zip(PALETTE, answers.now["learner"][:DRAWN], strict=False):
            mean = errors.sel(learner=learner).mean(repeats).dropna("anchor")
            ax.plot(mean["anchor"], mean, "o-", color=colour, ms=3.5, label=_plain(learner))
            ahead = answers.path[answers.path["learner"] == learner].dropna()
            x = np.r_[mean["anchor"].values[-1], ahead["size"]]
            ax.plot(x, np.r_[mean.values[-1], ahead["0.5"]], "--", color=colour)
            ax.fill_between(x, np.r_[mean.values[-1], ahead["0.05"]],
                            np.r_[mean.values[-1], ahead["0.95"]], color=colour, alpha=0.13, lw=0)
        ax.axvline(answers.now["size"].max(), color="0.3", lw=1)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.set(xlabel="rows trained on", ylabel=label, ylim=(0, None))
        ax.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def write_page(title: str, answers: Answers, figure: str, label: str, *, notes: Sequence[str] = (),
               wanted: float | None = None, measured: str = "") -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        What the table is called.
    answers : Answers
    figure : str
        SVG text from `draw_report`.
    label : str
        What an error is, such as ``error rate``.
    notes : sequence of str
        What was left out, warnings.
    wanted : float, optional
        The error that was asked for.
    measured : str
        How the curves were measured, a sentence.

    Returns
    -------
    str
        HTML that loads nothing.
    """
    parts = [
        f"<h1>How much more data does {html.escape(title)} need?</h1>",
        _notes([n for n in notes if n.startswith("Warning")], "warning"),
        "<section><h2>In short</h2><ul class='answers'>",
        *(f"<li>{sentence}</li>" for sentence in sentences(answers, label, wanted)), "</ul>",
        f"<figure role='img' aria-label='Learning curves and their forecast'>{figure}<figcaption>"
        f"Measured (dots), expected (dashes) and the range that should hold the {label} with a "
        "chance of 90 % (bands). The vertical line is what you have now.</figcaption></figure>"
        "</section>",
        "<section><h2>Now</h2>", _table(_words_now(answers.now), "Best first."), "</section>",
        "<section><h2>With more rows</h2>",
        *(_table(_words_later(answers.later, factor), f"With {factor} times the rows.")
          for factor in FACTORS), "</section>",
        _wanted_section(answers, label), _shape_section(answers),
        "<section><h2>What this cannot know</h2><ul>", *(f"<li>{c}</li>" for c in CANNOT),
        "</ul></section><section><h2>How it was done</h2>",
        f"<p>{html.escape(measured)}</p>" if measured else "",
        "<p>The forecast learnt from the learning curves of other datasets. Its ranges were tried "
        "on datasets that it had not seen; they are wider the farther one looks, and beyond "
        f"{FARTHEST} times the rows nothing was tried.</p>",
        _notes([n for n in notes if not n.startswith("Warning")], "soft"), "</section>"]
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>How much more data? {html.escape(title)}</title>"
            f"<style>{STYLE.read_text()}</style></head><body>{''.join(parts)}</body></html>\n")


def sentences(answers: Answers, label: str, wanted: float | None = None) -> Iterable[str]:
    """Yield the answers in plain words, the most asked first."""
    best = answers.now.iloc[0]
    yield (f"<strong>Best now</strong>, with {best['size']:,} rows to train on: "
           f"{_called(best)}, with an {label} of {_range(best)}.")
    for factor in FACTORS:
        later = answers.later[answers.later["factor"] == factor]
        if len(later):
            first = later.loc[later["chance_best"].idxmax()]
            yield (f"<strong>With {factor} times the rows</strong>: {_called(first)}; expect an "
                   f"{label} of {_range(first)}.")
    if wanted is not None:
        yield _reach(answers.wanted, label)
    yield _paying(answers, best["learner"])
    for row in answers.shapes.itertuples():
        if row.advice and row.learner in list(answers.now["learner"][:DRAWN]):
            yield (f"<strong>{in_words(row.learner)} is {row.verdicts}</strong>: {row.advice}.")


def _paying(answers: Answers, learner: str) -> str:
    """Say from how many rows on a doubling gains little."""
    rows = answers.enough.set_index("learner")["rows"].get(learner, np.nan)
    name = in_words(learner)
    if np.isfinite(rows):
        return (f"<strong>More rows stop to pay</strong> for {name} at about {rows:,.0f}: from "
                f"there on no doubling is expected to gain {WORTH:g} any more.")
    return (f"<strong>More rows pay</strong>: {name} is expected to gain at least {WORTH:g} at "
            f"each doubling up to {FARTHEST} times the rows.")


def in_words(learner: str) -> str:
    """Return a learner's name in words, escaped; the name itself where it is not one of ours."""
    known = LEARNERS.get(learner)
    return html.escape(known.title if known else learner)


def _plain(learner: str) -> str:
    return html.unescape(in_words(learner))


def _called(row: pd.Series) -> str:
    """Name the best learner with how sure that is."""
    chance, name = row["chance_best"], in_words(row["learner"])
    sure = "clearly" if chance >= CERTAIN else "probably" if chance >= LIKELY else "perhaps"
    return f"{sure} {name} (chance to be the best of those tried: {chance:.0%})"


def _range(row: pd.Series) -> str:
    ends = "" if np.isnan(row["low"]) else f" (90 %: {row['low']:.3f} to {row['high']:.3f})"
    return f"{row['error']:.3f}{ends}"


def _reach(table: pd.DataFrame, label: str) -> str:
    target = f"An {label} of {table['wanted'].iloc[0]:g}"
    there = table[table["rows"].notna()].sort_values("rows")
    if len(there):
        first = there.iloc[0]
        late = ("maybe never within reach" if np.isnan(first["late"])
                else f"at the latest {first['late']:,.0f}")
        return (f"<strong>{target}</strong> is expected from about {first['rows']:,.0f} rows on, "
                f"with {in_words(first['learner'])} (90 %: at the earliest {first['early']:,.0f}"
                f", {late}).")
    maybe = table[table["early"].notna()].sort_values("early")
    if len(maybe):
        return (f"<strong>{target}</strong> is not expected within {FARTHEST} times the rows, but "
                f"cannot be ruled out: with luck from {maybe['early'].iloc[0]:,.0f} rows on, with "
                f"{in_words(maybe['learner'].iloc[0])}.")
    return (f"<strong>{target}</strong> looks out of reach: even {FARTHEST} times the rows leave "
            "every learner that was tried above it, with a chance of 95 %.")


def _words_now(now: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"learner": now["learner"].map(_plain),
                         "rows": now["size"].map("{:,}".format),
                         "error": now["error"].map("{:.3f}".format), "90 % range": _ranges(now),
                         "chance to be best": now["chance_best"].map("{:.0%}".format)})


def _words_later(later: pd.DataFrame, factor: int) -> pd.DataFrame:
    return _words_now(later[later["factor"] == factor])


def _ranges(table: pd.DataFrame) -> list[str]:
    return ["–" if np.isnan(r.low) else f"{r.low:.3f} to {r.high:.3f}" for r in table.itertuples()]


def _wanted_section(answers: Answers, label: str) -> str:
    if answers.wanted.empty:
        return ""
    table = answers.wanted
    shown = pd.DataFrame({"learner": table["learner"].map(_plain), **{
        words: table[name].map(lambda n: "not within reach" if np.isnan(n) else f"{n:,.0f}")
        for name, words in (("rows", "expected rows"), ("early", "at the earliest"),
                            ("late", "at the latest"))}})
    return (f"<section><h2>Rows for an {label} of {table['wanted'].iloc[0]:g}</h2>"
            + _table(shown, "Ends of the 90 % range.") + "</section>")


def _shape_section(answers: Answers) -> str:
    if answers.shapes.empty:
        return ""
    shown = answers.shapes[["learner", "verdicts"]].assign(
        learner=answers.shapes["learner"].map(_plain))
    return ("<section><h2>Is a curve ill-behaved?</h2>"
            + _table(shown, "Verdicts on the measured curves.") + "</section>")


def _table(table: pd.DataFrame, caption: str) -> str:
    head = "".join(f"<th scope='col'>{html.escape(str(c))}</th>" for c in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row) + "</tr>"
                   for row in table.itertuples(index=False))
    return (f"<div class='scroll'><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>")


def _notes(notes: Sequence[str], kind: str) -> str:
    return "".join(f"<p class='{kind}'>{html.escape(note)}</p>" for note in notes)
