"""Quality-diversity search: an archive of ensembles that differ in how alike their members err.

After Purucker et al. 2023 (Q(D)O-ES): the archive has a niche per number of members and per mean
correlation of their losses, and keeps the best ensemble of each; offspring come from parents of
any niche, by crossing over and by adding members.
"""

import numpy as np

from analysis.ensembles.metrics import METRICS, measure_errors, true_class_probability
from analysis.ensembles.registry import Ensemble, combine, ensembler, from_weights

NICHES = 7  # per side
BATCH = 20
CROSSOVER = 0.5


@ensembler("quality_diversity", "Quality-diversity search", "Purucker et al. 2023, Q(D)O-ES")
def search_diverse(
    predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 40, seed: int = 0
) -> Ensemble:
    """Search ensembles of at most `size` picks, with as many evaluations as greedy selection."""
    generator = np.random.default_rng(seed)
    alike = loss_correlation(predictions, labels, METRICS[metric].of_classes)
    errors = measure_errors(predictions, labels, metric)
    first = np.eye(len(predictions), dtype=int)
    archive: dict[tuple[int, int], tuple[float, np.ndarray]] = {}
    _keep(archive, first, errors, alike)
    _keep(archive, first + first[errors.argmin()],
          _errors(first + first[errors.argmin()], predictions, labels, metric), alike)
    for _ in range(max(1, (size - 2) * len(predictions) // BATCH)):
        offspring = _breed(list(archive.values()), generator, size)
        _keep(archive, offspring, _errors(offspring, predictions, labels, metric), alike)
    _, counts = min(archive.values(), key=lambda entry: entry[0])
    return from_weights(counts / counts.sum(), predictions, labels, METRICS[metric].compute)


def loss_correlation(predictions: np.ndarray, labels: np.ndarray, of_classes: bool) -> np.ndarray:
    """Return the correlation over rows of every two configs' losses, shape (config, config).

    The loss of a row is one minus the probability of its class, or the absolute difference. A
    config whose losses are all the same is not correlated with any.
    """
    if of_classes:
        loss = 1 - true_class_probability(predictions, labels, predictions.ndim == 3)
    else:
        loss = np.abs(predictions - labels)
    loss = loss - loss.mean(axis=1, keepdims=True, dtype=float)
    length = np.sqrt(np.einsum("cr,cr->c", loss, loss))
    loss /= np.where(length > 0, length, 1)[:, None]
    return loss @ loss.T


def _keep(archive: dict, counts: np.ndarray, errors: np.ndarray, alike: np.ndarray) -> None:
    """Enter ensembles, shape (ensemble, config), where they are the best of their niche."""
    member = (counts > 0).astype(float)
    members = member.sum(axis=1)
    pairs = np.maximum(members * (members - 1), 1)
    within = np.einsum("ec,cd,ed->e", member, alike, member) - member @ alike.diagonal()
    likeness = np.where(members > 1, within / pairs, 1)
    side = np.clip((likeness * NICHES).astype(int), 0, NICHES - 1)
    group = np.minimum(np.log2(members), NICHES - 1).astype(int)
    for niche, error, count in zip(zip(side, group, strict=True), errors, counts, strict=True):
        if niche not in archive or error < archive[niche][0]:
            archive[niche] = (error, count)


def _breed(parents: list, generator: np.random.Generator, size: int) -> np.ndarray:
    """Return offspring, shape (ensemble, config), of parents drawn at random."""
    drawn = generator.integers(len(parents), size=(BATCH, 2))
    one, other = (np.array([parents[k][1] for k in side]) for side in drawn.T)
    crossed = np.where(generator.random(one.shape) < 0.5, one, other)
    picks = crossed.sum(axis=1)
    mix = (generator.random(BATCH) < CROSSOVER) & (picks > 0) & (picks <= size)
    offspring = np.where(mix[:, None], crossed, one)
    room = offspring.sum(axis=1) < size
    offspring[room, generator.integers(one.shape[1], size=room.sum())] += 1
    return offspring


def _errors(
    counts: np.ndarray, predictions: np.ndarray, labels: np.ndarray, metric: str
) -> np.ndarray:
    return np.array([METRICS[metric].compute(combine(predictions, c / c.sum()), labels)
                     for c in counts])
