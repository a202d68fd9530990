"""Points that somebody measured: read, or refused with the line that is wrong, on either side."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from analysis.report.points import MOST_BYTES, PointsError, parse_points, read_points
from collection.paths import ROOT

CASES = json.loads((ROOT / "tests/analysis/report/points.json").read_text())
ENGINE = ROOT / "book" / "_static" / "forecast" / "engine.js"


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


@pytest.mark.skipif(not shutil.which("node"), reason="node, which runs JavaScript, is not here")
def test_the_page_reads_and_refuses_alike():
    script = ("globalThis.window = {};" + ENGINE.read_text() + """
        const found = JSON.parse(require('fs').readFileSync(0)).map((text) => {
          try { return { curves: window.forecastEngine.read(text) }; }
          catch (error) { return { refused: error.message }; } });
        console.log(JSON.stringify(found));""")
    run = subprocess.run(["node", "-e", script], input=json.dumps([c["text"] for c in CASES]),
                         capture_output=True, text=True, check=True)
    for case, found in zip(CASES, json.loads(run.stdout), strict=True):
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
    (None, "There is no file"), (b"a\0b", "no short text"), (b"1" * (MOST_BYTES + 1), "no short"),
    (b"100,0.4", "points.csv: There is 1 size")])
def test_files_that_are_none(tmp_path, content, words):
    path = tmp_path / "points.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PointsError, match=words):
        read_points(path)
