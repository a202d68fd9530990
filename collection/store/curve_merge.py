"""Merge stores of curves that several machines gathered into one, of one file or in shards.

Dataset by dataset, so that no more than one dataset's curves are held; a shard that the target
lacks is copied as it is.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from collection.store.connection import Form, is_begun, read_store
from collection.store.lazy import COPY
from collection.store.merge import Merged, refuse, settings_conflicts
from collection.store.reader import StoredCurve, stored_curves
from collection.store.schema import CURVES, FILE, FIT
from collection.store.shards import (
    SHARDED_FROM,
    SHARDS,
    ShardedWriter,
    form_of,
    open_writer,
    shard_folder,
    shard_folders,
)
from collection.store.writer import StoreWriter

JUDGED = [name for name in FIT.names if "_time" not in name and name != "message"]


@dataclass(frozen=True)
class _Source:
    """A store that is read; its folder."""

    folder: Path

    @cached_property
    def form(self) -> Form:
        return form_of(self.folder)

    @cached_property
    def settings(self) -> dict[str, object]:
        with read_store(self.folder, self.form) as db:
            return {n: json.loads(v) for n, v in db.execute("SELECT name, value FROM settings")}

    @cached_property
    def datasets(self) -> dict[str, dict[str, object]]:
        """Table ``datasets`` by name."""
        with read_store(self.folder, self.form) as db:
            found = db.execute("SELECT * FROM datasets ORDER BY id")
            names = [column[0] for column in found.description]
            rows = [dict(zip(names, row, strict=True)) for row in found]
        return {row["name"]: {n: v for n, v in row.items() if n != "id"} for row in rows}

    @cached_property
    def parts(self) -> dict[str, Path]:
        """Where the curves of each dataset lie."""
        sharded = self.form is SHARDS
        return shard_folders(self.folder) if sharded else dict.fromkeys(self.datasets, self.folder)

    def fits(self) -> int:
        """Return how many there are."""
        def count(part: Path) -> int:
            with read_store(part, CURVES, whole=False) as db:
                return db.execute("SELECT count(*) FROM fits").fetchone()[0]
        return sum(map(count, set(self.parts.values())))

    def curves(self, dataset: str) -> Iterator[StoredCurve]:
        """Yield a dataset's curves, each found to be what was written."""
        if dataset in self.parts:
            with read_store(self.parts[dataset], CURVES) as db:
                yield from stored_curves(db, dataset)


def merge_curves(sources: Sequence[str | Path], target: str | Path) -> Merged:
    """Add the curves of stores to another, which may be new; nothing where they conflict.

    Runs keep their provenance. A curve that is there twice with the same results counts once,
    whatever its times. A merge that is stopped goes on when it is asked for again.

    Parameters
    ----------
    sources : sequence of str or Path
        Folders that ``make collect`` wrote, of one file or in shards.
    target : str or Path
        Folder of the merged store. A new one is in shards where one of the sources is, or where
        they have more than `SHARDED_FROM` fits.

    Returns
    -------
    Merged
        Curves that were new, and those that were there already.

    Raises
    ------
    MergeConflictError
        Where settings differ, a name stands for different data, or a curve has different results;
        every conflict is named.
    ValueError
        Where the target is among the sources.
    NoStoreError, UnreadableStoreError, LockedStoreError
        Where a store cannot be read, or the target is being written to.
    """
    target = Path(target)
    if target.resolve() in {Path(source).resolve() for source in sources}:
        raise ValueError(f"{target} cannot be merged into itself; leave it out of what is added.")
    stores = [_Source(Path(source)) for source in sources]
    there = [_Source(target)] if is_begun(target, CURVES) else []
    _check([*there, *stores])
    fits = sum(store.fits() for store in stores)
    if any(store.form is SHARDS for store in stores):
        fits = max(fits, SHARDED_FROM + 1)
    added = seen = 0
    with open_writer(target, stores[0].settings, {"merged": [Path(s).name for s in sources]},
                     fits) as writer:
        for name in dict.fromkeys(name for store in stores for name in store.datasets):
            for store in (store for store in stores if name in store.datasets):
                new, all_of_it = _take(writer, store, name)
                added, seen = added + new, seen + all_of_it
    return Merged(added, seen - added)


def _check(stores: Sequence[_Source]) -> None:
    """Raise `MergeConflictError` where stores contradict each other."""
    conflicts = [*settings_conflicts(stores)]
    for name in dict.fromkeys(name for store in stores for name in store.datasets):
        conflicts += _curve_conflicts(name, [s for s in stores if name in s.datasets])
    refuse(conflicts)


def _curve_conflicts(name: str, stores: Sequence[_Source]) -> Iterator[str]:
    """Yield what contradicts in the curves of a dataset; one that a single store has is not read.

    Its curves are looked at when they are copied.
    """
    first, seen = stores[0], {}
    for store in stores if len(stores) > 1 else ():
        if store.datasets[name]["fingerprint"] != first.datasets[name]["fingerprint"]:
            yield f"{name} is other data in {first.folder} than in {store.folder}"
            return
        for curve in store.curves(name):
            whose, results = seen.setdefault(curve.key, (store, _results(curve)))
            if results != _results(curve):
                yield (f"{', '.join(map(str, vars(curve.key).values()))}: results differ between "
                       f"{whose.folder} and {store.folder}")


def _results(curve: StoredCurve) -> bytes:
    """Return what is the same for the same results: of all but times and messages' numbers."""
    found = sha256(repr(curve.messages).encode())
    for name in JUDGED:
        found.update(curve.fits[name].tobytes())
    return found.digest()


def _take(writer: StoreWriter, store: _Source, name: str) -> tuple[int, int]:
    """Add a dataset's curves; return how many were new, and how many the store has."""
    if isinstance(writer, ShardedWriter):
        if store.form is SHARDS and name not in writer.datasets():
            _copy_shard(store.parts[name], shard_folder(writer.folder, name))
            writer.add_dataset(store.datasets[name])
            with read_store(shard_folder(writer.folder, name), CURVES, whole=False) as db:
                return (db.execute("SELECT count(*) FROM curves").fetchone()[0],) * 2
        writer.add_dataset(store.datasets[name])
        return _add(writer.shard(name), store, name)
    writer.add_dataset(store.datasets[name])
    return _add(writer, store, name)


def _copy_shard(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{FILE}"
    part.unlink(missing_ok=True)
    with read_store(source, CURVES) as db, closing(sqlite3.connect(part)) as copied:
        db.backup(copied)
    part.replace(folder / FILE)
    with suppress(FileNotFoundError):  # made when the shard is read
        shutil.copyfile(source / COPY, folder / COPY)


def _add(writer: StoreWriter, store: _Source, name: str) -> tuple[int, int]:
    """Add to one file, in one transaction."""
    finished, runs, new, count = writer.finished(), {}, 0, 0
    with read_store(store.parts[name], CURVES) as db, writer.transaction():
        for curve in stored_curves(db, name):
            count += 1
            if curve.key not in finished:
                new += 1
                if curve.run not in runs:
                    runs[curve.run] = writer.take_run(*db.execute(
                        "SELECT started, provenance FROM runs WHERE id = ?",
                        (curve.run,)).fetchone())
                writer.take(curve, runs[curve.run], db)
    return new, count
