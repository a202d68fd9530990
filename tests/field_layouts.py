"""Tables as the field's tools write them: each with who must come first and last, or what is said.

Those at hand beside the project (``cases/orders``) come first; the others are made here.
"""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
from published_data import PUBLISHED

CASES = PUBLISHED.parent / "cases"
SHARED = (CASES / "orders", CASES / "orders2")
ERRORS = {"GBM": 0.10, "RF": 0.12, "LR": 0.18, "KNN": 0.23}
DATASETS = [f"d{k}" for k in range(12)]
RIGHT = ("GBM", "KNN")
ASKED = "Is higher or lower better?"
NO_TABLE = "This is no table of results"
_rng = np.random.default_rng(0)
_ERROR = {(d, m): e * (0.8 + 0.4 * _rng.random()) for d in DATASETS for m, e in ERRORS.items()}
#: What must be said of those of the shared files that have no first and last.
SAID = {
    "lb_openml_many.csv": "`setup_id`", "lb_cvresults.csv": "one dataset", "l2_mixpct.csv":
    "in percent", "l2_82fold.csv": "one dataset", "lb_autogluon.csv": NO_TABLE,
    "lb_pycaret.csv": NO_TABLE, "l2_twometrics.csv": "`metric`", "lb_pct.csv": ASKED,
    "lb_ties.csv": "12 tasks × 4", "lb_missing.csv": "12 tasks × 4",
    "B_caret_boot.csv": "one dataset", "B_outer.csv": "one dataset",
    "B_name_fold.csv": "one dataset", "B_caret_resamples_two.csv": "`Accuracy` or `Kappa`",
    "s_helm.csv": "column `Mean win rate` (a summary)", "s_samples.csv": "50 tasks × 6 methods",
    "L_imputed.csv": "8 results that failed by column `imputed`",
    "m_status.csv": "6 results that failed by column `status`",
    "m_fail2e9.csv": "6 values of 2147483647", "M_trainonly.csv": "training values only",
    "m_pct_some_tasks.csv": "5 tasks in percent made shares",
    "s_gift_terms.csv": "20 clusters of 3",
    "t_lmeval.md": "no column of methods", "m_pub.csv": "20 tasks × 4 methods",
    "m_rerun_error.csv": "20 tasks × 4 methods"}
#: Nothing in it says what was measured, and a normalised RMSE could look like it: asked, although
#: GBM is expected first. With LOWER=no it is.
NAMELESS = {"lb_seedcols.csv": ASKED, "G_mean_standard_error.csv": ASKED,
            "G_estimate_moe.csv": ASKED}
#: Of 60 instances LightGBM resolved 47, the ensemble 42: the file's own counts.
COUNTED = {"l3_bool.csv": ("LightGBM", "KNeighbors")}


def _long(of, names=("dataset", "model", "value"), **columns):
    rows = [(d, m, of(e)) for (d, m), e in _ERROR.items()]
    return pd.DataFrame(rows, columns=names).assign(**columns)


def _wide(of, corner):
    table = _long(of).pivot(index="dataset", columns="model", values="value")
    return table.rename_axis(corner).reset_index()


def _repeated(of, name, times=5):
    table = _long(of, ("dataset", "model", name.format(0)))
    for k in range(1, times):
        table[name.format(k)] = table.iloc[:, 2] + _rng.normal(size=len(table)) / 1000
    return table


def _with(table, method, value):
    rows = [(d, method, value) for d in DATASETS]
    return pd.concat([table, pd.DataFrame(rows, columns=table.columns[:3])])


def _beside(of, name, other, value):
    """Return a wide table in which a column stands beside each method's."""
    table = _wide(of, "accuracy")
    return table[["accuracy"]].assign(**{n: cells for m in ERRORS for n, cells in (
        (name.format(m), table[m]), (other.format(m), value))})


def _ended(well, badly):
    """Return a table with a state of each run, one method's that failed."""
    table = _long(share, ("dataset", "model", "accuracy"))
    return table.assign(State=np.where(table["model"] == "LR", badly, well))


def _plus(of):
    return lambda e: 1 - of * e


def same(e):
    return e


def share(e):
    return 1 - e


def negative(e):
    return -50 * e


MADE = {
    "rmse negative, long": (_long(negative, ("dataset", "model", "rmse")), RIGHT),
    "score of rmse": (_long(negative, ("dataset", "model", "score"),
                            metric="root_mean_squared_error"), RIGHT),
    "positive log loss": (_long(same, metric="log_loss"), RIGHT),
    "neg in name only": (_long(same, ("dataset", "model", "neg_log_loss")), ASKED),
    "negative accuracy": (_long(negative, ("dataset", "model", "accuracy")), ASKED),
    "metric error": (_long(same, ("dataset", "method", "metric_error"), metric="log_loss",
                           time_train_s=3.0, metric_error_val=0.1), RIGHT),
    "dummy leads": (_with(_long(same, ("dataset", "model", "accuracy")), "DummyClassifier", 0.5),
                    ASKED),
    "value alone": (_long(same), ASKED),
    "shares without a name": (_wide(share, "dataset"), ASKED),
    "errors in seeds": (_repeated(same, "seed_{}"), ASKED),
    "nameless shares in seeds": (_repeated(share, "seed_{}"), ASKED),
    "two measures": (_long(share, ("dataset", "model", "accuracy"), f1=0.5), "`accuracy` or `f1`"),
    "scikit-learn": (_long(share, ("dataset", "model", "mean_test_score"), mean_fit_time=3.0,
                           std_test_score=0.1, rank_test_score=1), RIGHT),
    "three parts": (_long(share, ("dataset", "model", "test_auc"), train_auc=0.99, valid_auc=0.5),
                    RIGHT),
    "accuracy in seeds": (_repeated(share, "accuracy_seed{}"), RIGHT),
    "errors in percent": (_long(lambda e: 100 * e, ("dataset", "model", "error (%)")), RIGHT),
    "accuracy in percent": (_wide(lambda e: 100 - 100 * e, "accuracy"), RIGHT),
    "parts in rows": (pd.concat([
        _long(share, ("dataset", "model", "accuracy"), split="test"),
        _long(lambda e: 0.9 + e / 10, ("dataset", "model", "accuracy"), split="train")]), RIGHT),
    "two constraints": (pd.concat([
        _long(share, ("task", "framework", "result"), metric="auc", constraint=c, fold=0)
        for c in ("1h8c", "4h8c")]), "`constraint`"),
    "mlr3 AUC": (_long(share, ("task_id", "learner_id", "classif.auc"), nr=1, iters=10), RIGHT),
    "mlr3 R²": (_long(_plus(8), ("task_id", "learner_id", "regr.rsq")), RIGHT),
    "mlr3 featureless": (_with(_long(same, ("task_id", "learner_id", "classif.ce")),
                               "classif.featureless", 0.5), ("GBM", "classif.featureless")),
    "yes or no, wide": (_wide(lambda e: e < 0.15, "resolved"), "higher is better (`resolved`"),
    "failed": (_long(lambda e: e > 0.15, ("instance", "model", "failed")),
               "lower is better (`failed`"),
    "folds as tasks": (pd.DataFrame({"fold": range(10), **{
        m: 1 - e + _rng.normal(size=10) / 100 for m, e in ERRORS.items()}}), "one dataset"),
    "folds by name": (pd.DataFrame({"accuracy": [f"fold {k}" for k in range(10)], **{
        m: 1 - e + _rng.normal(size=10) / 100 for m, e in ERRORS.items()}}), RIGHT),
    "folds alone": (pd.DataFrame([(m, k, 1 - e + k / 1000) for m, e in ERRORS.items()
                                  for k in range(10)], columns=["model", "fold", "accuracy"]),
                    RIGHT),
    "H2O": (pd.DataFrame({"model_id": ["a", "b"], "auc": [.9, .8], "logloss": [.2, .3],
                          "mean_per_class_error": [.1, .2], "rmse": [.2, .3]}), NO_TABLE),
    "TabArena's leaderboard": (pd.DataFrame({
        "method": ["a", "b", "c"], "elo": [1500, 1400, 1200], "elo+": [20, 22, 20],
        "elo-": [20, 20, 20], "winrate": [.8, .6, .2], "rank": [1, 2, 3]}), NO_TABLE),
    "Open LLM": (pd.DataFrame({
        "Precision": "bfloat16", "Model": ["a", "b", "c"], "Average ⬆️": [9.2, 8.1, 7.5],
        "CO₂ cost (kg)": 1.3, "#Params (B)": [7.2, 8.2, 9.2], "Hub ❤️": [3, 13, 23],
        "BBH Raw": [.9, .8, .7], "BBH": [90.1, 80.2, 70.1], "GPQA Raw": [.9, .8, .8],
        "GPQA": [88.3, 79.9, 77.1], "Merged": False}), ASKED),
    "MTEB": (pd.DataFrame({
        "Rank (Borda)": [1, 2], "Model": ["[a](https://b.org/a)", "[c](https://b.org/c)"],
        "Zero-shot": "99%", "Memory Usage (MB)": 400, "Number of Parameters": "4B",
        "Mean (Task)": [90.2, 80.1], "Clustering": [91.2, 80.3], "STS": [88.1, 79.2]}),
             "What is no result can be left out"),
    "lm-eval": (pd.DataFrame({"model": ["a", "b", "c"], "hellaswag": [.8, .7, .6],
                              "mmlu": [.7, .6, .5], "wikitext_word_perplexity": [8.1, 9.5, 12]}),
                NO_TABLE),
    "a task a column": (pd.DataFrame({"Model": ["a", "b", "c"], "hellaswag_acc": [.8, .7, .6],
                                      "mmlu_acc": [.7, .6, .5]}), ("a", "c")),
    "AutoGluon": (_long(negative, ("dataset", "model", "score_test"), score_val=-3.0,
                        pred_time_test=0.1, fit_time=1.0, stack_level=1), RIGHT),
    "folds in lists": (_long(share, ("data_name", "flow_name", "mean"),
                             function="predictive_accuracy", value="").assign(
        values=lambda t: [str([v, v + 0.001]) for v in t["mean"]]).drop(columns="mean"), RIGHT),
    "one method in percent": (_wide(share, "dataset").assign(KNN=lambda t: 100 * t["KNN"]),
                              "KNN is in percent"),
    "seeds of methods": (pd.DataFrame({"accuracy": DATASETS, **{
        f"{m}_seed{k}": [1 - _ERROR[d, m] + k / 1000 for d in DATASETS]
        for m in ERRORS for k in range(3)}}), RIGHT),
    "a skill score": (_long(share, ("dataset", "model", "d2_log_loss_score")), RIGHT),
    "a reduction": (_wide(share, "error reduction"), RIGHT),
    "an arrow": (_long(share, ("dataset", "model", "Skill ↑")), RIGHT),
    "a name in part": (_long(share, ("dataset", "model", "accuracy wobble")), ASKED),
    "an error beside the mean": (_long(share, ("dataset", "model", "mean"), error=0.01), ASKED),
    "a margin": (_long(share, ("dataset", "model", "accuracy"), margin_of_error=0.01), RIGHT),
    "resamples": (_wide(share, "Accuracy").assign(
        Accuracy=[f"Fold{k:02}.Rep1" for k in range(12)]), "one dataset"),
    "caret": (_wide(share, "Resample").set_axis(
        ["Resample", *(f"{m}~{of}" for m in ("GBM", "KNN") for of in ("Accuracy", "Kappa"))],
        axis=1), "`Accuracy` or `Kappa`"),
    "outer folds": (_long(share, ("dataset", "model", "accuracy"), outer_fold=0), RIGHT),
    "wins": (pd.concat([_wide(share, "accuracy"), pd.DataFrame(
        [["Wins", 12, 0, 0, 0]], columns=["accuracy", *sorted(ERRORS)])]),
        "row `Wins` (a summary)"),
    "p-values": (_wide(share, "accuracy").assign(**{"p-value": 0.03}), RIGHT),
    "parameters": (pd.DataFrame({"Model": ["a", "b", "c"], "#Params (B)": [7.1, 1.3, 70.2],
                                 "hellaswag_acc": [.8, .7, .6], "mmlu_acc": [.7, .6, .5]}),
                   "`#Params (B)` (a property)"),
    "failures": (_long(share, ("dataset", "model", "accuracy")).assign(
        status=lambda t: np.where(t["model"].eq("LR"), "failed", "ok")), "methods have no value"),
    "a mark of failure": (_long(same, ("dataset", "model", "rmse")).assign(
        rmse=lambda t: t["rmse"].where(t.index > 1, 2147483647)), "2 values of 2147483647"),
    "maximize": (_long(share, ("dataset", "model", "score"), maximize="True"), RIGHT),
    "ways": (_long(same, ("dataset", "model", "score"), direction="minimize"), RIGHT),
    "training only": (_long(share, ("dataset", "model", "train_accuracy")), "training values only"),
    "no header": (_long(share).set_axis(["d0", "GBM", "0.9"], axis=1), "name the columns"),
    "one of all": (_long(share, ("Tasks", "Version", "Value"), Metric="acc"),
                   "no column of methods"),
    "WEKA": (_long(lambda e: 100 - 100 * e, ("Key_Dataset", "Key_Scheme", "Percent_correct"),
                   Key_Run=1, Key_Fold=1, Kappa_statistic=0.5), RIGHT),
    "a normalised error": (_wide(lambda e: 0.5 + e, "nrmse"), RIGHT),
    "spreads of methods": (_beside(share, "{}_mean", "{}_std", 0.99), ("GBM_mean", "KNN_mean")),
    "± in a header": (_beside(share, "{}", "{} (±)", 0.99), RIGHT),
    "seconds of methods": (_beside(share, "{}", "{} time (s)", 3.5), RIGHT),
    "training of methods": (_beside(share, "{}_test", "{}_train", 0.99), ("GBM_test", "KNN_test")),
    "a gain": (_wide(share, "accuracy").assign(**{"Δ": 0.95, "Improvement (%)": 7.5}), RIGHT),
    "the best of all": (_with(_long(share, ("dataset", "model", "accuracy")), "Best", 0.99), RIGHT),
    "a setting with fractions": (pd.concat([
        _long(share, ("dataset", "model", "accuracy"), temperature=t) for t in (0.0, 0.7)]),
        "`temperature`"),
    "many checkpoints": (pd.concat([
        _long(share, ("dataset", "model", "accuracy"), ckpt=k) for k in range(51)]), "`ckpt`"),
    "Weights & Biases": (_ended("finished", "crashed"), "methods have no value"),
    "Optuna": (_ended("COMPLETE", "PRUNED"), "methods have no value"),
    "reasons of failures": (_ended("done", "error: out of memory"), "methods have no value"),
    "MLflow": (_long(share, ("params.dataset", "params.model", "metrics.accuracy"), run_id="a"),
               RIGHT),
    "tidymodels": (pd.concat([_long(share, ("dataset", "wflow_id", "mean"), **{
        ".metric": "accuracy", ".estimator": "binary", "id": f"Fold{k}"}) for k in (1, 2)]), RIGHT),
    "SWE-bench": (_long(lambda e: e < 0.15, ("instance_id", "model_name_or_path", "resolved")),
                  "higher is better (`resolved`"),
    "intervals in brackets": (_wide(lambda e: f"{1 - e:.3f} [0.1, 0.9]", "accuracy"), RIGHT),
    "marks of a test": (_wide(lambda e: f"{e:.2e} (1.0e-02) +", "error"), RIGHT),
    "a number that no error is": (_long(same, ("dataset", "model", "rmse")).assign(
        rmse=lambda t: t["rmse"].where(t.index % 24 > 0, 1e10)), "2 values of 10000000000"),
    "medians": (_long(share, ("dataset", "model", "accuracy_median"), accuracy_q1=0.1,
                      accuracy_q3=0.99), RIGHT),
    "words with digits": (pd.DataFrame({
        "Model": ["a", "b", "c"], "Precision": "bfloat16", "hellaswag_acc": [.8, .7, .6],
        "mmlu_acc": [.7, .6, .5], "arc_acc": [.7, .6, .5]}), ("a", "c")),
}


def layouts():
    """Return by name the text of each table, and its first and last, or what must be said."""
    found = {name: (table.to_csv(index=False), must) for name, (table, must) in MADE.items()}
    for folder in filter(Path.exists, SHARED):
        for row in csv.DictReader(io.StringIO((folder / "EXPECTED.csv").read_text())):
            name = row["file"]
            ends = COUNTED.get(name, (row["first"], row["last"]))
            found[name] = ((folder / name).read_text(),
                           NAMELESS.get(name, ends if ends[0] else SAID.get(name)))
    return found


def holds(must, said):
    """Tell whether a first line, or the question or refusal in its place, says what it must."""
    if isinstance(must, str):
        return must in said
    read = said.partition("): ")[2].partition(" Left out:")[0]
    read = read if read.count(" … ") else said.rpartition("): ")[2].partition(" Left out:")[0]
    return read.startswith(must[0]) and must[1] in read.partition(" … ")[2]
