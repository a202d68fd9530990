"""What `import analysis` offers, and the pages that say how it is used: their examples run."""

import csv
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from inspect import isfunction, ismodule, signature
from pathlib import Path

import pytest
import xarray as xr
from own_tables_here import fit_here, measure_here
from small_collection import gather

import analysis
from collection.project.paths import ROOT
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run as evaluate
from commands import main

#: What says how the project is used, each page with examples that run from top to bottom.
PAGES = [ROOT / "README.md", *sorted((ROOT / "book").glob("use_*.md"))]
COMMAND = re.compile(r"^\$ make ([a-z0-9-]+)(.*?)(?:\s+#.*)?$", re.MULTILINE)
OTHERS = "repositories|evaluations|tabrepo|ensembles|portfolios|drawing|figures"


@pytest.fixture(scope="module")
def small_runs(tmp_path_factory):
    """A folder with small curves, evaluations and results, of the names that the pages use."""
    tmp_path = tmp_path_factory.mktemp("own")
    gather(tmp_path / "my_curves")
    settings = check_settings({
        "TASKS": "keel:vehicle sklearn:wine", "LEARNERS": "KNN LDA GaussianNB", "FOLDS": "2",
        "BAGS": "2", "PREDICTIONS": "yes", "WORKERS": "1", "OUT": str(tmp_path / "my_runs")})
    with fit_here():
        evaluate(settings, make_plan(settings))
    analysis.load_results(tmp_path / "my_runs").to_csv(tmp_path / "results.csv", index=False)
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
                 "print(*sys.modules)").split()
    assert "analysis.databases.shipped" in loaded
    assert not [name for name in loaded if re.search(rf"^analysis\..*({OTHERS})", name)]
    assert not {"matplotlib", "seaborn", "IPython"} & set(loaded)


def test_dir_lists_rooms_and_names_and_nothing_else():
    rooms = {p.parent.name for p in (ROOT / "analysis").glob("*/__init__.py")}
    functions = {name for name in dir(analysis) if callable(getattr(analysis, name))}
    assert set(dir(analysis)) == rooms | functions and "load_curves" in functions
    with pytest.raises(AttributeError, match="small_data"):
        analysis.small_data  # noqa: B018 - the access is what raises


def test_rooms_open_at_first_use_and_have_what_they_offer():
    rooms = sorted(p.parent.name for p in (ROOT / "analysis").glob("*/__init__.py"))
    run("import analysis\n" + "\n".join(f"analysis.{room}" for room in rooms))
    for room in rooms:
        opened = import_module(f"analysis.{room}")
        assert opened.__doc__ and not [n for n in getattr(opened, "__all__", ())
                                       if not hasattr(opened, n)]


def test_every_function_of_a_room_answers_what_is_no_value():
    functions = {f for room in analysis.__all__ if ismodule(opened := getattr(analysis, room))
                 for name in dir(opened) if isfunction(f := getattr(opened, name))
                 and f.__module__.startswith("analysis.") and not name.startswith("_")}
    assert len(functions) > 200
    for function in functions:
        needed = [p for p in signature(function).parameters.values()
                  if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        if needed:
            with suppress(TypeError, ValueError, OSError):
                function(*[None] * len(needed))
    with pytest.raises(TypeError, match=r"^log_errors: errors has to be a DataArray, not list\.$"):
        analysis.databases.log_errors([1])
    with pytest.raises(KeyError, match="dataset"):  # all are of their kinds: the error stands
        analysis.databases.drop_copies(xr.Dataset())


def own_table():
    """Return a table of a user's own, with a column ``label`` to predict."""
    from sklearn.datasets import load_wine

    return load_wine(as_frame=True).frame.rename(columns={"target": "label"})


def run_page(page, folder, monkeypatch):
    """Run a page's Python from top to bottom in a folder, quickly; return what it leaves."""
    monkeypatch.chdir(folder)
    measure_here(monkeypatch, folds=2)
    names = {"frame": own_table()}
    for snippet in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(snippet, page.name, "exec"), names)
    return names


#: What the examples of a page leave, by its name (the README: `tests/test_readme.py`).
LEFT = {
    "use_gather": lambda n: "non_monotone" in n["shapes"] and "anchor" in n["table"],
    "use_evaluate": lambda n: n["means"].shape == (2, 3) and n["said"].shape[1] == n["true"].size,
    "use_compare": lambda n: n["compared"].page.is_file() and len(n["found"].ranks) == 3,
    "use_portfolios": lambda n: (abs(sum(n["weights"].values()) - 1) < 1e-9 and len(n["board"]) == 3
                                 and set(n["found"]["dataset"]) == {"vehicle", "wine"}),
    "use_suites": lambda n: len(n["names"]) > 10 and "keel:vehicle" in n["names"],
    "use_report": lambda n: len(n["answers"].later) > 0,
}


#: Pages with a table of an original's names, and how many.
MAPPED = {"use_compare": 9, "use_portfolios": 13, "use_suites": 10}


def mapped(page):
    """Return the original's names in a page's tables, each with the code that stands for it."""
    blocks = re.findall(r"```\{csv-table\}\n(?::[^\n]*\n)*\n(.*?)```", page.read_text(), re.DOTALL)
    rows = [row for block in blocks
            for row in csv.reader(block.strip().splitlines(), skipinitialspace=True)]
    assert all(len(row) == 2 and re.fullmatch("`[^`]+`", cell) for row in rows for cell in row)
    return [[cell.strip("`") for cell in row] for row in rows]


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page, small_runs, monkeypatch):
    names = run_page(page, small_runs, monkeypatch)
    assert LEFT[page.stem](names)
    rows = mapped(page)
    assert len(rows) == MAPPED.get(page.stem, 0)
    for theirs, ours in rows:  # what stands beside the original's name runs, and gives something
        found = eval(ours, names)
        assert (found == 0 if ours.startswith("main(") else
                found is not None or "to_csv" in ours), theirs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_are_commands_with_those_parameters(page, capsys):
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = COMMAND.findall(page.read_text())
    assert lines
    for target, rest in lines:
        assert target in targets, target
        if target in ("report", "order", "compare", "collect", "evaluate", "merge", "suite"):
            status = main([target, "--help"])
            told, wrong = capsys.readouterr()
            assert not status, wrong
            assert all(re.search(rf"\b{word.partition('=')[0]}\b", told)
                       for word in shlex.split(rest)), f"{target}{rest}"


def test_the_readme_is_short_and_its_pictures_and_links_are_there():
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 700
    links = re.findall(r"\]\(([^)#\s]+)\)", text)
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert {page.name for page in PAGES[1:]} <= {Path(link).name for link in links}
