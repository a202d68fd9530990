"""Put figures into pages as SVG: sharp, in the page's own colours, with letters that are text.

A figure that would weigh too much stays a PNG. How wide a figure has to be shown for its letters
to be read is written at it; on a narrower screen it is moved sideways.
"""

import html
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from analysis.drawing.charts import with_titles

#: Bytes of a figure's SVG; a heavier one is shown as PNG.
HEAVY = 400_000
#: Pixels of the smallest letters of a figure on the narrowest screen.
LETTERS = 10
#: Pixels a point, at most: figures of the column's width fill it and letters do not grow beyond.
LARGEST = 1.5
#: Colours of the drawing kit that a page may show otherwise (``--drawn-<colour>`` in its styles).
NAMED = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}
#: Greys that stay what they are: numbers on cells, whose colour does not change either.
FIXED = {1, 254}
#: Below it a grey is the ink of axes and words.
DARKEST = 60
COLOUR = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b")
SIZE = re.compile(r"font-size: ([\d.]+)px")
#: Points around the axes of a figure that is shown without its words.
MARGIN = 6
SPACE = "{http://www.w3.org/2000/svg}"
TEXT = re.compile(r"<text.*?</text>", re.DOTALL)
WORDS = re.compile(r'(?<=<text style=")[^"]*')
FAMILY = re.compile(r"font-family: [^;\"]*; ?")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
TAG = re.compile(r"<[^>]*>")
DRAWING = re.compile(r"<svg.*?(viewBox=\"0 0 ([\d.]+) [\d.]+\").*?>(.*)</svg>", re.DOTALL)
#: What matplotlib writes and a page does not need.
DEBRIS = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", re.DOTALL)


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.add_post_transform(DrawInPage)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class DrawInPage(SphinxPostTransform):
    """Choose for each figure, of its SVG and its PNG, what the page shows."""

    default_priority = 3  # before one of the kinds of an output is selected
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        outputs = [node for node in self.document.findall(nodes.container)
                   if node.get("nb_element") == "mime_bundle"]
        for place, output in enumerate(outputs):
            kinds = {child["mime_type"]: child for child in output.children}
            if not {"image/svg+xml", "image/png"} <= kinds.keys():
                continue
            image = kinds["image/svg+xml"].next_node(nodes.image)
            svg, wordless = Path(self.app.srcdir) / image["uri"], output.get("wordless", False)
            drawn = in_page(svg.read_text("utf-8"), f"drawn-{place}", image.get("alt", ""),
                            wordless)
            output.remove(kinds["image/svg+xml"])
            if wordless or len(drawn) <= HEAVY:
                self._keep_png(output, kinds["image/png"].next_node(nodes.image)["uri"])
                output.replace_self(nodes.raw("", drawn, format="html"))

    def _keep_png(self, output: nodes.Element, uri: str) -> None:
        """Copy a figure's PNG, by which other sites show the page, beside the page's images."""
        source = Path(self.app.srcdir) / uri
        place = Path(self.app.outdir) / "_images" / source.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
        while output is not None and not isinstance(output, nodes.figure):
            output = output.parent
        if output is not None:
            output["picture"] = f"_images/{source.name}"


def in_page(svg: str, name: str, words: str, wordless: bool = False) -> str:
    """Return a drawing of matplotlib's as part of a page.

    Parameters
    ----------
    svg : str
        As matplotlib writes it, with text as text.
    name : str
        With which the names of its parts begin, so that no two figures of a page share one.
    words : str
        What it shows, for who cannot see it.
    wordless : bool
        Whether it is a thumbnail, beside words that say what it shows.
    """
    if wordless:
        svg, box, axes = _pictured(svg)
    view, wide, inner = DRAWING.search(DEBRIS.sub("", with_titles(svg))).groups()
    used = set(re.findall(r'#([\w-]+)(?=["\)])', inner))
    inner = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "",
                   inner)
    inner = re.sub(r'(href="|url\()#', rf"\1#{name}-", inner)
    if "<image" in inner:  # cells keep their colours, and so do the numbers on them
        inner = WORDS.sub(_fixed, inner)
    inner = TAG.sub(lambda tag: DECIMALS.sub(r"\1", tag[0]), COLOUR.sub(_own_colour, inner))
    least = min(map(float, SIZE.findall(inner)), default=LETTERS)
    inner = re.sub(r">\s+<", "><", FAMILY.sub("", inner)).strip()
    if wordless:
        return (f'<svg class="drawn" viewBox="{box}" aria-hidden="true">{TEXT.sub("", inner)}</svg>'
                f'<p class="drawn-axes">{html.escape(axes)}</p>')
    width = float(wide)
    return (f'<div class="drawn-frame"><svg class="drawn" {view} role="img" '
            f'aria-label="{html.escape(" ".join(words.split()))}" '
            f'style="min-width: {width * LETTERS / least:.0f}px; '
            f'max-width: {width * LARGEST:.0f}px">{inner}</svg></div>')


def _pictured(svg: str) -> tuple[str, str, str]:
    """Return a drawing without legends, the box around its axes, and the names of the axes."""
    for prefix, space in (("", SPACE[1:-1]), ("xlink", "http://www.w3.org/1999/xlink")):
        ElementTree.register_namespace(prefix, space)
    root = ElementTree.fromstring(svg)
    ends, names = [], {}
    for group in [*root.iter(f"{SPACE}g")]:
        for part in group.findall(f"{SPACE}g"):
            name = part.get("id", "")
            if name.startswith("legend_"):
                group.remove(part)
            elif group.get("id", "").startswith("axes_") and name.startswith("patch_"):
                at = np.array(re.findall(r"-?[\d.]+", part[0].get("d")), float).reshape(-1, 2)
                ends += [at.min(axis=0), at.max(axis=0)]
            elif name.startswith("text_") and (group.get("id", "").startswith("matplotlib.axis_")):
                names[group.get("id")[-1]] = "".join(part.itertext()).strip()
    (left, top), (right, low) = np.min(ends, axis=0) - MARGIN, np.max(ends, axis=0) + MARGIN
    said = " · ".join(f"{mark}\N{NO-BREAK SPACE}{names[axis]}"
                      for axis, mark in (("2", "↑"), ("1", "→")) if axis in names)
    return (ElementTree.tostring(root, encoding="unicode"),
            f"{left:.0f} {top:.0f} {right - left:.0f} {low - top:.0f}", said)


def _fixed(found: re.Match) -> str:
    """Return the style of words in white, or black if they say none, so that it stays."""
    if "fill:" not in found[0]:
        return f"{found[0]}; fill: #010101"
    return found[0].replace("fill: #ffffff", "fill: #fefefe")


def _own_colour(found: re.Match) -> str:
    """Return a colour of the page's own for greys and the kit's palette, others as they are."""
    red, green, blue = (int(part, 16) for part in found.groups())
    if red == green == blue and red not in FIXED:
        ink = round(100 - red / 2.55)
        return ("var(--drawn-ink)" if red < DARKEST else "var(--drawn-ground)" if red == 255 else
                f"color-mix(in srgb, var(--drawn-ink) {ink}%, var(--drawn-ground))")
    return f"var(--drawn-{found[0][1:]}, {found[0]})" if found[0] in NAMED else found[0]

