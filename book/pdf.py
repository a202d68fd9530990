"""``make pdf``: the built pages as one PDF in the order of the contents, with bookmarks.

``make paper`` prints the page *What was found* alone, the book in five minutes.

Printed by Chromium, joined without blank pages; links from page to page lead within the file.
"""

import base64
import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

import yaml

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
PDF = ROOT / "_build" / "book.pdf"
PAPER, PAPER_PDF = "book/findings", ROOT / "_build" / "paper.pdf"
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
FLAGS = ("headless=new", "no-sandbox", "disable-gpu", "allow-file-access-from-files")


def main(arguments: list[str] | None = None) -> int:
    """Print the book, or with "paper" its findings; return the exit status."""
    paper = (sys.argv[1:] if arguments is None else arguments) == ["paper"]
    pages, out = ([PAPER], PAPER_PDF) if paper else (contents(), PDF)
    browser = shutil.which("chromium"), shutil.which("chromedriver")
    if not all(browser):
        return refuse("chromium and chromedriver are needed: Debian's packages chromium and "
                      "chromium-driver.")
    if not (HTML / "index.html").exists():
        return refuse("there is no book yet: make book.")
    join(print_pages(pages, *browser), out)
    print(f"It is in {out.relative_to(ROOT)}.")
    return 0


def refuse(why: str) -> int:
    """Say why there is no PDF."""
    print(f"pdf: {why}", file=sys.stderr)
    return 1


def contents() -> list[str]:
    """Return the pages in their order, as paths within the book without an ending."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = (chapter for part in toc["parts"] for chapter in part["chapters"])
    return [toc["root"], *(chapter["file"] for chapter in chapters)]


def print_pages(pages: list[str], chromium: str, driver: str) -> Iterator[tuple[Path, str, bytes]]:
    """Yield the file, the title and the PDF of each page."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    with webdriver.Chrome(options, webdriver.ChromeService(driver)) as browser:
        for k, page in enumerate(pages, 1):
            file = HTML / f"{page}.html"
            browser.get(file.as_uri())
            title = browser.execute_script(
                "return document.querySelector('h1').firstChild.textContent.trim()")
            print(f"{k} of {len(pages)}: {title}", flush=True)
            printed = browser.execute_cdp_cmd("Page.printToPDF", A4)["data"]
            yield file, title, base64.b64decode(printed)


def join(printed: Iterator[tuple[Path, str, bytes]], out: Path) -> None:
    """Write pages that hold something as one file, whole or not at all."""
    from pypdf import PdfReader, PdfWriter

    writer, first = PdfWriter(), {}
    for file, title, content in printed:
        begin = len(writer.pages)
        for page in PdfReader(io.BytesIO(content)).pages:
            if page.extract_text().strip() or page.images:
                writer.add_page(page)
        first[file.as_uri()] = begin
        writer.add_outline_item(title=title, page_number=begin)
    lead_within(writer, first)
    part = out.with_suffix(".part")
    writer.write(part)
    part.replace(out)


def lead_within(writer, first: dict[str, int]) -> None:
    """Lead links to the book's files to their first page here; take away those to other files."""
    from pypdf.generic import ArrayObject, NameObject

    for page in writer.pages:
        for link in page.get("/Annots") or ():
            link = link.get_object()
            address = urlparse(link.get("/A", {}).get("/URI", ""))
            if address.scheme != "file":
                continue
            del link["/A"]
            target = first.get(Path(unquote(address.path)).as_uri())
            if target is not None:
                link[NameObject("/Dest")] = ArrayObject(
                    [writer.pages[target].indirect_reference, NameObject("/Fit")])


if __name__ == "__main__":
    sys.exit(main())
