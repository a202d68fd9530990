"""What is passed on names no folder of the machine, and can be found again beside its store."""

from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.commands.notebook import run_notebook
from collection.datasets.csv_file import located, outside, portable

NOTEBOOK = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
```{code-cell}
:tags: [parameters]
OUT = ""
```
```{code-cell}
import os, socket, sys
print(os.getcwd(), OUT, os.path.expanduser("~/x.csv"), socket.gethostname(), sys.prefix)
```
"""


@pytest.mark.parametrize("spec", ["keel:iris", "openml:54?target=a/b", "csv:my.csv?target=/a",
                                  "csv:data/my.csv?regress=c"])
def test_what_names_nothing_outside_stays_as_it_is(spec, tmp_path):
    assert outside(spec) == "" and portable(spec, tmp_path) == spec


@pytest.mark.parametrize("path", ["/home/joe/my.csv", "../my.csv", "~/my.csv", r"C:\joe\my.csv"])
def test_a_file_elsewhere_is_named_by_its_name(path):
    assert outside(f"csv:{path}?target=a/b") == path
    assert portable(f"csv:{path}?target=a/b") == "csv:my.csv?target=a/b"


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), st.sampled_from("abc"))
def test_what_lies_near_a_store_is_found_from_it(tmp_path_factory, folders, store):
    root = tmp_path_factory.mktemp("near")
    file = root.joinpath(*folders, "my.csv")
    file.parent.mkdir(parents=True)
    file.touch()
    spec = portable(f"csv:{file}?target=y", root / store)
    assert str(root) not in spec
    found = Path(located(spec, root / store).removeprefix("csv:").removesuffix("?target=y"))
    assert found.samefile(file) if (root / store).exists() else spec.endswith("my.csv?target=y")


def test_an_executed_notebook_tells_nothing_of_the_machine(tmp_path, monkeypatch):
    import os
    import socket
    import sys

    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.md").write_text(NOTEBOOK)
    target = tmp_path / "out" / "one.ipynb"
    target.parent.mkdir()
    run_notebook(Path("one.md"), target, {"OUT": str(target.parent)})
    text = target.read_text()
    for told in (str(tmp_path), os.path.expanduser("~") + "/", socket.gethostname(), sys.prefix):
        assert told not in text
    assert nbformat.read(target, 4).cells[-1].outputs[0].text == ". . ~/x.csv this machine python\n"
