"""Command line: fetch the official files of LCDB 1.1, or the means that its site serves."""

import argparse
import sys
from pathlib import Path

import pooch
from tqdm import tqdm

from analysis.databases.download import (
    DownloadError,
    Offer,
    check_room,
    fetch,
    in_words,
    offer,
)
from analysis.databases.lcdb11.files import (
    DATASET_SETS,
    LEARNER_SETS,
    OfficialFile,
    default_folder,
    official_files,
    remember,
    select_files,
)
from analysis.databases.lcdb11.summary_files import fetch_summary
from collection.naming import UnknownNameError


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0, 1 where a file could not be fetched, 2 for wrong arguments."""
    asked = _parser().parse_args(arguments)
    pooch.get_logger().setLevel("WARNING")
    try:
        if asked.summary:
            print(f"The means are in {fetch_summary(asked.source, asked.to)}.")
            return 0
        files = select_files(asked.metrics, asked.datasets, asked.learners)
        return _fetch_all(files, asked.to or default_folder(), asked.list)
    except DownloadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except (UnknownNameError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis.databases.lcdb11",
                                     description=__doc__)
    parser.add_argument("--metrics", nargs="*", default=(), metavar="METRIC",
                        help="error_rate auc f1 log_loss train_time message; default all")
    parser.add_argument("--datasets", nargs="*", default=(), metavar="SET",
                        help=f"{' '.join(DATASET_SETS)}; default both")
    parser.add_argument("--learners", nargs="*", default=(), metavar="SET",
                        help=f"{' '.join(LEARNER_SETS)}; default all")
    parser.add_argument("--to", type=Path, help=f"folder; default {default_folder()}")
    parser.add_argument("--list", action="store_true", help="tell the sizes, fetch nothing")
    parser.add_argument("--summary", action="store_true",
                        help="the means and standard errors as JSON instead of the HDF5 files")
    parser.add_argument("--source", help="with --summary: folder or web address that has meta.json "
                        "and er/; default lcdb11/ in $LEARNING_CURVES_PUBLISHED")
    return parser


def _fetch_all(files: list[OfficialFile], folder: Path, only_list: bool) -> int:
    offers = [offer(f.name, f.url, f.sha256, folder)
              for f in tqdm(files, desc="asking for sizes", leave=False)]
    _tell(files, offers, folder)
    if only_list:
        return 0
    check_room(offers, folder)
    failures = [error for f in files if (error := _try(f, folder))]
    for error in failures:
        print(f"error: {error}", file=sys.stderr)
    print(f"{len(files) - len(failures)} of {len(files)} files are in {folder}.")
    return 1 if failures else 0


def _try(file: OfficialFile, folder: Path) -> DownloadError | None:
    """Fetch one file; return what went wrong, so that the others still come."""
    elsewhere = {f.sha256: f.name for f in official_files() if f.name != file.name}
    try:
        remember(fetch(file.name, file.url, file.sha256, folder, elsewhere))
    except DownloadError as error:
        return error
    return None


def _tell(files: list[OfficialFile], offers: list[Offer], folder: Path) -> None:
    """Print what will come, how large it is, and which files share an address."""
    for told in offers:
        state = "here" if told.done else f"{in_words(told.here)} here" if told.here else ""
        print(f"{told.name:34} {in_words(told.size):>12}  {state}{told.problem}")
    to_come = [o for o in offers if not o.done]
    known = sum(o.size - o.here for o in to_come if o.size is not None)
    unknown = sum(o.size is None for o in to_come)
    print(f"To fetch into {folder}: {in_words(known)}"
          + (f", and {unknown} files of unknown size" if unknown else "") + ".")
    for group in _sharing_address(files):
        print("Note: the published list gives one address for " + " and ".join(group)
              + "; the checksum decides which of them it is.")


def _sharing_address(files: list[OfficialFile]) -> list[list[str]]:
    """Return the names of the published files that share their address with one of `files`."""
    by_url: dict[str, list[str]] = {}
    for f in official_files():
        by_url.setdefault(f.url, []).append(f.name)
    asked = {f.url for f in files}
    return [names for url, names in by_url.items() if url in asked and len(names) > 1]


if __name__ == "__main__":
    sys.exit(main())
