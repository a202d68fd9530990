"""A page for protocols: rows for development and for evaluation, by curve and by the criteria.

Of a table, of points (then without the criteria), or of what is planned before any data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis.drawing.document import render
from analysis.report import protocol
from analysis.report.answers import STOP, Answered
from analysis.report.assurance import FEWEST, Plan
from analysis.report.sentences import title_of
from analysis.statistics.summary import with_interval
from collection.project.parameters import SettingsError

if TYPE_CHECKING:
    from collection.own_table.measure import Measurable

HERE = Path(__file__).parent
LINEAR = ("LogisticRegression", "Ridge")  # of the models that the criteria are about
EITHER_WAY = 0.1  # of the error, that a 90 % range from the evaluation may reach
NORMAL = 1.645
RATES = ("error", "error rate", "1 − accuracy")  # labels of shares of rows predicted wrongly
WORDS = {
    "shrinkage": "against overfitting: predictions are to be no more than a tenth too extreme",
    "optimism": "against promises: the apparent explained share is to be at most 0.05 too high",
    "risk": "against risks all too high or low: the overall one is to be within 0.05, with 95 %",
    "spread": "against wrong ranges: the residual deviation is to be within a tenth, with 95 %",
    "o_e": "against risks all off unseen: the 95 % interval of observed over expected is to be 0.2 "
           "wide",
    "c": "against a ranking that luck made: the 95 % interval of the C-statistic is to be 0.1 wide",
}


def statement(answers: Answered | Plan) -> pd.DataFrame:
    """Return the rows that development and evaluation take.

    Returns
    -------
    pandas.DataFrame
        ``purpose`` ("development", "evaluation"), ``by`` ("curve", "look-alikes", "criteria"),
        ``rows`` (NaN by curve: more than 64 times those there are; else: there is no answer),
        ``aim``, ``assumed``.

    Raises
    ------
    SettingsError
        For a table of more than two classes.
    """
    if isinstance(answers, Plan):
        found = [*_by_look_alikes(answers), *_planned_criteria(answers)]
    else:
        found = [*_by_curve(answers), *_by_criteria(answers)]
    table = pd.DataFrame(found, columns=["purpose", "by", "rows", "aim", "assumed"])
    return table.sort_values("purpose", kind="stable").reset_index(drop=True)


def advice(table: pd.DataFrame) -> str:
    """Say in one sentence how many rows to plan, of `statement` on a `Plan`."""
    developed, evaluated = (own for _, own in table.groupby("purpose"))
    alike, most = (developed.loc[(developed["by"] == "look-alikes") == is_alike, "rows"].max()
                   for is_alike in (True, False))
    if np.isfinite(alike):
        both = "" if np.isnan(most) else (
            f": datasets like this reach the error with {alike:,.0f}, the criteria for a model "
            f"that does not overfit ask for {most:,.0f}, and both have to hold")
        return (f"Plan {np.fmax(alike, most):,.0f} rows to develop a model on{both}; "
                f"{evaluated['rows'].max():,.0f} others to evaluate it on.")
    begin = "Measure what there is" if np.isnan(most) else (
        f"Begin with {most:,.0f}, which the criteria for a model that does not overfit ask for,")
    return ("No number of rows is sure to reach that error, as too few datasets like this did. "
            f"{begin} and let a curve of its own decide (make report CSV=…).")


def check_statement(data: Measurable, learners: Collection[str] = LINEAR) -> None:
    """Raise `SettingsError` for more than two classes, or where no linear model is measured."""
    if len(data.classes) > 2:
        raise SettingsError("STATEMENT: the published criteria are for two classes or for numbers; "
                            f"this target has {len(data.classes)} classes.")
    if not set(LINEAR) & set(learners):
        raise SettingsError("STATEMENT: the criteria are about linear models; measure one, "
                            f"LEARNERS={' or '.join(LINEAR)}.")


def _by_curve(answers: Answered) -> Iterator[tuple]:
    best = answers.now["learner"].iloc[0]
    about = f"{title_of(best)}, forecast from {answers.now['size'].iloc[0]:,} rows"
    yield ("development", "curve", answers.stop, "the chance that a doubling lowers the error by "
           f"{answers.less:.3g} is below {STOP:.0%}", about)
    if len(answers.wanted):
        rows = answers.wanted.set_index("learner").loc[best]
        yield ("development", "curve", rows["late"],
               f"an error of {rows['wanted']:.3g} is reached with 95 %", about)
    error = float(answers.now["error"].iloc[0])
    if answers.metric == "error_rate" and error > 0 and answers.label in RATES:
        yield _to_know(error, "curve")


def _to_know(error: float, by: str) -> tuple:
    return ("evaluation", by, np.ceil((1 - error) / error * (NORMAL / EITHER_WAY) ** 2),
            "against an error that luck made: its 90 % range is to reach a tenth of it either way",
            f"an error rate of {error:.3f}")


def _by_look_alikes(plan: Plan) -> Iterator[tuple]:
    rows, chances, judged = plan.assured()
    if np.isfinite(rows):
        held = with_interval(*(100 * judged[c] for c in ("share", "low", "high")), 0, "%")
        about = (f"{chances[rows]:.0%} of look-alikes have reached it there; so named, rows "
                 f"sufficed on {held} of families set aside")
    elif len(chances):
        about = (f"at most {chances.max():.0%} of look-alikes have reached it, at "
                 f"{chances.idxmax():,} rows; beyond {chances.index[-1]:,} too few were measured")
    else:
        about = f"fewer than {FEWEST} families of datasets are like this"
    aim = f"against erring more than is wanted: an error of {plan.wanted:.3g} is reached with 80 %"
    yield "development", "look-alikes", rows, aim, f"{title_of(judged.name)}: {about}"
    yield _to_know(plan.wanted, "look-alikes")


def _planned_criteria(plan: Plan) -> Iterator[tuple]:
    if plan.classes > 2:
        yield "development", "criteria", np.nan, "they are for two classes or for numbers", "–"
        return
    rare = 1 - plan.majority
    c = protocol.c_statistic_of(plan.wanted, rare)
    yield from _asked(plan.features, protocol.explained_by(c, rare), f"C-statistic {c:.2f}, as an "
                      f"error of {plan.wanted:.3g} has with normal scores, {rare:.0%} in the rarer "
                      f"class, {plan.features} parameters", rare, c)


def _by_criteria(answers: Answered) -> Iterator[tuple]:
    if answers.table is None:
        for purpose, names in (("development", "shrinkage, optimism, overall risk"),
                               ("evaluation", "observed over expected, C-statistic")):
            yield (purpose, "criteria", np.nan, names, "these need a table (CSV=, TARGET=): points "
                   "tell neither columns nor classes")
        return
    check_statement(data := answers.table.measurable())
    held = answers.curves.held
    linear = next((n for n in LINEAR if n in held and np.isfinite(held[n]).any()), None)
    if linear is None:
        yield "development", "criteria", np.nan, "no linear model was measured", "–"
        return
    predictions, target = held[linear], data.rows.target
    tested = np.isfinite(predictions.reshape(len(predictions), -1)).all(1)
    parameters, prevalence, c = _parameters(data.features), 0.0, 0.0
    if data.rows.regression:
        share = 1 - np.mean((predictions - target)[tested] ** 2) / target[tested].var()
        about = f"R² {share:.2f}"
    else:
        from sklearn.metrics import roc_auc_score  # which takes a while to load

        rare = int(np.bincount(target).argmin())
        prevalence = float((target == rare).mean())
        c = float(roc_auc_score(target[tested] == rare, predictions[tested, rare]))
        share = protocol.explained_by(c, prevalence) if c > 0.5 else 0.0
        about = f"C-statistic {c:.2f}, {prevalence:.0%} {data.classes[rare]!r}"
    about += f" ({title_of(linear)}, held-out rows), {parameters} parameters"
    if share <= 0:
        yield "development", "criteria", np.nan, "the linear model explains nothing yet", about
        return
    yield from _asked(parameters, share, about, prevalence, c)


def _asked(parameters: int, share: float, about: str, prevalence: float, c: float
           ) -> Iterator[tuple]:
    """Yield what the criteria ask for, of numbers where no class has a prevalence."""
    found = (protocol.rows_for_classes(parameters, prevalence, share) if prevalence else
             protocol.rows_for_numbers(parameters, share))
    for name, rows in found.items():
        yield "development", "criteria", rows, WORDS[name], about
    if prevalence:
        for name, rows in protocol.rows_to_evaluate(prevalence, c).items():
            yield "evaluation", "criteria", rows, WORDS[name], about


def _parameters(features: pd.DataFrame) -> int:
    """Return what a linear model estimates: one a number, one less than its levels a category."""
    return sum(1 if pd.api.types.is_numeric_dtype(column) else column.nunique() - 1
               for _, column in features.items())


def write_statement(answers: Answered | Plan) -> str:
    """Return the page as HTML that loads nothing; see `statement`."""
    table = statement(answers)
    parts = [(purpose, own.assign(rows=[
        f"{n:,.0f}" if np.isfinite(n) else "–" if by != "curve" else
        "beyond 64 times those there are" for n, by in zip(own["rows"], own["by"], strict=True)]
        ).to_dict("records")) for purpose, own in table.groupby("purpose")]
    return render(
        HERE / "statement.html", title=answers.title, parts=parts, how=answers.how,
        notes=[n.removeprefix("Warning: ") for n in answers.notes],
        advice=advice(table) if isinstance(answers, Plan) else "")
