"""For every test: figures are drawn without a screen, and property tests draw the same examples.

Published data beside the checkout are used where they are there (`published_data`).

``HYPOTHESIS_PROFILE=explore pytest`` draws others at each run, and shrinks what fails, which may
take minutes.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from published_data import PUBLISHED, VARIABLE, at_hand

from collection.project.paths import ROOT
from collection.project.requirements import EXTRA_OF

matplotlib.use("Agg")
sys.path.insert(0, str(ROOT))  # for the loops in benchmarks/ that the fast code is held against
sys.path.append(str(ROOT / "book" / "figures"))

if PUBLISHED.is_dir():
    os.environ[VARIABLE] = str(PUBLISHED)

settings.register_profile("same", derandomize=True, deadline=None,
                          phases=[Phase.explicit, Phase.generate, Phase.target])
settings.register_profile("explore", deadline=None)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
settings.load_profile(PROFILE)
if PROFILE == "same":  # else it also draws constants of whatever modules have been imported so far
    providers._get_local_constants = Constants


if os.environ.get("WITHOUT_EXTRAS"):  # as .ci/newest.sh runs: what needs one is skipped
    ABSENT = re.compile(rf"No module named '({'|'.join(EXTRA_OF)})\b"
                        r"|is not installed\. Install it with")

    def skip_absent(report: pytest.TestReport | pytest.CollectReport):
        """Make a report of what failed for want of an extra one of what was skipped."""
        told = "\n".join([str(report.longrepr), *(text for _, text in report.sections)])
        if report.failed and (found := ABSENT.search(told)):
            report.outcome, report.longrepr = "skipped", (report.nodeid, 0, found[0])
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report():
        return skip_absent((yield))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport():
        return skip_absent((yield))


SECONDS = "files/seconds"  # what each file of tests took, for the next time
#: Why tests are skipped, by words of their reasons; any other is named as it stands.
LACKING = {"published data (../shared)": ("../shared", "published", "paper", str(PUBLISHED.parent)),
           "chromium": ("chromium",), "libraries (make env-test)": ("extra", "not installed")}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    """Begin with the files that took longest, so that no process is left beside a long one.

    The first time with those of the top folder, which run whole commands.
    """
    took = cache.get(SECONDS, {}) if (cache := getattr(config, "cache", None)) else {}
    items.sort(key=lambda item: (-took.get(item.location[0], float("inf")),
                                 item.location[0].count("/") > 1))


def pytest_terminal_summary(terminalreporter, config: pytest.Config):
    """Say in one line why tests were skipped; keep what each file took."""
    stats, worker = terminalreporter.stats, hasattr(config, "workerinput")
    reasons = Counter(_lacking(str(report.longrepr[2])) for report in stats.get("skipped", ()))
    if reasons:
        told = "; ".join(f"{count} {why}" for why, count in reasons.most_common())
        terminalreporter.line(f"Skipped for want of: {told}")
    took = Counter()
    for report in (r for found in stats.values() for r in found if hasattr(r, "duration")):
        took[report.location[0]] += report.duration
    if hasattr(config, "cache") and not worker:
        config.cache.set(SECONDS, {**config.cache.get(SECONDS, {}), **took})


def _lacking(reason: str) -> str:
    return next((what for what, words in LACKING.items() if any(w in reason for w in words)),
                reason.removeprefix("Skipped: "))


@pytest.fixture
def ax():
    """An empty panel of a figure."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


@pytest.fixture
def forked(monkeypatch):
    """Have the commands run their notebooks in kernels that are forked, not started anew."""
    from notebook_runs import execute
    monkeypatch.setattr("papermill.execute_notebook", execute)


@pytest.fixture
def published() -> Path:
    """Where published data lie; what needs them is skipped without."""
    return at_hand()


@pytest.fixture(scope="session")
def pmlb() -> list:
    """The 44 datasets of PMLBmini, as their authors' files have them."""
    import pandas as pd

    from collection.datasets.dataset import make_dataset
    folder = at_hand("pmlb")
    return [
        make_dataset(
            pd.read_csv(folder / name / f"{name}.tsv.gz", sep="\t", dtype={"target": str}),
            "target", name=name, source=f"pmlb:{name}")
        for name in pd.read_csv(folder / "index.csv")["dataset"]]


@pytest.fixture(scope="session")
def power_curves():
    """Return a function that makes noisy power laws."""
    from power_laws import make_power_curves
    return make_power_curves


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A small collection with predictions: folders of members, ensembles, and shipped files."""
    from small_collection import gather

    from analysis.ensemble_curves.compute import compute_ensembles
    from lab.ensemble_curves import ship
    folder = tmp_path_factory.mktemp("ensembles")
    members, ensembles, files = (folder / name for name in ("members", "ensembles", "files"))
    gather(members)
    compute_ensembles(members, ensembles)
    ship(ensembles, files)
    return SimpleNamespace(members=members, ensembles=ensembles, files=files)
