"""What ``make lcdb11`` and ``make lcdb11-summary`` run: the official files of LCDB 1.1 come."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pooch
import requests
from tqdm import tqdm

from analysis.databases import download
from analysis.databases.lcdb11.files import (
    DATASET_SETS,
    LEARNER_SETS,
    OfficialFile,
    default_folder,
    official_files,
    remember,
    select_files,
)
from analysis.databases.lcdb11.summary import fetch_summary
from collection.commands.command import Command
from collection.project.parameters import Parameter, folder, some_names, yes_or_no

FILES = """\
Download the official files of LCDB 1.1, checked; run it again to go on where it broke off.

  make lcdb11 LIST=yes
  make lcdb11 METRICS="error_rate" DATASETS="CC18"

Parameters (defaults in brackets):
"""
SUMMARY = """\
Take over the means and standard errors of LCDB 1.1 that its authors' site shows, checked.

  make lcdb11-summary SOURCE=<folder or web address>

Parameters (defaults in brackets):
"""
TO = Parameter("OUT", folder, None, "folder for them; the cache unless given")
PARAMETERS = {p.name: p for p in (
    Parameter("METRICS", some_names, "", "of error_rate, auc, f1, log_loss, train_time, message; "
              "all unless given"),
    Parameter("DATASETS", some_names, "", f"of {', '.join(DATASET_SETS)}; both unless given"),
    Parameter("LEARNERS", some_names, "", f"of {', '.join(LEARNER_SETS)}; all unless given"),
    TO,
    Parameter("LIST", yes_or_no, "no", "yes: only tell the files and their sizes"),
)}
SUMMARY_PARAMETERS = {p.name: p for p in (
    Parameter("SOURCE", str, None, "folder or web address that has meta.json and "
              "er/; lcdb11/ in $LEARNING_CURVES_PUBLISHED unless given"),
    TO,
)}


def files_work() -> Command:
    """Return the command that fetches the official files."""
    return Command("lcdb11", FILES, PARAMETERS, _files)


def summary_work() -> Command:
    """Return the command that fetches the means."""
    return Command("lcdb11-summary", SUMMARY, SUMMARY_PARAMETERS, _summary)


def _files(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    pooch.get_logger().setLevel("WARNING")
    files = select_files(asked["metrics"], asked["datasets"], asked["learners"])
    return _fetch_all(files, asked["out"] or default_folder(), asked["list"])


def _summary(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    pooch.get_logger().setLevel("WARNING")
    print(f"The means are in {fetch_summary(asked['source'], asked['out'])}.")
    return 0


def _fetch_all(files: list[OfficialFile], folder: Path, only_list: bool) -> int:
    offers = [download.offer(f.name, f.url, f.sha256, folder)
              for f in tqdm(files, desc="asking for sizes", leave=False)]
    to_come = _tell(files, offers, folder)
    if only_list:
        return 0
    download.check_room(folder, to_come)
    come, known = 0, {f.sha256: f.name for f in official_files()}
    for file in files:
        try:
            remember(download.fetch(file.name, file.url, file.sha256, folder, known))
            come += 1
        except download.DownloadError as error:  # the others still come, where anything can
            print(f"error: {error}", file=sys.stderr)
            if isinstance(error.__cause__, requests.ConnectionError):
                print("Nothing more was tried; run it again when the server can be reached.",
                      file=sys.stderr)
                break
    print(f"{come} of {len(files)} files are in {folder}.")
    return 0 if come == len(files) else 1


def _tell(files: list[OfficialFile], offers: list[download.Offer], folder: Path) -> int:
    """Print what will come and which files share an address; return how many bytes it is."""
    for told in offers:
        state = "here" if told.done else f"{download.in_words(told.here)} here" if told.here else ""
        print(f"{told.name:34} {download.in_words(told.size):>12}  {state}{told.problem}")
    to_come = [o for o in offers if not o.done]
    known = sum(o.size - o.here for o in to_come if o.size is not None)
    unknown = sum(o.size is None for o in to_come)
    print(f"To fetch into {folder}: {download.in_words(known)}"
          + (f", and {unknown} files of unknown size" if unknown else "") + ".")
    for group in _sharing_address(files):
        print("Note: the published list gives one address for " + " and ".join(group)
              + "; the checksum decides which of them it is.")
    return known


def _sharing_address(files: list[OfficialFile]) -> list[list[str]]:
    """Return the names of the published files that share their address with one of `files`."""
    by_url: dict[str, list[str]] = {}
    for f in official_files():
        by_url.setdefault(f.url, []).append(f.name)
    asked = {f.url for f in files}
    return [names for url, names in by_url.items() if url in asked and len(names) > 1]
