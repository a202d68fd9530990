"""The page *Reference*: functions from their docstrings, each with a link to its code."""

from functools import partial

from chapter_code import code_address

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
