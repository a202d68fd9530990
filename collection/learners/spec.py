"""Learners of the user's own, written as one would in Python, and read without evaluating.

``sklearn.svm.SVC(kernel="rbf", C=10)`` names a class by its import path and its parameters, which
are literals or further estimators: pipelines and searches over hyperparameters are written the
same way. Only classes of estimators, and scikit-learn's ways to split rows, are ever made.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

SEED = 42
ADVICE = ("Write the import path of a scikit-learn {kind} with its parameters by name, such as "
          "{example}.")
EXAMPLES = {"classifier": "sklearn.svm.SVC(kernel='rbf', C=10)",
            "regressor": "sklearn.svm.SVR(kernel='rbf', C=10)"}


class LearnerSpecError(ValueError):
    """A learner of the user's own that cannot be read, found or made."""


@dataclass(frozen=True)
class Estimator:
    """An estimator to be made: the import path of its class, and its parameters."""

    path: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def make(self):
        """Return it, unfitted, with all that it is made of."""
        return find_class(self.path)(**{name: made(v) for name, v in self.settings.items()})


def find_class(path: str) -> type:
    """Import and return what `path` names; raises as ``import`` does."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def made(value: object) -> object:
    """Return a parameter with the estimators in it made."""
    if isinstance(value, Estimator):
        return value.make()
    if isinstance(value, dict):
        return {made(key): made(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(made(part) for part in value)
    return value


def plain(value: object) -> object:
    """Return a parameter as JSON can hold it; what it cannot is told in words."""
    if isinstance(value, Estimator):
        return {"class": value.path, **{name: plain(v) for name, v in value.settings.items()}}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
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
    try:
        tree = ast.parse(spec.strip(), mode="eval").body
    except SyntaxError as error:
        raise LearnerSpecError(_unreadable(spec, kind, "it is not of that form")) from error
    try:
        found = _estimator(tree, kind)
        estimator = found.make()
    except LearnerSpecError as error:
        raise LearnerSpecError(_unreadable(spec, kind, str(error))) from error
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise LearnerSpecError(_unreadable(spec, kind, str(error))) from error
    if getattr(estimator, "_estimator_type", "") != kind:
        why = f"{found.path} is not a scikit-learn {kind}"
        raise LearnerSpecError(_unreadable(spec, kind, why))
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
    if "random_state" in _parameters(cls) and "random_state" not in settings:
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


def _parameters(cls: type) -> list[str]:
    names = getattr(cls, "_get_param_names", None)
    return names() if names else []


def _unreadable(spec: str, kind: str, why: str) -> str:
    return (f"Cannot make the learner {spec!r}: {why}. "
            + ADVICE.format(kind=kind, example=EXAMPLES[kind]))
