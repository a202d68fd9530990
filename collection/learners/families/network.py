"""A multilayer perceptron in torch, with early stopping on a part of its own training rows."""

import copy

import numpy as np

from collection.learners.families.early import EarlyStopped, Watch
from collection.learners.learner import SEED
from collection.learners.modern import one_torch_thread
from collection.requirements import library

EPOCHS = 500  # at most, as in AutoGluon


class NeuralNetTorch(EarlyStopped):
    """Fully connected layers, each followed by its activation and dropout; Adam.

    Unlike AutoGluon's it stops by rows of its own, so that what it says of the bag's held-out rows
    is said of rows that it has not seen in any way. Features are one-hot and standardised.
    """

    watches = "inner"
    patience = 20

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        torch = library("torch")
        self._centre, self._spread = (y.mean(), y.std() or 1.0) if self.regression else (0.0, 1.0)
        with one_torch_thread():
            generator = torch.Generator().manual_seed(SEED)
            torch.manual_seed(SEED)
            self.model_ = self._layers(X.shape[1])
            adam = torch.optim.Adam(self.model_.parameters(), lr=self.space["learning_rate"],
                                    weight_decay=self.space["weight_decay"], fused=True)
            rows, watched = self._tensors(X, y), self._tensors(watch.X, watch.y)
            best = None
            for epoch in range(1, EPOCHS + 1):
                self._train_once(*rows, adam, generator)
                over = watch.is_over(epoch, self._loss_of(*watched))
                if watch.best_step == epoch:
                    best = copy.deepcopy(self.model_.state_dict())
                if over:
                    break
            self.model_.load_state_dict(best)

    def _layers(self, n_features: int):
        nn = library("torch").nn
        width, layers = self.space["hidden_size"], []
        for k in range(self.space["num_layers"]):
            layers.append(nn.Linear(width if k else n_features, width))
            if self.space["use_batchnorm"]:
                layers.append(nn.BatchNorm1d(width))
            layers.append(nn.ELU() if self.space["activation"] == "elu" else nn.ReLU())
            layers.append(nn.Dropout(self.space["dropout_prob"]))
        return nn.Sequential(*layers, nn.Linear(width, 1 if self.regression else
                                                len(self.classes_)))

    def _tensors(self, X, y: np.ndarray) -> tuple:
        torch = library("torch")
        target = (torch.tensor((y - self._centre) / self._spread, dtype=torch.float32)
                  if self.regression else torch.as_tensor(y, dtype=torch.int64))
        return torch.tensor(X, dtype=torch.float32), target

    def _loss(self, said, target):
        functional = library("torch").nn.functional
        if self.regression:
            return functional.mse_loss(said.squeeze(1), target)
        return functional.cross_entropy(said, target)

    def _train_once(self, X, target, adam, generator) -> None:
        """Go through the rows once, in batches; a batch of one row teaches no batch norm."""
        self.model_.train()
        order = library("torch").randperm(len(X), generator=generator)
        for batch in order.split(batch_size(len(X))):
            if len(batch) > 1:
                adam.zero_grad()
                self._loss(self.model_(X[batch]), target[batch]).backward()
                adam.step()

    def _loss_of(self, X, target) -> float:
        self.model_.eval()
        with library("torch").no_grad():
            return self._loss(self.model_(X), target).item()

    def _say(self, X) -> np.ndarray:
        torch = library("torch")
        self.model_.eval()
        with one_torch_thread(), torch.no_grad():
            said = self.model_(torch.tensor(X, dtype=torch.float32)).double()
        if self.regression:
            return said.squeeze(1).numpy() * self._spread + self._centre
        return torch.softmax(said, dim=1).numpy()


def batch_size(rows: int) -> int:
    """Return the rows of a batch: AutoGluon's rule, 32 for hundreds of rows, 64 for thousands."""
    return min(2 ** (3 + int(np.log10(max(rows, 1)))), 512, rows)
