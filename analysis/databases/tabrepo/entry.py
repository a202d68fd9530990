"""Find a TabRepo repository by the name of an official context, or by its folder."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from analysis.databases.tabrepo.contexts import default_folder, official_contexts
from analysis.databases.tabrepo.layout import is_tabrepo, last_changes
from analysis.databases.tabrepo.repository import TabRepo


class Found(NamedTuple):
    """A repository that was found.

    Attributes
    ----------
    repository : TabRepo
    infer_time_per_row : bool
        Whether its inference times are per test row, as those of the official contexts.
    """

    repository: TabRepo
    infer_time_per_row: bool


def find_tabrepo(where: str | Path) -> Found | None:
    """Return the repository that a name or folder means; None where it means none.

    The last few stay open, for predictions are asked for one task at a time; a repository whose
    tables have changed since is opened anew.

    Raises
    ------
    NotFetchedError
        For an official context that has not been downloaded.
    TabRepoError
        If its files lack, cannot be read or contradict each other.
    """
    context = official_contexts().get(str(where))
    folder = default_folder() if context else Path(where)
    if context and not is_tabrepo(folder):
        raise NotFetchedError(f"{where} has not been downloaded: make tabrepo CONTEXT={where} "
                              f"({context.size}).")
    if not is_tabrepo(folder):
        return None
    changed = last_changes(folder)
    return Found(_open(folder.resolve(), changed, context.datasets if context else ()),
                 context is not None)


class NotFetchedError(FileNotFoundError):
    """An official context that is not at hand; the message says how to get it."""


@lru_cache(maxsize=4)
def _open(folder: Path, changed: tuple[int, ...], datasets: tuple[str, ...]) -> TabRepo:
    return TabRepo(folder, datasets=datasets)
