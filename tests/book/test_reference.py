"""The page *Reference*: what it documents is there, and every example on it runs."""

import doctest
import inspect
import re
from functools import reduce

import pytest
from chapter_code import code_address
from own_tables_here import fit_here
from sphinx.errors import ExtensionError

import analysis
from collection.project.paths import ROOT

PAGE = (ROOT / "book" / "reference.md").read_text()
PARTS = re.split(r"\.\. autofunction:: (\S+)\n", PAGE)[1:]
EXAMPLES = {name: "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
            for name, text in zip(PARTS[::2], PARTS[1::2], strict=True)}


def documented(name: str) -> object:
    return reduce(getattr, name.split(".")[1:], analysis)


def test_what_analysis_offers_is_on_the_page():
    offered = {f"analysis.{name}" for name in analysis.__all__
               if not inspect.ismodule(getattr(analysis, name))}
    assert offered <= set(EXAMPLES) and len(EXAMPLES) >= 40


@pytest.mark.parametrize("name", EXAMPLES)
def test_everything_has_an_example_and_an_address(name):
    assert ">>>" in EXAMPLES[name] or ">>>" in documented(name).__doc__
    module, _, function = name.rpartition(".")
    address = code_address("here", "py", {"module": module, "fullname": function})
    assert re.fullmatch(r"here/blob/\w+/(analysis|collection)/[\w/]+\.py#L\d+", address)


def test_a_name_that_is_not_there_is_an_error():
    with pytest.raises(ExtensionError, match=r"analysis\.load_nothing"):
        code_address("", "py", {"module": "analysis", "fullname": "load_nothing"})


def run(text: str, names: dict, name: str) -> dict:
    """Run an example with these names; return them with those that it adds."""
    test = doctest.DocTestParser().get_doctest(text, names, name, "reference.md", 0)
    said = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=said.append, clear_globs=False)
    assert outcome.attempted and not outcome.failed, "".join(said)
    return test.globs


@pytest.mark.parametrize("name", [n for n in EXAMPLES if ">>>" in (documented(n).__doc__ or "")])
def test_a_docstring_s_own_example_stands_alone(name):
    run(documented(name).__doc__, {}, name)


def test_the_four_main_functions_have_one_in_their_docstrings():
    for name in ("load_curves", "detect_shapes", "fit_curves", "extrapolation.predict"):
        assert ">>> import analysis" in documented(f"analysis.{name}").__doc__


@fit_here()
def test_the_examples_run_from_top_to_bottom():
    names = {}
    for name, example in EXAMPLES.items():
        if example:
            names = run(example, names, name)
