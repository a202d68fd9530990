"""The explorer as a reader uses it: by mouse, keyboard, phone, link, and with no server."""

import csv
import gzip
import json

import pytest
from browsing import HTML, js, opened_page, screen_of, wait_for

import analysis
from analysis.drawing.style import learner_style

pytestmark = [pytest.mark.book, pytest.mark.browser]
PAGE = "book/explorer.html"
SHOWN = "document.querySelectorAll('.explorer-panel[data-ready] svg path.mean').length"
PART = "document.querySelector('[data-part={}]')"


def visit(browser, site, state=""):
    opened_page(browser, f"{site}/{PAGE}{state}")
    wait_for(browser, f"{SHOWN} > 0")


def read(browser, part, attribute="textContent"):
    return js(browser, f"{PART.format(part)}.{attribute}")


def choose(browser, part, value):
    browser.execute_script(f"const n = {PART.format(part)}; n.value = arguments[0];"
                           "n.dispatchEvent(new Event('change'))", value)


def numbers_of(browser):
    return js(browser, f"[...{PART.format('numbers')}.rows].slice(1)"
                       ".map(r => [...r.cells].map(c => c.textContent))")


def test_a_first_visit_shows_a_peak_of_a_linear_discriminant(browser, site):
    visit(browser, site)
    words = read(browser, "badges")
    assert words.startswith("linear discriminant") and "peaking" in words


def test_the_chart_is_on_the_first_screen_and_rare_choices_are_folded(browser, site):
    for wide, tall in ((1280, 800), (390, 844)):
        with screen_of(browser, wide, tall):
            visit(browser, site)
            figure = f"{PART.format('figure')}.getBoundingClientRect()"
            assert js(browser, f"{figure}.bottom + scrollY") <= tall
            assert not js(browser, f"{PART.format('leakage')}.checkVisibility()")


def test_a_link_to_a_dataset_is_called_by_it(browser, site):
    visit(browser, site, "#dataset=54&learners=KNN")
    assert "vehicle" in browser.title
    words = js(browser, "document.querySelector('meta[name=description]').content")
    assert "vehicle" in words and "rows" in words


def test_a_peaking_curve_of_lda_by_keyboard_alone(browser, site):
    from selenium.webdriver.common.keys import Keys

    visit(browser, site, "#dataset=3&learners=KNN")
    browser.execute_script(f"{PART.format('kind')}.focus()")  # what to show: a peak
    browser.switch_to.active_element.send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys("linear d")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Show me one"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait_for(browser, f"{PART.format('badges')}.textContent.includes('peaking')")
    assert read(browser, "badges").startswith("linear discriminant")
    assert "learners=LDA" in browser.current_url


def test_a_link_shows_the_same_again_and_back_goes_back(browser, site):
    visit(browser, site, "#dataset=54&learners=KNN")
    choose(browser, "split", "test")
    choose(browser, "model", "POW4")
    wait_for(browser, "document.querySelector('svg path.fit') !== null")
    link = browser.current_url
    words = read(browser, "badges")
    visit(browser, site, "#" + link.split("#")[1])
    wait_for(browser, "document.querySelector('svg path.fit') !== null")
    assert read(browser, "badges") == words and read(browser, "split", "value") == "test"
    choose(browser, "split", "train")
    browser.back()
    wait_for(browser, f"{PART.format('split')}.value === 'test'")


def test_the_drawn_means_are_those_of_the_database(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA")
    browser.execute_script("document.querySelector('details.as-table').open = true")
    rows = numbers_of(browser)
    curve = analysis.get_curve(analysis.load_curves("lcdb10"), 54, "LDA").sel(split="valid")
    means = curve.mean(["outer", "inner"])
    assert [int(r[1].replace(",", "")) for r in rows] == means["anchor"].values.tolist()
    assert [float(r[2]) for r in rows] == pytest.approx(means.values, abs=6e-5)


def test_a_database_of_numbers_is_chosen_and_shown(browser, site):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    visit(browser, site, "#dataset=54&learners=LDA~KNN&model=forecast")
    chosen = browser.find_element(By.CSS_SELECTOR, "[data-part=database]")
    Select(chosen).select_by_value("regression")
    wait_for(browser, "document.title.startsWith('least squares')")
    assert "peaking" in read(browser, "badges") and "classes" not in read(browser, "facts")
    assert "learnt on error rates" in read(browser, "message")
    assert js(browser, "document.querySelectorAll('svg path.interval').length") == 0
    metrics = js(browser, f"[...{PART.format('metric')}.options].map(o => o.value)")
    assert metrics[0] == "relative_rmse" and not {"error_rate", "f1", "auc"} & set(metrics)
    assert "standard deviation" in js(browser, "[...document.querySelectorAll('svg .label')]"
                                               ".map(n => n.textContent).join(' ')")
    choose(browser, "dataset", "Caschool")
    choose(browser, "model", "POW4")
    wait_for(browser, "document.title.includes('Caschool')"
                      " && document.querySelector('svg path.fit') !== null")
    link, words = browser.current_url.split("#")[1], read(browser, "badges")
    rows = numbers_of(browser)
    curves = analysis.load_curves("regression")["relative_rmse"].squeeze(["scaling", "leakage"])
    curve = curves.sel(dataset="Caschool", learner="LeastSquares", split="valid")
    median = curve.median(["outer", "inner"]).dropna("anchor")
    own = [r for r in rows if r[0] == "least squares"]
    shown = [float(r[2].replace(",", "")) for r in own]
    assert shown == pytest.approx(median.values, rel=5e-3, abs=6e-5) and max(shown) > 1e9
    visit(browser, site, f"#{link}")
    assert read(browser, "badges") == words and read(browser, "message") == ""
    choose(browser, "database", "lcdb10")
    wait_for(browser, "document.title.startsWith('linear discriminant')")
    assert read(browser, "metric", "value") == "error_rate"
    assert read(browser, "y", "value") == "linear"


def test_what_a_link_asks_for_in_vain_is_said(browser, site):
    visit(browser, site, "#database=nowhere&dataset=54&learners=LDA~Nobody&%E0%A4%A")
    assert "vehicle" in browser.title  # what is there is shown
    message = read(browser, "message")
    assert "nowhere" in message and "Nobody" in message and "LDA" not in message
    visit(browser, site, "#database=regression&dataset=54&learners=LDA")
    assert "dataset 54" in read(browser, "message") and "from LCDB 1.0" in read(browser, "message")
    choose(browser, "split", "test")
    wait_for(browser, f"{PART.format('message')}.textContent === ''")


@pytest.mark.parametrize("state", ["model=constructor", "procedure=constructor", "y=constructor"])
def test_a_name_that_is_no_choice_is_harmless(browser, site, state):
    browser.get_log("browser")
    visit(browser, site, f"#dataset=54&learners=LDA&{state}")
    assert not [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert js(browser, SHOWN) == 1 and read(browser, "model", "value") == ""
    assert "constructor" in read(browser, "message")


def test_a_learner_has_the_colour_of_the_book_s_figures(browser, site):
    for learners in ("LDA", "KNN~LDA"):
        visit(browser, site, f"#dataset=54&learners={learners}")
        strokes = js(browser, "[...document.querySelectorAll('svg path.mean')]"
                              ".map(n => n.getAttribute('stroke'))")
        assert learner_style("LDA")[0].lower() in strokes[-1].lower()


def test_the_line_of_the_cut_stands_where_the_forecast_begins(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA&model=forecast&cut=300")
    wait_for(browser, "document.querySelector('svg path.interval') !== null")
    line, band = browser.execute_script("""
        const at = (what) => document.querySelector(what).getBoundingClientRect();
        return [at('svg .cut line').left, at('svg path.interval').left]""")
    assert line == pytest.approx(band, abs=2)


def test_models_fit_as_well_as_in_the_book(browser, site):
    visit(browser, site)
    curve = analysis.get_curve(analysis.load_curves("lcdb10"), 54, "ens.RandomForest")
    means = curve.sel(split="valid").mean(["outer", "inner"])
    points = [{"anchor": int(n), "middle": float(v)}
              for n, v in zip(means["anchor"].values, means.values, strict=True)]
    models = ["POW3", "POW4", "MMF4", "WBL4"]
    ours = analysis.fit_curves(means, models)["mse"]
    for model in models:
        theirs = js(browser, "window.explorer.fit(arguments[0], arguments[1]).mse", model, points)
        assert theirs <= 1.05 * float(ours.sel(model=model)) + 1e-9


def test_two_panels_each_with_its_own_state(browser, site):
    visit(browser, site, "#dataset=54&learners=KNN")
    browser.execute_script("document.getElementById('explorer-compare').click()")
    wait_for(browser, f"{SHOWN} === 2")
    choose(browser, "split", "test")
    values = js(browser, "[...document.querySelectorAll('[data-part=split]')].map(n => n.value)")
    assert values == ["test", "valid"] and "|" in browser.current_url


def test_a_change_is_drawn_at_once_and_asks_the_server_for_nothing(browser, site):
    visit(browser, site, "#dataset=54&learners=KNN")
    before, drawn, asked = browser.execute_async_script("""
        const done = arguments[0], means = () => document.querySelectorAll('svg path.mean').length;
        const box = document.querySelector('[data-part=learners] input:not(:checked)');
        const asked = performance.getEntriesByType('resource').length, before = means();
        box.click();
        setTimeout(() => done([before, means(),  // the browser's next turn
            performance.getEntriesByType('resource').length - asked]));""")
    assert (before, drawn, asked) == (1, 2, 0)


def test_the_recommended_forecast_follows_the_cut(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA")
    loaded = "performance.getEntriesByType('resource').filter(e => e.name.includes('forecasts.'))"
    assert js(browser, f"{loaded}.length") == 0  # nothing before it is asked for
    choose(browser, "model", "forecast")
    wait_for(browser, "document.querySelector('svg path.interval') !== null")
    assert js(browser, f"{loaded}.length") == 1
    cut = PART.format("cut")
    said = []
    for position in ("0", f"{cut}.max - 2"):
        browser.execute_script(f"{cut}.value = {position};"
                               f"{cut}.dispatchEvent(new Event('change'))")
        said.append((read(browser, "cut-words"), read(browser, "badges"), read(browser, "message")))
    (_, _, too_early), (late, words, quiet) = said
    assert "move the cut to the right" in too_early and quiet == ""
    assert "recommended forecast at" in words and " to " in words and "256" in late
    answer = browser.execute_async_script("""
        const done = arguments[0];
        fetch('../explorer/lcdb10/index.json').then(r => r.json()).then(index => {
            const key = index.datasets.find(d => d.label === 54).key;
            return fetch(`../explorer/lcdb10/forecasts.${key}.json`); })
            .then(r => r.json()).then(done)""")
    (one,) = [c for c in answer["cuts"] if c["cut"] == 256]
    _, middle, high = one["learners"]["LDA"][-1]
    assert "[" in words and "]" in words and 0 <= middle <= high <= 1


def test_an_unknown_dataset_names_close_ones(browser, site):
    visit(browser, site)
    choose(browser, "dataset", "vehicl")
    assert "vehicle" in read(browser, "message")


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, site):
    with screen_of(browser, 390, 844, scale=2):
        visit(browser, site)
        assert js(browser, "document.documentElement.scrollWidth") <= 390
        small = ("[...document.querySelectorAll('.explorer-panel :is(button, select)')].filter("
                 "n => n.checkVisibility() && n.getBoundingClientRect().height < 32).length")
        assert js(browser, small) == 0


def test_a_wall_of_curves_leads_to_each(browser, site):
    opened_page(browser, f"{site}/book/shapes.html")
    wait_for(browser, "document.querySelectorAll('#wall a svg').length >= 18")
    words = js(browser, "document.querySelector('#wall [data-part=words]').textContent")
    link = js(browser, "[...document.querySelectorAll('#wall a')]"
                       ".find(n => n.textContent.includes('ridge')).href")
    browser.execute_script("document.querySelector('#wall [data-part=another]').click()")
    wait_for(browser, "document.querySelector('#wall [data-part=words]').textContent"
                      f" !== {json.dumps(words)}")
    opened_page(browser, link)
    wait_for(browser, f"{SHOWN} === 1")
    assert read(browser, "badges").startswith("ridge") and "Fashion-MNIST" in browser.title


def test_opened_as_a_file_it_says_how_to_start_a_server(browser):
    opened_page(browser, (HTML / PAGE).as_uri())
    assert js(browser, "document.getElementById('explorer-start').checkVisibility()")
    assert "http.server" in browser.page_source


def test_a_first_view_is_light():
    code = [p for p in (HTML / "_static" / "explorer").iterdir() if p.suffix in (".js", ".css")]
    assert sum(len(gzip.compress(p.read_bytes())) for p in code) < 450_000
    for folder in (p for p in (HTML / "explorer").iterdir() if p.is_dir()):
        index = len(gzip.compress((folder / "index.json").read_bytes()))
        largest = max(
            len(gzip.compress(p.read_bytes())) + max(
                ((folder / b["file"]).stat().st_size
                 for b in json.loads(p.read_text())["blocks"].values()), default=0)
            for p in folder.glob("[0-9]*.json"))
        assert index + largest < 300_000


def saved(browser, part):
    """Return the rows of the CSV that a button saves."""
    text = browser.execute_async_script("""
        const [part, done] = arguments, make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then(done); return make(blob); };
        document.querySelector(`[data-part=${part}]`).click();""", part)
    return list(csv.DictReader(text.splitlines()))


def test_the_csv_holds_what_is_shown(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA")
    rows = saved(browser, "csv")
    assert {r["learner"] for r in rows} == {"LDA"} and {r["split"] for r in rows} == {"valid"}
    assert len(rows) == js(browser, f"{PART.format('numbers')}.rows.length") - 1


def test_what_an_address_says_in_vain_is_named(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA&metric=auk&split=valid&colour=red&x=round")
    told = read(browser, "message")
    assert told == "Ignored of the address: colour=red, x=round, metric=auk."
    choose(browser, "split", "test")
    wait_for(browser, f"{PART.format('message')}.textContent === ''")
    assert "colour" not in js(browser, "location.hash")


def test_a_dataset_of_another_database_is_shown_from_there(browser, site):
    visit(browser, site, "#dataset=54&learners=LDA")
    choose(browser, "dataset", "iris")
    wait_for(browser, "document.title.includes('on iris')")
    assert "what is shown is from mini" in read(browser, "message")
    visit(browser, site, "#dataset=WVS&database=mini&learners=KNN")
    assert "WVS" in browser.title and "from LCDB 1.1's protocol" in read(browser, "message")


def test_all_curves_of_a_learner_are_saved(browser, site):
    visit(browser, site, "#database=mini&dataset=vehicle&learners=LDA")
    rows = saved(browser, "csv-all")
    curves = analysis.load_curves("mini")
    means = curves["error_rate"].sel(learner="LDA", split="valid", scaling="none",
                                     leakage="no").mean(["outer", "inner"])
    assert len(rows) == int(means.notnull().sum())
    assert len({row["dataset"] for row in rows}) == curves.sizes["dataset"]
    assert sum(float(row["mean"]) for row in rows) == pytest.approx(float(means.sum()), rel=1e-5)


def test_a_dataset_is_chosen_by_its_thumbnail_and_typing_narrows_them(browser, site):
    from selenium.webdriver.common.keys import Keys

    visit(browser, site, "#dataset=3&learners=KNN")
    buttons = f"[...{PART.format('thumbnails')}.querySelectorAll('button')]"
    wait_for(browser, f"{buttons}.length > 200")
    marked = f"{buttons}.filter(b => b.hasAttribute('aria-current')).map(b => b.value)"
    assert js(browser, marked) == ["3"]
    browser.execute_script(f"const n = {PART.format('dataset')}; n.value = 'vehicle';"
                           "n.dispatchEvent(new Event('input'))")
    left = js(browser, f"{buttons}.filter(b => !b.hidden).map(b => b.textContent)")
    assert left and all("vehicle" in name.lower() for name in left)
    browser.execute_script(f"{buttons}.find(b => b.value === '54').click()")
    wait_for(browser, "document.title.startsWith('k-nearest neighbours on vehicle')")
    line = js(browser, f"{buttons}.find(b => b.value === '54').querySelector('polyline')"
                       ".getAttribute('points')")
    shown = js(browser, f"{PART.format('figure')}.querySelectorAll('path.mean')[0] !== null")
    heights = [float(point.split(",")[1]) for point in line.split()]
    assert shown and len(heights) > 5
    assert heights[0] < heights[-1]  # the error falls: y grows downwards
    assert js(browser, f"{buttons}.filter(b => b.tabIndex === 0).map(b => b.value)") == ["54"]
    browser.execute_script(f"{buttons}.forEach(b => b.hidden = false);"
                           f"{buttons}.find(b => b.value === '54').focus()")
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    following = js(browser, f"{buttons}.findIndex(b => b.value === '54') + 1")
    assert js(browser, f"{buttons}.indexOf(document.activeElement)") == following
    choose(browser, "dataset", "no such dataset")
    assert "There is no dataset no such dataset" in read(browser, "message")
