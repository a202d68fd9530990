"""Train the network with torch: pinball loss on how the error changes, in units of the last one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from analysis.extrapolation.network import LEVELS, Network, standardise

if TYPE_CHECKING:
    import torch

WIDTH = 192
EPOCHS = 9
BATCH = 512
DROPOUT = 0.2
RATE = 3e-3


def train_network(values: np.ndarray, goal: np.ndarray, weight: np.ndarray,
                  seed: int = 0) -> Network:
    """Train one network.

    Parameters
    ----------
    values : ndarray, shape (n_rows, n_inputs)
        From `analysis.extrapolation.network.inputs`.
    goal : ndarray, shape (n_rows,)
        What the outputs are quantiles of.
    weight : ndarray, shape (n_rows,)
    seed : int

    Raises
    ------
    ModuleNotFoundError
        If torch, of the extra ``deep``, is not installed.
    """
    import torch

    torch.manual_seed(seed)
    shift = np.nan_to_num(np.nanmean(values, 0))
    scale = np.nan_to_num(np.nanstd(values, 0)) + 1e-3
    x = torch.from_numpy(standardise(values, shift, scale))
    y, w = (torch.from_numpy(a.astype(np.float32))[:, None] for a in (goal, weight / weight.mean()))
    net = layers(x.shape[1], WIDTH, len(LEVELS), DROPOUT)
    descend(net, (x, y, w), LEVELS, BATCH, EPOCHS, RATE)
    return Network(shift, scale, *weights_of(net))


def descend(net: "torch.nn.Module", data: "Iterable[torch.Tensor]", at: tuple[float, ...],
            batch: int, epochs: int, rate: float) -> None:
    """Fit quantiles at some levels by pinball loss: data are inputs, goals and weights."""
    import torch

    x, y, w = data
    steps = len(x) // batch
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=epochs * steps)
    levels = torch.tensor(at)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for k in range(steps):
            rows = order[k * batch:(k + 1) * batch]
            short = y[rows] - net(x[rows])
            loss = (torch.maximum(levels * short, (levels - 1) * short) * w[rows]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            cycle.step()


def layers(inputs: int, width: int, outputs: int, dropout: float) -> "torch.nn.Sequential":
    """Return an untrained net with two hidden layers."""
    from torch import nn

    return nn.Sequential(nn.Linear(inputs, width), nn.SiLU(), nn.Dropout(dropout),
                         nn.Linear(width, width), nn.SiLU(), nn.Dropout(dropout),
                         nn.Linear(width, outputs))


def weights_of(net: "torch.nn.Sequential") -> tuple[tuple[np.ndarray, ...], ...]:
    """Return the weights, shape (n_in, n_out), and the biases of a net's layers."""
    parts = [(m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy())
             for m in net if hasattr(m, "weight")]
    weights, biases = zip(*parts, strict=True)
    return weights, biases
