# What a notebook calls and five commands, in an empty folder beside the environment $1/env.
five_commands() (
  work=$1 run=$1/env/bin/python
  rm -rf "$work/empty" && mkdir "$work/empty" && cd "$work/empty" || return 1
  "$run" - <<'PY' || return 1
import time
start = time.perf_counter()
import analysis
print(f"import analysis: {time.perf_counter() - start:.1f} s")
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import learning_curve
from sklearn.naive_bayes import GaussianNB
X, y = load_wine(return_X_y=True)
curves = analysis.from_sklearn(*learning_curve(GaussianNB(), X, y, train_sizes=[20, 40, 80, 140],
                                               shuffle=True, random_state=0),
                               scoring="accuracy")
valid = curves["error_rate"].sel(split="valid")
assert "ill_behaved" in analysis.detect_shapes(valid)
assert (analysis.extrapolation.predict(valid.squeeze(drop=True), [280]).values >= 0).all()
load_breast_cancer(as_frame=True).frame.to_csv("table.csv", index=False)
open("points.csv", "w").write("size,error\n16,.4\n32,.33\n64,.28\n128,.25\n256,.22\n")
open("results.csv", "w").write("task,method,error\n" + "".join(
    f"t{t},m{m},{0.1 * m + 0.01 * t:.3f}\n" for t in range(12) for m in range(4)))
PY
  local called page
  for called in "--help" "report POINTS=points.csv OUT=points" "order CSV=results.csv OUT=order" \
      "report CSV=table.csv TARGET=target BUDGET=10s OUT=report" \
      "compare LEARNER=sklearn.naive_bayes.GaussianNB() SUITE=dummy OUT=compared"; do
    # shellcheck disable=SC2086 - split at blanks
    "$work/env/bin/learning-curves" $called >said 2>&1 \
      || { echo "learning-curves $called:" && cat said; return 1; }
  done
  for page in points/report report/report order/order compared/order; do
    test -s "$page.html" || { echo "$page.html was not written."; return 1; }
  done
)
