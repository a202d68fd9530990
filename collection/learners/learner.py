"""A learner: how it is made and what form of the data it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from collection.learners.spec import find_class, made, plain


@dataclass(frozen=True)
class Learner:
    """One learner.

    Attributes
    ----------
    name : str
    path : str
        Import path of its class, a scikit-learn classifier or regressor.
    settings : mapping
        Parameters of the class that are not its defaults: its hyperparameters.
    form : {"onehot", "ordinal", "native"}
        Form of the data it takes; see `collection.preprocess`.
    requires : tuple of str
        Modules of optional libraries that it imports when it is fitted.
    scaling : {"none", "minmax", "standard"}, optional
        Of numeric features in evaluations, where it wants one of its own.
    family : str
        What learners that differ in hyperparameters alone have in common; the class, unless given.
    own : bool
        Whether it is of the user's own: its parameters are checked, its data are copies.
    """

    name: str
    path: str
    settings: Mapping[str, object] = field(default_factory=dict)
    form: str = "onehot"
    requires: tuple[str, ...] = ()
    scaling: str | None = None
    family: str = ""
    own: bool = False

    def __post_init__(self):
        if not self.family:
            object.__setattr__(self, "family", self.path.rpartition(".")[2])

    @property
    def hyperparameters(self) -> dict[str, object]:
        """Its settings as JSON can hold them, but for the random state."""
        return {name: plain(value) for name, value in self.settings.items()
                if name != "random_state"}

    def load(self) -> type:
        """Import and return the class."""
        return find_class(self.path)

    def make(self, design):
        """Return an unfitted estimator for `design` (a `collection.preprocess.Design`)."""
        settings = dict(self.settings)
        if self.form == "ordinal":
            settings["categorical"] = tuple(
                range(design.n_numeric, design.n_numeric + design.n_categorical))
        return self.load()(**{name: made(value) for name, value in settings.items()})
