"""The field's own layouts, by API, frame and command alike; the page's test runs the same."""

import io
import warnings

import pandas as pd
import pytest
from field_layouts import holds, layouts

from analysis.leaderboards import load_results, order, order_page
from analysis.leaderboards.as_results import ChoiceError
from analysis.leaderboards.cells import DirectionError, ResultsError
from collection.project.shown import CODE
from commands import COMMANDS

LAYOUTS = layouts()


def said_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = order(table() if callable(table) else table, 200)
        except ResultsError as error:
            return str(error)
    return f"{found.read} {' '.join(found.notes)}"


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_read_right_or_asked(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setattr(order_page, "render_page", lambda worth, title, said: "")
    text, must = LAYOUTS[name]
    path = tmp_path / f"table.{'md' if text.startswith('|') else 'csv'}"
    path.write_text(text)
    by_file = said_of(lambda: load_results(path))
    assert holds(must, by_file)
    if path.suffix == ".md":
        return
    frame = pd.read_csv(io.StringIO(text), index_col=0 if text.startswith(",") else None)
    assert holds(must, said_of(frame))
    COMMANDS["order"].run([f"CSV={path}", f"OUT={tmp_path / 'out'}", "RESAMPLES=200"])
    said = capsys.readouterr()
    shown = CODE.sub(r"'\1'", must) if isinstance(must, str) else must  # in the terminal
    assert holds(shown, f"{said.out} {said.err}")


def test_what_is_chosen_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(LAYOUTS["two measures"][0])
    with pytest.raises(ChoiceError, match=r"`accuracy` or `f1`.*VALUE=accuracy"):
        load_results(path)
    assert order(load_results(path, {"value": "accuracy"}), 100).ranks["method"][0] == "GBM"
    path.write_text(LAYOUTS["two constraints"][0])
    with pytest.raises(ChoiceError, match='ONLY="constraint=1h8c"'):
        load_results(path)
    one = load_results(path, only={"constraint": "4h8c"})
    assert len(one) == 48
    assert COMMANDS["order"].run([f"CSV={path}", "ONLY=constraint=4h8c", "RESAMPLES=100",
                                  f"OUT={tmp_path / 'out'}"]) == 0
    with pytest.raises(ResultsError, match="No row has '9h' in column constraint; there are 1h8c"):
        load_results(path, only={"constraint": "9h"})
    with pytest.raises(ResultsError, match="no column 'hours'"):
        load_results(path, only={"hours": "9"})


def test_what_two_leaderboards_ask_for_is_enough(tmp_path):
    tasks = {"Open LLM": {"BBH", "GPQA"}, "MTEB": {"Clustering", "STS"}}
    for name, skip in (("Open LLM", ()), ("MTEB", ["Zero-shot"])):
        path = tmp_path / f"{name}.csv"
        path.write_text(LAYOUTS[name][0])
        table = load_results(path, lower_is_better=False, skip=skip)
        assert {*table["task"]} == tasks[name] and {*table["method"]} <= {*"abc"}
    with pytest.raises(ResultsError, match=r"'99%' of .* on Zero-shot .* SKIP=Zero-shot"):
        load_results(path)


def test_the_api_asks_as_the_command_does():
    frame = pd.read_csv(io.StringIO(LAYOUTS["value alone"][0]))
    tidy = frame.set_axis(["task", "method", "value"], axis=1)
    for table in (frame, tidy):
        with pytest.raises(DirectionError, match="Is higher or lower better"):
            order(table)
        assert order(table, 100, lower_is_better=True).ranks["method"][0] == "GBM"
        assert order(table, 100, lower_is_better=False).ranks["method"][0] == "KNN"


@pytest.mark.parametrize("name", [n for n, (text, _) in LAYOUTS.items() if text[0] != "|"])
def test_a_column_more_is_used_named_or_asked_about(name):
    def read(table):
        try:
            found = load_results(table)
        except ResultsError as error:
            return None, str(error)
        return found[["task", "method", "fold", "seed", "value"]].to_csv(), str(found.attrs["read"])

    frame = pd.read_csv(io.StringIO(LAYOUTS[name][0]), dtype=str, keep_default_na=False)
    before, _ = read(frame)
    for column, cells in (("epoch", "012"), ("flavour", "ab"), ("remark", "x")):
        more = frame.assign(**{column: [cells[k % len(cells)] for k in range(len(frame))]})
        after, said = read(more)
        assert before is None or after in (None, before) or f"`{column}`" in said
