#!/usr/bin/env bash
# The helper in people's own environment: the wheel on the newest versions that resolve today.
# Says by name which library's new version broke something. No extras but for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: .ci/newest.sh PYTHON}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/env"
run="$work/env/bin/python"
"$run" -m pip install -qq --disable-pip-version-check --upgrade build pytest pytest-xdist hypothesis
# From a copy: a build leaves files behind.
mkdir "$work/source" && git archive HEAD | tar -x -C "$work/source"
"$run" -m build --outdir "$work/dist" "$work/source" >"$work/build.log" 2>&1 \
  || { tail -20 "$work/build.log" >&2; exit 1; }
"$run" -m pip install -qq --disable-pip-version-check "$work"/dist/*.whl
"$run" -m pip list --format=freeze --disable-pip-version-check \
  | grep -iE '^(numpy|scipy|pandas|scikit-learn|xarray|matplotlib|statsmodels|h5netcdf)=='

# Five commands in an empty folder.
mkdir "$work/empty" && cd "$work/empty"
export OMP_NUM_THREADS=1 LEARNING_CURVES_CACHE="$work/cache"
"$run" - <<'PY'
from sklearn.datasets import load_breast_cancer
load_breast_cancer(as_frame=True).frame.to_csv("table.csv", index=False)
open("points.csv", "w").write("size,error\n16,.4\n32,.33\n64,.28\n128,.25\n256,.22\n")
open("results.csv", "w").write("task,method,value\n" + "".join(
    f"t{t},m{m},{0.1 * m + 0.01 * t:.3f}\n" for t in range(12) for m in range(4)))
PY
commands="$work/env/bin/learning-curves"
"$commands" --help >/dev/null
"$commands" report POINTS=points.csv OUT=points
"$commands" report CSV=table.csv TARGET=target BUDGET=20s OUT=report
"$commands" order CSV=results.csv OUT=order
"$commands" portfolio --size 4 evaluations >/dev/null
test -s points/report.html && test -s report/report.html && test -s order/order.html
"$run" - <<'PY'
import time
start = time.perf_counter()
import analysis
took = time.perf_counter() - start
from sklearn.datasets import load_wine
from sklearn.model_selection import learning_curve
from sklearn.naive_bayes import GaussianNB
X, y = load_wine(return_X_y=True)
curves = analysis.from_sklearn(*learning_curve(GaussianNB(), X, y, train_sizes=[20, 40, 80, 140],
                                               shuffle=True, random_state=0))
valid = curves["error_rate"].sel(split="valid")
print("import", round(took, 2), "s;", dict(analysis.detect_shapes(valid).sizes),
      analysis.extrapolation.predict(valid.squeeze(drop=True), [280]).values)
PY

# The tests that need no extra.
cd "$OLDPWD"
"$run" -m pytest -n 2 --dist loadfile -p no:cacheprovider \
  tests/analysis/shapes tests/analysis/statistics tests/analysis/fitting tests/analysis/leaderboards \
  tests/analysis/databases/test_own_curves_in.py tests/collection/test_protocol.py \
  tests/collection/test_metrics.py tests/collection/learners/test_mixed.py
