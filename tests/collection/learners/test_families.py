"""Families: the paper's search spaces, seeded configs, all different."""

import ast
import os
import re
from pathlib import Path

import numpy as np
import pytest

from collection.learners.families import FAMILIES, Choice, Int, Real, config_learner, draw_configs
from collection.project.naming import UnknownNameError
from collection.project.paths import ROOT

PAPER = Path(os.environ.get("LEARNING_CURVES_PAPERS")
             or ROOT.parent / "shared" / "papers") / "tabrepo.txt"

OURS = {"lower": "low", "upper": "high"}  # the paper's names of ends


def printed_space(section: str) -> dict:
    """Return the search space that a section of the appendix prints."""
    text = PAPER.read_text()
    block = re.search(rf"## {re.escape(section)} .*?```(?:json|python)?\n(.*?)```", text, re.S)[1]
    without_line_numbers = re.sub(r"(?m)^\d+ ?", "", block)
    tree = ast.parse(without_line_numbers.strip(), mode="eval").body
    return {key.value: _dimension(call) for key, call in zip(tree.keys, tree.values, strict=True)}


def _dimension(call: ast.Call) -> Real | Int | Choice:
    values = [ast.literal_eval(a) for a in call.args]
    named = {OURS.get(k.arg, k.arg): ast.literal_eval(k.value) for k in call.keywords}
    if call.func.id == "Categorical":
        return Choice(tuple(values))
    return {"Int": Int, "Real": Real}[call.func.id](*values, **named)


@pytest.mark.parametrize("name", FAMILIES)
def test_spaces_are_those_of_the_paper(name):
    if not PAPER.exists():
        pytest.skip("needs the paper's text in ../shared/papers")
    assert FAMILIES[name].space == printed_space(FAMILIES[name].section)


@pytest.mark.parametrize("name", FAMILIES)
def test_configs_are_different_within_bounds_and_the_same_for_a_seed(name):
    family = FAMILIES[name]
    configs = draw_configs(name, 50)
    assert list(configs) == [f"{name}_c1", *(f"{name}_r{k}" for k in range(1, 51))]
    drawn = list(configs.values())[1:]
    assert len(set(map(repr, drawn))) == 50
    for config in drawn:
        for key, value in config.items():
            dimension = family.space[key]
            if isinstance(dimension, Choice):
                assert value in dimension.values
            else:
                assert dimension.low <= value <= dimension.high
                assert isinstance(value, int) == isinstance(dimension, Int)
    assert list(draw_configs(name, 10).items()) == list(configs.items())[:11]
    for number in ("c1", "r7"):
        found = config_learner(f"{name}_{number}")
        assert found.hyperparameters == configs[found.name]


def test_random_configs_fill_their_space():
    def drawn(family, key, count):
        return [config[key] for config in draw_configs(family, count).values()][1:]

    rates = drawn("NeuralNetTorch", "learning_rate", 400)
    shares = np.histogram(np.log(rates), np.linspace(np.log(1e-4), np.log(3e-2), 5))[0] / 400
    assert (abs(shares - 0.25) < 0.08).all()
    assert set(drawn("XGBoost", "max_depth", 200)) == set(range(4, 11))
    assert isinstance(FAMILIES["LinearModel"].space["C"], Real)


def test_a_space_of_choices_ends():
    assert len(draw_configs("KNeighbors", 60)) == 61
    with pytest.raises(ValueError, match="KNeighbors has 60 different configs; 61 were asked"):
        draw_configs("KNeighbors", 61)


def test_unknown_names_list_the_close_ones():
    with pytest.raises(UnknownNameError, match=r"family 'LightGBMs'\. Did you mean 'LightGBM'"):
        draw_configs("LightGBMs", 1)
    for name in ("LightGBM_c2", "LightGBM", "Light_r1"):
        with pytest.raises(UnknownNameError, match="LightGBM_c1"):
            config_learner(name)
