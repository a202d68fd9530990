"""What ``make lcdb11`` runs: the official files of LCDB 1.1 come."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pooch
import requests
from tqdm import tqdm

from collection.commands.command import Command
from collection.official import download
from collection.official import lcdb11 as official
from collection.project.parameters import Parameter, folder, some_names, yes_or_no

FILES = """\
Download the official files of LCDB 1.1, checked; run it again to go on where it broke off.

  make lcdb11 LIST=yes
  make lcdb11 METRICS="error_rate" DATASETS="CC18"

Parameters (defaults in brackets):
"""
PARAMETERS = {p.name: p for p in (
    Parameter("METRICS", some_names, "", "of error_rate, auc, f1, log_loss, train_time, message; "
              "all unless given"),
    Parameter("DATASETS", some_names, "",
              f"of {', '.join(official.DATASET_SETS)}; both unless given"),
    Parameter("LEARNERS", some_names, "",
              f"of {', '.join(official.LEARNER_SETS)}; all unless given"),
    Parameter("OUT", folder, None, "folder for them; the cache unless given"),
    Parameter("LIST", yes_or_no, "no", "yes: only tell the files and their sizes"),
)}


def files_work() -> Command:
    """Return the command that fetches the official files."""
    return Command("lcdb11", FILES, PARAMETERS, _files)


def _files(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    pooch.get_logger().setLevel("WARNING")
    files = official.select_files(asked["metrics"], asked["datasets"], asked["learners"])
    return _fetch_all(files, asked["out"] or official.default_folder(), asked["list"])


def _fetch_all(files: list[official.OfficialFile], folder: Path, only_list: bool) -> int:
    offers = [download.offer(f.name, f.url, f.sha256, folder)
              for f in tqdm(files, desc="asking for sizes", leave=False)]
    to_come = _tell(offers, folder)
    if only_list:
        return 0
    download.check_room(folder, to_come)
    come, known = 0, {f.sha256: f.name for f in official.official_files()}
    for file in files:
        try:
            official.remember(download.fetch(file.name, file.url, file.sha256, folder, known))
            come += 1
        except download.DownloadError as error:  # the others still come, where anything can
            print(f"error: {error}", file=sys.stderr)
            if isinstance(error.__cause__, requests.ConnectionError):
                print("Nothing more was tried; run it again when the server can be reached.",
                      file=sys.stderr)
                break
    print(f"{come} of {len(files)} files are in {folder}.")
    return 0 if come == len(files) else 1


def _tell(offers: list[download.Offer], folder: Path) -> int:
    """Print what will come; return how many bytes it is."""
    for told in offers:
        state = "here" if told.done else f"{download.in_words(told.here)} here" if told.here else ""
        print(f"{told.name:34} {download.in_words(told.size):>12}  {state}{told.problem}")
    to_come = [o for o in offers if not o.done]
    known = sum(o.size - o.here for o in to_come if o.size is not None)
    unknown = sum(o.size is None for o in to_come)
    print(f"To fetch into {folder}: {download.in_words(known)}"
          + (f", and {unknown} files of unknown size" if unknown else "") + ".")
    return known
