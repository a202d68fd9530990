"""Train the extrapolators: ``python -m analysis.extrapolation.training [compact]``.

With ``compact`` only the forecaster of the page, in some minutes.
"""

import logging
import sys

from analysis.extrapolation.artefacts import write
from analysis.extrapolation.folds import FOLDER
from analysis.extrapolation.training.compact import train_compact
from analysis.extrapolation.training.examples import open_source
from analysis.extrapolation.training.kept_steps import KeptSteps
from analysis.extrapolation.training.recipe import measure_residuals, train
from collection.project.paths import state_shipped

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
source = open_source()
if sys.argv[1:] != ["compact"]:
    steps = KeptSteps(source)
    train(source, FOLDER, steps)
    state_shipped()
    write(FOLDER / "residuals.npz", measure_residuals(source, steps))
train_compact(source, FOLDER)
state_shipped()
logging.info("The extrapolators are in %s.", FOLDER)
