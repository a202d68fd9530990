"""What stands in a figure's place where a database has nothing to draw."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure


def blank_figure(message: str) -> Figure:
    """Return a figure that says why there is nothing to draw."""
    figure, ax = plt.subplots(figsize=(7, 0.9))
    ax.text(0.5, 0.5, message, ha="center", va="center", transform=ax.transAxes)
    ax.set_axis_off()
    plt.close(figure)
    return figure
