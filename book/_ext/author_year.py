"""The list of references, labelled as the text cites them: authors and year."""

from collections import Counter

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style
from pybtex.style.labels import BaseLabelStyle


class AuthorYearLabels(BaseLabelStyle):
    """Labels such as "Yan et al., 2025"; a letter tells those apart that would be the same."""

    def format_labels(self, sorted_entries):
        """Yield a label per entry."""
        plain = [_label(entry) for entry in sorted_entries]
        often, seen = Counter(plain), Counter()
        for label in plain:
            yield label + (chr(ord("a") + seen[label]) if often[label] > 1 else "")
            seen[label] += 1


def _label(entry) -> str:
    names = [" ".join(p.prelast_names + p.last_names) for p in entry.persons.get("author", [])]
    who = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else (
        f"{names[0]} et al." if names else entry.key)
    return f"{who}, {entry.fields.get('year', 'no year')}"


class AuthorYearStyle(Style):
    """As "unsrt", with `AuthorYearLabels`, sorted by author."""

    default_sorting_style = "author_year_title"
    default_label_style = AuthorYearLabels


def plain_list(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Take from a list of references the roles that its writer gives it and that do not fit."""
    if "citation-list" in context.get("body", ""):
        context["body"] = context["body"].replace('<div role="list" class="citation-list">',
                                                  '<div class="citation-list">').replace(
            ' role="doc-biblioentry"', "")


def setup(app):
    """Make the style known to Sphinx's bibliography."""
    app.connect("html-page-context", plain_list)
    register_plugin("pybtex.style.formatting", "author_year_list", AuthorYearStyle, force=True)
    return {"parallel_read_safe": True}
