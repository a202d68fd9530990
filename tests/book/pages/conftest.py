"""The page that a module of tests is of, and is called after."""

import pytest
from notebook_runs import run


@pytest.fixture(scope="module")
def page(request, tmp_path_factory):
    """The page, run with the parameters that its module of tests gives, if any."""
    name = request.path.stem.removeprefix("test_").removesuffix("_page")
    return run(name, tmp_path_factory.mktemp("page"), **getattr(request.module, "GIVEN", {}))
