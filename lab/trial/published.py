"""What others printed of forecasts, computed anew by their protocols, and who the rivals are.

Kept as ``trial_published`` (two minutes; it needs the published curves and LCDB 1.1's means) and
``trial_rivals``; the page on the trial and the index of papers' numbers read them.
"""

import numpy as np
import pandas as pd
from scipy import optimize

from analysis.databases.load import load_curves
from analysis.published.printed import EQUAL, compare
from collection.project.paths import PRINTED
from lab.published_files import at_hand
from lab.trial.laws import CAZACU, by_cazacu, by_law
from lab.trial.rivals import RIVALS

SEEN = 360  # rows (Harvey et al. 2023)
DOMAINS = {"IC": "images", "NMT": "translation", "LM": "language", "BB": "BIG-Bench"}


def published_errors() -> pd.DataFrame:
    """Compute others' errors anew.

    Returns
    -------
    DataFrame
        ``source, item, published`` (as printed), ``ours, verdict, reason`` (where it differs),
        ``n`` (curves), ``unit``.

    Raises
    ------
    NotAtHandError
        Where the published curves, or LCDB 1.1's means, are not at hand.
    """
    table = pd.concat([_cazacu(), _harvey(), _scaling()], ignore_index=True)
    verdicts = [compare(told, ours).verdict for told, ours in zip(
        table["published"], table["ours"], strict=True)]
    return table.assign(verdict=verdicts, reason=table["reason"].mask(
        pd.Series(verdicts) == EQUAL, ""))


def _cazacu() -> pd.DataFrame:
    """Return those of experiment 2: mean absolute errors after five cutoffs."""
    told = pd.read_csv(at_hand("curves", "lcpfn_lcdb11_exp2.csv.gz"))
    curves = load_curves("lcdb11-summary")["error_rate"].sel(split="valid").isel(
        scaling=0, leakage=0, drop=True)
    names = {str(n).replace("ens.", "").lower(): n for n in curves["learner"].values}
    sizes, rows = curves["anchor"].values.astype(float), []
    for row in told[told["method"] == "POW4"].itertuples():
        learner = names.get(row.learner.replace("ens.", "").lower())
        if learner is None:
            continue
        error = curves.isel(dataset=row.dataset_idx).sel(learner=learner).values
        error = error[np.isfinite(error)]
        at, seen = sizes[:len(error)], row.train_points
        if seen + row.test_points == len(error):  # else it is another curve than theirs
            rows += [{"task": row.task, "method": model, "ours": np.abs(
                by_cazacu(at[:seen], error[:seen], at[seen:], model) - error[seen:]).mean()}
                for model in CAZACU]
    both = pd.DataFrame(rows).merge(told[["task", "method", "mae"]], on=["task", "method"])
    means = both.groupby("method")[["mae", "ours"]].mean()
    return pd.DataFrame([{
        "source": "Cazacu 2025", "item": f"{name}, mean absolute error on the curves at hand",
        "published": f"{means.loc[name, 'mae']:.4f}", "ours": means.loc[name, "ours"],
        "reason": "means of LCDB 1.1, not its single runs", "n": int(
            (both["method"] == name).sum()), "unit": "accuracy"} for name in CAZACU])


def _harvey() -> pd.DataFrame:
    """Return those of AUROC beyond 360 images: a root mean squared error a task, range and law.

    The power law ends at an AUROC of at most 1, and its exponent is between 0 and 1: so most of
    the printed errors come out, and without these bounds few.
    """
    curves = pd.read_csv(at_hand("curves", "medical_images_tufts.csv.gz"))
    told = pd.read_csv(at_hand("curves", "medical_images_tufts_errors.csv"), dtype={"value": str})
    laws = {"power law": (lambda n, a, b, c: a - b * n**-c, ([0, 0, 0], [1, np.inf, 1]),
                          [(0.95, 0.5, c) for c in (0.05, 0.2, 0.5, 0.9)]),
            "arctan": (lambda n, a, b, c: 2 / np.pi * np.arctan(np.pi / 2 * a * n + b) - c,
                       ([-np.inf] * 3, [np.inf] * 3), [(0.01, 1.0, 0.05)])}
    rows, curves = [], curves[curves["metric"] == "auc"]
    for row in told[told["method"].isin(list(laws))].itertuples():
        own = curves[(curves["task"] == row.task) & (curves["range"] == row.range)]
        mean = own.groupby("size")["value"].mean()
        early, late = ((part.index.to_numpy(float), part.to_numpy())
                       for part in (mean[mean.index <= SEEN], mean[mean.index > SEEN]))
        law, bounds, starts = laws[row.method]
        fit = min((optimize.least_squares(
            lambda p, law=law, early=early: law(early[0], *p) - early[1], start, bounds=bounds,
            x_scale="jac", max_nfev=5000, ftol=1e-14, xtol=1e-14, gtol=1e-14)
            for start in starts), key=lambda found: found.cost)
        off = law(late[0], *fit.x) - late[1]
        rows.append({
            "source": "Harvey et al. 2023",
            "item": f"{row.method}, {row.task}, {row.range.replace('_', ' ')}",
            "published": row.value, "ours": 100 * np.sqrt((off**2).mean()),
            "reason": "the fit has several minima, and the start is not printed", "n": 1,
            "unit": "hundredths of AUROC"})
    return pd.DataFrame(rows)


def _scaling() -> pd.DataFrame:
    """Return those of the 92 tasks: root mean squared differences of logarithms."""
    table = pd.read_csv(at_hand("curves", "scaling92.csv.gz"))
    told = pd.read_csv(PRINTED / "scaling92_errors.csv", dtype={"error": str})
    rows = []
    for curve, part in table.groupby("curve", sort=False):
        train, test = (part[part["part"] == name].sort_values("size") for name in ("train", "test"))
        one, other = (p[["size", "value"]].to_numpy(float).T for p in (train, test))
        for law in ("M1", "M2", "last"):
            found = np.full(len(other[0]), one[1][-1]) if law == "last" else \
                by_law(*one, other[0], law)
            rows.append((curve.split("/")[0], law, np.sqrt((np.log(found / other[1]) ** 2).mean())))
    own = pd.DataFrame(rows, columns=["domain", "law", "ours"])
    means = own.groupby(["domain", "law"])["ours"].agg(["mean", "size"])
    return pd.DataFrame([{
        "source": "92 tasks of neural scaling, an earlier fit",
        "item": f"{row.law}, {DOMAINS[row.domain]}", "published": row.error,
        "ours": means.loc[(row.domain, row.law), "mean"], "reason": "other starts of the fit",
        "n": int(means.loc[(row.domain, row.law), "size"]), "unit": "log"}
        for row in told.itertuples()])


def list_rivals() -> pd.DataFrame:
    """Return who forecasts: ``rival, kind, sees, source``, a row each."""
    return pd.DataFrame([(r.name, r.kind, r.sees, r.source) for r in RIVALS.values()],
                        columns=["rival", "kind", "sees", "source"])


KEPT = {"trial_published": published_errors, "trial_rivals": list_rivals}
