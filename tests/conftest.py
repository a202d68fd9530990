"""For every test: figures are drawn without a screen, and property tests draw the same examples.

Published data beside the checkout are used where they are there (`published_data`).

``HYPOTHESIS_PROFILE=explore pytest`` draws others at each run.
"""

import os

import matplotlib
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from published_data import PUBLISHED, VARIABLE

matplotlib.use("Agg")

if PUBLISHED.is_dir():
    os.environ[VARIABLE] = str(PUBLISHED)

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
settings.load_profile(PROFILE)
if PROFILE == "same":  # else it also draws constants of whatever modules have been imported so far
    providers._get_local_constants = Constants
