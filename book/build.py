"""``make book``: see that the database can be opened, build aside, put the book in its place.

Whatever goes wrong, ``_build/html`` holds the last book that was whole, or none. ``make page``
builds one page beside it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from collection.project.naming import UnknownNameError, check_known
from collection.project.parameters import parse_int
from collection.project.paths import FIGURE_NUMBERS

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
MAKING = ROOT / "_build" / "making"
PAGE = ROOT / "_build" / "page"
DRAWN = ROOT / "_build" / "figures"
# What Jupyter says of itself at every chapter.
CHATTER = re.compile(r"IPKernelApp|ParserConfig\(")


def main(page: str = "") -> int:
    """Build the book, or one page of it by its file's name; return the exit status."""
    try:
        parse_int(os.environ.get("BOOK_PROCESSES") or 1, least=1)
    except ValueError as error:
        print(f"book: BOOK_PROCESSES: {error}", file=sys.stderr)
        return 1
    try:
        database = check_database(os.environ.get("DATABASE", ""))
    except (ValueError, OSError, RuntimeError) as error:
        print(f"book: DATABASE: {error}", file=sys.stderr)
        return 1
    if page:
        return build_page(page, database)
    if not run("-W", "-n", "--keep-going", folder=MAKING, database=database):
        kept = "still holds the book as it was before" if BOOK.exists() else "holds no book yet"
        print(f"book: not built; what went wrong is said above. {BOOK.relative_to(ROOT)}/ {kept}.",
              file=sys.stderr)
        return 1
    put_in_place()
    print("The book is in _build/html/index.html; its tables are in results/.")
    return 0


def check_database(database: str) -> str:
    """Return the database by its name or by the absolute path of its folder, once it opens.

    Chapters run in ``book/``, where a path relative to the project's root would not be found.

    Parameters
    ----------
    database : str
        As the reader wrote it; empty where each chapter is to use its own.
    """
    if not database:
        return ""
    from analysis.databases.load import DATABASES, load_curves  # takes a second

    if database not in DATABASES:
        folder = (ROOT / Path(database).expanduser()).absolute()
        database = str(folder) if folder.exists() else database
    if "error_rate" not in load_curves(database):
        raise ValueError(f"{database} holds no error rates but curves of regression, which the "
                         "chapters on the paper's analyses are not about; see book/regression.md.")
    return database


def build_page(page: str, database: str) -> int:
    """Build one page into `PAGE`, with the bibliography, from what has run already."""
    names = sorted(path.stem for path in (ROOT / "book").glob("*.md"))
    try:
        check_known("page", [page], names)
    except UnknownNameError as error:
        print(f"page: {error}", file=sys.stderr)
        return 2
    PAGE.mkdir(parents=True, exist_ok=True)
    toc, config = PAGE / "_toc.yml", PAGE / "_config.yml"
    contents: dict[str, object] = {"format": "jb-book", "root": f"book/{page}"}
    if "bibliography" in names and page != "bibliography":
        contents["chapters"] = [{"file": "book/bibliography"}]
    toc.write_text(yaml.safe_dump(contents))
    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    sphinx = settings["sphinx"]
    sphinx["local_extensions"] = {name: str(ROOT / folder)
                                  for name, folder in sphinx["local_extensions"].items()}
    sphinx["config"]["suppress_warnings"] = ["myst.xref_missing"]  # to other pages
    config.write_text(yaml.safe_dump(settings))
    if not run("-W", "--keep-going", "--toc", toc, "--config", config, folder=PAGE,
               database=database):
        return 1
    print(f"The page is in {(PAGE / '_build/html/book' / page).relative_to(ROOT)}.html.")
    return 0


def run(*options: str | Path, folder: Path, database: str) -> bool:
    """Build in a folder, showing what is said; return whether it succeeded."""
    command = [Path(sys.executable).with_name("jupyter-book"), "build", *options,
               "--path-output", folder, ROOT]
    with subprocess.Popen(command, cwd=ROOT, env=_environment(database), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            if not CHATTER.search(line):
                print(line, end="", flush=True)
    if process.returncode:  # or the next build would take the pages that failed for done
        for part in (".doctrees", "html"):
            shutil.rmtree(folder / "_build" / part, ignore_errors=True)
    return process.returncode == 0


def _environment(database: str) -> dict[str, str]:
    """Return the environment of the chapters' kernels, which find the packages of the checkout."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "DATABASE": database, "PYTHONPATH": os.pathsep.join(paths),
            FIGURE_NUMBERS: str(DRAWN)}


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
