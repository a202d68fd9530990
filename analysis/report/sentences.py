"""The answers in plain words, the most asked first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.report.answers import FARTHEST, MORE, STOP, Report, curve_means
from collection.containers.learner_names import LEARNERS as PAPER
from collection.own_table.learners import LEARNERS
from collection.reading.text import in_words

SURELY = 0.75  # chance from which one of rows and another learner is said to help more
CERTAIN, LIKELY = 0.9, 0.6  # chances from which a learner is called clearly, or probably, best
HARDLY = 0.1  # of the baseline's error: a learner that saves less is hardly better
MULTIPLES = (2, 4, 10)
FEWEST_WRONG = 10  # tested rows that have to be wrong for anything to be said of more rows
MORE_ROWS = {2: "Twice", 4: "four times"}  # whose chances the first sentence says


def title_of(learner: str) -> str:
    """Return a learner's name in words; the name itself where it is not one of ours."""
    known = LEARNERS.get(learner) or PAPER.get(learner)
    return known.title if known else learner


def decimals(scale: float) -> int:
    """Return how many decimals show three digits of numbers as large as `scale`."""
    return int(np.clip(2 - np.floor(np.log10(scale)), 0, 20)) if scale > 0 else 3


def about(value: float, digits: int = 2) -> str:
    """Return a number of rows, or an amount, rounded to so many digits that count."""
    return f"{float(f'{value:.{digits}g}'):,.0f}"


class Words:
    """Writes the numbers of one report alike.

    Parameters
    ----------
    answers : Report
    """

    def __init__(self, answers: Report):
        self.score = answers.label.startswith("1 − ")
        self.label = answers.label.removeprefix("1 − ")  # as it was given
        self.percent = bool(answers.curves.errors.attrs.get("percent"))
        share = not answers.unit and answers.metric != "log_loss"
        self.digits = 1 if self.percent else 3 if share else decimals(
            float(np.nanmax(answers.now["error"])))

    def amount(self, value: float) -> str:
        """Return by how much, as text: three decimals of a share, else three digits."""
        return self._digits(value) + (" points" if self.percent else "")

    def limit(self, value: float) -> str:
        """Return an amount, with as many decimals more as it takes not to look like 0."""
        size = value * (100 if self.percent else 1)
        least = int(np.ceil(-np.log10(size))) if size > 0 else 0
        return self._digits(value, max(self.digits, least)) + (" points" if self.percent else "")

    def number(self, error: float) -> str:
        """Return an error in the measure that was given: a score is its complement."""
        return self._digits(1 - error if self.score else error) + (" %" if self.percent else "")

    def _digits(self, value: float, digits: int | None = None) -> str:
        digits = self.digits if digits is None else digits
        shown = f"{100 * value if self.percent else value:,.{digits}f}"
        return shown if shown.strip("-0.") else shown.removeprefix("-")  # no −0.000

    def span(self, row: pd.Series, to: str = " to ") -> str:
        """Return the range of an error, "–" where it has none."""
        if np.isnan(row["low"]):
            return "–"
        ends = [self.number(row[end]).removesuffix(" %") for end in ("low", "high")]
        return to.join(ends[::-1] if self.score else ends) + (" %" if self.percent else "")

    def error(self, row: pd.Series) -> str:
        """Return an error with its range."""
        ends = "" if np.isnan(row["low"]) else f" ({self.span(row)})"
        return f"{self.number(row['error'])}{ends}"


def sentences(answers: Report) -> Iterator[tuple[str, str]]:
    """Yield the answers: what it is about, and the sentence."""
    words, hardly = Words(answers), _hardly(answers)
    dips = [] if hardly else list(_dips(answers, words))
    best = answers.now["learner"].iloc[0]
    risen = best in set(answers.shapes.loc[answers.shapes["shape"] == "dipping", "learner"])
    if risen:
        yield from dips
    yield "More rows", _chances(answers, words)
    yield "Best now", _best(answers, words)
    if np.isfinite(answers.baseline):
        yield "What it is worth", _worth(answers, words)
    yield "With more rows", _later(answers, words)
    if len(answers.helps) and not too_few_wrong(answers):
        yield "Rows or another learner", _helps(answers, words)
    if len(answers.wanted):
        yield "The error you want", _reach(answers, words)
    yield from _paying(answers, words)
    if hardly:
        return  # shapes of what is no better than nothing are of no interest
    for row in answers.shapes[answers.shapes["shape"] == "peaking"].itertuples():
        yield title_of(row.learner).capitalize(), row.words + "."
    if not risen:
        yield from dips


def chance_words(share: float) -> str:
    """Return a chance in percent; the first and last twentieth are not told apart."""
    return "over 95 %" if share > 0.95 else "under 5 %" if share < 0.05 else f"{100 * share:.0f} %"


def decision(answers: Report) -> str:
    """Return whether to gather more rows, how many, and at what chance, in a sentence."""
    few, words = too_few_wrong(answers), Words(answers)
    if few:
        return few
    if len(answers.costs):
        pays = answers.costs["gain"].iloc[0] >= answers.costs["cost"].iloc[0]
        return f"Gather {'' if pays else 'no '}more: {_worthwhile(answers).replace('T', 't', 1)}"
    table, stop = answers.expected.set_index("times"), answers.stop
    now, row = table.loc[1], table.loc[2]
    going, least = answers.enough["chance"].iloc[0] >= STOP, words.limit(answers.less)
    until = (f" Stop at about {about(stop)} rows: there the chance that a doubling brings another "
             f"{least} is below {chance_words(STOP)}." if going and np.isfinite(stop) else "")
    soon = going and stop < row["size"]
    counts = f" ({answers.counts})" if answers.counts else ""
    far = table.loc[4, "falls_enough"]
    farther = "" if going or far < 0.5 else (
        f" With four times the rows the chance is {chance_words(far)}.")
    today, then = (words.number(one["error"]) for one in (now, row))
    moves = f"stay at {today}" if today == then else f"go from {today} to {then}"
    fall, said = "rise" if words.score else "fall", no_better(answers, words)
    start = f"{said} " if said else ""
    do = (f"a few more rows, up to about {about(stop)}" if soon else
          "more rows, then measure again" if going else "no more rows")
    return (f"{start}Gather {do}: with twice as many to train on ({row['size']:,} instead of "
            f"{now['size']:,}) expect the {words.label} to {moves}. The chance is "
            f"{chance_words(row['falls_enough'])} that it {fall}s by {least} or more{counts}, and "
            f"{chance_words(1 - row['falls'])} that it does not {fall}."
            f"{until}{farther}")


def too_few_wrong(answers: Report) -> str:
    """Return that too few of the tested rows were wrong, where that is so."""
    best = answers.expected["learner"].iloc[0]
    tested = (answers.curves.tested or {}).get(best, np.inf)
    if np.isinf(tested):
        return ""
    wrong = int(answers.curves.now[answers.curves.learners.index(best)] * tested + 0.5)
    return "" if wrong >= FEWEST_WRONG else (
        f"Of the {tested:,.0f} rows tested on {wrong} were wrong, too few to tell what more rows "
        "bring: test on more.")


def _chances(answers: Report, words: Words) -> str:
    table, few = answers.expected.set_index("times"), too_few_wrong(answers)
    if few:
        return few
    parts, counts = [], f" ({answers.counts})" if answers.counts else ""
    for times, name in MORE_ROWS.items():
        row = table.loc[times]
        parts.append(f"{name} the rows ({row['size']:,}) {'raise' if words.score else 'lower'} the "
                     f"{words.label} with a chance of {chance_words(row['falls'])}"
                     f"{' (so probably not)' if row['falls'] < 0.5 else ''}, by at least "
                     f"{words.limit(answers.less)}{counts} with "
                     f"{chance_words(row['falls_enough'])}")
        counts = ""
    return "; ".join(parts) + "."


def _best(answers: Report, words: Words) -> str:
    best = answers.now.iloc[0]
    tied = answers.now[answers.now["tied"]]["learner"].map(title_of).tolist()
    whose = f" of {title_of(best['learner'])}" if len(answers.now) > 1 else ""
    if said := no_better(answers, words):
        return (f"{said} With {best['size']:,} rows to train on, the {words.label}{whose} is "
                f"{words.error(best)}.")
    start = (f"With {best['size']:,} rows to train on, the {words.label}{whose} is "
             f"{words.error(best)}")
    if best["reached"] < best["size"]:
        start += (f", which is a forecast: it was measured up to {best['reached']:,} rows, there "
                  f"{words.number(best['measured'])}")
    elif words.number(best["measured"]) != words.number(best["error"]):
        start += f"; measured as {words.number(best['measured'])}, which luck made lowest in part" \
            if best["measured"] < best["error"] else (
                f"; measured as {words.number(best['measured'])}")
    if len(answers.now) < 2:
        return start + "."
    if len(tied) > 1:
        return (f"{start}. On these rows {in_words(tied)} do not differ significantly.")
    sure = ("clearly" if best["chance_best"] >= CERTAIN else
            "probably" if best["chance_best"] >= LIKELY else "perhaps")
    return f"{start}, {sure} the best of the {len(answers.now)} that were tried."


def no_better(answers: Report, words: Words) -> str:
    """Return that no learner has a lower error than always saying the same, where that is so."""
    if not answers.now["error"].iloc[0] >= answers.baseline:
        return ""
    return (f"No learner that was tried does better than always saying {answers.always}, which has "
            f"{words.number(answers.baseline)}.")


def article(label: str) -> str:
    """Return "a" or "an"."""
    return "an" if label[0].lower() in "aeiou" or label[:2].lower() in ("f1", "r2") or (
        label.startswith("R²")) else "a"


def _hardly(answers: Report) -> bool:
    """Tell whether the best is not shown to be better than saying always the same."""
    best = answers.now.iloc[0]
    return bool(best["saves"] < HARDLY or best["saves_low"] <= 0)


def _worth(answers: Report, words: Words) -> str:
    best = answers.now.iloc[0]
    always = f"always saying {answers.always} has {words.number(answers.baseline)}"
    at, low, high = (f"{round(100 * best[end]):d}".replace("-", "−")
                     for end in ("saves", "saves_low", "saves_high"))
    saved = f"It saves {at} % of the error (90 %: {low} to {high} %): {always}."
    if not _hardly(answers):
        return saved
    ranks = (" See below how well the rare class is told apart, and ask with METRIC=auc."
             if "auc" in set(answers.beside.get("name", ())) and answers.metric != "auc" else "")
    if best["saves_high"] >= HARDLY:
        return f"Too few rows to tell. {saved}{ranks}"
    return (f"Hardly anything. {saved}"
            f"{ranks or ' The columns say little of the target, or learners cannot use them.'}")


def _later(answers: Report, words: Words) -> str:
    table = answers.expected.set_index("times")
    parts = [f"{times} times the rows, {words.error(table.loc[times])}"
             + (f" with {title_of(table.loc[times, 'learner'])}" if len(answers.now) > 1 else "")
             for times in MULTIPLES]
    older = (" These rows reach farther back in time. What newer rows bring no split can say "
             "before they are there; without TIME, the page answers for rows of the same times."
             if answers.split == "time" else "")
    return "Expect with " + "; with ".join(parts) + "." + older


def _helps(answers: Report, words: Words) -> str:
    by = answers.helps.set_index("way")
    rows, learner, both = (by.loc[way] for way in ("rows", "learner", "both"))
    surer = max((rows, learner), key=lambda way: way["more"])
    said = ("Neither by what counts" if max(rows["gain"], learner["gain"]) < answers.less else
            "Which helps more is open" if surer["more"] < SURELY else
            "Rows, more likely" if surer is rows else "Another learner, more likely")
    fall = "raise" if words.score else "lower"
    return (f"{said}: with {title_of(answers.now['learner'].iloc[0])} twice the rows {fall} the "
            f"{words.label} by {words.amount(rows['gain'])} (with a chance of "
            f"{chance_words(rows['chance'])} at all), the best other learner tried by "
            f"{words.amount(learner['gain'])} ({chance_words(learner['chance'])}), both by "
            f"{words.amount(both['gain'])}; rows help more than the learner with "
            f"{chance_words(rows['more'])}.").replace("by -", "by −")


def _reach(answers: Report, words: Words) -> str:
    table = answers.wanted
    wanted = float(table["wanted"].iloc[0])
    target = f"{article(words.label).capitalize()} {words.label} of " \
             f"{words.number(wanted) if words.score or words.percent else words.limit(wanted)}"
    there = table[table["rows"].notna()].sort_values("rows", kind="stable")
    if len(there):
        first = there.iloc[0]
        name, own = title_of(first["learner"]), answers.now.set_index("learner")
        late = ("but it may never come" if np.isnan(first["late"])
                else f"at the latest from {about(first['late'])}")
        if first["rows"] <= own.loc[first["learner"], "size"]:
            if np.isnan(first["chance"]):
                return (f"{target} is what {name} seems to have now; how sure that is nobody can "
                        "say, as the points do not tell on how many rows they were measured.")
            return (f"{target} is what {name} seems to have now, with a chance of "
                    f"{chance_words(first['chance'])}; with 95 %, "
                    + (f"from about {about(first['late'])} rows on."
                       if np.isfinite(first["late"]) else "at no size that was looked at."))
        return (f"{target} is not reached now; it is expected from about {about(first['rows'])} "
                f"rows on{f', with {name}' if len(own) > 1 else ''} "
                f"(90 %: at the earliest from {about(first['early'])}, {late}).")
    maybe = table[table["early"].notna()].sort_values("early", kind="stable")
    if len(maybe):
        return (f"{target} is not reached now, and unlikely even with {FARTHEST} times the rows; "
                f"at best from {about(maybe['early'].iloc[0])} rows on"
                + (f", with {title_of(maybe['learner'].iloc[0])}." if len(table) > 1 else "."))
    return (f"{target} looks out of reach: even {FARTHEST} times the rows leave every learner "
            f"{'below' if words.score else 'above'} it, with a chance of 95 %.")


def _paying(answers: Report, words: Words) -> Iterator[tuple[str, str]]:
    if len(answers.costs):
        yield "What rows are worth", _worthwhile(answers)
        return
    now = chance_words(answers.enough["chance"].iloc[0])
    rule = (f"Stop when the chance that a doubling brings another {words.limit(answers.less)} is "
            f"below {chance_words(STOP)}")
    if answers.enough["chance"].iloc[0] < STOP:
        later = "" if answers.stop <= answers.now["size"].max() else (
            "; from far more rows on a doubling may bring it")
        yield "When to stop", f"{rule}: now, where it is {now}{later}."
    elif np.isfinite(answers.stop):
        yield "When to stop", f"{rule}: at about {about(answers.stop)} rows; now it is {now}."
    else:
        last = answers.enough.iloc[-1]
        yield "When to stop", (f"{rule}: not within reach; now it is {now}, at "
                               f"{about(last['size'])} rows {chance_words(last['chance'])}.")


def _worthwhile(answers: Report) -> str:
    table, spent = answers.costs, answers.spent
    first = table.iloc[0]
    gain, low, high = (about(first[c], 3) for c in ("gain", "low", "high"))
    over = f" over {spent.predictions:,.0f} predictions" if spent else ""
    start = (f"The next {MORE:,} rows cost {first['cost']:,.0f} and are expected to save {gain} "
             f"(90 %: {low} to {high}) in errors{over}; they pay with a chance of "
             f"{chance_words(first['chance'])}.")
    paying = table[table["gain"] >= table["cost"]]["size"]
    if paying.empty or paying.min() > first["size"]:
        return start + " On average they do not pay."
    if paying.max() == table["size"].max():
        return start + f" On average rows pay up to {about(table['size'].max())} and beyond."
    stop = table.loc[table["size"] > paying.max(), "size"].min()
    return start + f" On average rows stop paying at about {about(stop)}."


def _dips(answers: Report, words: Words) -> Iterator[tuple[str, str]]:
    """Say of the learners that did better with fewer rows where that was, and what it means."""
    table = answers.shapes[answers.shapes["shape"] == "dipping"]
    if table.empty:
        return
    names = table["learner"].tolist()
    lowest = min(float(curve_means(answers.curves.errors, name).min()) for name in names)
    at = " to ".join(f"{n:,.0f}" for n in sorted({table["at"].min(), table["at"].max()}))
    why = ("Older rows make it worse: what is to be learned drifts. Train on the latest rows"
           if answers.split == "time" else "See whether these are errors, not accuracies"
           if answers.table is None else "See whether the rows are shuffled and alike")
    yield "Fewer rows did better", (
        f"The {words.label} of {in_words([title_of(name) for name in names])} "
        f"{'fell: near' if words.score else 'rose: near'} {at} rows it was "
        f"{'highest' if words.score else 'lowest'} ({words.number(lowest)}). {why}.")
