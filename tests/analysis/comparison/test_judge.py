"""A comparison's tables: failures stay failures, quartiles and bands against brute force."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from analysis.comparison.judge import BANDS, by_size, judge, short_names
from analysis.comparison.page import write_page

N = 8


def fits(n=N, broken=()):
    """Fits of three methods on n datasets, those in `broken` (dataset, method) out of time."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(n):
        for m, method in enumerate(("Logistic regression", "mine.Good(C=1.5)", "mine.Other")):
            for split, folds in (("test", range(3)), ("train", [0])):
                for fold in folds:
                    late = (k, method) in broken and fold == 0
                    rows.append({"dataset": f"d{k}", "method": method, "split": split,
                                 "fold": fold, "auc": np.nan if late else
                                 round(0.7 + 0.03 * m + rng.normal(0, 0.01), 4),
                                 "status": "timeout" if late else "ok",
                                 "message": "stopped after 1 s" if late else "",
                                 "hyperparameters": '{"C": 2}' if m == 2 else "", "seconds": 1.0})
    return pd.DataFrame(rows)


ROWS = pd.Series([40, 100, 101, 200, 250, 499, 500, 6000], [f"d{k}" for k in range(N)])


def test_scores_are_means_over_folds_and_training_on_all():
    table = fits()
    verdict = judge(table, ROWS)
    some = table[(table["dataset"] == "d3") & (table["method"] == "mine.Other")]
    by_split = some.groupby("split")["auc"].mean()
    assert verdict.test.loc["d3", "mine.Other"] == pytest.approx(by_split["test"])
    assert verdict.train.loc["d3", "mine.Other"] == pytest.approx(by_split["train"])
    assert list(verdict.ranks.index) == ["mine.Other", "mine.Good(C=1.5)", "Logistic regression"]
    assert set(verdict.practical["method"]) == {"mine.Other", "mine.Good(C=1.5)"}
    assert not verdict.notes and verdict.failures.empty
    assert len(verdict.chosen) == 2 * N
    assert verdict.chosen["hyperparameters"].str.startswith('{"C": 2}').all()


def test_a_failed_fold_is_no_number_and_takes_the_dataset_out_of_the_ranks():
    verdict = judge(fits(broken={(2, "mine.Other")}), ROWS)
    assert np.isnan(verdict.test.loc["d2", "mine.Other"])
    assert np.isfinite(verdict.test.loc["d2", "Logistic regression"])
    assert set(verdict.failures["status"]) == {"timeout"} and len(verdict.failures) == 2
    assert verdict.pairs[["wins", "ties", "losses"]].sum(axis=1).eq(N - 1).all()
    assert any(f"{N - 1} of {N}" in note for note in verdict.notes)


def test_a_method_that_mostly_fails_is_not_ranked_and_spares_the_others():
    verdict = judge(fits(broken={(k, "mine.Other") for k in range(6)}), ROWS)
    assert "mine.Other" not in verdict.ranks and len(verdict.ranks) == 2
    assert "Other has a result on 2 of 8" in verdict.notes[0]
    half = judge(fits(N + 2, {(k, "mine.Other") for k in range(5)}), pd.concat([
        ROWS, pd.Series([70, 80], ["d8", "d9"])]))
    assert len(half.ranks) == 3 and not any("Other has a result" in note for note in half.notes)


def test_too_few_datasets_are_not_ranked():
    verdict = judge(fits(4), ROWS[:4])
    assert verdict.ranks.empty and verdict.pairs.empty and verdict.practical.empty
    assert "too few" in verdict.notes[-1]
    page = write_page(verdict, ["mine.Other"], "how", {"no library": 2})
    assert "too few" in page and "2 fit(s) could not be made: no library" in page


def test_bands_are_medians_and_quartiles():
    test = judge(fits(broken={(0, "mine.Other")}), ROWS).test
    table = by_size(test, ROWS).set_index(["method", "rows"])
    for low, high in pairwise(BANDS):
        inside = test.loc[ROWS.between(low, high, inclusive="right"), "mine.Other"].dropna()
        label = next((b for m, b in table.index if b.startswith(f"{low + 1:,} ")), "above 5,000")
        if ("mine.Other", label) in table.index and len(inside):
            row = table.loc[("mine.Other", label)]
            expected = [len(inside), *np.quantile(inside, [0.5, 0.25, 0.75])]
            np.testing.assert_allclose(row.to_numpy(float), expected)
    assert table["n_datasets"].groupby("method").sum()["mine.Other"] == N - 1


def test_the_page_escapes_and_loads_nothing():
    table = fits().replace({"mine.Other": "mine.Other(name='<script>')"})
    page = write_page(judge(table, ROWS), ["mine.Other(name='<script>')"], "<b>how</b>", {})
    assert "<script>" not in page and "&lt;b&gt;how" in page
    assert not re.search(r"src=|href=.http|url\(.?http|@import|<link", page)
    assert 'name="viewport"' in page.replace("'", '"')


def test_short_names_stay_unambiguous():
    assert short_names(["sklearn.svm.SVC(C=1.5)", "KNN", "a.b.X()", "c.d.X()"]) == {
        "sklearn.svm.SVC(C=1.5)": "SVC(C=1.5)", "KNN": "KNN", "a.b.X()": "a.b.X()",
        "c.d.X()": "c.d.X()"}
    assert short_names(["ens.RandomForest"]) == {"ens.RandomForest": "ens.RandomForest"}
