"""Flipped bytes in a file that came whole are noticed: on opening, once, or when they are read."""

import hashlib
import json
import shutil

import pytest
from official_layout import official_file, write_official

from analysis.databases.lcdb11 import open as opening
from analysis.databases.lcdb11.open import LayoutError, open_lcdb11
from collection.official import lcdb11 as files
from collection.official.lcdb11 import RECORD, remember, verify
from commands import lcdb11 as command

NAME = "LCDB11_ER_265_tabnet.hdf5"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a file whose content is what was published, and never was looked at."""
    path = write_official(tmp_path, NAME, [61], compression="gzip")
    (tmp_path / RECORD).unlink()
    published = official_file(NAME)
    as_here = type(published)(**vars(published) | {"sha256": sha256(path)})
    monkeypatch.setattr(opening.files, "official_files", lambda: (as_here,))
    return path


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def flip(path, where=0.5):
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 0xFF
    path.write_bytes(content)


def test_a_good_file_is_looked_at_once(file, monkeypatch):
    assert open_lcdb11(file.parent)["error_rate"].sel(dataset=61).notnull().any()
    monkeypatch.setattr(files, "_hash", lambda path: pytest.fail("it was looked at again"))
    open_lcdb11(file.parent)
    (file.parent / "linked").mkdir()
    (file.parent / "linked" / NAME).symlink_to(file)
    open_lcdb11(file.parent / "linked")


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_a_flipped_byte_is_noticed_on_opening(file, where):
    flip(file, where)
    with pytest.raises(LayoutError, match=rf"{NAME}: .*"):
        open_lcdb11(file.parent)
    assert not (file.parent / RECORD).exists()


def test_a_file_that_changed_since_is_looked_at_again(file):
    open_lcdb11(file.parent)
    flip(file)
    with pytest.raises(LayoutError, match=rf"{NAME}: its content is not what was published"):
        verify(file, official_file(NAME).sha256)


def test_damage_that_shows_on_reading_names_the_file(file):
    curves = open_lcdb11(file.parent)
    content = bytearray(file.read_bytes())
    content[len(content) // 2:-2000] = b"\x5a" * (len(content) - len(content) // 2 - 2000)
    file.write_bytes(content)
    with pytest.raises(LayoutError, match=rf"{NAME}: its curves cannot be read"):
        curves["error_rate"].sel(dataset=61).compute(scheduler="sync")


def test_what_was_downloaded_is_not_looked_at_again(file, monkeypatch):
    official = opening.files.official_files()[0]
    monkeypatch.setattr(command.download, "fetch", lambda *_: file)
    assert command._fetch_all([official], file.parent, only_list=False) == 0
    assert json.loads((file.parent / RECORD).read_text()) == {
        NAME: [file.stat().st_size, file.stat().st_mtime_ns]}


def test_where_nothing_can_be_noted_it_is_looked_at_each_time(file, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.Path, "write_text", refuse)
    open_lcdb11(file.parent)
    assert not (file.parent / RECORD).exists()


def test_a_record_that_is_damaged_counts_for_nothing(file):
    (file.parent / RECORD).write_text("{")
    open_lcdb11(file.parent)
    shutil.copy(file, file.parent / "other.hdf5")
    remember(file.parent / "other.hdf5")
    assert set(json.loads((file.parent / RECORD).read_text())) == {NAME, "other.hdf5"}
