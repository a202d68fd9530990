import pytest

from collection.project.naming import deprecated


def test_a_deprecated_function_works_warns_its_caller_and_says_so_in_its_help():
    @deprecated("1.2", "analysis.load_curves")
    def load(name, *, upper=False):
        """Load."""
        return name.upper() if upper else name

    with pytest.warns(DeprecationWarning, match=r"load is .* 1\.2: use analysis\.load_c") as said:
        assert load("mini", upper=True) == "MINI"
    assert said[0].filename == __file__
    assert load.__name__ == "load" and load.__doc__.startswith("Load.")
    assert load.__doc__.endswith("Deprecated since version 1.2: use analysis.load_curves.")
