"""``python -m collection.curation KEY=VALUE …``: suites of tasks, what ``make suite DO=…`` runs."""

import sys
from collections.abc import Sequence

from collection.command import read_pairs
from collection.curation.actions import ACTIONS, KEYS
from collection.naming import check_known
from collection.suites.suite import SuiteError

USAGE = """\
Suites of tasks: make, look at, compare and pass on.

  make suite DO=create NAME=mine FROM="keel sklearn" FILTER="rows=500..5000 classes=2"

DO is one of these; what each needs comes first, in brackets what it also takes:
"""


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit status.

    Parameters
    ----------
    arguments : sequence of str
        ``KEY=VALUE`` pairs, DO among them. ``--make`` reads the variables of make's command line
        as well, but for those named after it. ``--help`` explains.
    """
    if {"-h", "--help"} & set(arguments):
        print(usage())
        return 0
    try:
        values = _pairs(arguments)
        if not values.get("DO"):
            print(usage())
            return 0
        action = ACTIONS[values.pop("DO")]
        return action.run(values)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"suite: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("suite: stopped. Run the same command again to go on.", file=sys.stderr)
    return 1


def usage() -> str:
    """Return the help text."""
    lines = [USAGE]
    for name, action in ACTIONS.items():
        takes = f" [{' '.join(action.takes)}]" if action.takes else ""
        lines.append(f"  {name:<12}{action.about}\n{'':14}{' '.join(action.needs)}{takes}")
    lines += ["", *(f"  {key:<12}{about}" for key, about in KEYS.items())]
    return "\n".join(lines)


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    values = read_pairs(arguments)
    if not values.get("DO"):
        return {}
    check_known("thing to do", [values["DO"]], ACTIONS)
    action = ACTIONS[values["DO"]]
    check_known(f"parameter of DO={values['DO']}", values, ["DO", *action.needs, *action.takes])
    if lacking := [key for key in action.needs if not values.get(key)]:
        raise SuiteError(f"{lacking[0]} is missing: {KEYS[lacking[0]]}")
    return values


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
