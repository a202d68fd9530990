"""How much more data does one's own table need: answers in Python, and a page that people read."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
