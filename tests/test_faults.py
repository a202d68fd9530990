"""The campaign of faults can fail: planted bugs are caught, and its judgement is strict."""

from pathlib import Path

import pytest

from benchmarks.faults.__main__ import CATCH, caught
from benchmarks.faults.campaign import Campaign, Said, State
from benchmarks.faults.plants import PLANTS

STAMPS = {("a",): "1", ("b",): "2"}
GOOD, STOPPED, TOLD = Said(0, "", ""), Said(130, "", ""), Said(1, "", "evaluate: it is damaged\n")


def judge(kind, said, state, then, again, stamps=STAMPS, later=STAMPS):
    campaign = object.__new__(Campaign)
    campaign.out = Path("out")
    campaign.flipped = campaign.out / "evaluations.sqlite"
    return campaign.judge(kind, "evaluate", said, State(state, stamps), then, State(again, later))


@pytest.mark.parametrize("name", ["line skipped", "mode changed", "input removed", "files opened"])
def test_a_planted_bug_is_caught(name):
    """The quickest four; ``make faults`` plants all twelve."""
    assert set(CATCH) == set(PLANTS) and caught(name, 0)


def test_a_campaign_that_cannot_run_catches_nothing(capsys):
    """A machine so busy that each command seems to hang would catch every plant."""
    assert not caught("line skipped", 0, limit=0.01)
    assert "NOT CAUGHT line skipped: faults: order without a fault" in capsys.readouterr().out


@pytest.mark.parametrize("case", [
    ("killed", [STOPPED], "part of it", GOOD, "whole"),
    ("disk full", [TOLD], "nothing stored", GOOD, "whole"),
    ("byte flipped", [], "told (UnreadableStoreError)", TOLD, "told (UnreadableStoreError)"),
])
def test_what_is_told_or_made_good_is_not_lost(case):
    assert judge(*case) == []


@pytest.mark.parametrize(("case", "stamps", "later"), [
    (("killed", [STOPPED], "other numbers", GOOD, "whole"), STAMPS, STAMPS),
    (("killed", [STOPPED], "part of it", GOOD, "part of it"), STAMPS, STAMPS),
    (("killed", [STOPPED], "part of it", TOLD, "whole"), STAMPS, STAMPS),
    (("killed", [GOOD], "part of it", GOOD, "whole"), STAMPS, STAMPS),
    (("killed", [Said(1, "", "")], "part of it", GOOD, "whole"), STAMPS, STAMPS),
    (("killed", [Said(1, "", "evaluate: x\nevaluate: y")], "part of it", GOOD, "whole"), {}, {}),
    (("killed", [Said(124, "", "")], "whole", GOOD, "whole"), STAMPS, STAMPS),
    (("killed", [Said(1, "", "Traceback (most recent call)")], "whole", GOOD, "whole"), {}, {}),
    (("killed", [STOPPED], "part of it", GOOD, "whole"), STAMPS, {("a",): "1", ("b",): "3"}),
    (("killed", [STOPPED], "part of it", GOOD, "whole"), STAMPS, {("a",): "1"}),
    (("byte flipped", [], "part of it", GOOD, "whole"), STAMPS, STAMPS),
    (("byte flipped", [], "nothing stored", GOOD, "whole"), {}, {}),
    (("byte flipped", [], "told (X)", Said(1, "", ""), "told (X)"), {}, {}),
])
def test_what_is_lost_is_seen(case, stamps, later):
    assert judge(*case, stamps, later)
