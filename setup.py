"""The packages of the wheel: the code, and the shipped data as `learning_curves_data`.

Everything else stands in pyproject.toml, which cannot give a folder outside the packages a name.
"""

import os
from pathlib import Path

from setuptools import find_packages, setup

DATA = "learning_curves_data"
#: Package → folder of what is shipped in it.
FOLDERS = {DATA: "data", f"{DATA}.computed": "book/computed",
           f"{DATA}.published": "book/published"}
#: What the wheel is without: downloads, and the largest database but for its sample, `mini`.
LEFT_OUT, SAMPLED = "cache", Path("data/lcdb11-anew")


def files_in(folder: str) -> list[str]:
    """Return the files below a folder that go into the wheel, by their path in it."""
    root, sample = Path(folder), (SAMPLED / "sample.csv").read_text().split()
    return [str(path.relative_to(root)) for path in root.rglob("*")
            if path.is_file() and path.relative_to(root).parts[0] != LEFT_OUT
            and (SAMPLED not in path.parents or path.suffix == ".csv"
                 or any(f"{path.stem}_".startswith(f"{stem}_") for stem in sample))]


CODE = find_packages(include=["analysis*", "collection*", "commands*"])
# Where the code is published: nowhere, unless REPOSITORY_URL says so.
SOURCE = os.environ.get("REPOSITORY_URL", "").strip()
setup(
    project_urls={"Source": SOURCE} if SOURCE else {},
    packages=[*CODE, *FOLDERS],
    package_dir=FOLDERS,
    package_data={**{name: files_in(folder) for name, folder in FOLDERS.items()},
                  "": ["*.csv", "*.json", "*.md", "*.css", "*.toml", "*.html", "*.js", "*.j2",
                       "*.pyi",
                       "py.typed"]},
)
