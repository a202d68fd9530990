"""Gather learning curves: datasets, protocol, learners, running many fits, storing them.

Nothing here knows of figures or statistics; ``analysis`` imports this package, never the reverse.
Importing it is cheap: scikit-learn, OpenML and the deep-learning libraries load only when needed.
"""

import lazy_loader as _lazy

__version__ = "1.1.0"
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
