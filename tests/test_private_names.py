"""What the project uses of other libraries without their promise; ``make lock`` may move it.

A name that is gone fails here, by its name, rather than somewhere in a chapter. Every import of a
private module or name has to stand in the list.
"""

import ast
from functools import reduce
from importlib import import_module

import pytest

from collection.project.paths import ROOT

# Module, name in it, and the file of ours that uses it.
USED = (
    ("xarray.backends", "BackendArray", "analysis/databases/shipped.py"),
    ("xarray.core.indexing", "LazilyIndexedArray", "analysis/databases/shipped.py"),
    ("xarray.core.indexing", "ExplicitIndexer", "analysis/databases/shipped.py"),
    ("xarray.core.indexing", "IndexingSupport.BASIC", "analysis/databases/shipped.py"),
    ("xarray.core.indexing", "explicit_indexing_adapter", "analysis/databases/shipped.py"),
    ("sklearn.utils.multiclass", "_ovr_decision_function", "collection/learners/outputs.py"),
    ("sklearn.base", "BaseEstimator._more_tags", "collection/learners/mixed.py"),
    ("sklearn.ensemble._hist_gradient_boosting.common", "PREDICTOR_RECORD_DTYPE",
     "analysis/extrapolation/artefacts.py"),
    ("sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor",
     "analysis/extrapolation/artefacts.py"),
    ("openml.config", "_defaults", "collection/datasets/openml_source.py"),
    ("openml.tasks.functions", "_get_estimation_procedure_list",
     "collection/commands/publishing.py"),
    ("openml", "_api_calls._download_text_file", "collection/tasks/openml_files.py"),
    ("hypothesis.internal.conjecture.providers", "_get_local_constants", "tests/conftest.py"),
    ("hypothesis.internal.constants_ast", "Constants", "tests/conftest.py"),
    ("tabpfn.model_loading", "prepend_cache_path", "collection/learners/modern.py"),
    ("tabpfn.model_loading", "download_model", "collection/learners/modern.py"),
    ("tabpfn.constants", "ModelVersion.V2", "collection/learners/modern.py"),
    ("tabpfn.settings", "settings.tabpfn.allow_cpu_large_dataset", "collection/learners/modern.py"),
)
OURS = ("analysis", "lab", "commands", "collection")


@pytest.mark.parametrize(("module", "name", "file"), USED)
def test_what_is_used_without_a_promise_is_still_there(module, name, file):
    if module.startswith("tabpfn"):
        pytest.importorskip("tabpfn")
    try:
        reduce(getattr, name.split("."), import_module(module))
    except (ImportError, AttributeError) as error:
        pytest.fail(f"{file} uses {module}.{name}, which is gone: {error}. Adapt it, or keep the "
                    "version in pyproject.toml.")
    assert name.rpartition(".")[2] in (ROOT / file).read_text()


def private_imports():
    """Yield (file, what) for every import of a private module or name of another library."""
    for file in (path for part in (*OURS, "book") for path in (ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                parts = name.split(".")
                private = any(p.startswith("_") and not p.startswith("__") for p in parts)
                if private and parts[0] not in OURS:
                    yield file.relative_to(ROOT).as_posix(), name


def test_every_private_import_is_listed():
    listed = [(file, f"{module}.{name}.") for module, name, file in USED]
    assert [(file, name) for file, name in private_imports()
            if not any(file == of and used.startswith(f"{name}.") for of, used in listed)] == []
