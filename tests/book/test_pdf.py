"""The book as one PDF: no blank page, bookmarks, and links that lead within the file."""

import io

import matplotlib.pyplot as plt
import pdf
import pytest

from collection.project.paths import ROOT

pypdf = pytest.importorskip("pypdf")


def printed(text, link=None):
    """A page with a text, then a blank one; with a link to a file, or elsewhere."""
    from pypdf.annotations import Link

    drawn, content = plt.figure(), io.BytesIO()
    drawn.text(0.5, 0.5, text)
    drawn.savefig(content, format="pdf")
    plt.close(drawn)
    writer = pypdf.PdfWriter(clone_from=content)
    writer.add_blank_page()
    for address in link or ():
        writer.add_annotation(0, Link(rect=(0, 0, 50, 50), url=address))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_pages_are_joined_without_blank_ones_and_links_lead_within(tmp_path):
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    pdf.join(iter([
        (one, "One", printed("first", [f"{two.as_uri()}#part", (tmp_path / "x.csv").as_uri(),
                                       "https://example.org/"])),
        (two, "Two", printed("second"))]), tmp_path / "book.pdf")
    book = pypdf.PdfReader(tmp_path / "book.pdf")
    assert [page.extract_text().strip() for page in book.pages] == ["first", "second"]
    assert [(o.title, book.get_destination_page_number(o)) for o in book.outline] == [
        ("One", 0), ("Two", 1)]
    within, gone, elsewhere = (a.get_object() for a in book.pages[0]["/Annots"])
    assert within["/Dest"][0].get_object() == book.pages[1] and "/A" not in within
    assert not {"/A", "/Dest"} & set(gone)
    assert elsewhere["/A"]["/URI"] == "https://example.org/"
    assert [p.name for p in tmp_path.iterdir()] == ["book.pdf"]


@pytest.mark.parametrize(("programs", "says"), [((), "chromium"), (("chromium", "chromedriver"),
                                                                  "make book")])
def test_what_is_lacking_is_told(tmp_path, monkeypatch, capsys, programs, says):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: name if name in programs else None)
    monkeypatch.setattr(pdf, "HTML", tmp_path)
    assert pdf.main([]) == 1 and pdf.main(["paper"]) == 1
    assert says in capsys.readouterr().err


def test_the_contents_are_all_pages_in_their_order():
    pages = pdf.contents()
    assert pages[0] == "book/intro" and len(pages) == len(set(pages)) > 30
    assert all((ROOT / f"{page}.md").exists() for page in pages)
