"""Train the extrapolators: ``python -m analysis.extrapolation.training [compact]``.

With ``compact`` only the forecaster of the page, in some minutes.
"""

import logging
import sys

from analysis.extrapolation.artefacts import write
from analysis.extrapolation.folds import FOLDER
from analysis.extrapolation.training.compact import train_compact
from analysis.extrapolation.training.examples import open_source
from analysis.extrapolation.training.kitchen import Kitchen
from analysis.extrapolation.training.recipe import train
from analysis.extrapolation.training.residuals import measure_residuals

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
source = open_source()
if sys.argv[1:] != ["compact"]:
    kitchen = Kitchen(source)
    train(source, FOLDER, kitchen)
    write(FOLDER / "residuals.npz", measure_residuals(source, kitchen))
train_compact(source, FOLDER)
logging.info("The extrapolators are in %s.", FOLDER)
