"""For every test: figures are drawn without a screen."""

import matplotlib

matplotlib.use("Agg")
