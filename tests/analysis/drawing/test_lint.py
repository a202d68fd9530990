"""What cannot be read is found: each kind of fault, and a figure without any."""

import matplotlib.pyplot as plt
import pytest
from figure_lint import FigureError, check_figure, problems


@pytest.fixture
def axes():
    """Axes on which nothing is wrong."""
    drawn, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    ax.plot([1, 2, 3], [1, 4, 9], "o-", label="squares")
    ax.set(xlabel="number", ylabel="its square")
    yield ax
    plt.close(drawn)


def test_a_figure_that_can_be_read(axes):
    axes.legend()
    check_figure(axes.figure, "squares")


@pytest.mark.parametrize(("spoil", "words"), [
    (lambda ax: ax.text(1.5, 5, "one") and ax.text(1.5, 5, "two"), "'one' and 'two' overlap"),
    (lambda ax: ax.set_xlim(0, 2.5), "1 points lie beyond the x-axis"),
    (lambda ax: ax.set_ylabel(""), "the y-axis has no name"),
    (lambda ax: ax.set_xlabel("number, " * 12), "leaves the figure"),
    (lambda ax: ax.text(1.2, 7, "small", fontsize=4), "pixels, and 9 is the least"),
    (lambda ax: ax.plot([1, 2], [2, 2], "o-", color="C0", label="lines"),
     "lines and squares look the same"),
    (lambda ax: ax.plot([1, 2], [2, 2], "s-", color="C1", label="squares"),
     "'squares' looks different in two panels"),
])
def test_each_fault_is_named(axes, spoil, words):
    assert not list(problems(axes.figure))
    spoil(axes)
    assert words in "; ".join(problems(axes.figure))
    with pytest.raises(FigureError, match="The figure squares cannot be read"):
        check_figure(axes.figure, "squares")


def test_a_wide_figure_s_letters_shrink_with_the_page(axes):
    axes.figure.set_size_inches(18, 6)
    assert "is the least" in "; ".join(problems(axes.figure))
