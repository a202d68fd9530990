"""Which of the papers' numbers come out again: one ledger of all papers."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
