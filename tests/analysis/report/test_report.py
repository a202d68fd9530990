"""The report: answers from curves of known shape, a page that is whole and loads nothing."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.report import make
from analysis.report.__main__ import main
from analysis.report.answers import FACTORS, answer, corrected_error
from analysis.report.make import TABLES, as_errors, make_report
from analysis.report.page import sentences, write_page
from analysis.report.settings import check_report
from collection.naming import UnknownNameError
from collection.own_table import gather
from collection.parameters import SettingsError

SIZES = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512])


def curve(floor, scale, power):
    return floor + scale * SIZES ** -power


@pytest.fixture(scope="module")
def errors():
    rng = np.random.default_rng(0)
    means = {"KNN": curve(0.20, 1.0, 0.5), "LDA": curve(0.05, 1.2, 0.4),
             "Decision Tree": np.full(len(SIZES), 0.45)}
    noise = rng.normal(0, 0.004, (len(means), 5, 1, len(SIZES)))
    values = np.array(list(means.values()))[:, None, None] + noise
    return xr.DataArray(values, dims=("learner", "outer", "inner", "anchor"),
                        coords={"learner": list(means), "outer": range(5), "inner": [0],
                                "anchor": SIZES})


@pytest.fixture(scope="module")
def answers(errors):
    return answer(errors, wanted=0.1)


def test_the_best_now_is_the_lowest_and_sure_of_it(answers, errors):
    best = answers.now.iloc[0]
    assert best["learner"] == "LDA" and best["chance_best"] > 0.9
    assert answers.now["chance_best"].sum() == pytest.approx(1)
    assert best["error"] == pytest.approx(float(errors.sel(learner="LDA", anchor=512).mean()))


def test_low_estimate_high_are_in_order(answers):
    for table in (answers.now, answers.later):
        assert (table["low"] <= table["error"]).all() and (table["error"] <= table["high"]).all()


def test_the_forecast_is_wider_the_farther_one_looks(answers):
    width = (answers.path["0.95"] - answers.path["0.05"]).groupby(answers.path["size"]).mean()
    assert width.iloc[-1] > width.iloc[0]


def test_later_holds_each_factor_and_learner(answers):
    assert answers.later.groupby("factor").size().to_dict() == dict.fromkeys(FACTORS, 3)
    assert (answers.later["size"] == 512 * answers.later["factor"]).all()
    first = answers.later[answers.later["factor"] == 10].iloc[0]
    assert first["learner"] == "LDA" and 0.03 < first["error"] < 0.14


def test_a_wanted_error_within_reach_and_out_of_it(answers, errors):
    wanted = answers.wanted.set_index("learner")
    early, rows, late = wanted.loc["LDA", ["early", "rows", "late"]]
    known = [n for n in (early, rows, late) if np.isfinite(n)]
    assert known and known == sorted(known) and np.isfinite(early)
    assert np.isnan(wanted.loc["Decision Tree", "rows"])
    reached = answer(errors, wanted=0.5).wanted.set_index("learner")
    assert reached.loc["LDA", "rows"] == 512
    assert any("out of reach" in s for s in sentences(
        answer(errors.sel(learner=["Decision Tree"]), wanted=0.01), "error rate", 0.01))


def test_the_same_input_gives_the_same_answers(answers, errors):
    again = answer(errors, wanted=0.1)
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(answers, name), getattr(again, name))


def test_corrected_error_is_larger_than_the_plain_one():
    values = np.array([0.1, 0.12, 0.11, 0.14, 0.09])
    plain = values.std(ddof=1) / np.sqrt(5)
    assert corrected_error(values) == pytest.approx(plain * np.sqrt(1 + 5 * 0.1 / 0.81))
    assert np.isnan(corrected_error(values[:1]))


def test_one_repeat_has_no_range_now_and_no_verdict(errors):
    alone = answer(errors.isel(outer=[0]).squeeze(["outer", "inner"], drop=True)
                   .expand_dims(repeat=[0], axis=1))
    assert alone.now["low"].isna().all() and alone.shapes.empty


def test_the_page_is_whole_and_loads_nothing(answers):
    page = write_page("<my> & table", answers, "<svg></svg>", "error rate", wanted=0.1,
                      notes=["Warning: the column 'x' tells all.", "Ignored: 'id'."])
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert not re.search(r"(src|href)=", page) and "<script" not in page
    assert "&lt;my&gt; &amp; table" in page and "Best now" in page
    assert page.index("Warning") < page.index("In short") < page.index("Ignored")


def test_metrics_count_as_errors():
    rows = [{"learner": m, "outer": o, "inner": 0, "anchor": n, "split": s, "error_rate": 0.2,
             "auc": 0.9, "f1": 0.7, "log_loss": 1.0 / n}
            for m in ("KNN", "LDA") for o in (0, 1) for n in (16, 32) for s in
            ("train", "valid", "test")]
    fits = pd.DataFrame(rows)
    assert float(as_errors(fits, "auc").max()) == pytest.approx(0.1)
    assert float(as_errors(fits, "f1").min()) == pytest.approx(0.3)
    assert as_errors(fits, "log_loss").sel(anchor=32).values == pytest.approx(0.5)
    fits.loc[fits.index[1], "error_rate"] = np.nan
    assert int(as_errors(fits, "error_rate").isnull().sum()) == 1


def test_points_make_a_report_in_seconds(tmp_path):
    points = tmp_path / "points.csv"
    rows = "".join(f"{n},{e:.4f}\n" for n, e in zip(SIZES, curve(0.1, 1, 0.5), strict=True))
    points.write_text("size,error\n" + rows)
    settings = check_report({"POINTS": str(points), "OUT": str(tmp_path / "out"), "WANTED": "0.12"})
    page, answers = make_report(settings)
    assert page.read_text().count("<table") >= 3
    written = {p.name for p in (tmp_path / "out").iterdir()}
    assert {"report.html", "now.csv", "later.csv", "path.csv", "wanted.csv",
            "measured.csv"} <= written and not any(n.startswith(".") for n in written)
    table = pd.read_csv(tmp_path / "out" / "later.csv")
    assert table["error"].tolist() == pytest.approx(answers.later["error"].tolist())


@pytest.mark.parametrize(("values", "error", "words"), [
    ({}, SettingsError, "either CSV"),
    ({"CSV": "a.csv", "POINTS": "b.csv"}, SettingsError, "either CSV"),
    ({"CSV": "a.csv"}, SettingsError, "TARGET"),
    ({"CSV": "a.csv", "TARGET": "y", "BUDGET": "soon"}, SettingsError, "BUDGET"),
    ({"CSV": "a.csv", "TARGET": "y", "BUDGET": "-3s"}, SettingsError, "BUDGET"),
    ({"POINTS": "b.csv", "WANTED": "5"}, SettingsError, "WANTED"),
    ({"POINTS": "b.csv", "WANTED": "low"}, SettingsError, "WANTED"),
    ({"POINTS": "b.csv", "METRIC": "aoc"}, UnknownNameError, "auc"),
    ({"POINT": "b.csv"}, UnknownNameError, "POINTS"),
    ({"POINTS": "b.csv", "WORKERS": "0"}, SettingsError, "WORKERS"),
])
def test_bad_parameters_are_refused(values, error, words):
    with pytest.raises(error, match=words):
        check_report(values)


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("size,error\n" + "".join(
        f"{n},{e:.4f}\n" for n, e in zip(SIZES, curve(0.1, 1, 0.5), strict=True)))
    return path


def test_the_notebook_runs_as_make_report_runs_it(points, tmp_path):
    out = tmp_path / "out"
    assert main([f"POINTS={points}", f"OUT={out}", "WANTED=0.12"]) == 0
    assert (out / "report.html").read_text().rstrip().endswith("</html>")
    assert {"report.ipynb", "now.csv", "later.csv", "wanted.csv"} <= {
        p.name for p in out.iterdir()}


def test_a_table_is_measured_and_answered(tmp_path, monkeypatch):
    """Two quick learners and two repeats of each: done long before the budget, on any machine."""
    monkeypatch.setattr(gather, "REPEATS", gather.REPEATS[:2])
    monkeypatch.setattr(make, "gather_within", lambda dataset, budget, workers:
                        gather.gather_within(dataset, budget, workers, ("KNN", "LDA")))
    rng = np.random.default_rng(1)
    label = rng.choice(["a", "b"], 300)
    pd.DataFrame({"x": rng.normal(size=300) + 2 * (label == "a"), "y": rng.normal(size=300),
                  "made_on": "2020-01-01", "label": label}).to_csv(tmp_path / "t.csv", index=False)
    page, answers = make_report(check_report({
        "CSV": str(tmp_path / "t.csv"), "TARGET": "label", "BUDGET": "10h",
        "OUT": str(tmp_path / "out")}))
    assert set(answers.now["learner"]) == {"KNN", "LDA"}
    text = page.read_text()
    assert "2 learners were trained on 16 to" in text and "made_on" in text


def test_what_is_wrong_with_the_file_is_said_before_a_notebook_starts(tmp_path, capsys):
    out = tmp_path / "out"
    assert main([f"CSV={tmp_path / 'none.csv'}", "TARGET=y", f"OUT={out}"]) == 1
    assert "none.csv" in capsys.readouterr().err and not out.exists()
