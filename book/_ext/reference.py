"""The page *Reference*: functions from their docstrings, each with a link to its code."""

import importlib
import inspect
from functools import partial
from pathlib import Path

from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = ("sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.linkcode")
SETTINGS = {
    "autodoc_typehints": "none",  # docstrings say the types, in words
    "napoleon_google_docstring": False,
    "napoleon_use_rtype": False,
    "default_role": "code",
}


def setup(app) -> dict:
    """Connect Sphinx's own extensions."""
    for name in EXTENSIONS:
        app.setup_extension(name)
    app.connect("config-inited", configure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def configure(app, config) -> None:
    """Set what the page needs; types in docstrings are words, not links."""
    for name, value in SETTINGS.items():
        config[name] = value
    config.nitpick_ignore_regex = [*config.nitpick_ignore_regex, ("py:.*", ".*")]
    address = config.html_theme_options.get("repository_url", "")
    config.linkcode_resolve = partial(code_address, address)


def code_address(repository: str, domain: str, info: dict[str, str]) -> str | None:
    """Return the address of a function's code.

    Parameters
    ----------
    repository : str
        Its address.
    domain : str
        Of Sphinx; only Python's has code.
    info : dict
        ``module`` and ``fullname``, as autodoc names them.

    Raises
    ------
    ExtensionError
        For a name that is not there.
    """
    if domain != "py":
        return None
    package, _, function = ".".join(filter(None, info.values())).rpartition(".")
    try:
        thing = inspect.unwrap(getattr(importlib.import_module(package), function))
    except (ImportError, AttributeError) as error:
        raise ExtensionError(f"{package}.{function} is not there to be documented.") from error
    path = Path(inspect.getsourcefile(thing)).resolve().relative_to(ROOT)
    return f"{repository}/blob/main/{path}#L{inspect.getsourcelines(thing)[1]}"
