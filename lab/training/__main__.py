"""Train the extrapolators: ``python -m lab.training [compact]``.

With ``compact`` only the forecaster of the page, in some minutes.
"""

import logging
import sys

from analysis.extrapolation.seen import FOLDER
from collection.project.paths import state_shipped
from lab.training.compact import train_compact
from lab.training.examples import open_source
from lab.training.recipe import measure_residuals, train, write

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
source = open_source()
if sys.argv[1:] != ["compact"]:
    train(source, FOLDER)
    state_shipped()
    write(FOLDER / "residuals.npz", measure_residuals(source))
train_compact(source, FOLDER)
state_shipped()
logging.info("The extrapolators are in %s.", FOLDER)
