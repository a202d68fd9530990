"""``make book``: run the notebooks by papermill, build aside, put the book in its place.

Whatever goes wrong, ``_build/html`` holds the last book that was whole, or none. ``make page``
runs and builds one page beside it. Parameters are given to the notebooks that have them.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from chapter_dependencies import Project
from curves_of_explorer import Writer
from running import Chapter, chapters_of, give_parameters, run_chapters
from staging import stage

from collection.commands.command import make_variables
from collection.project.naming import UnknownNameError, check_known
from collection.project.parameters import parse_int
from collection.project.paths import FIGURE_HOOK, FIGURE_NUMBERS

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
BOOK, MAKING, PAGE = BUILD / "html", BUILD / "making", BUILD / "page"
DRAWN, MADE = BUILD / "figures", BUILD / "notebooks"
#: Variables of make's command line that are the build's own, not a notebook's.
OWN = ("PYTHON", "VENV", "TORCH_INDEX", "UV", "NAME", "BOOK_PROCESSES", "TEST_PROCESSES", "ONLY")
#: Warnings of links to pages that a build of one page is without.
NOT_THERE = ["myst.xref_missing", "ref.doc", "ref.term"]
# What Jupyter says of itself at every chapter.
CHATTER = re.compile(r"IPKernelApp|ParserConfig\(")


def main(page: str = "") -> int:
    """Build the book, or one page of it by its file's name; return the exit status."""
    what = "page" if page else "book"
    pages = sorted((ROOT / "book").glob("*.md"))
    try:
        parse_int(os.environ.get("BOOK_PROCESSES") or 1, least=1)
        if page:
            check_known("page", [page], [path.stem for path in pages])
        chapters = _parameterised(chapters_of(_in_toc() if not page else [_page(page)]))
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{what}: {error}", file=sys.stderr)
        return 2 if isinstance(error, UnknownNameError) else 1
    os.environ.update(_environment())
    project = Project(ROOT)
    if page:
        return build_page(page, chapters, project)
    with Writer(project, BUILD, os.environ["DATABASE"]) as writer:
        good = run_chapters(chapters, project, MADE) and writer.done()
    if not good or not build(_in_toc(), chapters, MAKING, ROOT / "_toc.yml", "-n"):
        kept = "still holds the book as it was before" if BOOK.exists() else "holds no book yet"
        print(f"book: not built; what went wrong is said above. {BOOK.relative_to(ROOT)}/ {kept}.",
              file=sys.stderr)
        return 1
    put_in_place()
    print("The book is in _build/html/index.html; its tables are in results/.")
    return 0


def _parameterised(chapters: list[Chapter]) -> list[Chapter]:
    """Give the chapters what make was given; a database opens before anything is run."""
    values = make_variables(os.environ, OWN)
    if named := values.get("DATABASE") or os.environ.get("DATABASE", ""):
        values["DATABASE"] = check_database(named)
    if any(chapter.defaults for chapter in chapters):
        give_parameters(chapters, {name: text for name, text in values.items() if text})
    os.environ["DATABASE"] = values.get("DATABASE", "")
    return chapters


def check_database(database: str) -> str:
    """Return the database by its name or by the absolute path of its folder, once it opens.

    Parameters
    ----------
    database : str
        As the reader wrote it.

    Raises
    ------
    ValueError
        Where it holds no error rates.
    """
    from analysis.databases.load import DATABASES, load_curves  # takes a second

    try:
        if database not in DATABASES:
            folder = (ROOT / Path(database).expanduser()).absolute()
            if folder.is_file():
                raise ValueError(f"{database} is a file: a folder of curves is needed.")
            database = str(folder) if folder.exists() else database
        curves = load_curves(database)
    except (ValueError, OSError, RuntimeError) as error:
        raise ValueError(f"DATABASE: {error}") from error
    if "error_rate" not in curves:
        raise ValueError(f"DATABASE: {database} holds no error rates but curves of regression, "
                         "which the chapters on the paper's analyses are not about; see "
                         "book/regression.md.")
    return database


def _page(name: str) -> Path:
    return ROOT / "book" / f"{name}.md"


def _in_toc() -> list[Path]:
    """Return the pages that the table of contents names."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = toc.get("chapters", []) + [entry for part in toc.get("parts", ())
                                        for entry in part["chapters"]]
    return [ROOT / f"{name}.md" for name in (toc["root"], *(entry["file"] for entry in listed))]


def build_page(page: str, chapters: list[Chapter], project: Project) -> int:
    """Run and build one page into `PAGE`, with the bibliography."""
    PAGE.mkdir(parents=True, exist_ok=True)
    contents: dict[str, object] = {"format": "jb-book", "root": f"book/{page}"}
    pages = [_page(page)]
    if _page("bibliography").exists() and page != "bibliography":
        contents["chapters"] = [{"file": "book/bibliography"}]
        pages.append(_page("bibliography"))
    toc, text = PAGE / "_toc.yml", yaml.safe_dump(contents)
    if toc.exists() and toc.read_text() != text:  # Sphinx keeps index entries of a page that left
        shutil.rmtree(PAGE / "_build" / ".doctrees", ignore_errors=True)
    toc.write_text(text)
    if not run_chapters(chapters, project, MADE) or not build(pages, chapters, PAGE, toc,
                                                             suppress=NOT_THERE):
        return 1
    print(f"The page is in {(PAGE / '_build/html/book' / page).relative_to(ROOT)}.html.")
    return 0


def build(pages: list[Path], chapters: list[Chapter], folder: Path, toc: Path, *options: str,
          suppress: tuple[str, ...] | list[str] = ()) -> bool:
    """Have Jupyter Book render pages as they ran, showing what is said; return whether it did."""
    source = folder / "source"
    stage(pages, chapters, MADE, source)
    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    sphinx = settings["sphinx"]
    sphinx["local_extensions"] = {name: str(ROOT / place)
                                  for name, place in sphinx["local_extensions"].items()}
    if suppress:
        sphinx["config"]["suppress_warnings"] = list(suppress)
    config = folder / "_config.yml"
    config.write_text(yaml.safe_dump(settings))
    _forget_where_extensions_changed(folder)
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "-W", "--keep-going",
               *options, "--toc", toc, "--config", config, "--path-output", folder, source]
    here = os.pathsep.join([str(ROOT / "book"), os.environ["PYTHONPATH"]])  # for the extensions
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=os.environ | {"PYTHONPATH": here}) as process:
        for line in process.stdout:
            if not CHATTER.search(line):
                print(line, end="", flush=True)
    if process.returncode:  # or the next build would take the pages that failed for done
        _forget(folder)
    return process.returncode == 0


def _forget(folder: Path) -> None:
    for part in (".doctrees", "html"):
        shutil.rmtree(folder / "_build" / part, ignore_errors=True)


def _forget_where_extensions_changed(folder: Path) -> None:
    """Have all pages read anew where the book's own extensions are not those of last time."""
    mark, now = folder / "extensions", "".join(
        f"{file.name} {file.stat().st_mtime_ns}\n" for place in ("_ext", ".")
        for file in sorted((ROOT / "book" / place).glob("*.py")))
    if mark.exists() and mark.read_text() != now:
        _forget(folder)
    mark.write_text(now)


def _environment() -> dict[str, str]:
    """Return the environment of the notebooks, which find the packages of the checkout."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), FIGURE_NUMBERS: str(DRAWN),
            FIGURE_HOOK: str(ROOT / "book" / "figures")}


def put_in_place() -> None:
    """Replace the book by the one that was made, in one step at its end."""
    following, before = BOOK.with_name("html.next"), BOOK.with_name("html.before")
    for folder in (following, before):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MAKING / "_build" / "html", following)
    if BOOK.exists():
        BOOK.rename(before)
    following.rename(BOOK)
    shutil.rmtree(before, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
