"""Databases of learning curves and repositories of evaluations, each opened as one container.

What is offered is imported when it is first used: opening curves loads nothing of repositories.
"""

import analysis.rooms as _lazy
from analysis.retired import renamed as _renamed

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
__getattr__ = _renamed(__getattr__, __name__, {"main_curves": "paper_curves",
                                               "counted_once": "drop_copies"})
