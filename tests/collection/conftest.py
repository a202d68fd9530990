import time
from pathlib import Path

import pandas as pd
import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """The root of OpenML's cache for this test, nothing of the user's being in the way."""
    openml = pytest.importorskip("openml")
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENML_CACHE_DIR", raising=False)
    default = Path(openml.config._defaults["cachedir"]).expanduser().resolve()
    monkeypatch.setattr(openml.config, "_root_cache_directory", default)
    return tmp_path / "cache" / "openml"


@pytest.fixture
def server(cache, monkeypatch):
    """A server that ``openml`` asks instead of OpenML's; it is tried once, or without waiting."""
    import openml
    from openml_server import API, OpenMLServer

    server = OpenMLServer()
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(openml.config, "server", server.url + API)
    monkeypatch.setattr(openml.config, "connection_n_retries", 1)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    yield server
    server.stop()


@pytest.fixture
def folder(cache, server) -> Path:
    """Where the datasets of `server` are cached."""
    reversed_name = server.url.removeprefix("http://").split(".")[::-1]
    return cache.joinpath(*reversed_name) / "datasets"


@pytest.fixture
def table() -> tuple[pd.DataFrame, dict[str, str]]:
    """A small table of all kinds with missing values, and its kinds as OpenML calls them."""
    n = 24
    frame = pd.DataFrame({
        "row": [float(i) for i in range(n)],
        "size": [None if i % 7 == 3 else i / 8 for i in range(n)],
        "colour": [None if i % 5 == 1 else ("red", "blue", "a b")[i % 3] for i in range(n)],
        "secret": ["yes" if i % 2 else "no" for i in range(n)],
        "note": [f"n{i % 4}" for i in range(n)],
        "class": [("10", "9", "2")[i % 3] for i in range(n)],
    })
    return frame, {"row": "numeric", "size": "numeric", "colour": "nominal", "secret": "nominal",
                   "note": "string", "class": "nominal"}
