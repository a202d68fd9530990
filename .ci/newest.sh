#!/usr/bin/env bash
# The helper in people's own environment: the wheel on the newest versions that resolve today.
#
#   .ci/newest.sh [PYTHON]        all tests that need no extra; what held is kept in .ci/newest.txt
#   .ci/newest.sh PYTHON quick    some of them, for the gate; writes nothing
#
# Without PYTHON it is the newest here of those that are promised.
#
# Where something fails, the same is tried on the versions of .ci/newest.txt, which held before. It
# fails there too: our change broke it (exit status 1). It holds there: a new version broke it, and
# the library is named (exit status 3; the gate says so and goes on, since no change of ours did it).
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/find_python.sh
source .ci/five_commands.sh
python=${1:-$(find_python 3.13 3.12 3.11)}
extent=${2:-all}
kept=.ci/newest.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run="$work/env/bin/python"
export OMP_NUM_THREADS=1 LEARNING_CURVES_CACHE="$work/cache"
unset PYTHONPATH
pip() { "$run" -m pip "$1" -qq --disable-pip-version-check "${@:2}"; }
versions() { "$run" -m pip list --format=freeze --exclude pip --exclude learning-curves-reexamined | sort; }

# What is tested; whatever needs an extra is skipped by tests/conftest.py.
export WITHOUT_EXTRAS=1
tests=(tests/analysis tests/collection)
[ "$extent" != quick ] || tests=(
  tests/collection/{protocol/test_protocol,containers/test_metrics,project/test_requirements}.py
  tests/collection/learners/test_mixed.py
  tests/collection/running/test_settings.py tests/collection/datasets/test_csv_file.py
  tests/analysis/databases/test_own_curves_in.py tests/analysis/shapes/test_{detect,violations}.py
  tests/analysis/fitting/test_{fit_curves,models}.py
)

check() {
  five_commands "$work" && "$run" -m pytest -q -n 2 --dist loadfile -p no:cacheprovider "${tests[@]}"
}

# The wheel is built from a copy: a build leaves files behind.
"$python" -m venv "$work/env"
mkdir "$work/source"
git ls-files analysis collection commands data book/computed book/published pyproject.toml setup.py README.md \
  LICENSE | tar -c -T - | tar -x -C "$work/source"
pip wheel --no-deps --wheel-dir "$work/dist" "$work/source"
install=("$work"/dist/*.whl hypothesis pytest pytest-xdist)
if pip install "${install[@]}"; then
  echo "Newest: Python $("$run" -c 'import platform; print(platform.python_version())')," \
       "$(versions | grep -iE '^(numpy|scipy|pandas|scikit-learn|xarray|matplotlib)=' | xargs)"
  if check; then
    [ "$extent" = quick ] || versions >"$kept"
    exit 0
  fi
fi

echo "Newest: this fails; is it so on the versions that held before ($kept)?" >&2
new=$(versions | comm -23 - <(sort "$kept"))
pip install --requirement "$kept" "${install[@]}"
if ! check; then
  echo "Newest: it fails on them, too: the change at hand broke it, not a new version." >&2
  exit 1
fi
if [ "$extent" = all ]; then  # which of them? One after the other is taken up
  for library in $new; do
    pip install "$library" && check >/dev/null 2>&1 || { new=$library; break; }
  done
fi
echo "Newest: it holds on them. Broken by a new version of:" $new >&2
exit 3
