"""Curves to store: settings, a dataset's row, a strategy of curves with fits of every kind.

And what holds of a stored file of any kind.
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit
from collection.store import StoreWriter, UnreadableStoreError

SETTINGS = {"TIME_LIMIT": 5.0, "ANCHORS": [16, 18]}
KEY = CurveKey("iris", "KNN", "none", "no", 0, 0)


def row(name, **changes):
    return {"name": name, "spec": f"keel:{name}", "openml_id": None, "source": f"keel:{name}",
            "licence": "CC0", "rows": 150, "features": 4, "categorical": 0, "classes": 3,
            "missing_values": 0, "train_size": 121, "fingerprint": f"of {name}"} | changes


def write(folder, curves, kind=StoreWriter, **changes):
    """Store curves, given their fits by key, under settings with changes; return the folder."""
    with kind(folder, SETTINGS | changes, {"host": folder.name}) as store:
        for name in dict.fromkeys(key.dataset for key in curves):
            store.add_dataset(row(name))
        for key, fits in curves.items():
            store.add_curve(key, fits, 1.5, "here:1")
    return folder


def with_texts(container):
    """Return the container in memory with messages as text: their numbers may differ."""
    loaded = container.load()
    texts = loaded["message_text"].values[loaded["message"].values]
    return loaded.drop_vars("message_text").assign(message=(loaded["message"].dims, texts))


numbers = st.floats(-5, 5) | st.just(np.nan)
triples = st.tuples(numbers, numbers, numbers)
fits = st.builds(
    Fit, anchor=st.just(0), status=st.sampled_from([s for s in Status if s != Status.not_run]),
    message=st.sampled_from(["", "ValueError: né", "stopped after 5 s"]), error_rate=triples,
    f1=triples, auc=triples, log_loss=triples, train_time=numbers, predict_time=triples)
curves = st.dictionaries(
    st.builds(CurveKey, dataset=st.sampled_from(["iris", "a b"]),
              learner=st.sampled_from(["LDA", "KNN", "mine.Own(C=1)"]),
              scaling=st.sampled_from(["standard", "none"]), leakage=st.sampled_from(["yes", "no"]),
              outer=st.sampled_from([3, 0, 10]), inner=st.sampled_from([7, 2])),
    st.dictionaries(st.sampled_from([16, 18, 2048]), fits, min_size=1).map(
        lambda found: [replace(fit, anchor=anchor) for anchor, fit in found.items()]),
    min_size=1, max_size=12)


def any_flipped_bit_is_named_or_changes_nothing(file, all_said):
    """Flip a hundred bits of a store, one at a time; `all_said` returns what it says."""
    whole = all_said()
    content, rng = file.read_bytes(), np.random.default_rng(0)
    used = [place for place in range(len(content)) if content[place]]
    for place in rng.choice(used, 100):
        spoilt = bytearray(content)
        spoilt[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(spoilt)
        try:
            assert all_said() == whole
        except UnreadableStoreError as error:
            assert str(file) in str(error)
