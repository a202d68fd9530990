"""The official contexts of TabRepo: which there are, of which files, and whether they are whole.

The list is `data/tabrepo.json`, from TabRepo's code. No checksums are published: each file's size
and sha256 are kept when it has come (`RECORD`), and looked at again when it is opened.
"""

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from collection.project.naming import check_known
from collection.project.paths import DATA, cache_dir, sha256_of, shipped, unlinked

REGISTRY = DATA / "tabrepo.json"
PREDICTIONS = "model_predictions"  # the folder of what configs predicted
RECORD = "fetched.csv"
HEAD = ("name", "size", "sha256")
OF_TASK = ("metadata.json", "pred-test.dat", "pred-val.dat", "label-test.csv.zip",
           "label-val.csv.zip")


class TabRepoError(ValueError):
    """Files of a TabRepo repository that lack or contradict each other; the message says which."""


@dataclass(frozen=True)
class Context:
    """An official context.

    Attributes
    ----------
    name, size : str
        Its name, and its size in words as TabRepo states it.
    datasets : tuple of str
        Smallest first.
    files : dict of str to str
        Addresses by name within the folder that all contexts share.
    optional : frozenset of str
        Files that the repository can be opened without: hyperparameters.
    """

    name: str
    size: str
    datasets: tuple[str, ...]
    files: dict[str, str]
    optional: frozenset[str]


@cache
def official_contexts() -> dict[str, Context]:
    """Return the official contexts by name, smallest first."""
    known = json.loads(shipped(REGISTRY).read_text(encoding="utf-8"))
    extra = {f"configs/{n}": known["hyperparameters"] + n for n in known["hyperparameter_files"]}
    contexts = {}
    for name, said in known["contexts"].items():
        datasets = known["datasets_largest_first"][-said["datasets"]:][::-1]
        names = [*known["tables"], *(
            f"{PREDICTIONS}/{dataset}/{fold}/{file}"
            for dataset in datasets for fold in known["folds"] for file in OF_TASK)]
        files = {n: known["address"] + quote(n) for n in names} | extra
        contexts[name] = Context(name, said["size"], tuple(datasets), files, frozenset(extra))
    return contexts


def find_context(name: str) -> Context:
    """Return a context by name; raise `UnknownNameError` for an unknown one."""
    check_known("TabRepo context", [name], official_contexts())
    return official_contexts()[name]


def default_folder() -> Path:
    """Return where all official contexts are kept: they are parts of one tree."""
    return cache_dir() / "tabrepo" / "2023_11_14"


def read_record(folder: Path) -> dict[str, tuple[int, str]]:
    """Return size and sha256 of the files that have come, by name; later lines count."""
    path = folder / RECORD
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {row["name"]: (int(row["size"]), row["sha256"])
                for row in csv.DictReader(file) if None not in row.values()}


def add_to_record(folder: Path, name: str) -> None:
    """Note that a file has come, with its size and sha256."""
    path, file = folder / RECORD, folder / name
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8", opener=unlinked) as out:
        writer = csv.writer(out)
        if new:
            writer.writerow(HEAD)
        writer.writerow([name, file.stat().st_size, sha256_of(file)])


def is_whole(folder: Path, name: str, record: dict[str, tuple[int, str]], thorough: bool) -> bool:
    """Whether a file is there as it came: by its size, or by its sha256 as well."""
    path = folder / name
    if name not in record or not path.is_file() or path.stat().st_size != record[name][0]:
        return False
    return not thorough or sha256_of(path) == record[name][1]


def check_tables(folder: Path) -> None:
    """Check the sha256 of a context's tables, and the size of every other file that has come.

    Raises
    ------
    TabRepoError
        Naming the first file that is not as it came.
    """
    record = read_record(folder)
    for name in record:
        if not is_whole(folder, name, record, thorough="/" not in name):
            raise TabRepoError(f"{folder / name} is not the file that came: its size or sha256 is "
                               f"not the one kept in {RECORD}. Run make tabrepo with CHECK=yes to "
                               "fetch what has changed again.")
