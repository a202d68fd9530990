"""Letters can be read, as they are rendered: in figures, panels and text, on a desk and a phone."""

import pytest
from browsing import CONTENTS, js, opened_page, screen_of, wait_for
from figure_lint import LEAST, PAGE

pytestmark = [pytest.mark.book, pytest.mark.browser]
IN_PANELS = 11  # px
#: The smallest letters of each drawing and of each picture, in pixels of the screen. A picture's
#: are at least `LEAST` where it is as wide as a page's column, which is held when it is drawn.
DRAWN = """
const [least, page] = arguments;
const all = (within, what) => [...within.querySelectorAll(what)];
const shown = (what) => all(document, `.bd-article ${what}`).filter((n) => n.checkVisibility());
all(document, '.bd-article details').forEach((part) => { part.open = true; });
const told = (n) => n.closest('figure')?.id || n.closest('[id]')?.id || n.outerHTML.slice(0, 80);
const worded = (n) => n.textContent.trim() !== '';
const size = (t) => parseFloat(getComputedStyle(t).fontSize)
  * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b);
return [
  ...shown('svg').filter((n) => all(n, 'text').some(worded)).map((n) =>
    [told(n), Math.min(...all(n, 'text, tspan').filter(worded).map(size)), !n.closest('figure')]),
  ...shown('div.cell_output img').map((n) =>
    [told(n), least * n.getBoundingClientRect().width / page, false])];
"""
#: The smallest letters of running text, and where they stand; a sign alone is no letter.
WRITTEN = """
const walk = document.createTreeWalker(document.querySelector('.bd-article'), NodeFilter.SHOW_TEXT);
let least = [99, ''];
while (walk.nextNode()) {
  const at = walk.currentNode.parentElement;
  if (!/[a-z]{2}/i.test(walk.currentNode.textContent) || !at.checkVisibility()
      || at.closest('svg, sup, sub, mjx-container, script, style, .sd-hide-link-text')) continue;
  const size = parseFloat(getComputedStyle(at).fontSize);
  if (size < least[0]) least = [size, walk.currentNode.textContent.trim().slice(0, 60)];
}
return least;
"""


#: Tables and code that are cut, with all folds open.
CUT = """
document.querySelectorAll('.bd-article details').forEach((d) => { d.open = true; });
const parts = document.querySelectorAll(".bd-article :is(.table-scroll, pre)");
return [...parts].filter((n) =>
    n.checkVisibility() && (n.scrollWidth > n.clientWidth + 1
                            || n.scrollHeight > n.clientHeight + 1))
  .map((n) => n.textContent.trim().slice(0, 60))"""


@pytest.mark.parametrize("wide", [390, 1280])
@pytest.mark.parametrize("page", CONTENTS)
def test_letters_can_be_read_and_on_a_desk_tables_and_code_are_whole(browser, site, page, wide):
    with screen_of(browser, wide, 844):
        opened_page(browser, f"{site}/book/{page}.html")
        wait_for(browser, "document.readyState === 'complete'")
        drawn = browser.execute_script(DRAWN, LEAST, PAGE)
        small = [(name, round(size, 1)) for name, size, panel in drawn
                 if size < (IN_PANELS if panel else LEAST) - 0.05]
        assert not small
        size, words = browser.execute_script(WRITTEN)
        assert size >= LEAST, words
        assert wide == 390 or not browser.execute_script(CUT)


def test_a_figure_is_moved_sideways_on_a_phone_and_the_page_is_not(browser, site):
    with screen_of(browser, 390, 844):
        opened_page(browser, f"{site}/book/da1.html")
        wait_for(browser, "document.querySelector('.drawn-frame svg') !== null")
        frame = "document.querySelector('.drawn-frame')"
        assert js(browser, f"{frame}.scrollWidth") > js(browser, f"{frame}.clientWidth") + 20
        assert js(browser, "document.documentElement.scrollWidth") <= 390


def test_a_title_is_larger_than_its_parts_and_folds_are_a_line_each(browser, site):
    with screen_of(browser, 1280, 900):
        opened_page(browser, f"{site}/book/da1.html")
        wait_for(browser, "document.readyState === 'complete'")
        sizes = [js(browser, f"parseFloat(getComputedStyle(document.querySelector("
                             f"'.bd-article {h}')).fontSize)") for h in ("h1", "h2")]
        assert sizes == [42, 24]
        folds = js(browser, "[...document.querySelectorAll('details.fold > summary')]"
                            ".map(n => [n.textContent.trim(), n.getBoundingClientRect().height])")
        assert [words.split("#")[0][:10] for words, _ in folds] == ["How it was", "All number"]
        assert all(height < 50 for _, height in folds)
