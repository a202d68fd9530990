"""Runs that are killed at random moments."""

import multiprocessing
import os
import sqlite3
import time
from contextlib import closing

import numpy as np


def rows_in(file, table):
    """Count a table's rows, quickly enough to kill a fast run in its middle."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
            return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    except sqlite3.OperationalError:  # there is no file, or no table yet
        return 0


def killed_again_and_again(work, stored, seed, times, more, pause):
    """Kill `work`, each time so many results later, and at most `pause` seconds after that.

    Returns how many results are stored in the end; none of them is ever lost.
    """
    moments, kept = np.random.default_rng(seed), 0
    for _ in range(times):
        driver = multiprocessing.get_context("fork").Process(target=_quietly, args=(work,))
        driver.start()
        wanted = kept + moments.integers(*more)
        while driver.is_alive() and stored() < wanted:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, pause))
        driver.kill()
        driver.join()
        assert stored() >= kept, "a stored result was lost"
        kept = stored()
    return kept


def _quietly(work):
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        work()
