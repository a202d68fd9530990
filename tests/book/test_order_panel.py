"""The panel of *What is an order worth?* in a real browser: the same numbers as in Python."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from browsing import js, lone_panel, wait_for

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import lay_cells
from analysis.leaderboards.ordering import order_cells
from collection.paths import ROOT

pytestmark = pytest.mark.browser
STATIC = ROOT / "book" / "_static" / "order"
READY = "document.getElementById('order-panel').dataset.ready"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return the address of a page with the panel alone, opened as a file."""
    return lone_panel(tmp_path_factory.mktemp("panel"), STATIC)


def opened(browser, page, text, tmp_path, name="mine.csv"):
    """Choose a file with some text in it; return what the panel says is ready."""
    browser.get("about:blank")
    browser.get(page)
    file = tmp_path / name
    file.write_text(text)
    browser.find_element("css selector", "#order-panel input[type=file]").send_keys(str(file))
    return wait_for(browser, READY)


def computed(browser, text, draws=2000, seed=0):
    """Return the panel's ranks and pairs of a table."""
    found = json.loads(browser.execute_script(
        "const e = window.orderEngine; return JSON.stringify(e.order(e.layCells(e.readTable("
        "arguments[0])), {draws: arguments[1], seed: arguments[2]}), (k, v) => "
        "v === Infinity ? 'inf' : v)", text, draws, seed))
    pairs = pd.DataFrame(found["pairs"])
    numbers = pairs.columns.drop(["one", "other"])
    return pd.DataFrame(found["ranks"]), pairs.astype(dict.fromkeys(numbers, float))


def drawn_table(seed):
    """Return a table with families, seeds, ties and holes."""
    rng = np.random.default_rng(seed)
    task, method, again = (x.ravel() for x in np.indices((15, 6, 2)))
    table = pd.DataFrame({
        "dataset": [f"d{t}" for t in task], "learner": [f"m{m}" for m in method], "seed": again,
        "metric": [f"rmse{t}" if t % 3 else f"accuracy{t}" for t in task],
        "score": np.round(rng.normal(size=len(task)) + 0.3 * method, 1),
        "family": [f"f{t // 2}" if t < 6 else "" for t in task]})
    return table[rng.random(len(table)) > 0.1]


@pytest.mark.parametrize("study", ["amlb_2019", "rtdl_2021", "talent", "drawn 0", "drawn 1"])
def test_the_panel_has_pythons_numbers(browser, page, tmp_path, study):
    table = (drawn_table(int(study[-1])) if study.startswith("drawn") else
             load_results(study).drop(columns=["deviation", "repeats", "reason"], errors="ignore"))
    table.to_csv(tmp_path / "x.csv", index=False)
    expected = order_cells(lay_cells(load_results(tmp_path / "x.csv")), seed=3)
    browser.get(page)
    ranks, pairs = computed(browser, (tmp_path / "x.csv").read_text(), seed=3)
    exact = ["method", "rank", "low", "high", "letters", "may_be_first"]
    assert ranks[exact].to_numpy().tolist() == expected.ranks[exact].to_numpy().tolist()
    np.testing.assert_allclose(ranks["mean_rank"], expected.ranks["mean_rank"], atol=1e-9)
    assert (pairs[["one", "other"]] == expected.pairs[["one", "other"]]).all().all()
    for column in ("effect", "low", "high", "p_adjusted", "tasks_needed"):
        np.testing.assert_allclose(pairs[column], expected.pairs[column], atol=1e-6,
                                   err_msg=column)
    for ours, theirs in (("needed_from", "low"), ("needed_to", "high")):
        np.testing.assert_allclose(pairs[ours], expected.needed[theirs], atol=1e-6)


def test_a_file_is_opened_drawn_and_named(browser, page, tmp_path):
    text = load_results("amlb_2019")[["task", "method", "fold", "value", "higher_is_better"]]
    assert opened(browser, page, text.to_csv(index=False), tmp_path) == "mine"
    lead = js(browser, "document.querySelector('#order-panel [data-part=lead]').textContent")
    assert lead.startswith("mine: 8 methods on 44 tasks. 3 of 7 neighbours can be told apart. "
                           "May be first: H2OAutoML.")
    assert js(browser, "document.querySelectorAll('rect.interval').length") == 8


def test_a_file_can_be_dropped(browser, page):
    browser.get("about:blank")
    browser.get(page)
    browser.execute_script(
        "const t = new DataTransfer(); t.items.add(new File([arguments[0]], 'dropped.csv'));"
        "document.querySelector('[data-part=drop]').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: t, bubbles: true, cancelable: true}))",
        "task,A,B,C\n" + "".join(f"t{k},{k},{k + 1},{k + 2}\n" for k in range(7)))
    assert wait_for(browser, READY) == "dropped"
    cells = js(browser, "[...document.querySelectorAll('.numbers td:first-child')]"
                        ".map(c => c.textContent)")
    assert cells == ["C", "B", "A"]


def test_a_link_shows_the_same_again_and_svg_is_whole(browser, page, tmp_path):
    opened(browser, page, drawn_table(2).to_csv(index=False), tmp_path)
    shown = "document.querySelector('[data-part=figure]').innerHTML"
    before = js(browser, shown)
    assert before.startswith("<svg") and 'xmlns="http://www.w3.org/2000/svg"' in before
    browser.execute_script("document.querySelector('[data-part=link]').click()")
    wait_for(browser, "location.hash.startsWith('#order=')")
    link = browser.current_url
    browser.get("about:blank")
    browser.get(link)
    wait_for(browser, READY)
    assert js(browser, shown) == before
    browser.get("about:blank")
    browser.get(link[:-9])
    assert "not whole" in wait_for(browser, "document.querySelector('[role=alert]').textContent")


@pytest.mark.parametrize(("text", "message"), [
    ("task,method,value\na,X,1\nb,X,2\n", "one method only (X)"),
    ("task,method,value\na,X,85%\na,Y,80%\n", "percent sign"),
    ("task,method,value\na,X,good\na,Y,1\n", "is no number"),
    ("task,method,value\na,X,1\na,X,2\na,Y,1\n", "given twice"),
    ("task,method,value,lower_is_better\na,X,1,yes\na,Y,2,no\n", "two directions"),
    ("method,value\nX,1\nY,2\n", "no column of tasks"),
    ("", "holds no table"),
    ("just words\nand more\n", "no table of results"),
])
def test_bad_files_are_answered_in_one_line(browser, page, tmp_path, text, message):
    assert opened(browser, page, text, tmp_path) == "refused"
    said = js(browser, "document.querySelector('[role=alert]').textContent")
    assert message in said and "\n" not in said
    assert js(browser, "document.querySelectorAll('rect.interval').length") == 0


def test_nothing_leaves_the_browser(browser, page, tmp_path):
    browser.get_log("performance")
    opened(browser, page, drawn_table(0).to_csv(index=False), tmp_path)
    requests = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in requests
             if m["method"] == "Network.requestWillBeSent"]
    assert not [url for url in asked if not url.startswith(("file:", "about:", "data:"))]
    code = "".join(f.read_text() for f in STATIC.glob("*.js"))
    for way in ("fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket"):
        assert way not in code


def test_a_name_in_a_table_is_no_code(browser, page, tmp_path):
    evil = "<img src=x onerror=document.title='run'>"
    opened(browser, page, f"task,{evil},B\n" + "".join(f"t{k},1,2\n" for k in range(7)), tmp_path)
    assert browser.title != "run"
    assert not browser.find_elements("css selector", "#order-panel img")


def test_the_example_is_the_shipped_study(browser, page):
    browser.get("about:blank")
    browser.get(page)
    browser.execute_script("document.querySelector('[data-part=example]').click()")
    assert wait_for(browser, READY) == "AutoML benchmark 2019"
    shown = pd.read_csv(io.StringIO(js(browser, "window.orderExample"))).pivot(
        index="task", columns="method", values="value")
    cells = lay_cells(load_results("amlb_2019"))
    expected = pd.DataFrame(cells.value, cells.tasks, cells.methods)
    np.testing.assert_allclose(shown.loc[expected.index, expected.columns], expected, rtol=1e-5)
