"""What `import analysis` offers: rooms and names, loaded when they are used, as README has them."""

import re
import subprocess
import sys
from importlib import import_module

import pytest
from small_collection import gather

import analysis
from collection.evaluation.plan import make_plan
from collection.evaluation.plan import run as evaluate
from collection.evaluation.settings import check_settings
from collection.paths import ROOT

SNIPPETS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
OTHERS = "repositories|evaluations|tabrepo|ensembles|portfolios|drawing|figures"


@pytest.fixture
def small_runs(tmp_path):
    """A folder with small curves and evaluations of the names that README uses."""
    gather(tmp_path / "my_curves")
    settings = check_settings({
        "TASKS": "keel:vehicle sklearn:wine", "LEARNERS": "KNN LDA GaussianNB", "FOLDS": "2",
        "BAGS": "2", "PREDICTIONS": "yes", "WORKERS": "1", "OUT": str(tmp_path / "my_runs")})
    evaluate(settings, make_plan(settings))
    return tmp_path


def run(code: str) -> str:
    """Run Python in a process of its own; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_loading_curves_loads_nothing_of_repositories_ensembles_or_figures():
    loaded = run("import sys, analysis; curves = analysis.load_curves('mini')\n"
                 "analysis.get_curve(curves, 'vehicle', 'LDA')\n"
                 "print(*(m for m in sys.modules if m.startswith('analysis.')))").split()
    assert "analysis.databases.mini" in loaded
    assert not [name for name in loaded if re.search(OTHERS, name)]
    assert not run("import sys, analysis; analysis.load_curves('mini')\n"
                   "print(*({'matplotlib', 'seaborn', 'IPython'} & set(sys.modules)))").split()


def test_dir_lists_rooms_and_names_and_nothing_else():
    rooms = {p.parent.name for p in (ROOT / "analysis").glob("*/__init__.py")}
    functions = {name for name in dir(analysis) if callable(getattr(analysis, name))}
    assert set(dir(analysis)) == rooms | functions and "load_curves" in functions
    with pytest.raises(AttributeError, match="small_data"):
        analysis.small_data  # noqa: B018 - the access is what raises


@pytest.mark.parametrize("room", sorted(p.parent.name
                                        for p in (ROOT / "analysis").glob("*/__init__.py")))
def test_a_room_opens_at_first_use_and_has_what_it_offers(room):
    run(f"import analysis; analysis.{room}")
    opened = import_module(f"analysis.{room}")
    assert opened.__doc__ and not [n for n in getattr(opened, "__all__", ())
                                   if not hasattr(opened, n)]


def own_table():
    """Return a table of a user's own, with a column ``label`` to predict."""
    from sklearn.datasets import load_wine

    return load_wine(as_frame=True).frame.rename(columns={"target": "label"})


def test_every_snippet_of_the_readme_runs(small_runs, monkeypatch):
    assert len(SNIPPETS) >= 4
    monkeypatch.chdir(small_runs)
    names = {"frame": own_table()}
    for snippet in SNIPPETS:
        exec(compile(snippet, "README.md", "exec"), names)
    assert names["shapes"].sizes["learner"] == names["fits"].sizes["learner"]
    assert sum(names["weights"].values()) == pytest.approx(1)
    assert len(names["board"]) == 3 and set(names["found"]["dataset"]) == {"vehicle", "wine"}
    assert names["compared"].page.is_file()
