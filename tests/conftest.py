"""For every test: figures are drawn without a screen, and property tests draw the same examples.

``HYPOTHESIS_PROFILE=explore pytest`` draws others at each run.
"""

import os

import matplotlib
from hypothesis import settings

matplotlib.use("Agg")

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
