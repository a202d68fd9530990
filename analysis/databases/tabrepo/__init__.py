"""Repositories of TabRepo: what its `to_dir` writes, and its official contexts."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
