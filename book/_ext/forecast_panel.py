"""Give the panel of *How much more data do I need?* its forecaster, as a script."""

from pathlib import Path

PLACE = Path("_static") / "forecast" / "model.js"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", write_model)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_model(app, exception: Exception | None) -> None:
    """Write the shipped forecaster beside the panel's own scripts."""
    if exception is None:
        place = Path(app.outdir) / PLACE
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(model_script(), encoding="utf-8")


def model_script() -> str:
    """Return the script that sets ``window.compactForecaster``."""
    from analysis.extrapolation.compact import PATH

    return f"window.compactForecaster = {PATH.read_text(encoding='utf-8').strip()};\n"
