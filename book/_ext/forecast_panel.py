"""Give the panels what they read and compute with, as scripts: vocabulary and forecaster."""

from pathlib import Path

STATIC = Path("_static")


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", write_after_build)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_after_build(app, exception: Exception | None) -> None:
    """Write the scripts beside the panels' own."""
    if exception is None:
        write_scripts(Path(app.outdir))


def write_scripts(folder: Path) -> None:
    """Write what sets ``window.readingWords`` and ``window.compactForecaster``."""
    from analysis.extrapolation.compact import PATH
    from collection.reading.names import VOCABULARY_FILE

    for place, name, source in (("reading/words.js", "readingWords", VOCABULARY_FILE),
                                ("forecast/model.js", "compactForecaster", PATH)):
        path = folder / STATIC / place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8").strip()
        path.write_text(f"window.{name} = {text};\n", encoding="utf-8")
