"""Documents: pages that stand alone, to be sent and printed, of one style; nothing is loaded."""

import re
from datetime import date
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from collection import __version__
from collection.project.paths import repository_url
from collection.project.shown import visible

STYLE = Path(__file__).with_name("document.css")
PACKAGE = "learning-curves-reexamined"


def render(template: Path, **values: object) -> str:
    """Return a document as HTML.

    Parameters
    ----------
    template : Path
        In Jinja's language. Beside `values` it knows ``style``, ``version``, ``today``, the
        ``address`` that the code is published at (None where nobody said), and the filter
        ``with_code``.
    **values
    """
    environment = Environment(autoescape=True, trim_blocks=True, keep_trailing_newline=True,
                              loader=FileSystemLoader(template.parent))
    environment.filters["with_code"] = with_code
    today = date.today()
    return visible(environment.get_template(template.name).render(
        style=Markup(STYLE.read_text(encoding="utf-8")), version=__version__,
        today=f"{today.day} {today:%B %Y}", address=_address(), **values))


def with_code(text: str) -> Markup:
    """Return a sentence as HTML, with what stands in backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def cut(name: str, letters: int = 40) -> str:
    """Return a name of at most so many letters, for a figure."""
    return name if len(name) <= letters else f"{name[:letters - 1]}…"


def _address() -> str | None:
    try:
        told = metadata(PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:  # run from a folder, not installed
        told = []
    return repository_url() or next((one.partition(", ")[2] for one in told), None)
