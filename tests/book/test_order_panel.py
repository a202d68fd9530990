"""The panel of *What is an order worth?* in a real browser: the same numbers as in Python."""

import base64
import io
import json
import zlib

import numpy as np
import pandas as pd
import pytest
from browsing import js, opened_page, requested, wait_for
from field_layouts import holds, layouts
from order_corpus import CORPUS

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import to_cells
from analysis.leaderboards.influence import missing_hangs_on
from analysis.leaderboards.ordering import order_cells
from analysis.leaderboards.twins import families_to_paste
from collection.project.paths import ROOT

pytestmark = pytest.mark.browser
STATIC = ROOT / "book" / "_static" / "order"
READY = "document.getElementById('order-panel').dataset.ready"


def buttons(browser):
    return js(browser, "[...document.querySelectorAll('[data-part=ask] button')]"
                       ".filter(b => b.offsetParent).map(b => b.textContent)")


def shows(browser, part):
    return js(browser, f"document.querySelector('[data-part={part}]').textContent")


def opened(browser, page, text, tmp_path, name="mine.csv"):
    """Choose a file with some text in it; return what the panel says is ready."""
    opened_page(browser, page)
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    browser.find_element("css selector", "#order-panel input[type=file]").send_keys(str(file))
    return wait_for(browser, READY)


ORDER = """
const e = window.orderEngine, cells = e.layCells(e.readTable(arguments[0]));
return JSON.stringify(e.order(cells, {draws: 200, seed: 3}), (k, v) => v === Infinity ? 'inf' : v);
"""


def drawn_table(seed):
    """Return a table with families, seeds, ties and holes."""
    rng = np.random.default_rng(seed)
    task, method, again = (x.ravel() for x in np.indices((15, 6, 2)))
    table = pd.DataFrame({
        "dataset": [f"d{t}" for t in task], "learner": [f"m{m}" for m in method], "seed": again,
        "lower_is_better": task % 3 > 0,
        "score": np.round(rng.normal(size=len(task)) + 0.3 * method, 1),
        "family": [f"f{t // 2}" if t < 6 else "" for t in task]})
    return table[rng.random(len(table)) > 0.1]


def alike_table(kind):
    """Return a table with holes, in which some tasks look like near-duplicates."""
    rng = np.random.default_rng(3)
    value = np.repeat(rng.normal(size=(10, 12)), 3, axis=0) + 0.1 * rng.normal(size=(30, 12))
    tasks = [f"data {chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(30)]
    if kind == "by name":
        value = rng.normal(size=(30, 12))
        tasks[5:14] = [*(f"ecoli_0_v{k}" for k in range(6)), "Glass 1", "glass-v2", "OpenML_3"]
    if kind == "one family":
        value = rng.normal(size=(30, 8)) + np.linspace(1, 0, 8)
        value[4:12] = value[4] + 0.3 * rng.normal(size=(8, 8))
        value[12:] = np.round(value[12:], 1)
    if kind == "few methods":
        value = value[:, :5]
    value[rng.random(value.shape) < 0.05] = np.nan
    wide = pd.DataFrame(value, pd.Index(tasks, name="task"), [f"m{m:02d}" for m in
                                                              range(value.shape[1])])
    long = wide.melt(var_name="method", ignore_index=False).dropna().reset_index()
    return long.assign(higher_is_better=True,
                       family=long["task"].where(long["task"].isin(tasks[:2]), ""))


def table_of(study):
    """Return a table by its name here, or a study's: not of its folds where these are many."""
    if study.startswith("drawn"):
        return drawn_table(int(study[-1]))
    if " " in study:
        return alike_table(study)
    table = load_results(study).drop(columns=["deviation", "repeats", "reason"], errors="ignore")
    if study in ("tsml_univariate", "rtdl_2021", "talent"):
        table = table.drop(columns="family", errors="ignore")
    return table if len(table) < 1e5 else table.groupby(["task", "method"], as_index=False).agg(
        {"value": "mean", "higher_is_better": "first"})


@pytest.mark.parametrize("study", [
    "amlb_2019", "num_embeddings", "drawn 0", "drawn 1", "by results", "by name", "one family",
    "few methods", "tsml_univariate", "rtdl_2021", "talent"])
def test_the_panel_has_pythons_numbers_and_hints(browser, page, tmp_path, study):
    table_of(study).to_csv(tmp_path / "x.csv", index=False)
    cells = to_cells(load_results(tmp_path / "x.csv"))
    expected = order_cells(cells, 200, seed=3)
    opened_page(browser, page)
    browser.set_script_timeout(120)
    found = json.loads(browser.execute_script(ORDER, (tmp_path / "x.csv").read_text()))
    ranks, pairs = pd.DataFrame(found["ranks"]), pd.DataFrame(found["pairs"])
    exact = ["method", "rank", "low", "high", "letters", "may_be_first"]
    assert ranks[exact].to_numpy().tolist() == expected.ranks[exact].to_numpy().tolist()
    np.testing.assert_allclose(ranks["mean_rank"], expected.ranks["mean_rank"], atol=1e-9)
    assert (pairs[["one", "other"]] == expected.pairs[["one", "other"]]).all().all()
    for column in ("effect", "low", "high", "p_adjusted", "tasks_needed", "needed_from",
                   "needed_to"):
        np.testing.assert_allclose(pairs[column].astype(float), expected.pairs[column], atol=1e-6,
                                   err_msg=column)
    assert found["twins"] == expected.twins.to_dict("records")
    if study not in ("amlb_2019", "num_embeddings") and "drawn" not in study:
        assert bool(found["twins"]) == (study not in ("few methods", "rtdl_2021"))
    pasted = families_to_paste(cells, expected.twins)
    assert (found.get("families") or []) == ([] if pasted is None else pasted.to_dict("records"))
    assert found["notes"] == list(expected.notes)


def test_the_column_of_families_can_be_pasted(browser, page, tmp_path):
    table = alike_table("by results")
    opened(browser, page, table.to_csv(index=False), tmp_path)
    assert "look like near-duplicates" in shows(browser, "message")
    shown = shows(browser, "paste")
    pasted = table.drop(columns="family").merge(pd.read_csv(io.StringIO(shown)))
    opened(browser, page, pasted.to_csv(index=False), tmp_path)
    assert js(browser, "document.querySelector('[data-part=families]').hidden")
    assert f"({pasted['family'].nunique()} families of tasks)" in shows(browser, "lead")


def test_a_file_is_opened_drawn_and_named(browser, page, tmp_path):
    text = load_results("amlb_2019")[["task", "method", "fold", "value", "higher_is_better"]]
    assert opened(browser, page, text.to_csv(index=False), tmp_path) == "mine"
    lead = shows(browser, "lead")
    assert "pairs differ significantly, 3 of 7 neighbours" in lead
    assert lead.endswith("May be first: H2OAutoML.")
    assert shows(browser, "read").startswith(
        "44 tasks × 8 methods, a row per result; lower is better on 19, "
        "higher on 25 (column higher_is_better)")
    assert js(browser, "document.querySelectorAll('rect.interval').length") == 8


def test_a_file_can_be_dropped(browser, page):
    opened_page(browser, page)
    browser.execute_script(
        "const t = new DataTransfer(); t.items.add(new File([arguments[0]], 'dropped.csv'));"
        "document.querySelector('[data-part=drop]').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: t, bubbles: true, cancelable: true}))",
        "accuracy,A,B,C\n" + "".join(f"t{k},{k},{k + 1},{k + 2}\n" for k in range(7)))
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
    opened_page(browser, link)
    wait_for(browser, READY)
    assert js(browser, shown) == before
    assert "from a link, by whoever made it" in shows(browser, "read")
    opened_page(browser, link[:-9])
    assert "not whole" in wait_for(browser, "document.querySelector('[role=alert]').textContent")


def linked(**changes):
    """Return the address of a link with a table, changed."""
    cells = {"title": "x", "methods": ["A", "B"], "tasks": ["s", "t"], "families": ["s", "t"],
             "family": [0, 1], "value": [[1, 2], [2, 1]],
             "read": {"lower": 0, "metrics": 1, "layout": "as the BOOK says", "speaks": "TRUE"}}
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(json.dumps(cells | changes).encode()) + packer.flush()
    return f"#order={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def test_what_a_link_says_is_checked_as_a_file_is(browser, page):
    opened_page(browser, page + linked())
    assert wait_for(browser, READY) == "x"
    shown = js(browser, "document.querySelector('#order-panel').innerText")
    assert "BOOK" not in shown and "TRUE" not in shown and "as the link says" in shown
    for changes in ({"methods": ["A", "B", "C"]}, {"methods": ["A", "A"]}, {"tasks": [1, 2]},
                    {"value": [["1", 2]] * 2}, {"value": [[1, None]] * 2}, {"value": [[1, 2]]},
                    {"value": 3}, {"family": [1, 0]}, {"family": [0, 5]}, {"family": [0, 0]},
                    {"read": None}, {"read": {"lower": -1}}, {"value": [[1, 2]] * 300_000}):
        opened_page(browser, page + linked(**changes))
        assert wait_for(browser, READY) == "refused", changes
        assert shows(browser, "message").startswith("The link "), changes


ALL = """
const [files, notes, done] = arguments, e = window.orderEngine;
(async () => {
  const said = {};
  for (const [name, packed] of Object.entries(files)) {
    try {
      const raw = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
      const {text} = await e.decode(raw.buffer, name);
      const found = e.order(e.cellsOf(e.readTable(text)), {draws: 200});
      said[name] = [found.read, ...(notes ? found.notes : [])].join(" ");
    } catch (error) { said[name] = error.message; }
  }
  done(said);
})();
"""


def test_every_file_of_the_corpus_is_read_as_python_reads_it(browser, page):
    opened_page(browser, page)
    browser.set_script_timeout(120)
    said = browser.execute_async_script(ALL, {
        name: base64.b64encode(content).decode()
        for name, (content, _) in CORPUS.items()}, False)
    for name, (_, expected) in CORPUS.items():
        expected = expected if isinstance(expected, str) else expected[-1]
        assert expected == said[name] if " methods, " in expected else expected in said[name], name
        assert "\n" not in said[name]


def test_every_layout_of_the_field_is_read_as_python_reads_it(browser, page):
    opened_page(browser, page)
    browser.set_script_timeout(120)
    every = layouts()
    said = browser.execute_async_script(ALL, {
        name: base64.b64encode(text.encode()).decode() for name, (text, _) in every.items()}, True)
    assert not [(name, said[name]) for name, (_, must) in every.items()
                if not holds(must, said[name])]


def test_what_may_be_meant_is_asked_by_a_button_each(browser, page, tmp_path):
    assert opened(browser, page, layouts()["two constraints"][0], tmp_path) == "asked"
    assert buttons(browser) == ["constraint: 1h8c", "constraint: 4h8c"]
    browser.execute_script("document.querySelector('[data-part=choice] button').click()")
    assert wait_for(browser, f"{READY} === 'mine'")
    assert shows(browser, "read").startswith(
        "12 tasks × 4 methods, a row per result; higher is better")


@pytest.mark.parametrize("name", ["given_twice.csv", "cut.csv.gz", "text.zip"])
def test_bad_files_are_answered_in_one_line(browser, page, tmp_path, name):
    assert opened(browser, page, CORPUS[name][0], tmp_path, name) == "refused"
    said = shows(browser, "message")
    assert said and "\n" not in said
    assert js(browser, "document.querySelectorAll('rect.interval').length") == 0


def test_where_no_name_tells_it_asks_and_shows_who_leads_either_way(browser, page, tmp_path):
    assert opened(browser, page, CORPUS["asked.csv"][0], tmp_path) == "asked"
    assert buttons(browser) == ["higher is better: KNN leads", "lower is better: RF leads"]
    browser.execute_script("document.querySelector('[data-part=lower_]').click()")
    assert wait_for(browser, f"{READY} === 'mine'")
    assert shows(browser, "read") == (
        "8 tasks × 5 methods, a column per method; lower is better (as you said): "
        "RF 0.12 … KNN 0.31.")


def test_many_rows_are_read_beside_the_page(browser, page, tmp_path):
    rng = np.random.default_rng(0)
    task, method, fold = (x.ravel() for x in np.indices((250, 100, 10)))
    value = np.round(np.clip(0.3 + 0.05 * rng.normal(size=len(task)) + 5e-4 * method, 0, 1), 4)
    rows = np.char.add(np.char.add(np.char.add("t", task.astype(str)), np.char.add(
        ",m", method.astype(str))), np.char.add(np.char.add(",", fold.astype(str)), np.char.add(
            ",", value.astype(str))))
    text = "task,method,fold,accuracy\n" + "\n".join(rows)
    opened_page(browser, page)
    (tmp_path / "large.csv").write_text(text)
    browser.execute_script(
        "window.longest = 0; window.at = performance.now(); setInterval(() => {"
        "const now = performance.now(); window.longest = Math.max(window.longest, now - window.at);"
        "window.at = now; }, 20)")
    browser.find_element("css selector", "#order-panel input[type=file]").send_keys(
        str(tmp_path / "large.csv"))
    seen = wait_for(browser, "/%/.test(document.querySelector('[data-part=lead]').textContent)")
    assert seen and wait_for(browser, READY) == "large"
    assert js(browser, "window.longest") < 2000  # on a busy machine; the work itself takes longer


def test_nothing_leaves_the_browser(browser, page, tmp_path):
    browser.get_log("performance")
    opened(browser, page, drawn_table(0).to_csv(index=False), tmp_path)
    assert not [url for url in requested(browser)
                if not url.startswith(("file:", "about:", "data:", "blob:"))]
    code = "".join(f.read_text() for f in STATIC.glob("*.js"))
    for way in ("fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket"):
        assert way not in code


def test_a_name_in_a_table_is_no_code(browser, page, tmp_path):
    evil = "<img src=x onerror=document.title='run'>"
    text = f"accuracy,{evil},=1+1,x\x1by\u202ez\n" + "".join(f"t{k},1,2,3\n" for k in range(7))
    opened(browser, page, text, tmp_path)
    assert browser.title != "run"
    assert not browser.find_elements("css selector", "#order-panel img")
    whole = js(browser, "document.querySelector('#order-panel').innerHTML")
    assert "x\\x1by\\u202ez" in whole and not {"\x1b", "\u202e"} & set(whole)
    saved = browser.execute_async_script(
        "URL.createObjectURL = b => { b.text().then(arguments[0]); return '#'; };"
        "document.querySelector('[data-part=csv]').click();")
    assert "\n'=1+1,2," in saved and "\nx\x1by\u202ez,1," in saved


def test_the_example_is_the_shipped_study(browser, page):
    opened_page(browser, page)
    browser.execute_script("document.querySelector('[data-part=example]').click()")
    assert wait_for(browser, READY) == "AutoML benchmark 2019"
    shown = pd.read_csv(io.StringIO(js(browser, "window.orderExample"))).pivot(
        index="task", columns="method", values="value")
    cells = to_cells(load_results("amlb_2019"))
    expected = pd.DataFrame(cells.value, cells.tasks, cells.methods)
    np.testing.assert_allclose(shown.loc[expected.index, expected.columns], expected, rtol=1e-5)


def test_what_is_missing_for_a_reason_is_said_and_columns_are_left_out(browser, page, tmp_path):
    rng = np.random.default_rng(0)
    value = rng.normal(size=(40, 5)) - np.arange(40)[:, None] / 10
    value[30:, :2] = np.nan  # the hard ones
    table = pd.DataFrame(value, [f"t{k:02d}" for k in range(40)], list("ABCDE"))
    text = table.rename_axis("task").to_csv()
    opened(browser, page, text, tmp_path)
    browser.execute_script("document.querySelector('[data-part=higher]').click()")
    assert wait_for(browser, f"{READY} === 'mine'")
    cells = to_cells(table.rename_axis("task").reset_index().melt(
        "task", var_name="method").assign(higher_is_better=True))
    said = missing_hangs_on(cells).removesuffix(
        " Beside them stand ranks with what is missing as the worst.")
    shown = shows(browser, "message")
    assert said and said in shown
    browser.execute_script("const at = document.querySelector('[data-part=skip]'); at.value = 'E, "
                           "t00'; at.dispatchEvent(new Event('change'));")
    assert wait_for(browser, f"{READY} === 'asked'")
    browser.execute_script("document.querySelector('[data-part=higher]').click()")
    assert wait_for(browser, f"{READY} === 'mine'")
    assert shows(browser, "read").startswith("39 tasks × 4 methods")


CHOOSE = ("const at = document.querySelector(`[data-part=${arguments[0]}]`);"
          "at.value = arguments[1]; at.dispatchEvent(new Event('change'))")


@pytest.mark.parametrize("wide", [False, True])
def test_of_several_sizes_one_is_shown_the_largest_first(browser, page, tmp_path, wide):
    table = pd.DataFrame(9.0, pd.MultiIndex.from_product(
        [range(12), [16, 256, 4096]], names=["task", "n_train"]), list("ABCD"))
    table += np.random.default_rng(0).normal(size=table.shape)
    table.loc[(slice(None), 4096), ["A", "B"]] += 2
    table = table.drop([(0, 4096), (1, 4096)]).reset_index()
    long = table.melt(["task", "n_train"], var_name="method", value_name="loss")
    opened(browser, page, (table if wide else long).to_csv(index=False), tmp_path)
    if wide:
        browser.execute_script(CHOOSE, "lower", "yes")
    for size, tasks in ((4096, 10), (16, 12), (256, 12)):
        if size < 4096:
            browser.execute_script(CHOOSE, "size", size)
        assert wait_for(browser, f"{READY} === 'mine, n_train {size}'")
        own = order_cells(to_cells(long[long["n_train"] == size].rename(columns={"loss": "error"})))
        assert js(browser, "[...document.querySelectorAll('.numbers tbody tr')].map(r => "
                           "[0, 3, 4].map(c => r.cells[c].textContent))") == own.ranks[
            ["method", "low", "high"]].astype(str).to_numpy().tolist()
        said = shows(browser, "sized")
        assert said.startswith(f"Results of 3 sizes are not pooled: shown are those at {size:,}")
        assert f"{size:,} ({tasks} tasks)" == js(
            browser, "document.querySelector('[data-part=size]').selectedOptions[0].textContent")
        assert (", the largest" in said) == (size == 4096)
    opened(browser, page, long.replace({256: -1}).to_csv(index=False), tmp_path)
    assert "A size is a number above 0, not '-1'" in shows(browser, "message")
    opened(browser, page, long[long["n_train"] == 16].to_csv(index=False), tmp_path)
    assert js(browser, "document.querySelector('[data-part=sizes]').hidden")
