"""Learners of the user's own, written as one would in Python, and read without evaluating.

``sklearn.svm.SVC(kernel="rbf", C=10)`` names a class by its import path and its parameters, which
are literals or further estimators: pipelines and searches over hyperparameters are written the
same way. Only classes of estimators, and scikit-learn's ways to split rows, are ever made.

A class that was made in a notebook is called by its name and what its source says:
``by_value.Mine_3f2a90b1``. It goes to the processes that this one starts, pickled by value; what
is stored is its name alone, and nothing that comes from a file is ever unpickled.
"""

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

import cloudpickle

SEED = 42
EXAMPLES = {"classifier": "sklearn.svm.SVC(kernel='rbf', C=10)",
            "regressor": "sklearn.svm.SVR(kernel='rbf', C=10)"}


class LearnerSpecError(ValueError):
    """A learner of the user's own that cannot be read, found or made."""


BY_VALUE = "by_value"
_SENT: dict[str, bytes] = {}  # path → class, pickled by value, of those given in this process


class Carrying:
    """A job that names its learner by a spec: it takes along classes made in a notebook."""

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: the attributes, and the classes that the spec names."""
        spec = repr(self)
        return self.__dict__ | {BY_VALUE: {p: cls for p, cls in _SENT.items() if p in spec}}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Take over what `__getstate__` returned."""
        _SENT.update(state.pop(BY_VALUE))
        self.__dict__.update(state)


@dataclass(frozen=True)
class Estimator:
    """An estimator to be made: the import path of its class, and its parameters."""

    path: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def make(self):
        """Return it, unfitted, with all that it is made of."""
        return find_class(self.path)(**{name: instantiate(v) for name, v in self.settings.items()})


def find_class(path: str) -> type:
    """Import and return what `path` names; raises as ``import`` does."""
    module, _, name = path.rpartition(".")
    if module == BY_VALUE:
        if path not in _SENT:
            raise ImportError(f"{name.rpartition('_')[0]} was made in a notebook: give it as an "
                              "object, from the cell that makes it, unchanged")
        return cloudpickle.loads(_SENT[path])
    return getattr(import_module(module), name)


def instantiate(value: object) -> object:
    """Return a parameter with the estimators in it made."""
    if isinstance(value, Estimator):
        return value.make()
    if isinstance(value, dict):
        return {instantiate(key): instantiate(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(instantiate(part) for part in value)
    return value


def to_jsonable(value: object) -> object:
    """Return a parameter as JSON can hold it; what it cannot is told in words."""
    if isinstance(value, Estimator):
        return {"class": value.path, **{name: to_jsonable(v) for name, v in value.settings.items()}}
    if isinstance(value, Mapping):
        return {str(key): to_jsonable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_jsonable(part) for part in value]
    if hasattr(value, "item"):  # one of NumPy's numbers
        return value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def parse_spec(spec: str, kind: str) -> Estimator:
    """Read a spec, and make the estimator once to see that it exists and takes the parameters.

    Where a class has a `random_state` and the spec gives none, it is 42.

    Parameters
    ----------
    spec : str
    kind : {"classifier", "regressor"}

    Raises
    ------
    LearnerSpecError
        Where it cannot be read, found or made, or is of another kind.
    """
    from collection.learners.sklearn_versions import is_of_kind  # which loads scikit-learn

    try:
        tree = ast.parse(spec.strip(), mode="eval").body
    except SyntaxError as error:
        raise _unreadable(spec, kind, "it is not of that form") from error
    try:
        found = _estimator(tree, kind)
        if not is_of_kind(found.make(), kind):
            raise LearnerSpecError(f"{found.path} is not a scikit-learn {kind}")
    except (ImportError, AttributeError, TypeError, ValueError, SystemExit) as error:
        raise _unreadable(spec, kind, str(error) or type(error).__name__) from error
    return found


def _estimator(tree: ast.AST, kind: str) -> Estimator:
    call = tree if isinstance(tree, ast.Call) else None
    path = ast.unparse(call.func if call else tree)
    if not _is_path(path):
        raise LearnerSpecError(f"{path!r} is not an import path")
    if call and (call.args or any(k.arg is None for k in call.keywords)):
        raise LearnerSpecError("parameters must be given by name")
    cls = find_class(path)
    if not _may_be_made(cls):
        raise LearnerSpecError(f"{path} is not a scikit-learn {kind}")
    settings = {k.arg: _value(k.value, kind) for k in call.keywords} if call else {}
    takes = getattr(cls, "_get_param_names", list)()
    if "random_state" in takes and "random_state" not in settings:
        settings["random_state"] = SEED
    return Estimator(path, settings)


def _value(tree: ast.AST, kind: str) -> object:
    """Return a literal, an estimator, or a list, tuple or dict of them."""
    if isinstance(tree, ast.Call) and _is_path(ast.unparse(tree.func)):
        return _estimator(tree, kind)
    if isinstance(tree, ast.List | ast.Tuple):
        parts = [_value(part, kind) for part in tree.elts]
        return parts if isinstance(tree, ast.List) else tuple(parts)
    if isinstance(tree, ast.Dict) and all(tree.keys):
        return {_value(k, kind): _value(v, kind)
                for k, v in zip(tree.keys, tree.values, strict=True)}
    try:
        return ast.literal_eval(tree)
    except ValueError:
        raise LearnerSpecError("parameters must be numbers, strings, True, False, None, other "
                               "estimators, or lists, tuples or dicts of them") from None


def _is_path(text: str) -> bool:
    return "." in text and all(part.isidentifier() for part in text.split("."))


def _may_be_made(cls: object) -> bool:
    """Tell whether it is a class of estimators, or one of scikit-learn's ways to split rows."""
    if not isinstance(cls, type):
        return False
    splits = cls.__module__.startswith("sklearn.model_selection") and hasattr(cls, "get_n_splits")
    return splits or (hasattr(cls, "get_params") and hasattr(cls, "fit"))


def _unreadable(spec: str, kind: str, why: str) -> LearnerSpecError:
    return LearnerSpecError(
        f"Cannot make the learner {spec!r}: {why}. Write the import path of a scikit-learn {kind} "
        f"with its parameters by name, such as {EXAMPLES[kind]}.")


def to_spec(estimator: object) -> str:
    """Return a spec such as ``sklearn.svm.SVC(C=10)`` for an estimator.

    What runs in other processes, on other days and on other machines is made from text. Parameters
    that have their default values are left out.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator: its parameters literals, further estimators, or lists, tuples or
        dicts of them. A text is returned as it is.

    Raises
    ------
    LearnerSpecError
        Where its class can neither be imported by other processes nor sent to them, or a parameter
        cannot be written.
    """
    if isinstance(estimator, str):
        return estimator
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise LearnerSpecError(f"{estimator!r} is no scikit-learn estimator. Give one, such as "
                               "sklearn.svm.SVC(C=10), or its text.")
    defaults = {name: parameter.default for name, parameter in
                inspect.signature(type(estimator)).parameters.items()}
    given = ", ".join(f"{name}={_as_text(value, name)}"
                      for name, value in estimator.get_params(deep=False).items()
                      if not _same(value, defaults.get(name, inspect.Parameter.empty)))
    return f"{_import_path(type(estimator))}({given})"


def _import_path(cls: type) -> str:
    """Return the shortest import path of a class, or a name by which it is sent along."""
    parts = cls.__module__.split(".")
    if parts[0] == "__main__" or "." in cls.__qualname__:
        return _sent_along(cls)
    for stop in range(1, len(parts) + 1):
        module = ".".join(parts[:stop])
        if getattr(import_module(module), cls.__name__, None) is cls:
            return f"{module}.{cls.__name__}"
    raise LearnerSpecError(f"{cls.__module__}.{cls.__name__} cannot be imported by that name.")


def _sent_along(cls: type) -> str:
    """Pickle a class by value; return its name with a digest of its source, by which it resumes."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
        pickled = cloudpickle.dumps(cls)
    except (OSError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise LearnerSpecError(
            f"{cls.__qualname__} is made where the processes that fit cannot find it, and cannot "
            f"be sent to them ({error}). Put the class into a file of its own, such as mine.py in "
            f"the folder you start from, and import it: from mine import {cls.__name__}.") from None
    path = f"{BY_VALUE}.{cls.__name__}_{hashlib.sha256(source.encode()).hexdigest()[:8]}"
    _SENT[path] = pickled
    return path


def to_specs(learners: object) -> list[str]:
    """Return the specs of an estimator, a text, or a sequence of them; see `to_spec`."""
    single = (isinstance(learners, str) or hasattr(learners, "get_params")
              or not isinstance(learners, Iterable))
    return [to_spec(one) for one in ([learners] if single else learners)]


def _as_text(value: object, name: str) -> str:
    if hasattr(value, "get_params"):
        return to_spec(value)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # one of NumPy's numbers
        value = value.item()
    if isinstance(value, list):
        return f"[{', '.join(_as_text(part, name) for part in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(_as_text(part, name) + ', ' for part in value).strip()})"
    if isinstance(value, dict):
        pairs = (f"{_as_text(k, name)}: {_as_text(v, name)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    text = repr(value)
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise LearnerSpecError(f"the parameter {name} is {text}, which cannot be written as text; "
                               "numbers, strings, True, False, None, estimators, and lists, tuples "
                               "and dicts of them can") from None
    return text


def _same(value: object, default: object) -> bool:
    """Tell whether a parameter has its default; arrays and the like never do."""
    return type(value) is type(default) and (value is default or (
        isinstance(value, bool | int | float | str | tuple) and value == default))


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
        Form of the data it takes; see `collection.protocol.designs`.
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
        return {name: to_jsonable(value) for name, value in self.settings.items()
                if name != "random_state"}

    def load(self) -> type:
        """Import and return the class."""
        return find_class(self.path)

    def given(self, parts: tuple) -> tuple:
        """Return what it is given of features or targets; one of the user's own may change it.

        Parameters
        ----------
        parts : tuple of ndarray or DataFrame
        """
        return tuple(part.copy() for part in parts) if self.own else parts

    def make(self, design):
        """Return an unfitted estimator for `design` (a `collection.protocol.designs.Design`)."""
        settings = dict(self.settings)
        if self.form == "ordinal":
            settings["categorical"] = tuple(
                range(design.n_numeric, design.n_numeric + design.n_categorical))
        return self.load()(**{name: instantiate(value) for name, value in settings.items()})
