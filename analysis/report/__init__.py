"""How much more data does one's own table need: answers in Python, and a page that people read."""

import analysis.rooms as _lazy
from analysis.retired import renamed as _renamed

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
__getattr__ = _renamed(__getattr__, __name__, {"Answers": "Report"})
