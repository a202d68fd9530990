from pathlib import Path

import pytest
from published_data import PUBLISHED


@pytest.fixture
def published(monkeypatch) -> Path:
    if not PUBLISHED.is_dir():
        pytest.skip(f"needs the published data in {PUBLISHED}")
    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(PUBLISHED))
    return PUBLISHED
