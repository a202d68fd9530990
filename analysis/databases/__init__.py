"""Databases of learning curves and repositories of evaluations, each opened as one container.

What is offered is imported when it is first used: opening curves loads nothing of repositories.
"""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
