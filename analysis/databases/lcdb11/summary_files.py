"""Get the means of LCDB 1.1 as JSON.

None of the sources names the address that the authors' site serves them from, so one gives it,
or a folder; the checksums of the 266 files (`data/lcdb11_summary.sha256`) tell whether they are
the ones.
"""

import shutil
from functools import partial
from pathlib import Path

import pooch
from tqdm import tqdm

from analysis.databases.download import DownloadError, fetch
from analysis.databases.lcdb11.summary import META, cached_summary, published_summary
from collection.paths import DATA

CHECKSUMS = DATA / "lcdb11_summary.sha256"
_NO_ADDRESS = ("The published sources name no address for the summary: give the folder or web "
               "address that has it with SOURCE=.")


def summary_checksums() -> dict[str, str]:
    """Return the sha256 of each file of the summary: ``meta.json``, ``er/<OpenML id>.json``."""
    return dict(line.split() for line in CHECKSUMS.read_text().splitlines())


def fetch_summary(source: str | None = None, to: Path | None = None) -> Path:
    """Get the 266 files from a folder or web address, each checked against its sha256.

    Parameters
    ----------
    source : str, optional
        Folder, or address that starts with http, that has ``meta.json`` and ``er/``; by default
        ``lcdb11`` among the published data (`collection.paths.published_dir`).
    to : Path, optional
        Where they go; by default into the cache.

    Raises
    ------
    DownloadError
        Where there is no source, a file is missing, or one is not what it should be.
    """
    to = to or cached_summary()
    source = source or str(published_summary() or "")
    if not source:
        raise DownloadError(_NO_ADDRESS)
    over_http = source.startswith(("http://", "https://"))
    if not over_http and not (Path(source) / META).is_file():
        raise DownloadError(f"{source} has no {META}. {_NO_ADDRESS}")
    get = partial(fetch, progress=False) if over_http else _copy
    # The description last: it is what tells that a summary is there.
    for name, sha256 in tqdm(sorted(summary_checksums().items()), desc="summary", unit="file"):
        get(name, f"{source.rstrip('/')}/{name}", sha256, to)
    return to


def _copy(name: str, path: str, sha256: str, folder: Path) -> None:
    """Copy one file as `fetch` would fetch it."""
    if not Path(path).is_file():
        raise DownloadError(f"{path} is not there.")
    if pooch.file_hash(path) != sha256:
        raise DownloadError(f"{path} is not the published file: its sha256 differs.")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / name)
