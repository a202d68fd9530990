"""The tables of a store of evaluations.

========== =====================================================================================
table      a row is
========== =====================================================================================
settings   one setting that every evaluation in the store was made under (name, value as JSON)
runs       one run: when, where, versions (JSON); of a merged store, the runs of every part
tasks      a task: name (its label), dataset, target, procedure (JSON), metric, fingerprint, facts
learners   a learner or config: name, family, hyperparameters (JSON)
messages   a distinct message; number 0 is the empty one
evaluations an evaluation: what it is of, status, message, metrics or NULL, what tuning chose (JSON)
labels     what is true of a task's rows, an ``.npy`` archive
arrays     a file of predictions: of which task, fold and split, of which rows (``.npy`` archive)
predictions where in such a file an evaluation's predictions lie, and of what kind they are
========== =====================================================================================

An evaluation and its predictions are one transaction. The predictions themselves lie beside the
database in ``predictions/``; see `collection.store.prediction_files`.
"""

from collection.evaluation.container import COLUMNS
from collection.store.form import SHARED_TABLES, Form

TASK_COLUMNS = {
    "name": "TEXT UNIQUE NOT NULL", "spec": "TEXT NOT NULL", "target": "TEXT NOT NULL",
    "procedure": "TEXT NOT NULL", "problem": "TEXT NOT NULL", "metric": "TEXT NOT NULL",
    "class_names": "TEXT NOT NULL", "openml_id": "INTEGER", "source": "TEXT", "licence": "TEXT",
    "rows": "INTEGER", "features": "INTEGER", "categorical": "INTEGER", "classes": "INTEGER",
    "missing_values": "INTEGER", "fingerprint": "TEXT NOT NULL",
}
KEY = ("task", "learner", "repeat", "fold")
RESULT = ("status", "message", *COLUMNS, "chosen")

TABLES = f"""{SHARED_TABLES}
CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY,
    {", ".join(f"{name} {kind}" for name, kind in TASK_COLUMNS.items())});
CREATE TABLE IF NOT EXISTS learners (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,
    family TEXT NOT NULL DEFAULT '', hyperparameters TEXT NOT NULL DEFAULT '{{}}');
CREATE TABLE IF NOT EXISTS evaluations (id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES tasks, learner INTEGER NOT NULL REFERENCES learners,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    status INTEGER NOT NULL, message INTEGER NOT NULL REFERENCES messages,
    {", ".join(f"{column} REAL" for column in COLUMNS)}, chosen TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs, seconds REAL NOT NULL, worker TEXT NOT NULL,
    finished TEXT NOT NULL, UNIQUE (task, learner, repeat, fold));
CREATE TABLE IF NOT EXISTS labels (task INTEGER PRIMARY KEY REFERENCES tasks,
    archive BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS arrays (id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES tasks, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    split TEXT NOT NULL, dtype TEXT NOT NULL, rows INTEGER NOT NULL, classes INTEGER NOT NULL,
    count INTEGER NOT NULL, row_numbers BLOB NOT NULL, UNIQUE (task, repeat, fold, split));
CREATE TABLE IF NOT EXISTS predictions (array INTEGER NOT NULL REFERENCES arrays,
    position INTEGER NOT NULL, evaluation INTEGER NOT NULL REFERENCES evaluations,
    kind TEXT NOT NULL, PRIMARY KEY (array, position)) WITHOUT ROWID;
"""

EVALUATIONS = Form("evaluations.sqlite", "evaluations.lock", 1, TABLES, "predictions",
                   "evaluations", 'make evaluate TASKS="…"')
