"""What CONTRIBUTING says of adding things, done to the letter in a temporary copy."""

import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
import pytest
from papermill import execute_notebook

from collection.project.paths import ROOT, cache_dir


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return a copy of the project's code, with LCDB 1.0's cache; one for all additions."""
    tmp_path, ignore = tmp_path_factory.mktemp("clone"), shutil.ignore_patterns("cache")
    for part in ("analysis", "lab", "commands", "collection", "book", "data"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignore)
    for file in ("_toc.yml", "requirements.lock", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, tmp_path)
    cache = tmp_path / "data" / "cache"
    cache.mkdir()
    for file in cache_dir().glob("lcdb10*"):
        (cache / file.name).symlink_to(file.resolve())
    return tmp_path


def add(path: Path, after: str, text: str) -> None:
    """Insert `text` after the line that holds `after`, which stands there once."""
    lines = path.read_text().splitlines()
    (at,) = [k for k, line in enumerate(lines) if after in line]
    path.write_text("\n".join([*lines[:at + 1], *text.splitlines(), *lines[at + 1:]]) + "\n")


def run(clone: Path, code: str) -> str:
    """Run Python in the copy, and in nothing but the copy; return what it prints."""
    guard = f"import analysis; assert analysis.__file__.startswith({str(clone)!r})\n"
    done = subprocess.run([sys.executable, "-c", guard + code], cwd=clone, text=True,
                          env={"PYTHONPATH": str(clone), "PATH": "/usr/bin:/bin",
                               "HOME": str(clone), "OMP_NUM_THREADS": "1"},
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def row_of(what: str) -> str:
    """Return what CONTRIBUTING's table says of adding something."""
    rows = [line.split("|") for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines()]
    (recipe,) = [row[2] for row in rows if len(row) > 3 and row[1].strip() == what]
    return recipe


def test_a_learner(clone):
    assert "`OURS` of `collection/learners/registry.py`" in row_of("a learner")
    add(clone / "collection/learners/registry.py", "OURS = (",
        '    Learner("Nearest1", "sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 1}),')
    shown = run(clone, """
from collection.official.lcdb11 import LEARNER_SETS, official_files
from analysis.databases.lcdb11.open import file_lengths
from collection.datasets import load_dataset
from collection.containers.curves import CurveKey
from collection.running.curve import curve_fits
from collection.learners import find_learner
from collection.containers.learner_names import LEARNERS
iris = load_dataset("sklearn:iris")
one, five = (sum(fit.error_rate[0] for fit in curve_fits(iris, CurveKey(
    "sklearn:iris", name, "none", "no", 0, 0), [16, 64])) for name in ("Nearest1", "KNN"))
print(find_learner("Nearest1").make(None).n_neighbors, one < five)
file = next(f for f in official_files() if f.learners == "24")
print(len(LEARNERS), len(LEARNER_SETS["24"]), file_lengths(file)["learner"])
""")
    assert shown.split() == ["1", "True", "32", "24", "24"]


def test_a_source_of_datasets(clone):
    assert "`collection/datasets/sources.py`" in row_of("a source of datasets")
    (clone / "collection/datasets/coins.py").write_text('''"""Datasets of coins."""

import numpy as np
import pandas as pd

from collection.datasets.dataset import make_dataset


def names() -> list[str]:
    """Return the names of the datasets."""
    return ["fair"]


def load(name: str):
    """Load one of them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(200), "class": rng.choice(["heads", "tails"], 200)})
    return make_dataset(frame, "class", name=name, source=f"coins:{name}", licence="CC0")
''')
    add(clone / "collection/datasets/sources.py", "SOURCES = {",
        '    "coins": Source("collection.datasets.coins", "coins:NAME"),')
    shown = run(clone, """
from collection.datasets import list_datasets, load_dataset
from collection.containers.curves import CurveKey
from collection.running.curve import curve_fits
dataset = load_dataset("coins:fair")
fits = curve_fits(dataset, CurveKey("coins:fair", "DummyClassifier", "none", "no", 0, 0), [16])
print(list_datasets("coins"), dataset.n_rows, all(fit.error_rate[1] >= 0 for fit in fits))
""")
    assert shown.strip() == "['fair'] 200 True"


def test_a_curve_model(clone):
    assert "`analysis/fitting/registry.py`" in row_of("a curve model")
    add(clone / "analysis/fitting/registry.py", "MODELS: dict[str, CurveModel] =",
        r'''    CurveModel("SQRT2", r"a + b / \\sqrt{n}", "ab",
           lambda n, a, b: a + b / np.sqrt(n), fam.fixed(lambda n: n**-0.5),
           lambda r, al, be: (al, be), source="of the test"),''')
    shown = run(clone, """
import numpy as np, xarray as xr
import analysis
from analysis.fitting.lmfit_models import fit_one
from analysis.fitting.registry import MODELS
n = np.array([16, 32, 64, 128, 256, 512])
curve = xr.DataArray(0.1 + 0.8 / np.sqrt(n), dims="anchor", coords={"anchor": n})
fit = analysis.fit_curves(curve, models=["SQRT2", "POW3"])
print(np.round(fit["parameters"].sel(model="SQRT2").values[:2], 6).tolist())
print({k: round(v, 6) for k, v in fit_one(curve, "SQRT2").best_values.items()})
""")
    assert shown.splitlines() == ["[0.1, 0.8]", "{'a': 0.1, 'b': 0.8}"]


def test_an_ensembler(clone):
    assert "in the first import of `__init__.py`" in row_of("an ensembler")
    (clone / "analysis/ensembles/middle.py").write_text('''"""The config in the middle."""

import numpy as np

from analysis.ensembles.metrics import METRICS, measure_errors
from analysis.ensembles.registry import Ensemble, ensembler, from_weights


@ensembler("middle")
def keep_middle(
    predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0, seed: int = 0
) -> Ensemble:
    """Give all weight to the config whose error is in the middle."""
    errors = measure_errors(predictions, labels, metric)
    weights = np.eye(len(errors))[np.argsort(errors)[len(errors) // 2]]
    return from_weights(weights, predictions, labels, METRICS[metric].compute)
''')
    front = clone / "analysis/ensembles/__init__.py"
    first = "import greedy, weighted"
    assert front.read_text().count(first) == 1
    front.write_text(front.read_text().replace(first, f"{first[:-8]}middle, weighted"))
    shown = run(clone, """
import numpy as np
from analysis.ensembles import fit_ensemble
said = np.array([[0.9, 0.9], [0.6, 0.6], [0.8, 0.8]])
print(fit_ensemble("middle", said, np.array([1, 1]), "log_loss").weights.tolist())
""")
    assert shown.strip() == "[0.0, 0.0, 1.0]"
    linted = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--config", ROOT / "pyproject.toml",
         clone / "analysis/ensembles"], cwd=clone, text=True, capture_output=True, check=False)
    assert linted.returncode == 0, linted.stdout


def test_a_database(clone):
    assert "`DATABASES` of `analysis/databases/load.py`" in row_of("a database")
    add(clone / "analysis/databases/load.py", "*(Database(name, title,",
        '        Database("half", "half of it", lambda: _shipped(\n'
        "            DATA / 'regression')().isel(dataset=slice(0, None, 2))),")
    shown = run(clone, """
import analysis
from analysis.databases.chapter_curves import database_title
half, whole = (analysis.load_curves(name) for name in ("half", "regression"))
print(database_title("half"), half.sizes["dataset"] - (whole.sizes["dataset"] + 1) // 2)
print(float(analysis.get_curve(half, half["dataset"].values[0], "KNN",
                         "relative_rmse", "standard").count()) > 0)
""")
    assert shown.splitlines() == ["half of it 0", "True"]


def begin(clone, name):
    """Return what `make chapter` returns, its environment taken as made."""
    (clone / ".venv").mkdir(exist_ok=True)
    (clone / ".venv/.core").touch()
    return subprocess.run(["make", "-f", ROOT / "Makefile", "VENV=.venv", "-o", ".venv/.core",
                           "chapter", f"NAME={name}"], cwd=clone, capture_output=True,
                          timeout=60).returncode


def test_a_chapter(clone, monkeypatch, tmp_path):
    assert "`make chapter NAME=my_question`" in row_of("a chapter")
    assert begin(clone, "mine") == 0
    chapter = clone / "book/mine.md"
    add(clone / "_toc.yml", "book/da1", "      - file: book/mine")
    monkeypatch.setenv("PYTHONPATH", str(clone))
    nbformat.write(jupytext.read(chapter), tmp_path / "mine.ipynb")
    made = execute_notebook(tmp_path / "mine.ipynb", None, {"procedure": "published"},
                            cwd=clone, progress_bar=False)
    shares = pd.read_csv(clone / "results/mine/shares.csv")
    assert shares["share"].between(0, 100).all() and len(shares) > 10
    assert "shares.csv" in str(made.cells[-1]["outputs"])
    assert begin(clone, "mine") == begin(clone, "My page") == begin(clone, "") == 2
    sys.path.insert(0, str(ROOT / "book"))
    import chapter_dependencies as deps
    stamp = deps.Project(clone).stamp(chapter)
    (clone / "analysis/databases/shipped.py").write_text(
        (clone / "analysis/databases/shipped.py").read_text() + "\n# changed\n")
    assert deps.Project(clone).stamp(chapter) != stamp
