"""Names: an unknown one is answered with those that come close."""

from collections.abc import Iterable
from difflib import get_close_matches


class UnknownNameError(KeyError, ValueError):
    """A name that is not in a registry; the message lists the close ones."""

    def __init__(self, kind: str, name: object, known: Iterable[object]):
        self.kind, self.name = kind, name
        names = {str(k).lower(): str(k) for k in known if str(k)}
        close = get_close_matches(str(name).lower(), names, n=5, cutoff=0.5)
        if close:
            hint = "Did you mean " + " or ".join(repr(names[c]) for c in close) + "?"
        else:
            some = list(names.values())
            hint = "Known: " + ", ".join(some[:40]) + (", …" if len(some) > 40 else "") + "."
        self.message = f"Unknown {kind} {name!r}. {hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def check_known(kind: str, names: Iterable[object], known: Iterable[object]) -> None:
    """Raise `UnknownNameError` for the first of `names` that is not in `known`."""
    known = list(known)
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)
