"""Train networks with torch: pinball loss on how the error changes, in units of the last one."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.extrapolation.network import LEVELS, Network, standardise

if TYPE_CHECKING:
    import torch


class Training(NamedTuple):
    """How a network is trained.

    Attributes
    ----------
    levels : tuple of float
        Of the quantiles that it answers with.
    width : int
        Of its two hidden layers.
    dropout, rate : float
    epochs, batch : int
    """

    levels: tuple[float, ...]
    width: int
    dropout: float
    rate: float
    epochs: int
    batch: int = 512


WIDE = Training(LEVELS, width=192, dropout=0.2, rate=3e-3, epochs=9)


def train_network(values: np.ndarray, goal: np.ndarray, weight: np.ndarray,
                  seed: int) -> Network:
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
    shift = np.nan_to_num(np.nanmean(values, 0))
    scale = np.nan_to_num(np.nanstd(values, 0)) + 1e-3
    return Network(shift, scale, *train_layers(standardise(values, shift, scale), goal, weight,
                                               seed, WIDE))


def train_layers(ready: np.ndarray, goal: np.ndarray, weight: np.ndarray, seed: int,
                 how: Training) -> tuple[tuple[np.ndarray, ...], ...]:
    """Fit quantiles by pinball loss; inputs are standardised. Return what `weights_of` does."""
    import torch

    torch.manual_seed(seed)
    x, y, w = (torch.tensor(a, dtype=torch.float32) for a in (
        ready, goal[:, None], weight[:, None] / weight.mean()))
    net, steps = layers(x.shape[1], how), len(x) // how.batch
    optimiser = torch.optim.AdamW(net.parameters(), lr=how.rate, weight_decay=1e-2)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, how.rate,
                                                total_steps=how.epochs * steps)
    levels = torch.tensor(how.levels)
    for _ in range(how.epochs):
        order = torch.randperm(len(x))
        for k in range(steps):
            rows = order[k * how.batch:(k + 1) * how.batch]
            short = y[rows] - net(x[rows])
            loss = (torch.maximum(levels * short, (levels - 1) * short) * w[rows]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            cycle.step()
    return weights_of(net)


def layers(inputs: int, how: Training) -> "torch.nn.Sequential":
    """Return an untrained net with two hidden layers."""
    from torch import nn

    return nn.Sequential(nn.Linear(inputs, how.width), nn.SiLU(), nn.Dropout(how.dropout),
                         nn.Linear(how.width, how.width), nn.SiLU(), nn.Dropout(how.dropout),
                         nn.Linear(how.width, len(how.levels)))


def weights_of(net: "torch.nn.Sequential") -> tuple[tuple[np.ndarray, ...], ...]:
    """Return the weights, shape (n_in, n_out), and the biases of a net's layers."""
    parts = [(m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy())
             for m in net if hasattr(m, "weight")]
    weights, biases = zip(*parts, strict=True)
    return weights, biases
