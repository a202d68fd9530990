#!/usr/bin/env bash
# What is released, in dist/: wheel, sdist, book and PDF, each tried, and the changelog's section.
#
#   .ci/release.sh [PYTHON]       all of it
#   .ci/release.sh PYTHON wheel   wheel and sdist alone
#
# Where CHANGELOG.md has no section of the version yet, one is begun from what was committed since
# the last tag, to be edited and committed (exit status 2).
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/find_python.sh
source .ci/five_commands.sh
python=${1:-$(find_python 3.12 3.11)}
extent=${2:-all}
most=45000000  # bytes of the wheel
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' collection/__init__.py)

if ! grep -q "^## $version" CHANGELOG.md; then
  last=$(git describe --tags --abbrev=0 2>/dev/null || true)
  { sed '/^## /,$d' CHANGELOG.md
    printf '## %s (%s)\n\n' "$version" "$(date +%F)"
    git log --no-merges --reverse --format='- %s' ${last:+"$last.."}
    printf '\n'
    sed -n '/^## /,$p' CHANGELOG.md; } >CHANGELOG.next
  mv CHANGELOG.next CHANGELOG.md
  echo "CHANGELOG.md has a section of $version now: edit it, commit, and run this again." >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 LEARNING_CURVES_CACHE="$work/cache"
unset PYTHONPATH
rm -rf dist
mkdir -p dist "$work/source"
awk -v version="## $version" 'index($0, version) == 1 {on = 1; next} /^## / {on = 0} on' \
  CHANGELOG.md >dist/notes.md

# From what is committed, in a copy: a build leaves files behind.
git archive HEAD | tar -x -C "$work/source"
"$python" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -qq --disable-pip-version-check build twine
"$work/tools/bin/python" -m build --outdir dist "$work/source" >"$work/said" 2>&1 \
  || { tail -n 30 "$work/said"; exit 1; }
"$work/tools/bin/python" -m twine check --strict dist/*.whl dist/*.tar.gz
size=$(wc -c <"$(ls dist/*.whl)")
[ "$size" -lt "$most" ] || { echo "The wheel has $size bytes; $most are the most." >&2; exit 1; }

# The wheel was made from the sdist: what works with the one is whole in the other.
"$python" -m venv "$work/env"
"$work/env/bin/python" -m pip install -qq --disable-pip-version-check dist/*.whl
echo "Installed with all that it needs: $(du -sm "$work/env" | cut -f1) MB"
[ "$("$work/env/bin/learning-curves" --version)" = "learning-curves $version" ]
five_commands "$work"

if [ "$extent" = all ]; then
  make book pdf
  tar -czf "dist/book-$version.tar.gz" -C _build/html .
  cp _build/book.pdf "dist/book-$version.pdf"
fi
ls -l dist
