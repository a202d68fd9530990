"""``make chapter NAME=my_question``: a chapter that builds, to be written over."""

import sys
from pathlib import Path

from collection.project.paths import ROOT

SKELETON = ROOT / "chapters" / "skeleton"


def begin(name: str, root: Path = ROOT) -> list[Path]:
    """Write a new chapter's package and page; return their files.

    Parameters
    ----------
    name : str
        Of the package, the page and the folder of results: lower-case letters, digits, "_".
    root : Path
        Of the project.

    Raises
    ------
    ValueError
        If the name is none for a package.
    FileExistsError
        If there is such a chapter; nothing is written then.
    """
    if not (name.isidentifier() and name == name.lower()):
        raise ValueError(f"{name!r} is no name for a chapter: lower-case letters, digits and _.")
    files = {"__init__.py.txt": root / "chapters" / name / "__init__.py",
             "page.md.txt": root / "book" / f"{name}.md"}
    for file in files.values():
        if file.exists():
            raise FileExistsError(f"{file.relative_to(root)} is there already.")
    for source, file in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text((SKELETON / source).read_text().replace("NAME", name))
    return list(files.values())


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 2 where nothing could be begun."""
    name = " ".join(sys.argv[1:] if arguments is None else arguments)
    try:
        files = begin(name)
    except (ValueError, FileExistsError) as error:
        print(f"chapter: {error} make chapter NAME=my_question", file=sys.stderr)
        return 2
    for file in files:
        print(f"Written: {file.relative_to(ROOT)}")
    print(f"Add it to _toc.yml as 'file: book/{name}', then: make book")
    return 0


if __name__ == "__main__":
    sys.exit(main())
