"""Train the extrapolators: ``python -m analysis.extrapolation.extrapolators.training``."""

import logging

from analysis.extrapolation.extrapolators.artefacts import write
from analysis.extrapolation.extrapolators.families import FOLDER
from analysis.extrapolation.extrapolators.training.examples import open_source
from analysis.extrapolation.extrapolators.training.recipe import Kitchen, train
from analysis.extrapolation.extrapolators.training.residuals import measure_residuals

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
source, kitchen = open_source(), Kitchen()
train(source, FOLDER, kitchen)
write(FOLDER / "residuals.npz", measure_residuals(source, kitchen))
logging.info("The extrapolators are in %s.", FOLDER)
