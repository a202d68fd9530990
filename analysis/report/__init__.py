"""How much more data does one's own table need: answers in Python, and a page that people read."""

import importlib

_EXPORTS = {"answer_table": "analysis.report.report", "Answers": "analysis.report.report",
            "Costs": "analysis.report.answers"}

__all__ = sorted(_EXPORTS)  # noqa: PLE0605 - the names are those of the table above


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'analysis.report' has no attribute {name!r}")
    return getattr(importlib.import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_EXPORTS]
