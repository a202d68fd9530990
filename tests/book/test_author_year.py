"""References are labelled as they are cited, and each has an address."""


import pytest
from author_year import AuthorYearLabels
from pybtex.database import parse_file, parse_string

from collection.project.paths import ROOT


def test_labels():
    entries = parse_string("""
        @article{a, author = {van Rijn, Jan and Mohr, Felix}, year = {2024}, title = {A}}
        @article{b, author = {Yan, C. and Mohr, F. and Viering, T.}, year = {2025}, title = {B}}
        @article{c, author = {Loog, Marco}, year = {2019}, title = {C}}
        @article{d, author = {Loog, Marco}, year = {2019}, title = {D}}""", "bibtex").entries
    labels = list(AuthorYearLabels().format_labels(entries.values()))
    assert labels == ["van Rijn and Mohr, 2024", "Yan et al., 2025", "Loog, 2019a", "Loog, 2019b"]


@pytest.mark.parametrize("key", parse_file(str(ROOT / "book" / "references.bib")).entries)
def test_every_reference_has_an_address(key):
    fields = parse_file(str(ROOT / "book" / "references.bib")).entries[key].fields
    assert {"doi", "url", "eprint", "isbn"} & set(fields), f"{key} needs a doi or url"
