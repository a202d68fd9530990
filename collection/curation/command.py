"""What ``make suite DO=…`` runs: suites of tasks."""

from collections.abc import Mapping

from collection.command import Work, usage
from collection.curation.actions import ACTIONS, KEYS
from collection.naming import check_known
from collection.suites.suite import SuiteError

ABOUT = """\
Suites of tasks: make, look at, compare and pass on.

  make suite DO=create NAME=mine FROM="keel sklearn" FILTER="rows=500..5000 classes=2"

DO is one of these; what each needs comes first, in brackets what it also takes:

"""


def suite_work() -> Work:
    """Return the command that makes suites, looks at them and passes them on."""
    lines = []
    for name, action in ACTIONS.items():
        takes = f" [{' '.join(action.takes)}]" if action.takes else ""
        lines.append(f"  {name:<12}{action.about}\n{'':14}{' '.join(action.needs)}{takes}")
    return Work("suite", ABOUT + "\n".join(lines) + "\n\nParameters (defaults in brackets):\n",
                KEYS, _do, _check)


def _check(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values, where their DO is there and has all it needs and nothing else."""
    name = values.get("DO")
    if not name:
        return {}
    check_known("thing to do", [name], ACTIONS)
    action = ACTIONS[name]
    check_known(f"parameter of DO={name}", values, ["DO", *action.needs, *action.takes])
    if lacking := [key for key in action.needs if not values.get(key)]:
        raise SuiteError(f"{lacking[0]} is missing: {KEYS[lacking[0]].about}")
    return dict(values)


def _do(settings: Mapping[str, str], _: Mapping[str, str]) -> int:
    if not settings:
        print(usage(suite_work()))
        return 0
    return ACTIONS[settings["DO"]].run({k: v for k, v in settings.items() if k != "DO"})
