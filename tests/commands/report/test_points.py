"""Points that somebody measured: read, or refused with the line that is wrong, on either side."""

import json
import shutil
import subprocess
from tempfile import NamedTemporaryFile

import numpy as np
import pytest
from published_data import PUBLISHED

from analysis.extrapolation.compact import PATH as COMPACT
from analysis.report.sentences import sentences
from collection.project.parameters import Share
from collection.project.paths import ROOT
from collection.reading.names import VOCABULARY_FILE
from commands.report.points import MOST_BYTES, PointsError, as_curves, parse_points, read_points
from commands.report.written import answer_points

CASES = json.loads((ROOT / "tests/commands/report/points.json").read_text())
ENGINE = ROOT / "book" / "_static" / "forecast" / "engine.js"
READER = ROOT / "book" / "_static" / "reading" / "reader.js"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:25])
def test_texts_are_read_or_refused(case):
    if "refused" in case:
        with pytest.raises(PointsError) as refused:
            parse_points(case["text"])
        assert case["refused"] in str(refused.value)
        return
    found = parse_points(case["text"])
    assert {c.learner: [[n, np.round(e, 12).tolist()] for n, e in sorted(c.errors.items())]
            for c in found} == case["curves"]
    assert {c.learner: c.tested for c in found if np.isfinite(c.tested)} == case["tested"]


def in_the_page(texts, answer):
    """Return what the page's engine says of each text, by the body of a function in JavaScript."""
    if not shutil.which("node"):
        pytest.skip("node, which runs JavaScript, is not installed")
    script = (f"globalThis.window = {{ compactForecaster: {COMPACT.read_text()}, readingWords: "
              f"{VOCABULARY_FILE.read_text()} }};" + READER.read_text() + ENGINE.read_text() + f"""
        const engine = window.forecastEngine;
        const found = JSON.parse(require('fs').readFileSync(0)).map((text) => {{ {answer} }});
        console.log(JSON.stringify(found));""")
    with NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        run = subprocess.run(["node", file.name], input=json.dumps(texts), capture_output=True,
                             text=True, check=True)
    return zip(texts, json.loads(run.stdout), strict=True)


def test_the_page_reads_and_refuses_alike():
    cases = {case["text"]: case for case in CASES}
    for text, found in in_the_page(list(cases), """
          try { return { curves: engine.read(text) }; }
          catch (error) { return { refused: error.message }; }"""):
        case = cases[text]
        if "refused" in case:
            with pytest.raises(PointsError) as refused:
                parse_points(case["text"])
            assert found["refused"] == str(refused.value)
        else:
            assert {c["learner"]: [[p["size"], np.round(p["errors"], 12).tolist()]
                                   for p in c["points"]] for c in found["curves"]} == case["curves"]
            assert {c["learner"]: c["tested"] for c in found["curves"] if c["tested"]
                    } == case["tested"]


def test_a_file_becomes_curves(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("learner,size,error,tested\n" + "".join(
        f"{m},{n},{e},150\n" for m in "BA" for n, e in ((10, .5), (20, .4), (40, .3), (80, .2))
    ) + "A,80,0.3,150\n")
    curves = read_points(path)
    assert dict(curves.sizes) == {"learner": 2, "repeat": 2, "anchor": 4}
    assert curves["learner"].values.tolist() == ["B", "A"]
    assert curves.sel(learner="A", anchor=80).values.tolist() == [0.2, 0.3]
    assert curves.attrs["tested"] == {"B": 150, "A": 150}


@pytest.mark.parametrize(("content", "words"), [
    (None, "There is no file"), (b"a\0b", "no short text"),
    (b"1" * (MOST_BYTES + 1), "more than 1 MB"),
    (b"100,0.4", "points.csv: There is 1 size")])
def test_files_that_are_none(tmp_path, content, words):
    path = tmp_path / "points.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PointsError, match=words):
        read_points(path)


ERRORS = "100 0.34\n200 0.28\n400 0.24\n800 0.20\n1600 0.18"
ACCURACIES = "size,accuracy\n100,0.66\n200,0.72\n400,0.76\n800,0.80\n1600,0.82"
PERCENT = "size,error (%)\n100,34\n200,28\n400,24\n800,20\n1600,18"
GOLDEN = [  # text, rows tested on, wanted, whether with a percent sign
    *((text, n, wanted, signed) for text, wanted, signed in (
        (ERRORS, 0.15, False), (ACCURACIES, 0.9, True), (PERCENT, 12.0, False))
      for n in (None, 20, 50, 100, 300, 5000)),
    (ACCURACIES, 300, 0.1, True), (ERRORS, None, 0.9, True), (PERCENT, 300, 0.5, False),
    ("size,r2\n100,0.34\n200,0.48\n400,0.6\n800,0.65\n1600,0.7", 300, 0.8, False),
    ("size,kappa\n100,0.34\n200,0.48\n400,0.6\n800,0.65\n1600,0.7", None, 0.8, False),
    ("100 0.05\n200 0.02\n400 0.01\n800 0.005\n1600 0", 100, 0.01, False),
    ("size,accuracy\n100,0.9\n200,0.85\n400,0.8\n800,0.7", 1000, None, False),
    ("size,error\n1024,0.3\n1024,0.32\n2048,0.28\n2048,0.25\n4096,0.2\n8192,0.2\n8192,0.22",
     None, 0.19, False),
    *((f"100 {0.3 + floor}\n200 {0.15 + floor}\n400 {0.075 + floor}\n800 {0.0375 + floor}", n, 0.03,
       False) for floor in (0, 0.02) for n in (None, 400)),  # steep, without noise
    *(("50 0.31\n100 0.155\n200 0.078\n400 0.04\n800 0.02", n, 0.006, False)
      for n in (None, 2000)),  # and rounded
    ("250 0.06\n500 0.036\n1000 0.02\n2000 0.006", 4000, 0.002, False),
]


def drawn_texts():
    rng = np.random.default_rng(0)
    for k in range(40):
        sizes = np.repeat(16 * 2 ** np.arange(rng.integers(4, 10)), rng.integers(1, 4))
        errors = rng.uniform(0, 0.3) + rng.uniform(0, 2) * sizes ** -rng.uniform(0.1, 1.0)
        errors = errors + rng.normal(0, 0.01, len(sizes)) if k % 4 else rng.uniform(size=len(sizes))
        errors = np.clip(errors, 0.001, 1).round(4)
        yield ("size error\n" + "\n".join(f"{n} {e}" for n, e in zip(sizes, errors, strict=True)),
               int(rng.integers(20, 2000)) if rng.random() < 0.5 else None,
               0.8 * float(errors[-1]), False)


def test_panel_and_command_say_the_same_to_the_digit():
    """Ranges, chances, rows for what is wanted, refusals, that the error rose: golden and drawn."""
    texts = [json.dumps(case) for case in [*GOLDEN, *drawn_texts()]]
    for case, page in in_the_page(texts, """
          try {
            const [points, given, wanted, signed] = JSON.parse(text);
            const curves = engine.read(points), [curve] = curves;
            const tested = curve.ofRows ? given ?? curve.tested : null;
            const { size } = curve.points.at(-1);
            const goal = wanted === null ? 1e-9 : engine.errorOf(wanted, signed, curves);
            const rows = engine.needed(curve, goal, tested), less = engine.counts(curve, tested);
            return { shown: [2, 4, 10].map((times) => {
                const q = engine.forecast(curve, times * size, tested);
                return [q[0], q[3], q[6]].map((v) => (100 * v).toFixed(6)); }), less,
              needed: [rows.early, rows.expected, rows.late], ends: engine.ends(curve, tested),
              chances: [2, 4].flatMap((times) => [0, less].map(
                (by) => engine.chance(curve, times, tested, by))),
              first: engine.remark(curve, tested) }; }
          catch (error) { return { refused: error.message }; }"""):
        text, tested, wanted, signed = json.loads(case)
        curves = as_curves(parse_points(text))
        if tested and "r2" not in text:  # 1 − R² is no share of rows
            curves.attrs["tested"] = {"your model": tested}
        goal = Share(wanted) if signed else wanted
        if "refused" in page:
            with pytest.raises(PointsError) as refused:
                answer_points(curves, wanted=goal)
            assert str(refused.value) == page["refused"]
            continue
        answers = answer_points(curves, wanted=goal)
        later = answers.later.set_index("times").loc[[2, 4, 10], ["low", "error", "high"]]
        assert [[f"{100 * v:.6f}" for v in row] for row in later.to_numpy()] == page["shown"]
        own = answers.now[["low", "high"]].iloc[0].dropna()
        assert own.to_list() == pytest.approx(page["ends"][:len(own)], abs=1e-9)
        if wanted is not None:
            rows = answers.wanted.iloc[0][["early", "rows", "late"]]
            assert [None if np.isnan(n) else n for n in rows] == [
                n and round(n) for n in page["needed"]]
        falls = answers.expected.set_index("times").loc[[2, 4], ["falls", "falls_enough"]]
        assert falls.to_numpy().ravel() == pytest.approx(page["chances"], abs=1e-9)
        assert answers.less == pytest.approx(page["less"])
        about, words = next(sentences(answers))
        assert (about == "Fewer rows did better") == (" near " in page["first"])
        if "too few to tell" in words:
            assert words == page["first"]


SHARED = PUBLISHED.parent / "cases"
MUST = {  # the first line, or the refusal
    "p_acc_pct.csv": "errors are 1 − `accuracy`, in percent", "p_auc.csv": "errors are 1 − `auc`",
    "p_acc_pctsign.csv": "errors are 1 − `accuracy`, in percent", "p_k.csv": "1,000 to 8,000 rows",
    "p_frac.csv": "how many rows is 1.0?", "p_nan.csv": "left out: lines 2, 3 and 5",
    "p_neglog.csv": "no upper end", "p_rmse.csv": "`rmse` has no upper end",
    "p_skll.tsv": "errors are 1 − `accuracy`. Left out: column `train_score_mean`",
    "p_thou.csv": "1,000 to 8,000 rows",
    "p_traintest.csv": "errors are 1 − `test_score`. Left out: column `train_score`",
    "p_caret.csv": "lines with `Training` in column `Data`", "p_phase.csv": "lines with `train`",
    "p_class.csv": "column `class` tells them apart: pos or neg",
    "p_epochs.csv": "column `epoch` tells them apart: 1, 2 or 5",
    "p_S_1-shot_accuracy.csv": "errors are 1 − `1-shot accuracy`",
    "p_S_brier_skill_score.csv": "1 − `brier_skill_score`",
    "p_S_d2_log_loss_score.csv": "1 − `d2_log_loss_score`",
    "p_S_hamming_score.csv": "1 − `hamming_score`",
    "p_err_pct_small.csv": "errors are `error (%)`, in percent",
    "p_size_pct_name.csv": "how many rows is 1.0?",
    "p_acc_se.csv": "1 − `mean`. Left out: column `standard_error`",
    "p_lcdb.csv": "1 − `score_test`", "gbmperf.csv": "errors, or scores",
    "p_meanstd.csv": "1 − `test_mean`. Left out: column `test_std`",
    "p_foldcols.csv": "errors are 1 − `test_score`.", "p_trainonly2.csv": "training values only",
    "p_noheader_acc_dip.csv": "are they errors, or accuracies?"}
#: Learners, or datasets, that are curves of their own, and the error at the most rows.
LEARNERS, DATASETS = {"rf": 0.16, "knn": 0.304}, {"11": 0.16, "37": 0.304}
CURVES = {"p_L_model_name.csv": LEARNERS, "p_L_learner_id.csv": LEARNERS,
          "p_L_Scheme.csv": LEARNERS, "p_D_dataset.csv": DATASETS, "p_D_task_id.csv": DATASETS,
          "p_mlr3.csv": {"classif.rpart": 0.16, "classif.kknn": 0.304},
          "p_caret.csv": {"your model": 0.16}, "p_phase.csv": {"your model": 0.16},
          "p_err_pct_small.csv": {"your model": 0.0047}}


AT_HAND = pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not at hand")


@AT_HAND
@pytest.mark.parametrize("name", CURVES)
def test_what_differs_in_a_column_is_no_repeat(name):
    found = parse_points((SHARED / "points2" / name).read_text())
    assert {c.learner: c.errors[max(c.errors)] for c in found} == {
        learner: pytest.approx([error]) for learner, error in CURVES[name].items()}


@AT_HAND
@pytest.mark.parametrize("name", MUST)
def test_files_as_tools_write_them_are_read_or_refused_alike(name):
    folder = "points" if (SHARED / "points" / name).exists() else "points2"
    text = (SHARED / folder / name).read_text()
    try:
        said = parse_points(text)[0].read
    except PointsError as refused:
        said = str(refused)
    assert MUST[name] in said
    [(_, page)] = in_the_page([text], """
        try { return engine.read(text)[0].read; } catch (error) { return error.message; }""")
    assert page == said


def test_shares_of_the_data_become_rows(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("train_size,error\n.1,.4\n.3,.3\n.6,.25\n1.0,.2\n")
    assert read_points(path, rows=2000)["anchor"].values.tolist() == [200, 600, 1200, 2000]
    with pytest.raises(PointsError, match="how many rows is"):
        read_points(path)


@pytest.mark.parametrize("sizes", [(1, 2, 4, 8), (3, 5, 7, 9), (1, 2, 3, 4, 5)])
def test_few_rows_are_answered_although_sizes_ahead_round_to_the_same(sizes):
    text = "size,error\n" + "".join(f"{n},{0.5 - 0.03 * k}\n" for k, n in enumerate(sizes))
    answers = answer_points(as_curves(parse_points(text)), "few")
    assert answers.path["size"].duplicated().any() and (answers.later["error"] > 0).all()
    assert (answers.later["size"] == np.rint(answers.later["times"] * sizes[-1])).all()
